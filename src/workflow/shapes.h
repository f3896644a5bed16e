#pragma once
// Shapes that several tables use. Only the tables include this.

#include "workflow/shape.h"

namespace baton::workflow::shapes {

inline constexpr Shape any{.kind = ShapeKind::any, .what = "any value"};
inline constexpr Shape text{.kind = ShapeKind::text, .what = "a string"};
inline constexpr Shape filled{
    .kind = ShapeKind::text, .what = "a string that is not empty", .min = 1};
inline constexpr Shape boolean{.kind = ShapeKind::boolean, .what = "true or false"};
inline constexpr Shape count{.kind = ShapeKind::integer, .what = "a whole number from 0", .min = 0};
inline constexpr Shape positive{
    .kind = ShapeKind::integer, .what = "a whole number from 1", .min = 1};
inline constexpr Shape duration{.kind = ShapeKind::number, .what = "a number from 0", .min = 0};
inline constexpr Shape texts{.kind = ShapeKind::list, .what = "a list of strings", .item = &text};
inline constexpr Shape some_texts{
    .kind = ShapeKind::list, .what = "a list of at least one string", .item = &text, .min = 1};
inline constexpr const Shape* text_or_texts_choices[] = {&text, &texts};
inline constexpr Shape text_or_texts{.kind = ShapeKind::choice,
                                     .what = "a string or a list of strings",
                                     .choices = text_or_texts_choices};
inline constexpr Shape values{.kind = ShapeKind::list, .what = "a list", .item = &any};
inline constexpr Shape free_object{.kind = ShapeKind::map, .what = "an object", .item = &any};
inline constexpr Shape condition{.kind = ShapeKind::condition,
                                 .what = "an expression or a condition object"};
inline constexpr Shape step{.kind = ShapeKind::step, .what = "a step"};
inline constexpr Shape steps{.kind = ShapeKind::list, .what = "a list of steps", .item = &step};
inline constexpr Shape some_steps{
    .kind = ShapeKind::list, .what = "a list of at least one step", .item = &step, .min = 1};

extern const Shape function_list;  // functionDefinitions
extern const Shape input_map;      // inputs
extern const Shape default_state;
extern const Shape state_schema;
extern const Shape output_contract;

}  // namespace baton::workflow::shapes
