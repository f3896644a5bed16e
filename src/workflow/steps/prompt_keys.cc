#include "workflow/steps/prompt.h"

#include "base/text/text.h"
#include "workflow/check/closed_sets.h"
#include "workflow/check/shapes.h"
#include "workflow/lower/condition.h"
#include "workflow/lower/lower_step.h"
#include "workflow/steps/checks.h"
#include "workflow/text/expression.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr std::string_view part_kinds[] = {"text", "ref"};
constexpr Shape part_kind{.kind = ShapeKind::text, .what = "a kind of part", .words = part_kinds};
constexpr Key part_keys[] = {
    {"kind", &part_kind, "", required}, {"text", &text}, {"refId", &filled}};
constexpr Shape part{.kind = ShapeKind::object, .what = "a part of a prompt", .keys = part_keys};
constexpr Shape parts{.kind = ShapeKind::list, .what = "a list of parts", .item = &part};
constexpr const Shape* prompt_value_choices[] = {&text, &parts};
constexpr Shape prompt_value{.kind = ShapeKind::choice,
                             .what = "a string or a list of parts",
                             .choices = prompt_value_choices};
constexpr Shape prompt_values{
    .kind = ShapeKind::list, .what = "a list of prompt texts", .item = &prompt_value};
constexpr Key block_keys[] = {{"goal", &prompt_value},
                              {"constraints", &prompt_values},
                              {"procedure", &prompt_values},
                              {"outputRequired", &text_map},
                              {"verify", &prompt_values}};
constexpr Shape blocks{.kind = ShapeKind::object, .what = "prompt blocks", .keys = block_keys};
constexpr Key fragment_keys[] = {
    {"id", &filled, "", required}, {"when", &condition}, {"text", &filled, "", required}};
constexpr Shape fragment{
    .kind = ShapeKind::object, .what = "a prompt fragment", .keys = fragment_keys};
constexpr Shape fragments{
    .kind = ShapeKind::list, .what = "a list of fragments", .item = &fragment, .min = 1};

extern const Shape criteria;
constexpr std::string_view rule_types[] = {"contains", "regex", "length", "schema"};
constexpr Shape rule_type{.kind = ShapeKind::text, .what = "a kind of rule", .words = rule_types};
constexpr Key criterion_keys[] = {{"type", &rule_type, "", required},
                                  {"message", &text},
                                  {"value", &text},
                                  {"pattern", &text},
                                  {"flags", &text},
                                  {"min", &count},
                                  {"max", &count},
                                  {"schema", &free_object},
                                  {"condition", &condition}};
constexpr Shape criterion{
    .kind = ShapeKind::object, .what = "a validation rule", .keys = criterion_keys, .mark = "type"};
constexpr Shape criteria_list{
    .kind = ShapeKind::list, .what = "a list of validation rules", .item = &criteria};
constexpr Key composition_keys[] = {
    {"and", &criteria_list}, {"or", &criteria_list}, {"not", &criteria}};
constexpr Shape composition{
    .kind = ShapeKind::object, .what = "rules under and, or, not", .keys = composition_keys};
constexpr const Shape* criteria_choices[] = {&criteria_list, &criterion, &composition};
constinit const Shape criteria{
    .kind = ShapeKind::choice, .what = "validation rules", .choices = criteria_choices};

constexpr Key trigger_keys[] = {{"anyEqualsLevel", &filled, "", required},
                                {"forAssessment", &filled}};
constexpr Shape trigger{.kind = ShapeKind::object, .what = "a trigger", .keys = trigger_keys};
constexpr std::string_view effect_kinds[] = {"require_followup"};
constexpr Shape effect_kind{.kind = ShapeKind::text, .what = "an effect", .words = effect_kinds};
constexpr Key effect_keys[] = {{"kind", &effect_kind, "", required},
                               {"guidance", &filled, "", required}};
constexpr Shape effect{.kind = ShapeKind::object, .what = "an effect", .keys = effect_keys};
constexpr Key consequence_keys[] = {{"when", &trigger, "", required},
                                    {"effect", &effect, "", required}};
constexpr Shape consequence{
    .kind = ShapeKind::object, .what = "a consequence", .keys = consequence_keys};
