#include "verbs/run/state_dependencies.h"

#include <set>

#include "base/text/text.h"
#include "engine/load/load.h"
#include "state/schema.h"

namespace baton::verbs {
namespace {

using state::Root;

/// Texts in the order they came, each once.
class Listed {
 public:
  void add(std::string_view text) {
    if (seen_.emplace(text).second) list_.emplace_back(text);
  }
  bool contains(std::string_view text) const { return seen_.contains(text); }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::set<std::string, std::less<>> seen_;
  std::vector<std::string> list_;
};

}  // namespace

Result<StateDependencies> state_dependencies(const engine::LoadContext& loading,
                                             const run::RunRow& run, std::string_view field,
                                             std::string_view frame) {
  const auto schemas = TRY(load_schemas(loading, run.workflow_hash));
  if (schemas == nullptr) {
    return fail(Code::STATE_UNKNOWN_NAME, "the workflow declares no state",
                "its steps use only the context");
  }
  const state::StateSchema& schema = schemas->of_include(run::include_of(frame));
  const std::size_t dot = field.find('.');
  Root tier = Root::this_frame;
  for (const Root each : {Root::raw, Root::computed, Root::state, Root::inputs}) {
    if (field.substr(0, dot) == state::name_of(each)) tier = each;
  }
  const std::string name(tier == Root::this_frame ? field : field.substr(dot + 1));
  if (!schema.declares(name)) {
    const std::vector<std::string_view> known = schema.readable();
    const auto near = nearest(name, known);
    return fail(Code::STATE_UNKNOWN_NAME, cat("nothing declares \"", name, '"'),
                near ? cat("did you mean '", *near, "'?") : std::string());
  }
  StateDependencies out;
  const bool is_computed =
      schema.find_computed(name) != nullptr && (tier == Root::this_frame || tier == Root::computed);
  if (is_computed) {
    Listed direct;
    for (const state::FieldSource& each : schema.find_computed(name)->from) direct.add(each.text);
    out.direct = direct.take();
    // What is computed comes after all that it is computed from.
    Listed all;
    Listed wanted;
    wanted.add(name);
    for (auto at = schema.computed().rbegin(); at != schema.computed().rend(); ++at) {
      if (!wanted.contains(at->name)) continue;
      for (const state::FieldSource& each : at->from) {
        all.add(each.text);
        if (!each.path.segments.empty()) wanted.add(each.path.segments[0]);
      }
    }
    out.all = all.take();
  }
  if (tier == Root::this_frame && !is_computed) {
    for (const Root each : {Root::raw, Root::state, Root::inputs}) {
      if (schema.names(each).contains(name)) tier = each;
    }
  }
  const state::Path changed{is_computed ? Root::computed : tier, {name}};
  for (const state::StateSchema::Affected& each : schema.affected({&changed, 1})) {
    out.dependents.push_back(schema.computed()[each.field].name);
  }
  return out;
}

}  // namespace baton::verbs
