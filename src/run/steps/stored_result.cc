#include "run/steps/stored_result.h"

#include <algorithm>

#include "base/text/text.h"
#include "run/checks/artifacts.h"
#include "state/render.h"

namespace baton::run {
namespace {

using json::Value;
using state::Path;
using state::Root;

constexpr std::string_view caller = "update";  // the cause of what callers write

std::string_view text_at(const Value& update, std::string_view key) {
  const Value* found = update.find(key);
  return found != nullptr && found->is_string() ? std::string_view(*found->if_string()) : "";
}

bool speaks_of_result(std::string_view text) {
  const auto scanned = workflow::scan_expressions(text);
  return std::ranges::any_of(scanned.expressions, [](const workflow::Expression& each) {
    return each.code.contains("result") || each.code.contains("applied_count");
  });
}

/// Whether the update stores the result as it is.
bool is_whole_result(const Value& update) {
  const std::string_view operation = text_at(update, "operation");
  if (!operation.empty() && operation != "set") return false;
  const std::string_view value = text_at(update, "value");
  const auto scanned = workflow::scan_expressions(value);
  return scanned.expressions.size() == 1 && scanned.expressions[0].code == "result" &&
         scanned.expressions[0].begin == 0 && scanned.expressions[0].end == value.size();
}

bool is_same_root(Root one, Root other) {
  return one == other || one == Root::this_frame || other == Root::this_frame;
}

/// Whether a write there is one of `path`, of something around it or of a part of it.
bool touches(const Path& written, const Path& path) {
  const std::size_t both = std::min(written.segments.size(), path.segments.size());
  return is_same_root(written.root, path.root) && both > 0 &&
         std::equal(written.segments.begin(),
                    written.segments.begin() + static_cast<std::ptrdiff_t>(both),
                    path.segments.begin());
}

/// The frame that a path of a step at `place` is in.
std::string frame_key(const Path& path, const FramePlace& place) {
  return path.root == Root::global ? std::string() : place.key;
}

std::optional<Value> value_at(const NodeState& state, const Path& path, const std::string& frame) {
  const auto found = state.states->find(frame);
  if (found == state.states->end()) return std::nullopt;
  const auto value = state::read(found->second, path);
  return value ? std::optional(value->to_json()) : std::nullopt;
}

}  // namespace

bool add_earlier_writes(std::span<const Event> events, std::vector<EarlierWrite>& out) {
  const auto has = [&]<class Kind>(std::type_identity<Kind>) {
    return std::ranges::any_of(
        events, [](const Event& event) { return std::holds_alternative<Kind>(event); });
  };
  if (has(std::type_identity<StepFailed>())) return false;
  // Of a command whose result is kept while the way on cannot be told, the server wrote it.
  const bool is_servers = has(std::type_identity<ProcessFinished>());
  for (const Event& event : events) {
    const auto* update = std::get_if<StateUpdated>(&event);
    if (update == nullptr || (!is_servers && update->cause != caller)) continue;
    for (const auto& set : update->delta.sets) out.push_back({update->frame, set.path});
  }
  return true;
}

bool leaves_out_result(const StepInput& input) {
  if (input.notes || input.end || input.failure || input.tasks || input.is_servers_own()) {
    return false;
  }
  return std::ranges::none_of(input.artifacts, [](const Value& each) {
    return text_at(each, "kind") == result_kind || text_at(each, "kind") == failure_kind;
  });
}

Known<StoredResult> stored_result(const workflow::Step& step, const NodeState& state,
                                  const workflow::CompiledWorkflow& workflow,
                                  std::span<const EarlierWrite> writes, Scripts& scripts) {
  StoredResult out;
  if (writes.empty() || !step.updates || state.states == nullptr) return out;
  const FramePlace place = frame_of(levels_of(workflow, state.cursor));
  const RunScope scope = scope_at(workflow, state);
  const UpdateContext updating = scripts.updating();
  const state::Scope names = scope.names(&updating.schemas);
  std::size_t open = 0;  // that are made of the result and were not written
  for (std::size_t at = 0; at < step.updates->size(); ++at) {
    const Value& update = (*step.updates)[at];
    const std::string_view text = text_at(update, "path");
    if (!speaks_of_result(json::print(update))) continue;
    ++open;
    if (speaks_of_result(text)) continue;
    const auto path = state::render_path(text, names, updating.draw, updating.answers);
    if (is_not_yet(path)) return not_yet();
    if (!path) continue;
    const std::string frame = frame_key(*path, place);
    const Path here{path->root == Root::global ? Root::this_frame : path->root, path->segments};
    const bool is_written = std::ranges::any_of(writes, [&](const EarlierWrite& each) {
      return each.frame == frame && touches(each.path, here);
    });
    if (!is_written) continue;
    --open;
    if (!is_whole_result(update)) {
      out.done.push_back(at);
    } else if (!out.result) {
      out.result = value_at(state, here, frame);
    }
  }
  out.is_stored = open == 0 || out.result.has_value();
  return out;
}

}  // namespace baton::run