constexpr Shape consequences{
    .kind = ShapeKind::list, .what = "a list of consequences", .item = &consequence, .min = 1};

constexpr Key file_contains_keys[] = {{"path", &filled, "", required},
                                      {"pattern", &filled, "A regular expression", required}};
constexpr Shape file_contains{
    .kind = ShapeKind::object, .what = "a path and a pattern", .keys = file_contains_keys};
constexpr Key command_evidence_keys[] = {{"argv", &some_texts, "", required}, {"exit", &count}};
constexpr Shape command_evidence{
    .kind = ShapeKind::object, .what = "a command", .keys = command_evidence_keys};
constexpr Key artifact_evidence_keys[] = {
    {"type", &filled, "", required}, {"schema", &free_object}, {"min_bytes", &count}};
constexpr Shape artifact_evidence{
    .kind = ShapeKind::object, .what = "an artifact", .keys = artifact_evidence_keys};
constexpr const Shape* commit_choices[] = {&text, &boolean};
constexpr Shape commit_evidence{
    .kind = ShapeKind::choice, .what = "a commit or true", .choices = commit_choices};
constexpr Key evidence_keys[] = {{"file_exists", &filled},
                                 {"file_contains", &file_contains},
                                 {"file_changed", &filled},
                                 {"git_commit_exists", &commit_evidence},
                                 {"command", &command_evidence},
                                 {"artifact", &artifact_evidence},
                                 {"state", &filled, "An expression that must be true"}};
constexpr Shape one_evidence{
    .kind = ShapeKind::object, .what = "a piece of evidence", .keys = evidence_keys};
constexpr Shape evidence{
    .kind = ShapeKind::list, .what = "a list of evidence", .item = &one_evidence};

constexpr Key tools_keys[] = {{"allow", &texts}, {"deny", &texts}};
constexpr Shape tools{.kind = ShapeKind::object, .what = "globs of tools", .keys = tools_keys};
constexpr std::string_view choices_of_users[] = {"preference_tradeoff", "scope_boundary",
                                                 "irreversible_action", "external_side_effect",
                                                 "policy_or_compliance"};
constexpr Shape user_choice{
    .kind = ShapeKind::text, .what = "a choice only the user can make", .words = choices_of_users};
constexpr Key audit_keys[] = {{"prompt", &filled}, {"rubric", &some_texts}};
constexpr Shape audit{.kind = ShapeKind::object, .what = "an audit", .keys = audit_keys};
constexpr Key verification_keys[] = {{"command", &filled}, {"prompt", &filled}};
constexpr Shape verification{
    .kind = ShapeKind::object, .what = "a verification", .keys = verification_keys};

constexpr Key prompt_keys[] = {
    {"prompt", &text, "What the agent is to do"},
    {"promptBlocks", &blocks, "The same in parts, which features can add to"},
    {"promptFragments", &fragments, "Texts that are added when their condition is true"},
    {"agent", &filled, "The persona that does it"},
    {"agentRole", &filled, "The stance of the agent"},
    {"guidance", &text_or_texts, "Advice beside the prompt"},
    {"allowed_actions", &texts, "What the agent may do in it"},
    {"required_output_format", &any, "What the output must look like"},
    {"requireConfirmation", &confirmation, "Whether a person must agree"},
    {"human_gate_required", &confirmation, "", alias, "requireConfirmation"},
    {"validationCriteria", &criteria, "Rules for the output's text"},
    {"outputContract", &output_contract, "An artifact that the output must have"},
    {"assessmentRefs", &some_texts, "Assessments that the output must have"},
    {"assessmentConsequences", &consequences, "What follows from a level"},
    {"functionDefinitions", &function_list},
    {"functionReferences", &texts, "Functions that the prompt uses"},
    {"functionCalls", &any, "", KeyRule::ignored, {}, workrail},
    {"nonAssumableChoice", &user_choice, "A choice only the user can make"},
    {"notesOptional", &boolean, "Whether notes are optional"},
    {"timeout", &duration, "Milliseconds; seconds under .aromcp/"},
    {"timeout_ms", &duration},
    {"timeout_seconds", &duration},
    {"evidence", &evidence, "What the server checks before the step closes"},
    {"waivable", &boolean, "Whether it may pass without its evidence, with a gap"},
    gate_key,
    effect_key,
    on_fork_key,
    {"tools", &tools, "Which tools the client may use in it"},
    {"audit", &audit, "Adds a step after this one that audits it"},
    {"verification", &verification, "Adds a step after this one that verifies it"},
    {"templateCall", &template_call, "Steps that replace this one"},
    {"context", &free_object, "Values beside the prompt"},
    {"expected_response", &any, "A schema of the answer"},
    {"response_schema", &any, "", alias, "expected_response"},
    {"max_retries", &count, "How often a bad answer may be corrected"},
    {"state_update", &update, "What the answer changes"},
    {"state_updates", &some_updates},
    {"store_response", &filled, "A path that the answer is written to"},
    {"validation", &free_object},
    {"error_handling", &step_error},
    {"instructions", &text},
    {"modelTier", &any, "", KeyRule::ignored, {}, workrail},
    {"askForFiles", &any, "", KeyRule::ignored, {}, workrail},
    {"hasValidation", &any, "", KeyRule::ignored, {}, workrail}};

}  // namespace
}  // namespace shapes

