#pragma once
// The agent: it knows its work, copies tokens from replies, and fixes a call that did not
// go through by what the answer says of it and nothing else. Pure functions.

#include "story.h"
#include "wire.h"

namespace baton::lossy {

/// What the agent keeps of the last answer that moved its run.
struct Memory {
  std::string run;
  std::string step;
  std::string state;
  std::string ack;
  std::string checkpoint;
  bool is_complete = false;
};

Memory remember(const Told& told);

Call start_call(std::string_view goal);
/// Sends the result of the pending step; with the stateToken, which guards against mixing up
/// runs, for an agent that has several.
Call advance_call(const Memory& memory, const Content& content, bool with_state);

/// Whether the call did what it was meant to: the answer belongs to the agent's own run and step,
/// and is neither an error nor a block.
bool is_settled(const Told& told, const Memory& memory);

/// `sent`, changed where the answer says it is wrong. What to put there comes from `meant`, the
/// call as the agent would have liked to make it; tokens come from `memory`.
Call correct(const Told& told, const Call& sent, const Call& meant, const Memory& memory);

/// The member at a JSON pointer without escapes, or nullptr.
const json::Value* get_at(const json::Value& value, std::string_view pointer);
/// Sets it, making objects on the way; a text on the way that holds JSON is read first.
void set_at(json::Value& value, std::string_view pointer, json::Value member);
void erase_at(json::Value& value, std::string_view pointer);

}  // namespace baton::lossy
