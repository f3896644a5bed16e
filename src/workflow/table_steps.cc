// The step types and their keys.

#include <algorithm>

#include "workflow/shapes.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr KeyRule required = KeyRule::required;
constexpr KeyRule alias = KeyRule::optional;
constexpr Dialect workrail = Dialect::workrail;

constexpr Key common_keys[] = {
    {"id", &filled, "Its name in this workflow; default derived from its position"},
    {"type", &text, "What it does"},
    {"title", &text, "What people read"},
    {"description", &text, "What it is for"},
    {"runCondition", &condition, "Skip the step unless this is true"},
    {"dependencies", &texts, "Steps of the same block that must be done before"},
    {"dependsOn", &texts, "", alias, "dependencies"},
    {"tags", &texts},
    {"pathPatterns", &texts, "Globs of the files it is about"},
    {"allowParallel", &boolean, "Whether other steps may run at the same time"}};

// --- writing state ------------------------------------------------------------------------------

constexpr std::string_view operations[] = {"set",       "append", "increment",
                                           "decrement", "merge",  "multiply"};
constexpr Shape operation{
    .kind = ShapeKind::text, .what = "an operation on state", .words = operations};
constexpr Key update_keys[] = {{"path", &filled, "raw., state., this. or global.", required},
                               {"operation", &operation},
                               {"value", &any, "Default the result of the step"}};
constexpr Shape update{.kind = ShapeKind::object, .what = "a state update", .keys = update_keys};
constexpr Shape updates{
    .kind = ShapeKind::list, .what = "a list of at least one update", .item = &update, .min = 1};
constexpr Shape some_updates{.kind = ShapeKind::list, .what = "a list of updates", .item = &update};

constexpr std::string_view strategies[] = {"retry", "continue", "fail", "fallback"};
constexpr Shape strategy{.kind = ShapeKind::text, .what = "a strategy", .words = strategies};
constexpr Key step_error_keys[] = {{"strategy", &strategy},
                                   {"max_retries", &count},
                                   {"fallback_value", &any},
                                   {"error_message", &text}};
constexpr Shape step_error{
    .kind = ShapeKind::object, .what = "how errors are handled", .keys = step_error_keys};
constexpr std::string_view on_errors[] = {"fail", "continue", "retry"};
constexpr Shape on_error{.kind = ShapeKind::text, .what = "what an error does", .words = on_errors};

// --- prompts ------------------------------------------------------------------------------------

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
constexpr Shape text_map{.kind = ShapeKind::map, .what = "names with strings", .item = &text};
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

constexpr std::string_view confirmation_kinds[] = {"coordinator_eval", "human_approval"};
constexpr Shape confirmation_kind{
    .kind = ShapeKind::text, .what = "a kind of confirmation", .words = confirmation_kinds};
constexpr Key confirmation_keys[] = {{"kind", &confirmation_kind, "", required},
                                     {"condition", &condition}};
constexpr Shape confirmation_object{.kind = ShapeKind::object,
                                    .what = "a confirmation rule",
                                    .keys = confirmation_keys,
                                    .mark = "kind"};
constexpr const Shape* confirmation_choices[] = {&boolean, &confirmation_object, &condition};
constexpr Shape confirmation{.kind = ShapeKind::choice,
                             .what = "true, false or a condition",
                             .choices = confirmation_choices};

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
constexpr Key call_keys[] = {{"templateId", &filled, "", required}, {"args", &free_object}};
constexpr Shape template_call{
    .kind = ShapeKind::object, .what = "a template call", .keys = call_keys};

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

// --- messages, input, calls ---------------------------------------------------------------------

constexpr std::string_view formats[] = {"text", "markdown", "code"};
constexpr Shape format{.kind = ShapeKind::text, .what = "a format", .words = formats};
constexpr std::string_view message_types[] = {"info", "warning", "error", "success"};
constexpr Shape message_type{
    .kind = ShapeKind::text, .what = "a kind of message", .words = message_types};
