#include "state/update.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "state/scope.h"

namespace baton::state {
namespace {

Error with_place(Error error, std::string_view place) {
  error.message = cat(place, ": ", error.message);
  return error;
}

/// What a source reads. `length` of a list or text is JavaScript's.
std::optional<Tree> read_source(const Frame& frame, const Frame* global, const Path& path) {
  const Frame& where = path.root == Root::global && global != nullptr ? *global : frame;
  auto found = read(where, path);
  if (found || path.segments.size() < 2 || path.segments.back() != "length") return found;
  Path owner = path;
  owner.segments.pop_back();
  const auto value = read(where, owner);
  return value ? length_of(*value) : std::nullopt;
}

/// What a transform is given, and whether all of it is there.
struct Input {
  std::optional<Tree> value;
  bool is_whole = true;
};

Input read_input(const ComputedField& field, const Frame& frame, const Frame* global) {
  if (!field.is_list) {
    auto value = read_source(frame, global, field.from[0].path);
    const bool is_whole = value.has_value();
    return {std::move(value), is_whole};
  }
  Input out{Tree::list(), true};
  for (const FieldSource& source : field.from) {
    const auto value = read_source(frame, global, source.path);
    if (!value) out.is_whole = false;
    out.value = out.value->with_element(out.value->size(), value.value_or(Tree()));
  }
  return out;
}

/// One update: a frame that changes as assignments are made and fields are computed.
class StateUpdater {
 public:
  StateUpdater(const StateSchema& schema, const Frame& frame, const Frame* global,
               const ScriptSeed& draw, ScriptAnswers& answers)
      : schema_(schema), frame_(frame), global_(global), draw_(draw), answers_(answers) {}

  Result<void> write(const Write& write) {
    Effect effect = TRY(effect_of(schema_, frame_, write));
    frame_ = std::move(effect.after);
    std::ranges::move(effect.assignments, std::back_inserter(delta_.sets));
    return {};
  }

  Result<void> assign(Assignment assignment) {
    frame_ = TRY(assigned(std::move(frame_), assignment));
    delta_.sets.push_back(std::move(assignment));
    return {};
  }

  Result<void> assign_checked(Assignment assignment) {
    frame_ = TRY(checked(schema_, std::move(frame_), assignment));
    delta_.sets.push_back(std::move(assignment));
    return {};
  }

  Known<Delta> finish(const std::vector<StateSchema::Affected>& affected) {
    TRY(check_size());
    for (std::size_t at = 0; at < affected.size();) {
      const std::size_t level = schema_.computed()[affected[at].field].level;
      std::size_t end = at;
      while (end < affected.size() && schema_.computed()[affected[end].field].level == level) ++end;
      TRY(compute(std::span(affected).subspan(at, end - at)));
      at = end;
    }
    TRY(check_size());
    return std::move(delta_);
  }

  Known<Delta> finish() {
    std::vector<Path> changed;
    changed.reserve(delta_.sets.size());
    for (const Assignment& each : delta_.sets) changed.push_back(each.path);
    return finish(schema_.affected(changed));
  }

 private:
  /// A field of the level that is being computed.
  struct Work {
    const ComputedField* field = nullptr;
    const std::string* trigger = nullptr;
    Input input;
    const ScriptAnswer* answer = nullptr;
    const ScriptAnswer* check = nullptr;  // of its `validate`
  };

  Result<void> check_size() const {
    if (frame_.bytes() <= limits::state_bytes_max) return {};
    return fail(Code::LIMIT_EXCEEDED,
                cat("the state would have more than ", limits::state_bytes_max, " bytes"));
  }

  /// Fields that do not read one another: their scripts are asked for at once.
  Known<void> compute(std::span<const StateSchema::Affected> affected) {
    std::vector<Work> level;
    bool is_lacking = false;
    for (const StateSchema::Affected& each : affected) {
      const ComputedField& field = schema_.computed()[each.field];
      Work work{&field, &each.trigger, read_input(field, frame_, global_), nullptr, nullptr};
      work.answer = answers_.find(
          scope(work).evaluation(field.transform, ScriptForm::transform, draw_of(field, "")));
      is_lacking |= work.answer == nullptr;
      level.push_back(std::move(work));
    }
    for (Work& work : level) {
      if (work.answer == nullptr || !work.answer->result || work.field->validate.empty()) continue;
      work.check = answers_.find(scope(work)
                                     .with("output", Tree::from(*work.answer->result))
                                     .evaluation(work.field->validate, ScriptForm::truth,
                                                 draw_of(*work.field, " validate")));
      is_lacking |= work.check == nullptr;
    }
    if (is_lacking) return not_yet();
    std::vector<Computation> done;
    for (const Work& work : level) done.push_back(TRY(settle(work)));
    for (Computation& each : done) {
      set_computed(frame_, each);
      delta_.computed.push_back(std::move(each));
    }
    return {};
  }

  Scope scope(const Work& work) const {
    return Scope(schema_, frame_, global_).with("input", work.input.value);
  }

  ScriptSeed draw_of(const ComputedField& field, std::string_view part) const {
    return derived(draw_, cat("computed.", field.name, part));
  }

