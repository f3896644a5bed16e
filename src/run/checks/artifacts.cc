#include "run/checks/artifacts.h"

#include <algorithm>

#include "base/core/gate_limits.h"
#include "base/schema/schema.h"
#include "base/text/printable.h"
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
                                            "exact words",
                                            "insert words here",
                                            "insert the user's words here",
                                            "n/a",
                                            "none",
                                            "null",
                                            "ok?",
                                            "okay?",
                                            "placeholder",
                                            "quote",
                                            "string",
                                            "tbd",
                                            "text",
                                            "the exact words",
                                            "the user's exact words",
                                            "the user's own words",
                                            "the user's words",
                                            "the words of the user",
                                            "todo",
                                            "user words",
                                            "user's own words",
                                            "user's words",
                                            "what the user said",
                                            "words",
                                            "words here",
                                            "yes?",
                                            "your own words",
                                            "your words",
                                            "your words here"};

/// In lower case, with plain apostrophes and without what encloses or ends it.
std::string bare(std::string_view text) {
  constexpr std::string_view quote = "\xE2\x80\x99";
  std::string out = ascii_lower(text);
  for (std::size_t at = 0; (at = out.find(quote, at)) != std::string::npos; ++at) {
    out.replace(at, quote.size(), "'");
  }
  constexpr std::string_view around = "\"'`*_.,!:;()[]{}<> \t\r\n";
  constexpr std::string_view pairs[] = {"\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x80\x98", "\xC2\xAB",
                                        "\xC2\xBB"};
  std::string_view rest = out;
  const auto strip = [&](std::string_view each) {
    if (rest.starts_with(each)) rest.remove_prefix(each.size());
    if (rest.ends_with(each)) rest.remove_suffix(each.size());
  };
  for (std::size_t before = 0; before != rest.size();) {
    before = rest.size();
    for (const char& each : around) strip({&each, 1});
    for (const std::string_view each : pairs) strip(each);
  }
  return std::string(rest);
}

/// Whether it is the stand-in for words that an example or a template has.
bool is_stock(std::string_view text) {
  const std::string whole = ascii_lower(trimmed(text));
  const bool is_slot = whole.starts_with("{{") && whole.ends_with("}}");
  return is_slot || std::ranges::count(stock_words, whole) > 0 ||
         std::ranges::count(stock_words, bare(text)) > 0;
}

/// What is wrong with the other members of a confirmation: what Baton does not read would be agreed
/// to and recorded unseen. Empty: nothing is.
std::string stray_member(std::string_view kind, const Value& artifact) {
  for (const json::Member& each : *artifact.if_object()) {
    if (each.key == "kind" || each.key == "words") continue;
    if (each.key != "choice") {
      return cat("a ", kind, " has no member \"", each.key, "\", only \"words\" and \"choice\"",
                 "; send what else there is to say in the notes, or as an artifact of its own");
    }
    const std::string* choice = each.value.if_string();
    if (choice == nullptr || choice->size() > limits::gate_choice_bytes_max) {
      return cat("\"choice\" of a ", kind, " must be a text of at most ",
                 limits::gate_choice_bytes_max, " bytes");
    }
  }
  return {};
}

/// REQUIRES: it is one code point past ASCII, in UTF-8.
char32_t first_code(std::string_view one) {
  char32_t code = static_cast<unsigned char>(one.front()) & (0x7FU >> one.size());
  for (const char c : one.substr(1)) code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

/// Of code points past ASCII: spaces and signs that say nothing by themselves.
bool is_sign(char32_t code) {
  return code <= 0xbf || code == 0x1680 || (code >= 0x2000 && code <= 0x205f) || code == 0x2800 ||
         (code >= 0x3000 && code <= 0x3003) || (code >= 0x300 && code <= 0x36f);
}

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
  } else if (is_blank(*text) || is_stock(*text)) {
    problem = is_confirmation
                  ? cat("\"words\" of a ", kind,
                        " must be what the user said, word for word, and not a placeholder")
                  : cat("\"summary\" of a ", kind,
                        " must say what you decided, and not be a placeholder");
  }
  if (problem.empty() && is_confirmation) problem = stray_member(kind, artifact);
  if (!problem.empty()) {
    out.bad.push_back({index, {}, std::move(problem)});
    return;
  }
  (is_confirmation ? out.confirmations : out.assumptions).push_back(*text);
  if (!is_confirmation) return;
  const Value* choice = artifact.find("choice");
  out.choice = choice != nullptr && choice->is_string() ? *choice->if_string() : std::string();
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
  std::string_view rest = trimmed(text);
  if (rest.size() > 1 && rest.front() == '<' && rest.back() == '>' &&
      rest.find_first_of("<>", 1) == rest.size() - 1) {
    return true;
  }
  // Any letter or digit of any script will do, and a sign of emotion too; what cannot be seen does
  // not.
  while (!rest.empty()) {
    std::size_t size = 1;
    while (size < rest.size() && (static_cast<unsigned char>(rest[size]) & 0xC0) == 0x80) ++size;
    const std::string_view one = rest.substr(0, size);
    rest.remove_prefix(size);
    if (size == 1) {
      const char c = one.front();
      const bool is_word =
          (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
      if (is_word) return false;
    } else if (printable(one) == one && !is_sign(first_code(one))) {
      return false;
    }
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
