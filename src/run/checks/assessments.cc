#include "run/checks/assessments.h"

#include <algorithm>
#include <span>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/checks/slots.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view contract = "assessment";

std::string_view text_in(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  return found == nullptr ? std::string_view() : std::string_view(*found->if_string());
}

std::span<const Value> list_in(const Value* list) {
  if (list == nullptr) return {};
  return *list->if_array();
}

bool is_required(const Value& dimension) {
  const Value* required = dimension.find("required");
  return required == nullptr || *required->if_bool();
}

/// The declarations that the step names, in its order. REQUIRES: the compiler checked the names.
std::vector<const Value*> declared(const workflow::CompiledWorkflow& workflow,
                                   const workflow::Step& step) {
  std::vector<const Value*> out;
  const auto all = list_in(workflow.declared.find("assessments"));
  const auto* prompt = step.as<workflow::PromptStep>();
  if (prompt == nullptr) return out;
  for (const std::string& name : prompt->assessments) {
    const auto found =
        std::ranges::find_if(all, [&](const Value& each) { return text_in(each, "id") == name; });
    if (found != all.end()) out.push_back(&*found);
  }
  return out;
}

std::string levels_of(const Value& dimension) {
  std::string out;
  for (const Value& level : list_in(dimension.find("levels"))) {
    out += cat(out.empty() ? "" : ", ", *level.if_string());
  }
  return out;
}

std::string choices_of(const Value& dimension) {
  std::string out;
  for (const Value& level : list_in(dimension.find("levels"))) {
    out += cat(out.empty() ? "" : " | ", *level.if_string());
  }
  return out;
}

Object example_for(const Value& declaration) {
  Array dimensions;
  for (const Value& dimension : list_in(declaration.find("dimensions"))) {
    if (!is_required(dimension)) continue;
    dimensions.push_back(Object{{"id", text_in(dimension, "id")},
                                {"level", slot(choices_of(dimension))},
                                {"rationale", slot("why this level")}});
  }
  return {{"kind", "baton.assessment"},
          {"assessmentId", text_in(declaration, "id")},
          {"dimensions", std::move(dimensions)}};
}

/// What is wrong with an assessment as its declaration sees it; empty when nothing is.
std::string problems_of(const Value& declaration, const Assessment& sent) {
  std::string out;
  const auto add = [&](const std::string& problem) {
    out += cat(out.empty() ? "" : "; ", problem);
  };
  const auto dimensions = list_in(declaration.find("dimensions"));
  for (const AssessedDimension& each : sent.dimensions) {
    const auto found = std::ranges::find_if(
        dimensions, [&](const Value& known) { return text_in(known, "id") == each.id; });
    if (found == dimensions.end()) {
      add(cat("there is no dimension \"", each.id, '"'));
      continue;
    }
    const auto levels = list_in(found->find("levels"));
    if (std::ranges::find(levels, Value(each.level)) == levels.end()) {
      add(cat("the level \"", each.level, "\" of \"", each.id, "\" is not one of ",
              levels_of(*found)));
    }
  }
  for (const Value& dimension : dimensions) {
    const auto found =
        std::ranges::find(sent.dimensions, text_in(dimension, "id"), &AssessedDimension::id);
    if (found == sent.dimensions.end() && is_required(dimension)) {
      add(cat("the dimension \"", text_in(dimension, "id"), "\" is missing"));
    }
  }
  return out;
}

/// The guidance of every consequence that a level of the assessment has, once each.
std::vector<std::string> guidance_for(const workflow::Step& step, const Assessment& sent) {
  std::vector<std::string> out;
  const auto* prompt = step.as<workflow::PromptStep>();
  if (prompt == nullptr || !prompt->consequences) return out;
  for (const Value& each : *prompt->consequences) {
    const Value& when = *each.find("when");
    const std::string_view which = text_in(when, "forAssessment");
    if (!which.empty() && which != sent.id) continue;
    const auto hit = std::ranges::find(sent.dimensions, text_in(when, "anyEqualsLevel"),
                                       &AssessedDimension::level);
    if (hit == sent.dimensions.end()) continue;
    std::string guidance(text_in(*each.find("effect"), "guidance"));
    if (std::ranges::find(out, guidance) == out.end()) out.push_back(std::move(guidance));
  }
  return out;
}

