#include "run/decide/brakes.h"

#include <algorithm>

#include "base/core/budget_limits.h"
#include "base/text/text.h"
#include "run/steps/behaviour.h"
#include "run/steps/loop.h"
#include "run/walk/scope.h"

namespace baton::run {
namespace {

constexpr std::int64_t minute_ms = 60'000;

/// One limit of a budget, what a run has used of it, and how both are said.
struct Limit {
  std::string_view name;
  std::int64_t Budget::* most;
  std::int64_t (*used)(const Usage& usage);
  std::int64_t top;
};

constexpr Limit all_limits[] = {
    {"steps", &Budget::steps, [](const Usage& usage) { return usage.steps; },
     limits::budget_steps_max},
    {"minutes", &Budget::minutes, minutes_of, limits::budget_minutes_max},
    {"attempts", &Budget::attempts, [](const Usage& usage) { return usage.attempts; },
     limits::budget_attempts_max},
    {"bytes", &Budget::bytes, [](const Usage& usage) { return usage.bytes; },
     limits::budget_bytes_max},
    {"tokens", &Budget::tokens, [](const Usage& usage) { return usage.tokens; },
     limits::budget_tokens_max}};

bool is_used_up(const Limit& limit, const Budget& budget, const Usage& usage) {
  const std::int64_t most = budget.*limit.most;
  return most > 0 && limit.used(usage) >= most;
}

GateAsk ask_about(GateKind kind, const NodeState& state, std::string question,
                  const Policy& policy) {
  GateAsk out{.kind = kind,
              .step = state.open_steps.empty() ? std::string() : state.open_steps.front(),
              .question = std::move(question),
              .least = least_of(policy)};
  // A word lets the run go on this time, and not whenever the same is asked.
  out.output = sha256(cat(out.question, ' ', state.node.text()));
  return out;
}

/// The id of a step without its rounds.
std::string_view id_of_key(std::string_view key) {
  const std::size_t at = key.rfind("::");
  return at == key.npos ? key : key.substr(at + 2);
}

}  // namespace

Budget budget_of(const workflow::CompiledWorkflow& workflow) {
  Budget out;
  const json::Value* said = workflow.declared.find("budget");
  if (said == nullptr) return out;
  for (const Limit& each : all_limits) {
    const json::Value* found = said->find(each.name);
    const std::int64_t* most = found == nullptr ? nullptr : found->if_int();
    // The compiler lets only limits through that are in order.
    if (most != nullptr) out.*each.most = std::clamp<std::int64_t>(*most, 1, each.top);
  }
  return out;
}

Budget strictest(const Budget& a, const Budget& b) {
  Budget out = a;
  for (const Limit& each : all_limits) {
    const std::int64_t other = b.*each.most;
    std::int64_t& most = out.*each.most;
    if (most == 0 || (other > 0 && other < most)) most = other;
  }
  return out;
}

Result<void> check_budget(const Budget& budget) {
  for (const Limit& each : all_limits) {
    const std::int64_t most = budget.*each.most;
    if (most >= 0 && most <= each.top) continue;
    return fail(Code::LIMIT_EXCEEDED,
                cat("budget: ", each.name, " is ", most, "; it can be 1 to ", each.top),
                "send another number, or leave it out");
  }
  return {};
}

std::int64_t minutes_of(const Usage& usage) {
  const std::int64_t taken = usage.at.value - usage.started.value - usage.waited_ms;
  return std::max<std::int64_t>(taken, 0) / minute_ms;
}

std::string budget_text(const Budget& budget, const Usage& usage) {
  std::string out;
  for (const Limit& each : all_limits) {
    const std::int64_t most = budget.*each.most;
    if (most == 0) continue;
    out += cat(out.empty() ? "" : ", ", each.used(usage), " of ", most, ' ', each.name);
  }
  return out;
}

std::optional<GateAsk> budget_ask(const NodeState& state, const Policy& policy) {
  const Budget& budget = state.known().budget;
  const Usage& usage = state.known().usage;
  Budget spent;
  json::Object offer;
  std::string more;
  for (const Limit& each : all_limits) {
    if (!is_used_up(each, budget, usage)) continue;
    spent.*each.most = budget.*each.most;
    const std::int64_t next = std::min(each.used(usage) + budget.*each.most, each.top);
    offer.set(each.name, next);
    more += cat(more.empty() ? "" : " and ", next, ' ', each.name);
  }
  // At the very top there is nothing to offer, and the run goes on.
  if (offer.empty() || with_offer(budget, offer) == budget) return std::nullopt;
  GateAsk out = ask_about(GateKind::budget, state,
                          cat("The budget of the run is used up: ", budget_text(spent, usage),
                              ". May it go on, with up to ", more, '?'),
                          policy);
  out.offer = std::move(offer);
  return out;
}

Budget with_offer(Budget budget, const json::Object& offer) {
  for (const Limit& each : all_limits) {
    const json::Value* found = offer.find(each.name);
    const std::int64_t* most = found == nullptr ? nullptr : found->if_int();
    if (most != nullptr) budget.*each.most = *most;
  }
  return budget;
}

std::optional<GateAsk> failing_ask(const NodeState& state, const Policy& policy) {
  if (state.kind != NodeKind::blocked_attempt || state.open_steps.empty()) return std::nullopt;
  const StepTries& known = state.known().tries;
  const std::int64_t tries = known.step == state.open_steps.front() ? known.count : 0;
  if (tries < limits::failed_tries_max) return std::nullopt;
  return ask_about(GateKind::breaker, state,
                   cat("The step \"", state.open_steps.front(), "\" did not pass ", tries,
                       " times in a row. May the run try it again?"),
                   policy);
}

std::optional<GateAsk> repeating_ask(const workflow::CompiledWorkflow& workflow, const Cursor& from,
                                     std::string_view settled, const NodeState& state,
                                     const Policy& policy) {
  if (state.kind != NodeKind::step || state.open_steps.empty()) return std::nullopt;
  const workflow::Step* loop = nullptr;
  for (const BlockLevel& level : levels_of(workflow, from)) {
    if (level.owner != nullptr && behaviour_of(*level.owner).is_loop) loop = level.owner;
  }
  // With items or a count the author says how often; the same output is then no sign of anything.
  if (!is_decidable(loop)) return std::nullopt;
  const std::string_view id = id_of_key(settled);
  for (const RepeatedOutput& each : state.known().repeated) {
    if (each.step != id || each.times < limits::repeated_rounds_max) continue;
    return ask_about(GateKind::breaker, state,
                     cat("The run repeats itself: the step \"", id, "\" had the same output ",
                         each.times, " times in a row. May it go on?"),
                     policy);
  }
  return std::nullopt;
}

}  // namespace baton::run
