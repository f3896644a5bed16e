#include "verbs/run/read_state.h"

#include <algorithm>

#include "base/text/text.h"
#include "engine/load/load.h"
#include "state/scope.h"

namespace baton::verbs {
namespace {

using state::Root;

/// A path as people write it: bare names are fields of the frame.
Result<state::Path> path_of(std::string_view text) {
  const std::string_view first = text.substr(0, text.find_first_of(".["));
  for (const Root root :
       {Root::raw, Root::computed, Root::state, Root::this_frame, Root::global, Root::inputs}) {
    if (first == state::name_of(root)) return state::parse_path(text);
  }
  return state::parse_path(cat("this.", text));
}

Result<run::NodeRow> node_of(const engine::LoadContext& loading, const run::RunRow& run,
                             const std::optional<NodeId>& id) {
  if (!id) return load_node(loading, run.tip);
  auto row = TRY(loading.store.node_by_id(*id));
  if (!row || row->run != run.run) {
    return fail(Code::NOT_FOUND, cat("the run ", run.run.text(), " has no ", id->text()),
                Move::show_run);
  }
  return *std::move(row);
}

/// Fails for a name that nothing declares.
Result<void> check_name(const state::StateSchema& schema, const state::Path& path,
                        std::string_view text) {
  if (path.segments.empty() || !schema.declares_state()) return {};
  const std::string& name = path.segments[0];
  const bool is_flat = path.root == Root::this_frame || path.root == Root::global;
  if (is_flat ? schema.declares(name) : schema.names(path.root).contains(name)) return {};
  const std::vector<std::string_view> known = schema.readable();
  const auto near = nearest(name, known);
  return fail(Code::STATE_UNKNOWN_NAME, cat("\"", text, "\": nothing declares \"", name, '"'),
              near ? cat("did you mean '", *near, "'?") : std::string());
}

}  // namespace

Result<StateView> read_state(const engine::LoadContext& loading, const run::RunRow& run,
                             const StateQuery& query) {
  const run::NodeRow row = TRY(node_of(loading, run, query.node));
  const auto state = TRY(load_state(loading, row));
  StateView view{
      .node = row.id, .open_steps = state->open_steps, .frames = {}, .values = {}, .undefined = {}};
  state::Frame of_context;
  if (state->states == nullptr) of_context.inputs = state::Tree::from(json::Value(*state->context));
  if (state->states != nullptr) {
    for (const auto& [key, each] : *state->states) view.frames.push_back(key);
  }
  const auto found =
      state->states == nullptr ? run::States::const_iterator() : state->states->find(query.frame);
  const bool is_there =
      state->states == nullptr ? query.frame.empty() : found != state->states->end();
  if (!is_there) {
    return fail(Code::NOT_FOUND, cat("there is no frame \"", query.frame, "\" at ", row.id.text()));
  }
  const state::Frame& frame = state->states == nullptr ? of_context : found->second;
  view.raw_bytes = frame.raw.bytes() + frame.state.bytes();
  view.computed_bytes = frame.computed.bytes();
  if (query.paths.empty()) {
    view.values = *state::flattened(frame).to_json().if_object();
    return view;
  }
  const auto schemas = TRY(load_schemas(loading, state->workflow_hash));
  const std::string_view include = run::include_of(query.frame);
  for (const std::string& text : query.paths) {
    const state::Path path = TRY(path_of(text));
    const bool is_global = path.root == Root::global && state->states != nullptr;
    const state::Frame& where = is_global ? state->states->at("") : frame;
    if (auto value = state::read(where, path)) {
      view.values.set(text, value->to_json());
      continue;
    }
    if (schemas != nullptr) {
      TRY(check_name(is_global ? schemas->root() : schemas->of_include(include), path, text));
    }
    view.undefined.push_back(text);
  }
  return view;
}

}  // namespace baton::verbs