Finding finding(Reason reason, std::string message, std::string fix) {
  return {reason,
          {PointerKind::output_contract, std::string(contract)},
          std::move(message),
          std::move(fix)};
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& each : texts) out += cat(out.empty() ? "" : " ", each);
  return out;
}

void judge_one(const Value& declaration, const workflow::Step& step, Assessment assessment,
               bool was_asked, AssessmentCheck& out) {
  if (std::string problems = problems_of(declaration, assessment); !problems.empty()) {
    out.findings.push_back(finding(
        Reason::invalid_required_output, cat("assessment \"", assessment.id, "\": ", problems),
        cat("Send it in this form: ", json::print(example_for(declaration)))));
    return;
  }
  std::vector<std::string> guidance = guidance_for(step, assessment);
  if (!guidance.empty() && was_asked) {
    out.gaps.push_back(
        {.id = {},
         .severity = GapSeverity::warning,
         .reason = Reason::invalid_required_output,
         .summary = utf8::truncate(cat("assessment \"", assessment.id,
                                       "\" asks for more after its follow-up: ", joined(guidance)),
                                   limits::blocker_message_bytes_max),
         .step = {}});
  } else if (!guidance.empty()) {
    out.findings.push_back(
        finding(Reason::invalid_required_output,
                cat("assessment \"", assessment.id, "\" asks for a follow-up: ", joined(guidance)),
                "Do the follow-up, assess again, and send the whole output with the assessment "
                "that is true then."));
    assessment.guidance = std::move(guidance);
  }
  out.judged.push_back(std::move(assessment));
}

}  // namespace

AssessmentCheck check_assessments(const workflow::CompiledWorkflow& workflow,
                                  const workflow::Step& step, const std::vector<Assessment>& sent,
                                  const std::vector<Assessment>& asked) {
  AssessmentCheck out;
  for (const Value* declaration : declared(workflow, step)) {
    const std::string_view id = text_in(*declaration, "id");
    // The last one counts, as an agent that sends two has thought again.
    const auto found = std::ranges::find(sent.rbegin(), sent.rend(), id, &Assessment::id);
    if (found == sent.rend()) {
      out.findings.push_back(
          finding(Reason::missing_required_output,
                  cat("the step requires the assessment \"", id, "\"; none was sent"),
                  cat("Add the artifact ", json::print(example_for(*declaration)))));
      continue;
    }
    const auto before = std::ranges::find(asked, id, &Assessment::id);
    judge_one(*declaration, step, *found, before != asked.end() && !before->guidance.empty(), out);
  }
  return out;
}

std::vector<std::string> describe_assessments(const workflow::CompiledWorkflow& workflow,
                                              const workflow::Step& step) {
  std::vector<std::string> out;
  for (const Value* declaration : declared(workflow, step)) {
    std::string text = cat("An artifact of kind baton.assessment with assessmentId ",
                           text_in(*declaration, "id"), ": ", text_in(*declaration, "purpose"));
    for (const Value& dimension : list_in(declaration->find("dimensions"))) {
      text += cat("\n  - ", text_in(dimension, "id"), " (", levels_of(dimension),
                  is_required(dimension) ? "" : "; optional", "): ", text_in(dimension, "purpose"));
    }
    out.push_back(std::move(text));
  }
  return out;
}

Array example_assessments(const workflow::CompiledWorkflow& workflow, const workflow::Step& step) {
  Array out;
  for (const Value* declaration : declared(workflow, step)) {
    out.push_back(example_for(*declaration));
  }
  return out;
}

}  // namespace baton::run
