#include "run/checks/artifacts.h"

#include <algorithm>

#include "base/core/gate_limits.h"
#include "base/schema/schema.h"
#include "base/text/text.h"
#include "run/checks/slots.h"
#include "workflow/check/closed_sets.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;

struct Kind {
  std::string_view name;  // without its namespace
  std::string_view contract;
  std::string_view form;
  std::string_view example;
};

constexpr Kind kinds[] = {
    {"assessment", "assessment",
     "assessmentId; dimensions, each with id, level and rationale; optional summary",
     R"({"kind":"baton.assessment","assessmentId":"<fill in: its id>","dimensions":[)"
     R"({"id":"<fill in: the dimension>","level":"<fill in: the level>",)"
     R"("rationale":"<fill in: why>"}]})"},
    {"capability_observation", "capability_observation",
     "capability; status available, unavailable or unknown; provenance probe_step, attempted_use "
     "(with failureCode when it failed) or manual_claim (you did not try it)",
     R"({"kind":"baton.capability_observation",)"
     R"("capability":"<fill in: delegation | web_browsing>",)"
     R"("status":"<fill in: available | unavailable | unknown>",)"
     R"("provenance":"<fill in: probe_step | attempted_use | manual_claim>"})"},
    {"divergence", "workflow_divergence",
     "reason missing_user_context, capability_unavailable, efficiency_skip, safety_stop or "
     "policy_constraint; summary; optional relatedStepId",
     R"({"kind":"baton.divergence","reason":"<fill in: missing_user_context | )"
     R"(capability_unavailable | efficiency_skip | safety_stop | policy_constraint>",)"
     R"("summary":"<fill in: what and why>"})"},
    {"gap_resolution", "gap_resolution", "gapId of an open gap; summary of how it was closed",
     R"({"kind":"baton.gap_resolution","gapId":"<fill in: the id of an open gap>",)"
     R"("summary":"<fill in: how it was closed>"})"},
    {"loop_control", "loop_control",
     "decision continue or stop; loopId only for a loop that is not the innermost",
     R"({"kind":"baton.loop_control","decision":"<fill in: continue | stop>"})"},
    {"user_dependency", "user_dependency",
     "need needs_user_secret_or_token, needs_user_account_access, needs_user_artifact, "
     "needs_user_choice, needs_user_approval or needs_user_environment_action; summary of what is "
     "needed; answer once the user has given one",
     R"({"kind":"baton.user_dependency","need":"<fill in: needs_user_choice | )"
     R"(needs_user_approval | needs_user_artifact | needs_user_secret_or_token | )"
     R"(needs_user_account_access | needs_user_environment_action>",)"
     R"("summary":"<fill in: what was asked>","answer":"<fill in: what the user said>"})"}};

const Kind* kind_named(std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &Kind::name);
  return found == std::end(kinds) ? nullptr : &*found;
}

std::string_view kind_of(const Value& artifact) {
  const Value* kind = artifact.find("kind");
  return kind != nullptr && kind->is_string() ? std::string_view(*kind->if_string())
                                              : std::string_view();
}

std::string text_of(const Value& object, std::string_view key) {
  const Value* value = object.find(key);
  return value == nullptr ? std::string() : *value->if_string();
}

/// REQUIRES: the contract's schema let the value through, so that the word is one of the set.
template <class Set>
Set member_of(const Value& object, std::string_view key) {
  return *from_name<Set>(*object.find(key)->if_string());
}

/// REQUIRES: `artifact` is of its contract's form.
void take(Signals& out, std::string_view contract, const Value& artifact) {
  if (contract == "loop_control") {
    out.loop_controls.push_back(
        {text_of(artifact, "loopId"),
         text_of(artifact, "decision") == "continue" ? LoopDecision::go_on : LoopDecision::stop});
  } else if (contract == "capability_observation") {
    out.observations.push_back({.run = {},
                                .node = {},
                                .capability = member_of<Capability>(artifact, "capability"),
                                .status = member_of<CapabilityStatus>(artifact, "status"),
                                .provenance = member_of<Provenance>(artifact, "provenance"),
                                .failure_code = text_of(artifact, "failureCode"),
                                .detail = text_of(artifact, "detail")});
  } else if (contract == "workflow_divergence") {
    out.divergences.push_back({.run = {},
                               .node = {},
                               .reason = member_of<DivergenceReason>(artifact, "reason"),
                               .summary = text_of(artifact, "summary"),
                               .related_step = text_of(artifact, "relatedStepId")});
  } else if (contract == "gap_resolution") {
    out.resolutions.push_back({.run = {},
                               .node = {},
                               .gap = text_of(artifact, "gapId"),
                               .summary = text_of(artifact, "summary")});
  } else if (contract == "user_dependency") {
    out.dependencies.push_back({member_of<Reason>(artifact, "need"), text_of(artifact, "summary"),
                                text_of(artifact, "answer")});
  } else {
    Assessment assessment{text_of(artifact, "assessmentId"), {}, text_of(artifact, "summary"), {}};
    for (const Value& each : *artifact.find("dimensions")->if_array()) {
      assessment.dimensions.push_back(
          {text_of(each, "id"), text_of(each, "level"), text_of(each, "rationale")});
    }
    out.assessments.push_back(std::move(assessment));
  }
}

