#include "workflow/check/closed_sets.h"

namespace baton::workflow {
namespace {

constexpr std::string_view probe_visibilities[] = {"step", "prompt"};
constexpr std::string_view observation_forms[] = {"artifact", "notes"};
constexpr FeatureSetting capability_config[] = {{"probeVisibility", probe_visibilities},
                                                {"recordObservationsAs", observation_forms}};
constexpr std::string_view enforcements[] = {"block", "warn"};
constexpr FeatureSetting contract_config[] = {{"enforce", enforcements}};

constexpr Feature feature_table[] = {
    {"capabilities", "Says how to report what the agent's environment can do",
     "When a capability turns out to be available or missing, send a capability_observation "
     "artifact with the step; do not assume it.",
     "", capability_config},
    {"durable_recap_guidance",
     "Asks for notes that a new chat can continue from",
     "Write the notes of this step so that a reader without this chat can continue from them.",
     "The notes name what was done, what was found and what is still open.",
     {}},
    {"memory_context",
     "Asks to read what earlier work left behind before beginning",
     "Before you begin, read the notes and files that earlier steps left, and build on them.",
     "",
     {}},
    {"mode_guidance",
     "Says how to treat questions in each autonomy mode",
     "In guided mode ask the user where the workflow says so. In a full-auto mode decide yourself, "
     "and say in the notes what you assumed and why.",
     "",
     {}},
    {"output_contracts", "Reminds of the artifact that a step must send", "",
     "Every artifact that this step requires is sent, in the form its contract says.",
     contract_config},
    {"subagent_guidance",
     "Says how to give work to sub-agents",
     "Give a sub-agent one question, the files it needs and the form of the answer; read its "
     "answer "
     "critically and keep the decision yourself.",
     "",
     {}},
};

constexpr Ref ref_table[] = {
    {"evidence_first", "Claims need something to point at",
     "Support each claim with a file and line, a command and its output, or a quotation. What you "
     "could not check, call an assumption."},
    {"memory_usage", "Read what is there before adding to it",
     "Look for notes, documents and earlier decisions on the subject before you form your own."},
    {"notes_first_durability", "Notes are the memory of a run",
     "What is not in the notes of a step is lost when the chat is. Write down results, decisions "
     "and open questions there."},
    {"parallelize_cognition_serialize_synthesis", "Think in parallel, decide in one place",
     "Independent questions may be looked at in parallel; their answers are brought together by "
     "one "
     "mind, which names where they disagree."},
    {"synthesis_under_disagreement", "What to do when answers disagree",
     "When sources or reviewers disagree, say on what, look for the evidence that decides, and "
     "record what stays open."},
    {"adversarial_challenge", "Try to break your own result",
     "Before you send a result, look for the strongest reason why it is wrong, and check it."},
};

constexpr Contract contract_table[] = {
    {"assessment", "How something was judged, along declared dimensions",
     R"({"type":"object","required":["kind","assessmentId","dimensions"],"properties":{
"kind":{"enum":["wr.assessment","baton.assessment"]},"assessmentId":{"type":"string","minLength":1},
"dimensions":{"type":"array","minItems":1,"items":{"type":"object","required":["id","level"],
"properties":{"id":{"type":"string"},"level":{"type":"string"},"rationale":{"type":"string"}},
"additionalProperties":false}},"summary":{"type":"string"}},"additionalProperties":false})"},
    {"capability_observation", "Whether the agent's environment can do something",
     R"({"type":"object","required":["kind","capability","status","provenance"],"properties":{
"kind":{"enum":["wr.capability_observation","baton.capability_observation"]},
"capability":{"enum":["delegation","web_browsing"]},
"status":{"enum":["unknown","available","unavailable"]},
"provenance":{"enum":["probe_step","attempted_use","manual_claim"]},
"failureCode":{"type":"string","minLength":1},"detail":{"type":"string"}},
"if":{"properties":{"status":{"const":"unavailable"},"provenance":{"const":"attempted_use"}}},
"then":{"required":["failureCode"]},"additionalProperties":false})"},
    {"gap_resolution", "How an open gap was closed",
     R"({"type":"object","required":["kind","gapId","summary"],"properties":{
"kind":{"enum":["wr.gap_resolution","baton.gap_resolution"]},
"gapId":{"type":"string","minLength":1},"summary":{"type":"string","minLength":1}},
"additionalProperties":false})"},
    {"loop_control", "Whether a loop continues",
     R"({"type":"object","required":["kind","decision"],"properties":{
"kind":{"enum":["wr.loop_control","baton.loop_control"]},"loopId":{"type":"string","minLength":1},
"decision":{"enum":["continue","stop"]},"metadata":{"type":"object"}},
"additionalProperties":false})"},
    {"user_dependency", "What only the user can provide: a request or an answer",
     R"({"type":"object","required":["kind","need","summary"],"properties":{
"kind":{"enum":["wr.user_dependency","baton.user_dependency"]},
"need":{"enum":["needs_user_secret_or_token","needs_user_account_access","needs_user_artifact",
"needs_user_choice","needs_user_approval","needs_user_environment_action"]},
"summary":{"type":"string","minLength":1},"answer":{"type":"string","minLength":1}},
"additionalProperties":false})"},
    {"workflow_divergence", "That the agent left the workflow's path, and why",
     R"({"type":"object","required":["kind","reason","summary"],"properties":{
"kind":{"enum":["wr.divergence","baton.divergence"]},
"reason":{"enum":["missing_user_context","capability_unavailable","efficiency_skip","safety_stop",
"policy_constraint"]},"summary":{"type":"string","minLength":1},
"relatedStepId":{"type":"string"}},"additionalProperties":false})"},
};