namespace {

using json::Array;
using json::Object;

void check_capability(const SyntaxNode& output, const SyntaxNode& name, StepChecks& checks) {
  if (bare_name(output.text_of("contractRef"), "contracts") != "capability_observation") {
    checks.wrong(Code::WORKFLOW_WRONG_VALUE, name.at,
                 "\"capability\" belongs to the contract capability_observation");
  }
  if (find_builtin(capabilities(), name.text) != nullptr) return;
  std::vector<std::string_view> names;
  for (const Builtin& each : capabilities()) names.push_back(each.id);
  checks.wrong(Code::WORKFLOW_UNKNOWN_NAME, name.at,
               cat("there is no capability \"", name.text, '"'),
               cat("the capabilities are ", either_of(names)));
}

void check_rules(const SyntaxNode& node, StepChecks& checks) {
  if (node.is_object() && node.has("type")) {
    checks.pattern(node.find("pattern"));
    if (const SyntaxNode* shape = node.find("schema")) checks.schema(*shape);
    return;
  }
  for (const SyntaxNode& child : node.children) check_rules(child, checks);
}

void check_evidence(const SyntaxNode& node, StepChecks& checks) {
  if (node.children.size() != 1) {
    checks.wrong(Code::WORKFLOW_WRONG_VALUE, node.at, "a piece of evidence has exactly one key");
    return;
  }
  const SyntaxNode& only = node.children.front();
  if (only.key == "file_contains") checks.pattern(only.find("pattern"));
  if (only.key == "artifact" && only.has("schema")) checks.schema(*only.find("schema"));
}

void check_prompt(const SyntaxNode& step, StepChecks& checks) {
  if (const SyntaxNode* output = step.find("outputContract")) {
    checks.contract(output->find("contractRef"), output->at);
    if (const SyntaxNode* about = output->find("capability"))
      check_capability(*output, *about, checks);
  }
  if (const SyntaxNode* refs = step.find("assessmentRefs")) {
    for (const SyntaxNode& each : refs->children) checks.assessment(each);
  }
  if (const SyntaxNode* list = step.find("assessmentConsequences")) {
    for (const SyntaxNode& each : list->children) {
      const SyntaxNode* when = each.find("when");
      const SyntaxNode* which = when == nullptr ? nullptr : when->find("forAssessment");
      if (which != nullptr) checks.assessment(*which);
    }
  }
  if (const SyntaxNode* criteria = step.find("validationCriteria")) check_rules(*criteria, checks);
  if (const SyntaxNode* evidence = step.find("evidence")) {
    for (const SyntaxNode& each : evidence->children) check_evidence(each, checks);
  }
}

json::Value rules_of(const SyntaxNode& node) {
  if (node.is_array()) {
    Array list;
    for (const SyntaxNode& child : node.children) list.push_back(rules_of(child));
    return Object{{"and", std::move(list)}};
  }
  Object out;
  for (const SyntaxNode& child : node.children) {
    if (child.key == "condition")
      out.set(child.key, lower_condition(child));
    else if (child.key == "not")
      out.set(child.key, rules_of(child));
    else if (child.key == "and" || child.key == "or") {
      Array list;
      for (const SyntaxNode& each : child.children) list.push_back(rules_of(each));
      out.set(child.key, std::move(list));
    } else {
      out.set(child.key, child.to_json());
    }
  }
  return out;
}

Array evidence_of(const SyntaxNode& list) {
  Array out;
  for (const SyntaxNode& each : list.children) {
    const SyntaxNode& only = each.children.front();
    if (only.key == "state")
      out.push_back(Object{{"state", bare_expression(only.text)}});
    else
      out.push_back(each.to_json());
  }
  return out;
}

/// What has no condition becomes a part of the text.
void lower_fragments(const SyntaxNode& fragments, Step& out, PromptStep& prompt) {
  Array conditional;
  for (const SyntaxNode& each : fragments.children) {
    const SyntaxNode* when = each.find("when");
    if (when == nullptr) {
      out.prompt += cat(out.prompt.empty() ? "" : "\n\n", each.text_of("text"));
      continue;
    }
    conditional.push_back(Object{{"id", each.text_of("id")},
                                 {"when", lower_condition(*when)},
                                 {"text", each.text_of("text")}});
  }
  if (!conditional.empty()) prompt.fragments = std::move(conditional);
}

void lower_prompt(SyntaxNode& node, StepLowering& lowering, Step& out) {
  PromptStep prompt;
  if (SyntaxNode* text = node.find("prompt")) out.prompt = std::move(text->text);
  if (node.has("agentRole")) out.agent_role = std::string(node.text_of("agentRole"));
  if (const SyntaxNode* found = node.find("promptFragments")) lower_fragments(*found, out, prompt);
  prompt.agent = text_at(node, "agent");
  if (prompt.agent) lowering.personas.insert(*prompt.agent);
  prompt.allowed_actions = value_at(node, "allowed_actions");
  prompt.required_output_format = value_at(node, "required_output_format");
  if (auto refs = texts_at(node, "assessmentRefs")) {
    prompt.assessments = *std::move(refs);
    lowering.contracts.insert("assessment");
  }
  if (const SyntaxNode* list = node.find("assessmentConsequences")) {
    prompt.consequences = *list->to_json().if_array();
  }
  prompt.user_choice = text_at(node, "nonAssumableChoice");
  prompt.tools = value_at(node, "tools");
  prompt.context = value_at(node, "context");
  prompt.expected = value_at(node, "expected_response");
  prompt.max_retries = integer_at(node, "max_retries");
  prompt.validation = value_at(node, "validation");
  if (const SyntaxNode* found = node.find("validationCriteria")) prompt.criteria = rules_of(*found);
  if (const SyntaxNode* found = node.find("outputContract")) {
    const std::string name(bare_name(found->text_of("contractRef"), "contracts"));
    prompt.contract = OutputContract{name, flag_at(*found, "required").value_or(true),
                                     text_at(*found, "capability")};
    lowering.contracts.insert(name);
  }
  if (const SyntaxNode* evidence = node.find("evidence"); evidence && !evidence->children.empty()) {
    prompt.evidence = evidence_of(*evidence);
    for (const SyntaxNode& each : evidence->children) {
      const SyntaxNode* command = each.find("command");
      if (command == nullptr) continue;
      lowering.arguments(out, *command->find("argv"), ShellUse::By::server);
    }
  }
  out.body = std::move(prompt);
}

}  // namespace

std::span<const StepType> PromptStep::spellings() {
  static constexpr StepType types[] = {{.name = "prompt",
                                        .actor = "agent",
                                        .help = "Do the work, answer with an output",
                                        .keys = shapes::prompt_keys,
                                        .check = check_prompt,
                                        .lower = lower_prompt},
                                       {.name = "agent_prompt",
                                        .canonical = "prompt",
                                        .actor = "agent",
                                        .keys = shapes::prompt_keys},
                                       {.name = "agent_response",
                                        .canonical = "prompt",
                                        .actor = "agent",
                                        .keys = shapes::prompt_keys}};
  return types;
}

}  // namespace baton::workflow
