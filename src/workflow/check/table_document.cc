// The keys of a workflow document, of personas and of rules.

#include <algorithm>

#include "base/core/budget_limits.h"
#include "workflow/check/shapes.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr std::string_view input_types[] = {"string",  "number", "integer",
                                            "boolean", "array",  "object"};
constexpr Shape input_type{
    .kind = ShapeKind::text, .what = "the type of an input", .words = input_types};

constexpr Key function_parameter_keys[] = {{"name", &filled, "", required},
                                           {"type", &input_type, "", required},
                                           {"required", &boolean},
                                           {"description", &text},
                                           {"enum", &values},
                                           {"default", &any}};
constexpr Shape function_parameter{.kind = ShapeKind::object,
                                   .what = "a parameter of a function",
                                   .keys = function_parameter_keys};
constexpr Shape function_parameters{
    .kind = ShapeKind::list, .what = "a list of parameters", .item = &function_parameter};
constexpr std::string_view function_scopes[] = {"workflow", "loop", "step"};
constexpr Shape function_scope{
    .kind = ShapeKind::text, .what = "the scope of a function", .words = function_scopes};
constexpr Key function_keys[] = {{"name", &filled, "How prompts call it", required},
                                 {"definition", &text, "What it means", required},
                                 {"parameters", &function_parameters},
                                 {"scope", &function_scope}};
constexpr Shape function{
    .kind = ShapeKind::object, .what = "a function definition", .keys = function_keys};

constexpr Key input_keys[] = {{"type", &input_type, "What the value must be"},
                              {"default", &any, "The default value"},
                              {"required", &boolean, "Whether it is required"},
                              {"description", &text, "What it is for"},
                              {"validation", &free_object, "More rules for the value"}};
constexpr Shape input{
    .kind = ShapeKind::object, .what = "an input", .keys = input_keys, .closed = true};

constexpr std::string_view field_types[] = {"string", "number", "integer", "boolean",
                                            "array",  "object", "any"};
constexpr Shape field_type{
    .kind = ShapeKind::text, .what = "the type of a field", .words = field_types};
constexpr Key field_keys[] = {{"type", &field_type, "", required}, {"description", &text}};
constexpr Shape field_object{.kind = ShapeKind::object, .what = "a field", .keys = field_keys};
constexpr const Shape* field_choices[] = {&field_type, &field_object};
constexpr Shape field{
    .kind = ShapeKind::choice, .what = "the type of a field", .choices = field_choices};
constexpr Shape fields{.kind = ShapeKind::map, .what = "names with types", .item = &field};

constexpr std::string_view computed_errors[] = {"use_fallback", "propagate", "ignore"};
constexpr Shape computed_error{
    .kind = ShapeKind::text, .what = "what a failing transform does", .words = computed_errors};
constexpr Key computed_keys[] = {
    {"from", &text_or_texts, "The path or paths it is computed from", required},
    {"transform", &filled, "JavaScript; `input` is the value of from", required},
    {"on_error", &computed_error, "What a failing transform does"},
    {"fallback", &any, "The value after a failure"},
    {"validate", &text, "JavaScript that must be true of `output`"}};
constexpr Shape computed_field{
    .kind = ShapeKind::object, .what = "a computed field", .keys = computed_keys, .closed = true};
constexpr Shape computed{
    .kind = ShapeKind::map, .what = "names with computed fields", .item = &computed_field};
constexpr Key state_schema_keys[] = {{"raw", &fields, "What agents write"},
                                     {"state", &fields, "More writable fields"},
                                     {"inputs", &fields, "Types of inputs"},
                                     {"computed", &computed, "What the engine computes"}};
constexpr Key default_state_keys[] = {
    {"raw", &free_object}, {"state", &free_object}, {"inputs", &free_object}};

constexpr Key contract_keys[] = {
    {"contractRef", &filled, "", required},
    {"required", &boolean, "false when it is optional"},
    {"capability", &filled, "The capability that the capability_observation must name"}};

constexpr std::string_view kinds[] = {"workflow", "routine"};
constexpr Shape kind{.kind = ShapeKind::text, .what = "the kind of document", .words = kinds};
constexpr Shape mark{.kind = ShapeKind::integer, .what = "1", .min = 1, .max = 1};

constexpr std::string_view workflow_errors[] = {"checkpoint_and_fail", "continue",
                                                "retry_workflow"};
