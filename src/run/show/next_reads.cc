#include "run/show/next_reads.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/checks/slots.h"
#include "run/steps/behaviour.h"
#include "run/steps/rounds.h"
#include "run/walk/condition.h"
#include "workflow/text/expression.h"

namespace baton::run {
namespace {

using json::Value;
using workflow::Step;

// A condition is read by people; the rest of a long one is in the workflow.
constexpr std::size_t condition_bytes_max = 300;
constexpr std::size_t value_bytes_max = 60;

std::string_view root_of(std::string_view path) { return path.substr(0, path.find('.')); }

/// The names that a condition reads. What only code can tell is left out. Conditions are as deep
/// as a compiled workflow may be.
void collect_names(const Value& condition, std::vector<std::string>& out) {
  const auto add = [&](const Value* name) {
    if (name == nullptr || !name->is_string()) return;
    const std::string& path = *name->if_string();
    if (workflow::plain_path(path) && std::ranges::find(out, path) == out.end()) {
      out.push_back(path);
    }
  };
  add(condition.find("var"));
  const Value* code = condition.find("js");
  const bool is_constant = code != nullptr && (*code == Value("true") || *code == Value("false"));
  if (!is_constant) add(code);
  for (const std::string_view key : {"and", "or"}) {
    const Value* list = condition.find(key);
    if (list == nullptr || !list->is_array()) continue;
    for (const Value& each : *list->if_array()) collect_names(each, out);
  }
  if (const Value* inner = condition.find("not")) collect_names(*inner, out);
}

class Search {
 public:
  Search(const std::vector<BlockLevel>& levels, const Cursor& cursor, json::Object own,
         const RunScope& scope)
      : levels_(levels), cursor_(cursor), own_(std::move(own)), scope_(scope) {}

  NextReads run(std::int64_t outermost_first) && {
    std::size_t depth = levels_.size() - 1;
    while (behind(depth, index_at(depth, outermost_first))) --depth;
    std::vector<std::string>& all = out_.sentences;
    if (all.size() > limits::prompt_requirements_max) {
      const std::size_t more = all.size() - limits::prompt_requirements_max;
      all.resize(limits::prompt_requirements_max);
      all.push_back(cat(more, " more steps that follow have conditions on the context."));
    }
    return std::move(out_);
  }

 private:
  std::size_t index_at(std::size_t depth, std::int64_t first) const {
    return static_cast<std::size_t>(depth == 0 ? cursor_.position - first
                                               : cursor_.frames[depth - 1].index);
  }

  /// Whether the search continues behind the block's owner.
  bool behind(std::size_t depth, std::size_t index) {
    const BlockLevel& level = levels_[depth];
    for (std::size_t i = index + 1; i < level.steps->size(); ++i) {
      const Step& step = (*level.steps)[i];
      if (step.run_condition) {
        reads(*step.run_condition, cat("The step \"", step.id, "\" follows only if "));
      }
      if (ends_at(step)) return false;
    }
    return depth > 0 && ends_block(level);
  }

  bool ends_at(const Step& step) {
    const StepBehaviour& behaviour = behaviour_of(step);
    const bool has_choice = bool(step.run_condition);
    if (behaviour.items != nullptr) source(step, items_source(behaviour.items(step)), has_choice);
    if (behaviour.count != nullptr) source(step, count_source(behaviour.count(step)), has_choice);
    const Value* condition = behaviour.condition == nullptr ? nullptr : behaviour.condition(step);
    const bool enters_unasked = behaviour.asks_after_round && behaviour.asks_after_round(step);
    if (condition != nullptr && !enters_unasked) {
      reads(*condition, behaviour.is_loop
                            ? cat("The loop \"", step.id, "\" comes next, ", round_word(step))
                            : cat("The step \"", step.id, "\" comes next and goes by "));
    }
    return !has_choice || behaviour.visit != nullptr;
  }

  static std::string_view round_word(const Step& step) {
    return behaviour_of(step).rounds(step, {}).is_until ? "until " : "while ";
  }

