#include "verbs/run/traces.h"

#include <ranges>

#include "base/text/text.h"
#include "engine/load/load.h"
#include "state/update.h"

namespace baton::verbs {
namespace {

/// The last nodes on the way from the root down to one, at most `nodes_max`.
Result<std::vector<run::NodeRow>> path_to(const engine::LoadContext& loading, run::NodeRow node,
                                          std::size_t nodes_max) {
  std::vector<run::NodeRow> path{std::move(node)};
  while (path.back().parent && path.size() < nodes_max) {
    path.push_back(TRY(load_parent(loading, path.back())));
  }
  std::ranges::reverse(path);
  return path;
}

class TraceReader {
 public:
  /// `before`: the states that the first update changes.
  TraceReader(const run::Schemas& schemas, const TraceQuery& query,
              std::shared_ptr<const run::States> before)
      : schemas_(schemas), query_(query), states_(std::move(before)) {}

  Result<void> add(const run::StateUpdated& update, WallMs at) {
    TRY(run::replay(states_, update));
    const state::StateSchema& schema = schemas_.of_include(run::include_of(update.frame));
    const state::Frame* global = update.frame.empty() ? nullptr : &states_->at("");
    for (const state::Computation& each : update.delta.computed) {
      if (query_.field && *query_.field != each.field) continue;
      if (schema.find_computed(each.field) == nullptr) {
        return fail(Code::STORAGE_CORRUPTION_DETECTED,
                    cat("the workflow has no computed field ", each.field));
      }
      out_.push_back(
          {.field = each.field,
           .frame = update.frame,
           .input = state::input_of(schema, states_->at(update.frame), each.field, global),
           .output = each.output,
           .outcome = std::string(state::name_of(each.outcome)),
           .problem = each.problem,
           .trigger = each.trigger,
           .cause = update.cause,
           .elapsed_us = each.elapsed_us,
           .at = at,
           .node = update.node});
    }
    return {};
  }

  std::vector<TransformTrace> take() && { return std::move(out_); }

 private:
  const run::Schemas& schemas_;
  const TraceQuery& query_;
  std::shared_ptr<const run::States> states_;
  std::vector<TransformTrace> out_;
};

}  // namespace

Result<Traced> traces(const engine::LoadContext& loading, const run::RunRow& run,
                      const TraceQuery& query) {
  auto node = query.node ? TRY(loading.store.node_by_id(*query.node))
                         : std::optional(TRY(load_node(loading, run.tip)));
  if (!node || node->run != run.run) {
    return fail(Code::NOT_FOUND, cat("the run ", run.run.text(), " has no such node"));
  }
  const auto schemas = TRY(load_schemas(loading, run.workflow_hash));
  if (schemas == nullptr) return Traced{};
  const auto path = TRY(path_to(loading, *std::move(node), query.nodes_max));
  const auto before = path.front().parent;
  std::shared_ptr<const run::States> states;
  if (before) states = TRY(load_state(loading, TRY(load_parent(loading, path.front()))))->states;
  TraceReader tracing(*schemas, query, std::move(states));
  for (const run::NodeRow& each : path) {
    for (const run::Event& event : TRY(load_events(loading, each.no.commit()))) {
      const auto* update = std::get_if<run::StateUpdated>(&event);
      if (update != nullptr) TRY(tracing.add(*update, each.created));
    }
  }
  return Traced{std::move(tracing).take(), !before};
}

}  // namespace baton::verbs
