#include "workflow/steps/loop.h"

#include "base/text/text.h"
#include "workflow/check/closed_sets.h"
#include "workflow/check/shapes.h"
#include "workflow/lower/lower_step.h"
#include "workflow/steps/checks.h"
#include "workflow/text/expression.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr Key while_keys[] = {{"condition", &condition, "", required},
                              {"max_iterations", &positive, "default 100"},
                              {"maxIterations", &positive, "", alias, "max_iterations"},
                              {"body", &some_steps},
                              {"steps", &some_steps, "", alias, "body"}};
constexpr Key foreach_keys[] = {{"items", &items, "", required},
                                {"variable_name", &filled, "default item"},
                                {"index_name", &filled, "default index"},
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

}  // namespace
}  // namespace shapes

namespace {

using json::Object;

constexpr std::int64_t while_iterations = 100;  // when a file says nothing

void check_body(const SyntaxNode& step, StepChecks& checks) {
  if (step.has("body")) return;
  checks.wrong(Code::WORKFLOW_MISSING_KEY, step.at,
               cat("a ", step.text_of("type"), " step needs \"body\""));
}

void check_while(const SyntaxNode& step, StepChecks& checks) {
  checks.iterations(step.find("max_iterations"), limits::while_iterations_max);
  check_body(step, checks);
}

void check_loop(const SyntaxNode& step, StepChecks& checks) {
  const SyntaxNode* config = step.find("loop");
  if (config == nullptr) return;
  const SyntaxNode* most = config->find("maxIterations");
  if (most == nullptr) {
    checks.wrong(Code::WORKFLOW_UNBOUNDED_LOOP, config->at, "a loop needs \"maxIterations\"",
                 "add the most rounds that make sense, as in maxIterations: 10");
  }
  checks.iterations(most, limits::loop_iterations_max);
  const std::string_view kind = config->text_of("type");
  const auto needs = [&](std::string_view key) {
    if (config->has(key)) return;
    checks.wrong(Code::WORKFLOW_MISSING_KEY, config->at,
                 cat("a loop of type ", kind, " needs \"", key, '"'));
  };
  if (kind == "for") needs("count");
  if (kind == "forEach") needs("items");
  if ((kind == "while" || kind == "until") && !config->has("conditionSource")) needs("condition");
  if (const SyntaxNode* source = config->find("conditionSource")) {
    const bool artifact = source->text_of("kind") == "artifact_contract";
    if (artifact)
      checks.contract(source->find("contractRef"), source->at);
    else if (!source->has("condition")) {
      checks.wrong(Code::WORKFLOW_MISSING_KEY, source->at, "conditionSource needs \"condition\"");
    }
  }
}

void lower_while(SyntaxNode& node, StepLowering& lowering, Step& out) {
  Loop loop;
  loop.condition = condition_at(node, "condition");
  loop.max_iterations = integer_at(node, "max_iterations").value_or(while_iterations);
  out.body = std::move(loop);
  lowering.block(node, "body", out);
}

void lower_foreach(SyntaxNode& node, StepLowering& lowering, Step& out) {
  Loop loop;
  loop.kind = LoopKind::items;
  if (const SyntaxNode* items = node.find("items")) loop.items = items_of(*items);
  loop.item_var = node.has("variable_name") ? node.text_of("variable_name") : "item";
  loop.index_var = node.has("index_name") ? node.text_of("index_name") : "index";
  loop.max_iterations = limits::while_iterations_max;
  out.body = std::move(loop);
  lowering.block(node, "body", out);
}

/// What a loop object has beside its kind, its bound and its condition.
void lower_rounds(const SyntaxNode& config, Loop& loop) {
  const auto name = [&](std::string_view key, std::string_view fallback) {
    return config.has(key) ? config.text_of(key) : fallback;
  };
  loop.iteration_var = name("iterationVar", "currentIteration");
  if (loop.kind == LoopKind::items) {
    loop.item_var = name("itemVar", "currentItem");
    loop.index_var = name("indexVar", "currentIndex");
    if (const SyntaxNode* items = config.find("items")) {
      const bool is_name = items->is_text() && items->text.find("{{") == std::string::npos;
      loop.items = is_name ? json::Value(Object{{"var", items->text}}) : items_of(*items);
    }
  }
  if (const SyntaxNode* count = config.find("count")) {
    loop.count = count->is_text() ? json::Value(Object{{"var", bare_expression(count->text)}})
                                  : count->to_json();
  }
}

void lower_loop(SyntaxNode& node, StepLowering& lowering, Step& out) {
  Loop loop;
  if (const SyntaxNode* config = node.find("loop")) {
    loop.kind = named<LoopKind>(config->text_of("type"));
    loop.max_iterations = integer_at(*config, "maxIterations").value_or(1);
    lower_rounds(*config, loop);
    const SyntaxNode* source = config->find("conditionSource");
    loop.condition = condition_at(*config, "condition");
    if (source != nullptr && source->text_of("kind") == "artifact_contract") {
      loop.control =
          LoopArtifact{std::string(bare_name(source->text_of("contractRef"), "contracts")),
                       text_at(*source, "loopId")};
      lowering.contracts.insert(loop.control->contract);
    } else if (source != nullptr && source->has("condition")) {
      loop.condition = condition_at(*source, "condition");
    }
  }
  out.body = std::move(loop);
  lowering.block(node, "body", out);
}

}  // namespace

std::span<const StepType> Loop::spellings() {
  static constexpr StepType types[] = {
      {.name = "while",
       .actor = "server",
       .help = "Repeat while a condition holds",
       .keys = shapes::while_keys,
       .inside = Inside::loop,
       .check = check_while,
       .lower = lower_while},
      {.name = "while_loop", .canonical = "while", .actor = "server", .keys = shapes::while_keys},
      {.name = "foreach",
       .actor = "server",
       .help = "Repeat for each item",
       .keys = shapes::foreach_keys,
       .inside = Inside::loop,
       .check = check_body,
       .lower = lower_foreach},
      {.name = "loop",
       .actor = "server",
       .help = "Repeat by condition, artifact, count or items",
       .keys = shapes::loop_keys,
       .inside = Inside::loop,
       .check = check_loop,
       .lower = lower_loop}};
  return types;
}

}  // namespace baton::workflow