constexpr std::string_view probe_arguments[] = {"capability"};
constexpr std::string_view review_arguments[] = {"subject"};

constexpr Template template_table[] = {
    {"capability_probe", "A step that finds out whether a capability is there", probe_arguments,
     R"(- id: probe
  title: "Find out: ${capability}"
  prompt: |
    Try to use the capability "${capability}" once, in the smallest way that shows whether it works.
    Send a capability_observation artifact with status available or unavailable and provenance
    probe_step.
  outputContract: {contractRef: baton.contracts.capability_observation, capability: "${capability}"}
)"},
    {"adversarial_review", "Two steps that attack a result and then settle what was found",
     review_arguments,
     R"(- id: attack
  title: "Look for what is wrong with ${subject}"
  prompt: |
    Take the view of a person who wants ${subject} to fail. List the strongest objections, each with
    evidence; leave out what is only taste.
- id: settle
  title: "Settle the objections to ${subject}"
  prompt: |
    For each objection say: right and fixed, right and accepted with the reason, or wrong with the
    evidence.
)"},
};

constexpr Builtin operator_table[] = {
    {"equals", "the same value; texts without regard to case and surrounding space"},
    {"not_equals", "not `equals`"},
    {"gt", "greater than a number"},
    {"gte", "at least a number"},
    {"lt", "less than a number"},
    {"lte", "at most a number"},
    {"contains", "a text holds the text, a list the value"},
    {"startsWith", "a text begins with the text"},
    {"endsWith", "a text ends with the text"},
    {"matches", "a text matches the regular expression"},
    {"in", "the value is one of a list"},
};

constexpr Builtin capability_table[] = {
    {"delegation", "The agent can give work to sub-agents"},
    {"web_browsing", "The agent can read the web"},
};

constexpr Builtin divergence_table[] = {
    {"missing_user_context", "Only the user knows what was needed"},
    {"capability_unavailable", "The environment could not do what was asked"},
    {"efficiency_skip", "The step would have added nothing"},
    {"safety_stop", "Continuing would have done harm"},
    {"policy_constraint", "A rule forbade what was asked"},
};

}  // namespace

std::span<const Feature> features() { return feature_table; }
std::span<const Ref> refs() { return ref_table; }
std::span<const Contract> contracts() { return contract_table; }
std::span<const Template> templates() { return template_table; }
std::span<const Builtin> condition_operators() { return operator_table; }
std::span<const Builtin> capabilities() { return capability_table; }
std::span<const Builtin> divergence_reasons() { return divergence_table; }

std::string_view bare_name(std::string_view name, std::string_view set) {
  for (const std::string_view space : {"baton.", "wr."}) {
    if (!name.starts_with(space)) continue;
    const std::string_view rest = name.substr(space.size());
    if (rest.starts_with(set) && rest.substr(set.size()).starts_with('.')) {
      return rest.substr(set.size() + 1);
    }
  }
  return name;
}

}  // namespace baton::workflow
