#include "surface/waiting.h"

#include <limits>

#include "base/text/text.h"
#include "run/steps/behaviour.h"

namespace baton::surface {
namespace {

// The node and not its token: no token is ever recorded, and a task is.
constexpr std::string_view awaited = "awaitedNode";

}  // namespace

bool is_waiting(const run::Reply& reply) {
  return reply.pending && run::behaviour_of(reply.pending->kind).is_for_server;
}

engine::WaitPolicy wait_policy_of(const protocol::Call& call) {
  engine::WaitPolicy out;
  // A task waits for as long as its owner lets it.
  if (awaited_node(call)) out.ms_max = std::numeric_limits<std::int64_t>::max();
  out.goes_on = [&call](const engine::Waited& waited) {
    // The client hears of it once a second: a report that does not grow is dropped.
    call.report({.done = static_cast<double>(waited.ms / 1'000),
                 .total = {},
                 .message = cat("the command of the step ", waited.step, " is running")});
    return !call.cancelled();
  };
  return out;
}

protocol::ToolResult to_be_awaited(protocol::ToolResult result, const run::Reply& reply) {
  if (is_waiting(reply)) {
    result.goes_on_from = json::Object{{awaited, reply.state.node.text()}};
  }
  return result;
}

std::optional<NodeId> awaited_node(const protocol::Call& call) {
  const json::Value* node = call.state.find(awaited);
  if (node == nullptr || !node->is_string()) return std::nullopt;
  const auto parsed = NodeId::parse(*node->if_string());
  return parsed ? std::optional(*parsed) : std::nullopt;
}

}  // namespace baton::surface