  /// What is wrong with the outcome of a field's scripts, if anything is.
  std::optional<Error> problem_of(const Work& work) const {
    if (!work.answer->result) return failed(work, *work.answer, work.field->transform);
    if (work.check == nullptr) return std::nullopt;
    if (!work.check->result) return failed(work, *work.check, work.field->validate);
    const bool* passes = work.check->result->if_bool();
    if (passes != nullptr && *passes) return std::nullopt;
    return Error::make(Code::STATE_CHECK_FAILED,
                       cat("the value does not pass the check `", work.field->validate, '`'));
  }

  Error failed(const Work& work, const ScriptAnswer& answer, std::string_view code) const {
    Error error = error_of(answer.result.error(), code);
    if (error.next.empty()) error.next = scope(work).hint_for(code);
    return error;
  }

  static bool is_of_machine(const ScriptAnswer* answer) {
    return answer != nullptr && !answer->result &&
           answer->result.error().fault == ScriptFault::unavailable;
  }

  Result<Computation> settle(const Work& work) const {
    const ComputedField& field = *work.field;
    Computation out{
        field.name, {}, ComputeOutcome::computed, {}, *work.trigger, work.answer->elapsed_us};
    if (work.check != nullptr) out.elapsed_us += work.check->elapsed_us;
    auto problem = problem_of(work);
    if (!problem) {
      out.output = *work.answer->result;
      return out;
    }
    const bool must_fail = is_of_machine(work.answer) || is_of_machine(work.check) ||
                           (field.on_error == OnTransformError::propagate && work.input.is_whole);
    if (must_fail) {
      return std::unexpected(
          with_place(std::move(*problem), cat("the computed field \"", field.name, '"')));
    }
    out.problem = problem->message;
    if (!problem->next.empty()) out.problem += cat("; ", problem->next.text());
    if (field.on_error == OnTransformError::use_fallback) {
      out.outcome = ComputeOutcome::fallback;
      out.output = field.fallback;
    } else {
      out.outcome = ComputeOutcome::ignored;
    }
    return out;
  }

  const StateSchema& schema_;
  Frame frame_;
  const Frame* global_;
  const ScriptSeed& draw_;
  ScriptAnswers& answers_;
  Delta delta_;
};

}  // namespace

Known<Delta> first_state(const StateSchema& schema, const json::Object& defaults,
                         const json::Object& inputs, const ScriptSeed& draw, ScriptAnswers& answers,
                         const Frame* global) {
  StateUpdater updating(schema, Frame(), global, draw, answers);
  for (const Root root : {Root::inputs, Root::raw, Root::state}) {
    const json::Value* fields = defaults.find(name_of(root));
    if (fields == nullptr || !fields->is_object()) continue;
    for (const auto& [name, value] : *fields->if_object()) {
      if (root == Root::inputs && inputs.contains(name)) continue;
      TRY(updating.assign_checked({{root, {name}}, value}));
    }
  }
  for (const auto& [name, value] : inputs) {
    TRY(updating.assign_checked({{Root::inputs, {name}}, value}));
  }
  return updating.finish(schema.all("start"));
}

Known<Delta> apply_writes(const StateSchema& schema, const Frame& frame,
                          std::span<const Write> writes, const ScriptSeed& draw,
                          ScriptAnswers& answers, const Frame* global) {
  if (writes.size() > limits::state_writes_max) {
    return fail(Code::LIMIT_EXCEEDED, cat("there are ", writes.size(), " updates; ",
                                          limits::state_writes_max, " are allowed at once"));
  }
  StateUpdater updating(schema, frame, global, draw, answers);
  for (std::size_t at = 0; at < writes.size(); ++at) {
    auto written = updating.write(writes[at]);
    if (written) continue;
    if (writes.size() == 1) return std::unexpected(std::move(written).error());
    return std::unexpected(with_place(std::move(written).error(), cat("update ", at + 1)));
  }
  return updating.finish();
}

Known<Delta> apply_assignments(const StateSchema& schema, const Frame& frame,
                               std::vector<Assignment> assignments, const ScriptSeed& draw,
                               ScriptAnswers& answers, const Frame* global) {
  StateUpdater updating(schema, frame, global, draw, answers);
  for (Assignment& each : assignments) TRY(updating.assign(std::move(each)));
  return updating.finish();
}

Known<Delta> follow_global(const StateSchema& schema, const Frame& frame,
                           std::span<const Path> changed, const ScriptSeed& draw,
                           ScriptAnswers& answers, const Frame& global) {
  std::vector<Path> seen;
  seen.reserve(changed.size());
  for (const Path& each : changed) seen.push_back({Root::global, each.segments});
  StateUpdater updating(schema, frame, &global, draw, answers);
  return updating.finish(schema.affected(seen));
}

std::optional<json::Value> input_of(const StateSchema& schema, const Frame& after,
                                    std::string_view field, const Frame* global) {
  const ComputedField* found = schema.find_computed(field);
  ASSERT(found != nullptr);
  const auto value = read_input(*found, after, global).value;
  if (!value) return std::nullopt;
  return value->to_json();
}

}  // namespace baton::state
