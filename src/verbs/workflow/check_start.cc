#include "verbs/workflow/check_start.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "run/decide/decide.h"
#include "run/decide/supported.h"
#include "run/graph/schemas.h"
#include "run/walk/simulation_values.h"

namespace baton::verbs {
namespace {

using json::Object;
using workflow::Compilation;
using workflow::Diagnostic;
using workflow::Severity;
using workflow::SourcePlace;

/// Some instant, the same always: what a file gets wrong does not depend on the day.
constexpr WallMs rehearsal_time{1'700'000'000'000};

void add(Compilation& compilation, const SourcePlace& at, Code code, std::string message,
         std::string hint) {
  auto& diagnostics = compilation.findings.diagnostics;
  if (diagnostics.size() >= limits::workflow_diagnostics_max) {
    ++compilation.findings.left_out;
  } else {
    Diagnostic found{code, Severity::error, at, std::move(message), std::move(hint)};
    if (std::ranges::find(diagnostics, found) == diagnostics.end()) {
      diagnostics.push_back(std::move(found));
    }
  }
}

SourcePlace place_of(const Compilation& compilation, const std::string& name) {
  const auto found = compilation.places.find(name);
  return found == compilation.places.end() ? SourcePlace() : found->second;
}

/// The place of what an error names first: a step, an input or a field of the state.
SourcePlace place_in(const Compilation& compilation, std::string_view said) {
  for (std::size_t open = said.find('"'); open != std::string_view::npos;) {
    const std::size_t close = said.find('"', open + 1);
    if (close == std::string_view::npos) break;
    std::string_view name = said.substr(open + 1, close - open - 1);
    for (const std::string_view tier : {"raw.", "state.", "this.", "computed.", "inputs."}) {
      if (name.starts_with(tier)) name.remove_prefix(tier.size());
    }
    name = name.substr(name.rfind("::") == std::string_view::npos ? 0 : name.rfind("::") + 2);
    for (const std::string_view each : {name, name.substr(0, name.find('.'))}) {
      if (const auto found = compilation.places.find(each); found != compilation.places.end()) {
        return found->second;
      }
    }
    open = said.find('"', close + 1);
  }
  return {};
}

/// Takes away what a start says of itself, which a file does not do.
std::string as_finding(std::string said) {
  for (const std::string_view end : {"; nothing was started", "; nothing was recorded"}) {
    if (const std::size_t at = said.find(end); at != std::string::npos) said.erase(at, end.size());
  }
  return said;
}

/// What refuses a start with this context; nothing when it would begin, or only a look at the
/// workspace is between it and that.
std::optional<Error> refusal(ports::ScriptHost& host, const workflow::Pinned& pinned,
                             const Object& context) {
  const auto schemas = run::Schemas::of(pinned.workflow);
  if (!schemas) return schemas.error();
  run::Decider decider = run::Decider::start({.workflow = &pinned,
                                              .schemas = schemas->get(),
                                              .goal = {},
                                              .context = context,
                                              .preferences = {},
                                              .minting = {}});
  while (true) {
    auto next = decider.next();
    if (!next) return std::move(next).error();
    if (std::holds_alternative<run::Decided>(*next)) return std::nullopt;
    if (std::holds_alternative<run::NeedProbes>(*next)) return std::nullopt;
    if (const auto* need = std::get_if<run::NeedAnswers>(&*next)) {
      std::vector<state::ScriptAnswer> answers;
      for (const state::ScriptResult& each : host.evaluate(need->evaluations, {})) {
        const auto fault = each ? std::nullopt : std::optional(each.error().fault);
        const bool is_machine =
            fault == state::ScriptFault::unavailable || fault == state::ScriptFault::busy;
        if (is_machine) return std::nullopt;
        answers.push_back({each, 0});
      }
      decider.supply(std::move(answers));
    } else {
      decider.supply(run::FreshValues{
          .drawn = {.now = rehearsal_time, .seed = 1}, .session = {}, .run = {}, .node = {}});
    }
  }
}

/// What an author does about a first value that does not fit.
std::string hint_for(const Error& error) {
  const bool is_default =
      error.code == Code::STATE_WRONG_TYPE || error.next.kind == Move::give_inputs;
  return is_default ? "give it a default of that type, or declare another type" : std::string();
}

/// Contexts that a run may be started with: the required inputs made up, and beside them what its
/// conditions and loops go by.
std::vector<Object> contexts_of(const workflow::CompiledWorkflow& workflow) {
  Object plain;
  const json::Value* declared = workflow.declared.find("inputs");
  for (const std::string& name : run::missing_inputs(workflow, {})) {
    plain.set(name, run::made_up_input(*declared->find(name)));
  }
  std::vector<Object> out{plain};
  const run::Guesses guesses = run::guesses_of(workflow);
  std::size_t most = 0;
  for (const auto& [name, values] : guesses) most = std::max(most, values.size());
  for (std::size_t i = 0; i < most; ++i) {
    out.push_back(plain);
    for (const auto& [name, values] : guesses) {
      if (declared != nullptr && declared->find(name) != nullptr) continue;
      if (!values.empty()) out.back().set(name, values[std::min(i, values.size() - 1)]);
    }
  }
  return out;
}

}  // namespace

void check_start(ports::ScriptHost& host, Compilation& compilation) {
  if (!compilation.pinned) return;
  const workflow::CompiledWorkflow& workflow = compilation.pinned->workflow;
  bool is_refused = false;
  for (const run::UnsupportedPart& each : run::unsupported_parts(workflow)) {
    const SourcePlace at = each.part.empty()
                               ? place_of(compilation, each.step)
                               : place_of(compilation, cat(each.step, '\n', each.part));
    add(compilation, at, Code::WORKFLOW_NOT_SUPPORTED, each.message, each.hint);
    is_refused = true;
  }
  if (!is_refused) {
    std::optional<Error> first;
    for (const Object& context : contexts_of(workflow)) {
      auto found = refusal(host, *compilation.pinned, context);
      is_refused = found.has_value();
      if (!is_refused) break;
      if (!first) first = std::move(found);
    }
    if (is_refused) {
      // Where to go next is said to who starts a run; advice holds here too.
      const bool is_advice = first->next.kind == Move::advice;
      add(compilation, place_in(compilation, first->message), first->code,
          cat("a run cannot begin: ", as_finding(first->message)),
          is_advice ? first->next.text() : hint_for(*first));
    }
  }
  if (!is_refused) return;
  compilation.pinned.reset();
  std::ranges::stable_sort(compilation.findings.diagnostics, {}, &Diagnostic::at);
}

}  // namespace baton::verbs