constexpr Key message_keys[] = {{"message", &text, "What is shown", required},
                                {"format", &format},
                                {"message_type", &message_type}};

constexpr std::string_view input_types[] = {"string", "number", "integer", "boolean", "choice"};
constexpr Shape input_type{
    .kind = ShapeKind::text, .what = "the type of an answer", .words = input_types};
constexpr Key validation_keys[] = {{"pattern", &text, "A regular expression"},
                                   {"error_message", &text},
                                   {"min", &any},
                                   {"max", &any},
                                   {"min_length", &count},
                                   {"max_length", &count}};
constexpr Shape validation{.kind = ShapeKind::object,
                           .what = "rules for the answer",
                           .keys = validation_keys,
                           .open = true};
constexpr Key user_input_keys[] = {{"prompt", &filled, "The question", required},
                                   {"instructions", &text},
                                   {"input_type", &input_type},
                                   {"choices", &values},
                                   {"default", &any},
                                   {"validation", &validation},
                                   {"max_retries", &count},
                                   {"state_update", &update},
                                   {"state_updates", &some_updates},
                                   {"store_result", &filled},
                                   {"timeout", &duration},
                                   {"timeout_ms", &duration},
                                   {"timeout_seconds", &duration}};

constexpr Key mcp_keys[] = {{"method", &filled, "", required}, {"params", &free_object}};
constexpr Shape mcp{.kind = ShapeKind::object, .what = "a method and its params", .keys = mcp_keys};
constexpr Key mcp_call_keys[] = {{"mcp", &mcp, "The tool and its arguments"},
                                 {"tool", &filled, "The tool"},
                                 {"parameters", &free_object, "Its arguments"},
                                 {"state_update", &update},
                                 {"state_updates", &some_updates},
                                 {"store_result", &filled},
                                 {"on_error", &on_error},
                                 {"error_state_update", &update},
                                 {"error_handling", &step_error},
                                 {"timeout", &duration},
                                 {"timeout_ms", &duration},
                                 {"timeout_seconds", &duration}};

constexpr std::string_view outputs[] = {"lines", "json", "text", "key_value"};
constexpr Shape output{.kind = ShapeKind::text, .what = "a form of output", .words = outputs};
constexpr std::string_view contexts[] = {"server", "client"};
constexpr Shape context{.kind = ShapeKind::text, .what = "where it runs", .words = contexts};
constexpr std::string_view sandboxes[] = {"workspace"};
constexpr Shape sandbox{.kind = ShapeKind::text, .what = "a sandbox", .words = sandboxes};
constexpr Key shell_keys[] = {{"command", &filled, "For a shell; slots become variables"},
                              {"argv", &some_texts, "A program and its arguments, without a shell"},
                              {"working_directory", &filled},
                              {"output_format", &output},
                              {"timeout", &duration},
                              {"timeout_ms", &duration},
                              {"timeout_seconds", &duration},
                              {"on_error", &on_error},
                              {"retry_count", &count},
                              {"retry_delay", &duration, "Milliseconds"},
                              {"fallback_value", &any},
                              {"error_state_update", &update},
                              {"error_handling", &step_error},
                              {"execution_context", &context},
                              {"sandbox", &sandbox, "Where the server lets it write"},
                              {"state_update", &update},
                              {"state_updates", &some_updates},
                              {"store_result", &filled},
                              {"reason", &text, "Why the agent runs it"}};

// --- control ------------------------------------------------------------------------------------

constexpr Key batch_keys[] = {{"updates", &updates, "", required}};
constexpr Key conditional_keys[] = {{"condition", &condition, "", required},
                                    {"then", &steps},
                                    {"then_steps", &steps, "", alias, "then"},
                                    {"else", &steps},
                                    {"else_steps", &steps, "", alias, "else"}};
constexpr Key while_keys[] = {{"condition", &condition, "", required},
                              {"max_iterations", &positive, "default 100"},
                              {"maxIterations", &positive, "", alias, "max_iterations"},
                              {"body", &some_steps},
                              {"steps", &some_steps, "", alias, "body"}};