constexpr Shape workflow_error{
    .kind = ShapeKind::text, .what = "what an unhandled error does", .words = workflow_errors};
constexpr Key collection_keys[] = {
    {"enabled", &boolean}, {"state_path", &filled}, {"include_stack_traces", &boolean}};
constexpr Shape collection{
    .kind = ShapeKind::object, .what = "how errors are collected", .keys = collection_keys};
constexpr Key error_handling_keys[] = {
    {"on_error", &workflow_error, "What an unhandled error does"},
    {"error_collection", &collection, "Where errors are kept"},
    {"on_failure", &steps, "Steps after a failure"}};
constexpr Shape error_handling{
    .kind = ShapeKind::object, .what = "how errors are handled", .keys = error_handling_keys};

constexpr Key on_resume_keys[] = {{"retry_failed_steps", &boolean},
                                  {"skip_completed_steps", &boolean},
                                  {"reset_error_counts", &boolean},
                                  {"load_from_checkpoint", &texts},
                                  {"exclude", &texts}};
constexpr Shape on_resume{
    .kind = ShapeKind::object, .what = "what a resumed run does", .keys = on_resume_keys};

constexpr Key config_keys[] = {{"max_retries", &count}, {"timeout_seconds", &duration}};
constexpr Shape config{.kind = ShapeKind::object,
                       .what = "settings of the workflow",
                       .keys = config_keys,
                       .open = true};

constexpr Key task_error_keys[] = {{"return_on_error", &boolean}, {"cleanup_on_error", &steps}};
constexpr Shape task_error{
    .kind = ShapeKind::object, .what = "how errors are handled", .keys = task_error_keys};
/// Seed files give a value where a definition is expected: its type is the value's.
constexpr const Shape* task_input_choices[] = {&input, &any};
constexpr Shape task_input{
    .kind = ShapeKind::choice, .what = "an input", .choices = task_input_choices};
constexpr Shape task_inputs{
    .kind = ShapeKind::map, .what = "names with inputs", .item = &task_input};
constexpr Key task_keys[] = {{"description", &text, "What the sub-agent is to do"},
                             {"inputs", &task_inputs, "What it is given"},
                             {"steps", &some_steps, "Its steps"},
                             {"prompt_template", &filled, "Its one prompt, instead of steps"},
                             {"context_template", &free_object, "Values for the prompt"},
                             {"default_state", &default_state},
                             {"state_schema", &state_schema},
                             {"error_handling", &task_error}};
constexpr Shape task{.kind = ShapeKind::object, .what = "a sub-agent task", .keys = task_keys};
constexpr Shape tasks{.kind = ShapeKind::map, .what = "names with tasks", .item = &task};

constexpr Key phase_keys[] = {{"phase", &filled, "Its name", required},
                              {"agent", &filled, "The persona that does it"},
                              {"description", &text, "What is done in it"},
                              {"dependsOn", &texts, "Phases that must be done before"},
                              {"allowParallel", &boolean, "Whether others may run beside it"}};
constexpr Shape phase{.kind = ShapeKind::object, .what = "a phase", .keys = phase_keys};
constexpr Shape phases{
    .kind = ShapeKind::list, .what = "a list of at least one phase", .item = &phase, .min = 1};

constexpr std::string_view reference_bases[] = {"workspace", "package"};
constexpr Shape reference_base{
    .kind = ShapeKind::text, .what = "where the path starts", .words = reference_bases};
constexpr Key reference_keys[] = {{"id", &filled, "", required},
                                  {"title", &filled, "", required},
                                  {"source", &filled, "Its path", required},
                                  {"purpose", &filled, "", required},
                                  {"authoritative", &boolean, "", required},
                                  {"resolveFrom", &reference_base}};
constexpr Shape reference{.kind = ShapeKind::object, .what = "a reference", .keys = reference_keys};
constexpr Shape references{
    .kind = ShapeKind::list, .what = "a list of references", .item = &reference};

constexpr Key feature_keys[] = {{"id", &filled, "", required}, {"config", &free_object}};
constexpr Shape feature_object{
    .kind = ShapeKind::object, .what = "a feature", .keys = feature_keys};
constexpr const Shape* feature_choices[] = {&filled, &feature_object};
constexpr Shape feature{.kind = ShapeKind::choice, .what = "a feature", .choices = feature_choices};
constexpr Shape feature_list{
    .kind = ShapeKind::list, .what = "a list of features", .item = &feature};