/// Every way in which the artifact is not of its form; empty when it is.
std::string problems_of(std::string_view contract, const Value& artifact) {
  const auto* found = workflow::find_builtin(workflow::contracts(), contract);
  // The schemas are ours, and a test compiles every one.
  const auto schema = MUST(schema::Schema::compile(MUST(json::parse(found->schema)), {}));
  std::string out;
  for (const schema::SchemaProblem& problem : schema.validate(artifact)) {
    out += cat(out.empty() ? "" : "; ", problem.message);
  }
  return out;
}

/// Whether the kind is the one of a contract that another system defines: its name, or that with a
/// namespace before it.
bool is_of_foreign_contract(std::string_view kind, std::string_view expected) {
  if (expected.empty() || is_known_contract(expected)) return false;
  for (const std::string_view space : {"", "wr.", "baton."}) {
    if (kind == cat(space, expected)) return true;
  }
  return kind == expected.substr(expected.rfind('.') + 1);
}

/// Dimensions by their id, as WorkRail's agents write them, as a list.
void list_dimensions(Value& assessment) {
  const Value* found = assessment.find("dimensions");
  const Object* by_id = found == nullptr ? nullptr : found->if_object();
  if (by_id == nullptr) return;
  json::Array list;
  for (const json::Member& each : *by_id) {
    Object dimension{{"id", each.key}};
    if (const Object* more = each.value.if_object()) {
      for (const json::Member& part : *more) dimension.set(part.key, part.value);
    } else {
      dimension.set("level", each.value);
    }
    list.push_back(std::move(dimension));
  }
  assessment.if_object()->set("dimensions", std::move(list));
}

/// The known kind that an unknown kind is probably a misspelling of.
std::string misspelling_of(std::string_view kind) {
  std::vector<std::string> ours;
  for (const std::string_view space : {"baton.", "wr."}) {
    if (!kind.starts_with(space)) continue;
    for (const Kind& each : kinds) ours.push_back(cat(space, each.name));
  }
  if (kind.starts_with("baton.")) {
    ours.emplace_back(result_kind);
    ours.emplace_back(failure_kind);
    ours.emplace_back(confirmation_kind);
    ours.emplace_back(assumption_kind);
  }
  const std::vector<std::string_view> names(ours.begin(), ours.end());
  if (const auto near = nearest(kind, names)) {
    return cat("there is no kind \"", kind, "\"; did you mean \"", *near, "\"?");
  }
  if (!kind.starts_with("baton.")) return {};
  std::string list;
  for (const std::string_view each : names) list += cat(list.empty() ? "" : ", ", each);
  return cat("there is no kind \"", kind, "\"; Baton's kinds are ", list);
}

/// What stands in examples and templates in the place of a person's words.
constexpr std::string_view stock_words[] = {"confirmed?",
                                            "n/a",
                                            "none",
                                            "null",
                                            "ok?",
                                            "okay?",
                                            "placeholder",
                                            "string",
                                            "tbd",
                                            "text",
                                            "the user's words",
                                            "the user's own words",
                                            "todo",
                                            "user's words",
                                            "words",
                                            "yes?"};

/// Words that a person said, or what an agent assumed. A stand-in for them counts as nothing.
void take_word(Signals& out, std::size_t index, std::string_view kind, const Value& artifact) {
  const bool is_confirmation = kind == confirmation_kind;
  const std::string_view key = is_confirmation ? "words" : "summary";
  const std::size_t most =
      is_confirmation ? limits::gate_reason_bytes_max : limits::assumption_bytes_max;
  const Value* found = artifact.find(key);
  const std::string* text = found == nullptr ? nullptr : found->if_string();
  std::string problem;
  if (text == nullptr) {
    problem = cat("a ", kind, " needs a text \"", key, '"');
  } else if (text->size() > most) {
    problem = cat('"', key, "\" of a ", kind, " has ", text->size(), " bytes; at most ", most,
                  " are kept");
  } else if (is_blank(*text) || std::ranges::count(stock_words, ascii_lower(trimmed(*text))) > 0) {
    problem = is_confirmation
                  ? cat("\"words\" of a ", kind,
                        " must be what the user said, word for word, and not a placeholder")
                  : cat("\"summary\" of a ", kind,
                        " must say what you decided, and not be a placeholder");
  }
  if (!problem.empty()) {
    out.bad.push_back({index, {}, std::move(problem)});
    return;
  }
  (is_confirmation ? out.confirmations : out.assumptions).push_back(*text);
}

}  // namespace

