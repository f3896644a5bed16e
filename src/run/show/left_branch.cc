#include "run/show/left_branch.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/json/fields.h"

namespace baton::run {
namespace {

using json::Fields;
using json::Object;
using json::Value;

Value command_json(const StartedCommand& command) {
  Object out{{"step", command.step}};
  if (command.end) out.set("end", name_of(*command.end));
  if (command.code != 0) out.set("code", command.code);
  if (command.is_undone) out.set("undone", true);
  return out;
}

Result<StartedCommand> command_from(const Value& value) {
  Fields f(value, "recorded command of a branch", Code::STORE_CORRUPT);
  StartedCommand command{.step = TRY(f.string("step"))};
  if (f.has("end")) command.end = TRY(member_of<ProcessEnd>(f, "end"));
  if (f.has("code")) command.code = TRY(f.integer("code"));
  if (f.has("undone")) command.is_undone = TRY(f.boolean("undone"));
  TRY(f.done());
  return command;
}

/// Turns a list round and keeps its beginning. Returns how many are left out.
template <class Each>
std::int64_t keep_first(std::vector<Each>& newest_first) {
  std::ranges::reverse(newest_first);
  const std::size_t shown = std::min(newest_first.size(), limits::fork_commands_max);
  const std::size_t omitted = newest_first.size() - shown;
  newest_first.erase(newest_first.begin() + static_cast<std::ptrdiff_t>(shown), newest_first.end());
  return static_cast<std::int64_t>(omitted);
}

bool has_started(const StartedCommand& command) {
  return command.end != ProcessEnd::not_found && command.end != ProcessEnd::not_started;
}

}  // namespace

Value to_json(const LeftBranch& left) {
  Object out{{"tip", to_json(left.tip)}};
  if (!left.step.empty()) out.set("step", left.step);
  json::Array commands;
  for (const StartedCommand& each : left.commands) commands.push_back(command_json(each));
  if (!commands.empty()) out.set("commands", std::move(commands));
  if (left.commands_omitted != 0) out.set("commandsOmitted", left.commands_omitted);
  json::Array reported(left.reported.begin(), left.reported.end());
  if (!reported.empty()) out.set("reported", std::move(reported));
  if (left.reported_omitted != 0) out.set("reportedOmitted", left.reported_omitted);
  if (left.nodes_unread != 0) out.set("nodesUnread", left.nodes_unread);
  return out;
}

Result<LeftBranch> left_branch_from_json(const Value& value) {
  Fields f(value, "recorded branch", Code::STORE_CORRUPT);
  LeftBranch left;
  left.tip = TRY(claim_from_json(*TRY(f.any("tip"))));
  if (f.has("step")) left.step = TRY(f.string("step"));
  if (f.has("commands")) {
    for (const Value& each : *TRY(f.array("commands"))) {
      left.commands.push_back(TRY(command_from(each)));
    }
  }
  if (f.has("commandsOmitted")) left.commands_omitted = TRY(f.integer("commandsOmitted"));
  if (f.has("reported")) left.reported = TRY(f.strings("reported"));
  if (f.has("reportedOmitted")) left.reported_omitted = TRY(f.integer("reportedOmitted"));
  if (f.has("nodesUnread")) left.nodes_unread = TRY(f.integer("nodesUnread"));
  TRY(f.done());
  return left;
}

void BranchCommands::add(std::span<const Event> events) {
  for (const Event& event : events) {
    if (const auto* finished = std::get_if<ProcessFinished>(&event)) {
      ends_[finished->intended] = {{}, finished->end, finished->code};
    }
  }
  for (const Event& event : events) {
    const auto* reported = std::get_if<EffectReported>(&event);
    if (reported != nullptr && !undone_.contains(reported->node)) {
      reported_newest_first_.push_back(reported->step);
    }
    const auto* intended = std::get_if<ProcessIntended>(&event);
    if (intended == nullptr) continue;
    StartedCommand command;
    if (const auto found = ends_.find(intended->node); found != ends_.end()) {
      command = found->second;
    }
    command.step = intended->step;
    command.is_undone = undone_.contains(intended->node);
    if (has_started(command)) newest_first_.push_back(std::move(command));
  }
}

void BranchCommands::finish(LeftBranch& left) && {
  left.commands_omitted = keep_first(newest_first_);
  left.commands = std::move(newest_first_);
  left.reported_omitted = keep_first(reported_newest_first_);
  left.reported = std::move(reported_newest_first_);
}

}  // namespace baton::run