constexpr std::string_view needs[] = {"required", "preferred", "disabled"};
constexpr Shape need{.kind = ShapeKind::text, .what = "how much it is needed", .words = needs};
constexpr Key capability_keys[] = {{"delegation", &need}, {"web_browsing", &need}};
constexpr Shape capability_map{
    .kind = ShapeKind::object, .what = "capabilities", .keys = capability_keys};

constexpr std::string_view autonomies[] = {"guided", "full_auto_stop_on_user_deps",
                                           "full_auto_never_stop"};
constexpr Shape autonomy{.kind = ShapeKind::text, .what = "an autonomy mode", .words = autonomies};
constexpr std::string_view risks[] = {"conservative", "balanced", "aggressive"};
constexpr Shape risk{.kind = ShapeKind::text, .what = "a risk policy", .words = risks};
constexpr Key preference_keys[] = {{"recommendedAutonomy", &autonomy},
                                   {"recommendedRiskPolicy", &risk}};
constexpr Shape preferences{
    .kind = ShapeKind::object, .what = "recommended preferences", .keys = preference_keys};

constexpr Shape levels{
    .kind = ShapeKind::list, .what = "a list of at least two levels", .item = &filled, .min = 2};
constexpr Key dimension_keys[] = {{"id", &filled, "", required},
                                  {"purpose", &filled, "", required},
                                  {"levels", &levels, "", required},
                                  {"required", &boolean}};
constexpr Shape dimension{.kind = ShapeKind::object, .what = "a dimension", .keys = dimension_keys};
constexpr Shape dimensions{.kind = ShapeKind::list,
                           .what = "a list of at least one dimension",
                           .item = &dimension,
                           .min = 1};
constexpr Key assessment_keys[] = {{"id", &filled, "", required},
                                   {"purpose", &filled, "", required},
                                   {"dimensions", &dimensions, "", required}};
constexpr Shape assessment{
    .kind = ShapeKind::object, .what = "an assessment", .keys = assessment_keys};
constexpr Shape assessments{
    .kind = ShapeKind::list, .what = "a list of assessments", .item = &assessment};

constexpr std::string_view slot_kinds[] = {"routine", "workflow"};
constexpr Shape slot_kind{.kind = ShapeKind::text, .what = "a kind", .words = slot_kinds};
constexpr Shape accepted{.kind = ShapeKind::list, .what = "a list of kinds", .item = &slot_kind};
constexpr Key slot_keys[] = {{"slotId", &filled, "", required},
                             {"purpose", &filled, "", required},
                             {"default", &filled, "", required},
                             {"acceptedKinds", &accepted}};
constexpr Shape slot{.kind = ShapeKind::object, .what = "an extension point", .keys = slot_keys};
constexpr Shape slots{.kind = ShapeKind::list, .what = "a list of extension points", .item = &slot};

constexpr Shape budget_steps{.kind = ShapeKind::integer,
                             .what = "a number of steps, 1 to 1000000",
                             .min = 1,
                             .max = limits::budget_steps_max};
constexpr Shape budget_minutes{.kind = ShapeKind::integer,
                               .what = "a number of minutes, 1 to 525600",
                               .min = 1,
                               .max = limits::budget_minutes_max};
constexpr Shape budget_attempts{.kind = ShapeKind::integer,
                                .what = "a number of attempts, 1 to 1000000",
                                .min = 1,
                                .max = limits::budget_attempts_max};
constexpr Shape budget_bytes{.kind = ShapeKind::integer,
                             .what = "a number of bytes, 1 to 1000000000000",
                             .min = 1,
                             .max = limits::budget_bytes_max};
constexpr Shape budget_tokens{.kind = ShapeKind::integer,
                              .what = "a number of tokens, 1 to 1000000000000",
                              .min = 1,
                              .max = limits::budget_tokens_max};
constexpr Key budget_keys[] = {
    {"steps", &budget_steps, "Steps that are settled"},
    {"minutes", &budget_minutes, "Since the start, without the time it waits for a person"},
    {"attempts", &budget_attempts, "Attempts at all steps"},
    {"bytes", &budget_bytes, "Bytes of outputs"},
    {"tokens", &budget_tokens, "Tokens that the client reports"}};
constexpr Shape budget{.kind = ShapeKind::object, .what = "a budget", .keys = budget_keys};