  bool ends_block(const BlockLevel& level) {
    const StepBehaviour& behaviour = behaviour_of(*level.owner);
    if (!behaviour.is_loop) return behaviour.end_block == nullptr;
    const Rounds rounds = behaviour.rounds(*level.owner, *level.frame);
    if (rounds.all) return level.frame->iteration + 1 >= std::min(*rounds.all, rounds.most);
    const Value* condition = behaviour.condition(*level.owner);
    if (condition != nullptr && !behaviour.asks_after_round(*level.owner)) {
      reads(*condition, cat("The round ends, and the loop \"", level.owner->id, "\" repeats ",
                            rounds.is_until ? "until " : "while "));
    }
    return false;
  }

  bool is_own(std::string_view path) const { return own_.contains(root_of(path)); }

  /// Whether what is fixed in this round keeps a condition from holding.
  bool is_out(const Value& condition) const {
    if (const Value* parts = condition.find("and"); parts != nullptr && parts->is_array()) {
      return std::ranges::any_of(*parts->if_array(),
                                 [&](const Value& each) { return is_out(each); });
    }
    const Value* name = condition.find("var");
    if (name == nullptr || !name->is_string() || !is_own(*name->if_string())) return false;
    const json::Object nothing;
    Scripts unused(nothing);
    const auto is_so = holds(condition, scope_, unused);
    return is_so && !*is_so;
  }

  void reads(const Value& condition, std::string_view lead) {
    if (is_out(condition)) return;
    std::vector<std::string> names;
    collect_names(condition, names);
    std::erase_if(names, [&](const std::string& name) { return is_own(name); });
    if (names.empty()) return;
    std::string list;
    for (const std::string& name : names) {
      const auto value = scope_.get(name);
      list += cat(list.empty() ? "" : ", ", '"', name, "\" (",
                  !value || value->is_null()
                      ? std::string("not set")
                      : cat("now ", utf8::truncate(json::print(*value), value_bytes_max)),
                  ')');
    }
    out_.sentences.push_back(cat(lead,
                                 utf8::truncate(condition_text(condition), condition_bytes_max),
                                 ". Send in the context what you know of ", list, '.'));
  }

  void source(const Step& step, const RoundSource& source, bool has_choice) {
    if (source.text == nullptr || source.is_script || is_own(*source.text)) return;
    const std::string& name = *source.text;
    const auto value = scope_.get(name);
    if (fits(source, value)) return;
    const std::string wanted(wanted_by(source));
    out_.sentences.push_back(cat(
        '"', name, "\" in the context, ", wanted, ": the ",
        behaviour_of(step).is_loop ? "loop" : "step", " \"", step.id,
        source.is_items() ? "\" comes next and goes over it" : "\" comes next and runs so often",
        value && !value->is_null() ? cat("; now it is of type ", json::name_of(value->type()))
                                   : std::string(),
        '.'));
    if (!has_choice && !name.contains('.')) out_.needed.set(name, slot(wanted));
  }

  const std::vector<BlockLevel>& levels_;
  const Cursor& cursor_;
  const json::Object own_;  // of the loops around: no context
  const RunScope& scope_;
  NextReads out_;
};

}  // namespace

bool next_reads_nothing(const workflow::CompiledWorkflow& workflow, const NodeState& state) {
  if (state.states != nullptr) return true;
  const Outermost outer = outermost(workflow, state.cursor.position);
  const auto next = static_cast<std::size_t>(state.cursor.position - outer.first + 1);
  if (next >= outer.steps->size()) return true;
  const Step& step = (*outer.steps)[next];
  return !step.run_condition && behaviour_of(step).visit == nullptr;
}

NextReads next_reads(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                     const RunScope& scope) {
  if (state.states != nullptr) return {};
  const std::vector<BlockLevel> levels = levels_of(workflow, state.cursor);
  if (levels.size() != state.cursor.frames.size() + 1) return {};
  const Outermost outer = outermost(workflow, state.cursor.position);
  return Search(levels, state.cursor, loop_variables(workflow, state.cursor), scope)
      .run(outer.first);
}

}  // namespace baton::run
