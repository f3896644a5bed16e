#pragma once
// Shapes that several tables use. Only the tables include this: table_document.cc and the files of
// the step types.

#include "workflow/check/shape.h"

namespace baton::workflow::shapes {

inline constexpr KeyRule required = KeyRule::required;
inline constexpr KeyRule alias = KeyRule::optional;  // of the key that the entry names next
inline constexpr Dialect workrail = Dialect::workrail;

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

inline constexpr std::string_view operations[] = {"set",       "append", "increment",
                                                  "decrement", "merge",  "multiply"};
inline constexpr Shape operation{
    .kind = ShapeKind::text, .what = "an operation on state", .words = operations};
inline constexpr Key update_keys[] = {{"path", &filled, "raw., state., this. or global.", required},
                                      {"operation", &operation},
                                      {"value", &any, "Default the result of the step"}};
inline constexpr Shape update{
    .kind = ShapeKind::object, .what = "a state update", .keys = update_keys};
inline constexpr Shape some_updates{
    .kind = ShapeKind::list, .what = "a list of updates", .item = &update};
inline constexpr std::string_view strategies[] = {"retry", "continue", "fail", "fallback"};
inline constexpr Shape strategy{.kind = ShapeKind::text, .what = "a strategy", .words = strategies};
inline constexpr Key step_error_keys[] = {{"strategy", &strategy},
                                          {"max_retries", &count},
                                          {"fallback_value", &any},
                                          {"error_message", &text}};
inline constexpr Shape step_error{
    .kind = ShapeKind::object, .what = "how errors are handled", .keys = step_error_keys};
inline constexpr std::string_view on_errors[] = {"fail", "continue", "retry"};
inline constexpr Shape on_error{
    .kind = ShapeKind::text, .what = "what an error does", .words = on_errors};
inline constexpr Shape text_map{
    .kind = ShapeKind::map, .what = "names with strings", .item = &text};
inline constexpr std::string_view confirmation_kinds[] = {"coordinator_eval", "human_approval"};
inline constexpr Shape confirmation_kind{
    .kind = ShapeKind::text, .what = "a kind of confirmation", .words = confirmation_kinds};
inline constexpr Key confirmation_keys[] = {{"kind", &confirmation_kind, "", required},
                                            {"condition", &condition}};
inline constexpr Shape confirmation_object{.kind = ShapeKind::object,
                                           .what = "a confirmation rule",
                                           .keys = confirmation_keys,
                                           .mark = "kind"};
inline constexpr const Shape* confirmation_choices[] = {&boolean, &confirmation_object, &condition};
inline constexpr Shape confirmation{.kind = ShapeKind::choice,
                                    .what = "true, false or a condition",
                                    .choices = confirmation_choices};

inline constexpr std::string_view assurances[] = {"claimed", "asked", "present", "sealed",
                                                  "identified"};
inline constexpr Shape assurance{
    .kind = ShapeKind::text, .what = "an assurance", .words = assurances};
inline constexpr const Shape* gate_life_choices[] = {&positive, &filled};
inline constexpr Shape gate_life{.kind = ShapeKind::choice,
                                 .what = "a time like 30m, 24h or 7d, or whole minutes from 1",
                                 .choices = gate_life_choices};
inline constexpr Key gate_keys[] = {
    {"who", &filled, "Whom to ask"},
    {"count", &positive, "How many have to agree; above 1 only with assurance: sealed"},
    {"assurance", &assurance, "What their word needs at least; identified is reserved"},
    {"expires", &gate_life, "30m, 24h, 7d: after it an approval no longer counts"},
    {"prompt", &filled, "What they are asked"}};
inline constexpr Shape gate_object{.kind = ShapeKind::object, .what = "a gate", .keys = gate_keys};
inline constexpr const Shape* gate_choices[] = {&boolean, &gate_object};
inline constexpr Shape gate{.kind = ShapeKind::choice,
                            .what =
                                "true, false or an object with who, count, assurance, expires "
                                "and prompt",
                            .choices = gate_choices};
inline constexpr std::string_view fork_rules[] = {"reuse", "repeat", "ask"};
inline constexpr Shape fork_rule{
    .kind = ShapeKind::text, .what = "what a fork does with an effect", .words = fork_rules};
inline constexpr Key gate_key{"gate", &gate, "A person agrees before the step is done"};
inline constexpr Key effect_key{"effect", &boolean, "Whether it changes something outside"};
inline constexpr Key on_fork_key{"on_fork", &fork_rule,
                                 "What becomes of an effect that another branch had"};

inline constexpr const Shape* items_choices[] = {&filled, &values};
inline constexpr Shape items{
    .kind = ShapeKind::choice, .what = "an expression or a list", .choices = items_choices};
inline constexpr Key call_keys[] = {{"templateId", &filled, "", required}, {"args", &free_object}};
inline constexpr Shape template_call{
    .kind = ShapeKind::object, .what = "a template call", .keys = call_keys};

extern const Shape function_list;  // functionDefinitions
extern const Shape input_map;      // inputs
extern const Shape default_state;
extern const Shape state_schema;
extern const Shape output_contract;

}  // namespace baton::workflow::shapes