constexpr Key document_keys[] = {
    {"baton", &mark, "Marks a native file"},
    {"$schema", &text, "For editors; Baton ignores it"},
    {"id", &filled, "Its id; default `name`"},
    {"name", &filled, "Its title; default its id"},
    {"title", &filled, "A description for people"},
    {"description", &text, "What it does and when to use it"},
    {"version", &filled, "Its version, as text"},
    {"kind", &kind, "A routine is a small workflow that others use"},
    {"tags", &texts},
    {"complexity", &text, "How hard it is, in a word"},
    {"estimated_duration_minutes", &duration},
    {"triggers", &any, "When an agent should consider it"},
    {"inputs", &input_map, "Inputs of the run"},
    {"default_state", &default_state, "The state at the start"},
    {"state_schema", &state_schema, "The fields of the state"},
    {"steps", &some_steps, "What is done, in order"},
    {"phases", &phases, "Midex's spelling of steps"},
    {"sub_agent_tasks", &tasks, "What sub-agents do"},
    {"imports", &texts, "Files whose workflows and tasks are used here"},
    {"error_handling", &error_handling},
    {"on_resume", &on_resume},
    {"config", &config},
    {"budget", &budget, "What a run may use before it asks for more"},
    {"agentRole", &text, "The stance of the agent in every step"},
    {"metaGuidance", &texts, "Rules that hold for the whole run"},
    {"preconditions", &texts, "What must be true before it starts"},
    {"clarificationPrompts", &texts, "Questions to ask before it starts"},
    {"functionDefinitions", &function_list, "Words that prompts use"},
    {"references", &references, "Documents that matter, by path"},
    {"features", &feature_list, "Guidance that is added to every step"},
    {"capabilities", &capability_map, "What the agent's environment must have"},
    {"recommendedPreferences", &preferences},
    {"assessments", &assessments, "How results are judged"},
    {"extensionPoints", &slots, "Routines that a project may replace"},
    {"body", &text, "Guidance; the text of a Markdown file"},
    {"modelTier", &any, "", KeyRule::ignored, {}, workrail},
    {"validatedAgainstSpecVersion", &any, "", KeyRule::ignored, {}, workrail},
    {"about", &any, "", KeyRule::ignored, {}, workrail},
    {"examples", &any, "", KeyRule::ignored, {}, workrail},
    {"metricsProfile", &any, "", KeyRule::ignored, {}, workrail}};
constexpr Shape document{.kind = ShapeKind::object, .what = "a workflow", .keys = document_keys};

constexpr Key persona_keys[] = {{"name", &filled, "", required},
                                {"description", &text},
                                {"tags", &texts},
                                {"version", &any},
                                {"body", &text, "The text below the front matter"}};
constexpr Shape persona{.kind = ShapeKind::object, .what = "a persona", .keys = persona_keys};

constexpr Key rule_keys[] = {{"name", &filled, "", required},
                             {"description", &text},
                             {"tags", &texts},
                             {"globs", &text_or_texts},
                             {"alwaysApply", &boolean},
                             {"always_apply", &boolean, "", KeyRule::optional, "alwaysApply"},
                             {"body", &text, "The text below the front matter"}};
constexpr Shape rule{.kind = ShapeKind::object, .what = "a rule", .keys = rule_keys};

}  // namespace

constinit const Shape function_list{
    .kind = ShapeKind::list, .what = "a list of function definitions", .item = &function};
constinit const Shape input_map{
    .kind = ShapeKind::map, .what = "names with inputs", .item = &input};
constinit const Shape default_state{.kind = ShapeKind::object,
                                    .what = "the state at the start",
                                    .keys = default_state_keys,
                                    .closed = true};
constinit const Shape state_schema{.kind = ShapeKind::object,
                                   .what = "the fields of the state",
                                   .keys = state_schema_keys,
                                   .closed = true};
constinit const Shape output_contract{
    .kind = ShapeKind::object, .what = "an output contract", .keys = contract_keys};

}  // namespace shapes

std::string_view name_of(Dialect dialect) {
  constexpr std::string_view names[] = {"native", "WorkRail", "AroMCP", "Midex"};
  return names[static_cast<std::size_t>(dialect)];
}

const Shape& document_shape() { return shapes::document; }
const Shape& persona_shape() { return shapes::persona; }
const Shape& rule_shape() { return shapes::rule; }

const Key* find_key(std::span<const Key> keys, std::string_view name) {
  const auto found = std::ranges::find(keys, name, &Key::name);
  return found == keys.end() ? nullptr : &*found;
}

}  // namespace baton::workflow