constexpr const Shape* items_choices[] = {&filled, &values};
constexpr Shape items{
    .kind = ShapeKind::choice, .what = "an expression or a list", .choices = items_choices};
constexpr Key foreach_keys[] = {{"items", &items, "", required},
                                {"variable_name", &filled, "default item"},
                                {"body", &some_steps},
                                {"steps", &some_steps, "", alias, "body"}};

constexpr std::string_view loop_types[] = {"while", "until", "for", "forEach"};
constexpr Shape loop_type{.kind = ShapeKind::text, .what = "a kind of loop", .words = loop_types};
constexpr const Shape* count_choices[] = {&count, &filled};
constexpr Shape loop_count{
    .kind = ShapeKind::choice, .what = "a number or the name of one", .choices = count_choices};
constexpr std::string_view source_kinds[] = {"artifact_contract", "context_variable"};
constexpr Shape source_kind{
    .kind = ShapeKind::text, .what = "a source of the condition", .words = source_kinds};
constexpr Key source_keys[] = {{"kind", &source_kind, "", required},
                               {"contractRef", &filled},
                               {"loopId", &filled},
                               {"condition", &condition}};
constexpr Shape condition_source{
    .kind = ShapeKind::object, .what = "a source of the condition", .keys = source_keys};
constexpr Key loop_config_keys[] = {{"type", &loop_type, "", required},
                                    {"condition", &condition},
                                    {"conditionSource", &condition_source},
                                    {"items", &items},
                                    {"count", &loop_count},
                                    {"maxIterations", &positive, "1 to 1000"},
                                    {"max_iterations", &positive, "", alias, "maxIterations"},
                                    {"iterationVar", &filled},
                                    {"itemVar", &filled},
                                    {"indexVar", &filled}};
constexpr Shape loop_config{.kind = ShapeKind::object, .what = "a loop", .keys = loop_config_keys};
constexpr const Shape* body_choices[] = {&filled, &some_steps};
constexpr Shape loop_body{.kind = ShapeKind::choice,
                          .what = "a list of steps, or the id of one",
                          .choices = body_choices};
constexpr Key loop_keys[] = {{"loop", &loop_config, "", required},
                             {"body", &loop_body, "", required},
                             {"functionDefinitions", &function_list},
                             {"requireConfirmation", &confirmation},
                             {"notesOptional", &boolean}};

constexpr std::string_view task_strategies[] = {"retry_failed", "continue", "fail_all"};
constexpr Shape task_strategy{
    .kind = ShapeKind::text, .what = "a strategy", .words = task_strategies};
constexpr Key task_error_keys[] = {{"strategy", &task_strategy},
                                   {"max_retries", &count},
                                   {"collect_errors", &boolean},
                                   {"error_state_path", &filled}};
constexpr Shape task_error{
    .kind = ShapeKind::object, .what = "what a failing sub-agent does", .keys = task_error_keys};
constexpr Key parallel_keys[] = {{"items", &items, "", required},
                                 {"max_parallel", &positive, "default 5"},
                                 {"wait_for_all", &boolean},
                                 {"sub_agent_task", &filled, "A task of sub_agent_tasks"},
                                 {"steps", &some_steps, "The task's steps, instead of a name"},
                                 {"body", &some_steps, "", alias, "steps"},
                                 {"timeout", &duration},
                                 {"timeout_ms", &duration},
                                 {"timeout_seconds", &duration},
                                 {"on_sub_agent_error", &task_error},
                                 {"sub_agent_prompt_override", &filled}};

constexpr Key delegation_keys[] = {{"workflowId", &filled, "", required},
                                   {"goal", &text},
                                   {"runCondition", &condition},
                                   {"contextMapping", &text_map},
                                   {"args", &text_map},
                                   {"modelTier", &any, "", KeyRule::ignored, {}, workrail},
                                   {"allowedTools", &some_texts}};
constexpr Shape delegation{
    .kind = ShapeKind::object, .what = "a delegation", .keys = delegation_keys};