bool is_known_contract(std::string_view contract) {
  return std::ranges::find(kinds, contract, &Kind::contract) != std::end(kinds);
}

json::Value example_confirmation() {
  return Object{{"kind", confirmation_kind}, {"words", slot("the user's own words")}};
}

json::Value example_assumption() {
  return Object{{"kind", assumption_kind},
                {"summary", slot("what you decided for the user, and why")}};
}

bool is_blank(std::string_view text) {
  constexpr std::string_view ellipsis = "\xE2\x80\xA6";
  std::string_view rest = trimmed(text);
  if (rest.size() > 1 && rest.front() == '<' && rest.back() == '>' &&
      rest.find_first_of("<>", 1) == rest.size() - 1) {
    return true;
  }
  // Any letter or digit of any script will do, and a sign of emotion too.
  while (!rest.empty()) {
    if (rest.starts_with(ellipsis)) {
      rest.remove_prefix(ellipsis.size());
      continue;
    }
    const auto byte = static_cast<unsigned char>(rest.front());
    const bool is_word = byte >= 0x80 || (byte >= '0' && byte <= '9') ||
                         (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
    if (is_word) return false;
    rest.remove_prefix(1);
  }
  return true;
}

std::string_view contract_of_kind(std::string_view kind, std::string_view expected) {
  for (const std::string_view space : {"baton.", "wr."}) {
    if (!kind.starts_with(space)) continue;
    const Kind* found = kind_named(kind.substr(space.size()));
    return found == nullptr ? std::string_view() : found->contract;
  }
  const Kind* found = kind_named(kind);
  return found != nullptr && found->contract == expected ? found->contract : std::string_view();
}

Signals read_artifacts(const json::Array& artifacts, std::string_view expected) {
  Signals out;
  for (std::size_t i = 0; i < artifacts.size(); ++i) {
    const std::string_view kind = kind_of(artifacts[i]);
    if (kind == result_kind) {
      const Value* value = artifacts[i].find("value");
      if (value != nullptr) out.result = *value;
      if (value == nullptr) out.bad.push_back({i, {}, "a baton.result needs \"value\""});
      continue;
    }
    if (kind == failure_kind) {
      const Value* why = artifacts[i].find("message");
      if (why != nullptr && why->is_string()) out.failure = *why->if_string();
      if (!out.failure) out.bad.push_back({i, {}, "a baton.step_failure needs a text \"message\""});
      continue;
    }
    if (kind == confirmation_kind || kind == assumption_kind) {
      take_word(out, i, kind, artifacts[i]);
      continue;
    }
    const std::string_view contract = contract_of_kind(kind, expected);
    if (is_of_foreign_contract(kind, expected)) {
      ++out.expected_count;
      continue;
    }
    if (contract.empty()) {
      if (std::string message = misspelling_of(kind); !message.empty()) {
        out.bad.push_back({i, {}, std::move(message)});
      }
      continue;
    }
    Value artifact = artifacts[i];
    if (kind.find('.') == std::string_view::npos) {
      artifact.if_object()->set("kind", cat("baton.", kind));
    }
    if (contract == "assessment") list_dimensions(artifact);
    if (std::string message = problems_of(contract, artifact); !message.empty()) {
      out.bad.push_back({i, std::string(contract), std::move(message)});
    } else {
      take(out, contract, artifact);
    }
  }
  return out;
}

Result<void> check_artifacts(const Signals& signals, std::string_view expected) {
  std::string message;
  std::string example;
  for (const BadArtifact& bad : signals.bad) {
    if (!expected.empty() && bad.contract == expected) continue;
    message += cat(message.empty() ? "" : "\n", "artifacts[", bad.index, "]: ", bad.message);
    if (example.empty() && !bad.contract.empty()) example = json::print(example_of(bad.contract));
  }
  if (message.empty()) return {};
  return fail(Code::INVALID_INPUT, cat(message, "; nothing was recorded"), {Move::resend, example});
}

std::string_view form_of(std::string_view contract) {
  const auto found = std::ranges::find(kinds, contract, &Kind::contract);
  return found == std::end(kinds) ? "what this step reports, in members of your choice"
                                  : found->form;
}

json::Value example_of(std::string_view contract) {
  const auto found = std::ranges::find(kinds, contract, &Kind::contract);
  if (found == std::end(kinds)) {
    const bool has_space = contract.contains('.');
    return Object{{"kind", has_space ? std::string(contract) : cat("wr.", contract)}};
  }
  // The texts are ours, and a test reads every one.
  return MUST(json::parse(found->example));
}

}  // namespace baton::run
