#include "run/steps/user_message.h"

#include <span>

#include "base/text/text.h"
#include "run/show/prompt_values.h"
#include "run/steps/behaviour.h"
#include "run/steps/instructions.h"

namespace baton::run {
namespace {

using json::Object;
using workflow::CompiledWorkflow;
using workflow::Step;
using workflow::UserMessage;

std::int64_t& index_of(Cursor& cursor) {
  return cursor.frames.empty() ? cursor.position : cursor.frames.back().index;
}

/// The message that `cursor` is at and those that are delivered with it.
std::span<const Step> messages_at(const CompiledWorkflow& workflow, const Cursor& cursor) {
  const Step* first = step_at(workflow, cursor);
  if (first == nullptr || first->as<UserMessage>() == nullptr) return {};
  const std::vector<Step>& block = *levels_of(workflow, cursor).back().steps;
  const Step* end = block.data() + block.size();
  const Step* last = first + 1;
  while (last != end && last->as<UserMessage>() != nullptr && !last->run_condition) ++last;
  return {first, last};
}

Known<void> instruct(Instructions& to) {
  json::Array messages;
  std::string all;
  const std::span<const Step> steps = messages_at(to.workflow, to.state.cursor);
  for (const Step& each : steps) {
    const UserMessage& message = *each.as<UserMessage>();
    std::string rendered = to.shown(message.message);
    while (rendered.ends_with('\n')) rendered.pop_back();
    all += cat(all.empty() ? "" : "\n\n", rendered);
    Object entry{{"message", std::move(rendered)}, {"format", message.format}};
    if (message.message_type) entry.set("message_type", *message.message_type);
    messages.push_back(std::move(entry));
  }
  to.words = cat(steps.size() == 1 ? "Show the user this message, word for word"
                                   : "Show the user these messages, word for word",
                 ":\n\n", all);
  if (messages.size() == 1) {
    for (json::Member& each : *messages.front().if_object())
      to.set(each.key, std::move(each.value));
  } else {
    to.set("messages", std::move(messages));
  }
  return {};
}

}  // namespace

StepBehaviour behaviour_of(std::type_identity<UserMessage>) {
  return {.is_for_agent = true,
          .has_report = false,
          .may_fail = true,
          .may_write = true,
          .instruct = instruct};
}

std::vector<std::string> keys_passed_with(const CompiledWorkflow& workflow, const Cursor& cursor) {
  std::vector<std::string> out;
  Cursor at = cursor;
  for (std::size_t left = messages_at(workflow, cursor).size(); left > 1; --left) {
    ++index_of(at);
    out.push_back(key_at(workflow, at));
  }
  return out;
}

void pass_messages(const CompiledWorkflow& workflow, Cursor& cursor) {
  const std::size_t count = messages_at(workflow, cursor).size();
  if (count > 1) index_of(cursor) += static_cast<std::int64_t>(count - 1);
}

}  // namespace baton::run
