#pragma once
// What a step runs over, one round for each: items or a count, as the workflow, the state or the
// context says it. For the loops and for the items of sub-agents. Pure.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "run/walk/walk_moves.h"
#include "workflow/compiled.h"

namespace baton::run {

/// How a step finds what it runs over.
struct RoundSource {
  std::string_view field;             // of the step: items or count
  const json::Value* list = nullptr;  // items that the workflow itself has
  const std::string* text = nullptr;  // a path or a script; nullptr: the workflow says it
  bool is_script = false;

  bool is_items() const { return field == "items"; }
};
RoundSource items_source(const json::Value* items);
RoundSource count_source(const json::Value* count);

/// What a list or a count is taken from, for people: a path, code, or the list itself.
std::string source_text(const json::Value& source);

/// A number of rounds, also as a text; nothing for anything else.
std::optional<std::int64_t> count_in(const json::Value& value);

/// What a value of the source has to be, in words, and whether one is that.
std::string_view wanted_by(const RoundSource& source);
bool fits(const RoundSource& source, const std::optional<json::Value>& value);

/// The value that the source names; nothing when it names none.
Known<std::optional<json::Value>> value_of_source(const RoundSource& source, WalkMoves& walk,
                                                  const workflow::Step& step, Scripts& scripts);

/// A list that the workflow has and that has something in it to evaluate; nullptr for one that
/// stays as it is.
Known<std::shared_ptr<const json::Value>> evaluated_list(const RoundSource& source, WalkMoves& walk,
                                                         const workflow::Step& step,
                                                         Scripts& scripts);

/// STATE_WRONG_TYPE for a value of the state that is not what the step needs.
std::unexpected<state::NoValue> wrong_rounds(const RoundSource& source, const workflow::Step& step,
                                             const std::optional<json::Value>& value);

/// The same for one of the context, which the agent can send.
Finding missing_rounds(const RoundSource& source, const workflow::Step& step,
                       const std::optional<json::Value>& value);

}  // namespace baton::run
