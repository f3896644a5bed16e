#include "verbs/run/update_state.h"

#include <algorithm>
#include <iterator>

#include "base/text/text.h"
#include "engine/advance.h"
#include "engine/load/load.h"
#include "state/write.h"

namespace baton::verbs {
namespace {

bool begins_with_tier(std::string_view path) {
  const std::string_view word = path.substr(0, path.find_first_of(".["));
  constexpr std::string_view tiers[] = {"raw", "state", "computed", "this", "global", "inputs"};
  return std::ranges::find(tiers, word) != std::end(tiers);
}

/// No caller writes what the engine writes by itself, or what is not state.
Result<state::Write> write_of(const RequestedUpdate& update) {
  auto parsed = state::parse_path(update.path);
  if (!parsed && !begins_with_tier(update.path)) {
    return fail(Code::STATE_BAD_PATH, parsed.error().message,
                cat("begin the path with raw. or state.; did you mean \"raw.", update.path, "\"?"));
  }
  state::Path path = TRY(std::move(parsed));
  const bool is_open = path.root == state::Root::raw || path.root == state::Root::state ||
                       path.root == state::Root::this_frame || path.root == state::Root::global;
  if (!is_open) {
    return fail(Code::STATE_READ_ONLY, cat("\"", update.path, "\" cannot be written"),
                "begin the path with raw. or state.");
  }
  const auto operation =
      update.operation.empty() ? state::Operation::set : state::operation_of(update.operation);
  if (!operation) {
    return fail(Code::INVALID_INPUT, cat("there is no operation \"", update.operation, '"'),
                "set, append, increment, decrement, merge or multiply");
  }
  return state::Write{std::move(path), *operation, update.value};
}

}  // namespace

Result<StateView> update_state(engine::Engine& engine, const engine::Principal& principal,
                               const run::RunRow& run, const StateChange& change) {
  const engine::ReadContext reading = engine.reading();
  const run::NodeRow tip = TRY(load_node(reading, run.tip));
  if (change.node && *change.node != tip.id) {
    return fail(Code::INVALID_INPUT, cat("the run has advanced since ", change.node->text()),
                cat("its tip is ", tip.id.text()));
  }
  if (tip.open_steps.empty()) {
    return fail(Code::INVALID_INPUT, "the run is complete; its state is final");
  }
  engine::Submission submission{.input = {}, .source = {principal.name}};
  for (const RequestedUpdate& each : change.updates) {
    submission.input.writes.push_back(TRY(write_of(each)));
  }
  const engine::Place place = TRY(checkpoint_place(reading, tip));
  const engine::NodeAnswer made = TRY(checkpoint(engine, place, submission));
  return read_state(reading, run,
                    {.node = made.reply.state.node, .frame = change.frame, .paths = {}});
}

}  // namespace baton::verbs