constexpr Shape delegations{.kind = ShapeKind::list,
                            .what = "a list of at least one delegation",
                            .item = &delegation,
                            .min = 1};
constexpr Key synthesis_keys[] = {{"prompt", &filled}, {"outputContract", &output_contract}};
constexpr Shape synthesis{.kind = ShapeKind::object, .what = "a synthesis", .keys = synthesis_keys};
constexpr Key delegate_keys[] = {{"parallelDelegations", &delegations, "", required},
                                 {"synthesis", &synthesis},
                                 {"requireConfirmation", &confirmation},
                                 {"notesOptional", &boolean}};

constexpr Key include_keys[] = {{"workflow", &filled, "Its id", required},
                                {"inputs", &free_object, "Its inputs, evaluated at entry"}};
constexpr Key template_keys[] = {{"templateId", &filled, "A template or a routine"},
                                 {"template_id", &filled, "", alias, "templateId"},
                                 {"template", &filled, "", alias, "templateId"},
                                 {"args", &free_object},
                                 {"templateCall", &template_call}};
constexpr Key hints_keys[] = {{"file", &filled, "", required},
                              {"hints", &any, "", required},
                              {"state_update", &update},
                              {"state_updates", &some_updates}};
constexpr Key wait_keys[] = {{"message", &text},
                             {"timeout", &duration},
                             {"timeout_ms", &duration, "When to ask again"},
                             {"timeout_seconds", &duration}};

constexpr StepType table[] = {
    {"prompt", "", "agent", "Do the work, answer with an output", prompt_keys},
    {"agent_prompt", "prompt", "agent", "", prompt_keys},
    {"agent_response", "prompt", "agent", "", prompt_keys},
    {"user_message", "", "agent", "Show a message", message_keys},
    {"user_input", "", "person", "Ask a person", user_input_keys},
    {"mcp_call", "", "agent", "Call another MCP tool", mcp_call_keys},
    {"shell_command", "", "server", "Run a command, on the server when trusted", shell_keys},
    {"agent_shell_command", "", "agent", "Run a command, always by the agent", shell_keys},
    {"state_update", "", "server", "Write state", update_keys},
    {"batch_state_update", "", "server", "Write state at several paths at once", batch_keys},
    {"conditional", "", "server", "One of two branches", conditional_keys},
    {"while", "", "server", "Repeat while a condition holds", while_keys},
    {"while_loop", "while", "server", "", while_keys},
    {"foreach", "", "server", "Repeat for each item", foreach_keys},
    {"loop", "", "server", "Repeat by condition, artifact, count or items", loop_keys},
    {"break", "", "server", "Leave the innermost loop", {}},
    {"continue", "", "server", "Begin the next iteration", {}},
    {"exit", "", "server", "End the workflow", {}},
    {"parallel_foreach", "", "sub-agents", "Give each item to a sub-agent", parallel_keys},
    {"parallel", "", "sub-agents", "Give goals to sub-agents and combine the results",
     delegate_keys},
    {"include_workflow", "", "server", "Another workflow, with its own state", include_keys},
    {"template_call", "", "compiler", "The steps of a template or routine", template_keys},
    {"apply_hints", "", "agent", "Apply hints to a file", hints_keys},
    {"wait_step", "", "agent", "Nothing to do yet; ask again later", wait_keys},
};

constexpr Key condition_table[] = {{"var", &filled, "A name or dotted path"},
                                   {"and", &any, "All of a list"},
                                   {"or", &any, "One of a list"},
                                   {"not", &any, "The opposite of one"}};

}  // namespace
}  // namespace shapes

std::span<const StepType> step_types() { return shapes::table; }

const StepType* find_step_type(std::string_view name) {
  const auto found = std::ranges::find(shapes::table, name, &StepType::name);
  return found == std::end(shapes::table) ? nullptr : &*found;
}

std::span<const Key> common_step_keys() { return shapes::common_keys; }
std::span<const Key> condition_keys() { return shapes::condition_table; }

}  // namespace baton::workflow
