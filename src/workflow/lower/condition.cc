#include "workflow/lower/condition.h"

#include "base/schema/pattern.h"
#include "base/text/text.h"
#include "workflow/check/closed_sets.h"
#include "workflow/text/expression.h"

namespace baton::workflow {
namespace {

/// The operator that counts: the first of the set's order that is there.
const SyntaxNode* operator_of(const SyntaxNode& node) {
  for (const Builtin& each : condition_operators()) {
    if (const SyntaxNode* found = node.find(each.id)) return found;
  }
  return nullptr;
}

const SyntaxNode* logic_of(const SyntaxNode& node) {
  for (const std::string_view key : {"and", "or", "not"}) {
    if (const SyntaxNode* found = node.find(key)) return found;
  }
  return nullptr;
}

bool wrong(const SyntaxNode& node, const CheckContext& context, std::string message,
           std::string hint = {}) {
  context.diagnostics.error(Code::WORKFLOW_BAD_CONDITION, node.at, std::move(message),
                            std::move(hint));
  return false;
}

bool known_keys(SyntaxNode& node, const CheckContext& context) {
  std::vector<std::string_view> names;
  for (const Key& key : condition_keys()) names.push_back(key.name);
  for (const Builtin& each : condition_operators()) names.push_back(each.id);
  bool good = true;
  for (const SyntaxNode& child : node.children) {
    if (std::ranges::find(names, child.key) != names.end()) continue;
    std::string hint = did_you_mean(child.key, names);
    context.diagnostics.error(Code::WORKFLOW_UNKNOWN_KEY, child.key_at,
                              cat("there is no key \"", child.key, "\" in a condition"),
                              hint.empty() ? "`baton builtins` lists the operators" : hint);
    good = false;
  }
  return good;
}

bool check_operand(const SyntaxNode& found, const CheckContext& context) {
  const std::string_view op = found.key;
  if (op == "gt" || op == "gte" || op == "lt" || op == "lte") {
    return found.is_number() || wrong(found, context, cat("\"", op, "\" needs a number"));
  }
  if (op == "in") return found.is_array() || wrong(found, context, "\"in\" needs a list");
  if (op == "startsWith" || op == "endsWith" || op == "matches") {
    if (!found.is_text()) return wrong(found, context, cat("\"", op, "\" needs a string"));
    if (op != "matches") return true;
    const auto pattern = schema::Pattern::compile(found.text);
    return pattern || wrong(found, context, cat("the pattern: ", pattern.error().message));
  }
  return true;
}

bool check_logic(SyntaxNode& node, const CheckContext& context) {
  if (node.key == "not") {
    if (!node.is_object()) return wrong(node, context, "\"not\" needs a condition object");
    return check_condition(node, context);
  }
  const bool may_be_empty = context.dialect == Dialect::workrail;
  if (!node.is_array() || (node.children.empty() && !may_be_empty)) {
    return wrong(node, context, cat("\"", node.key, "\" needs a list of condition objects"));
  }
  bool good = true;
  for (SyntaxNode& child : node.children) {
    good = (child.is_object() || wrong(child, context, "a condition object is needed")) &&
           check_condition(child, context) && good;
  }
  return good;
}

/// What WorkRail does with a condition that says several things or none: with a variable the first
/// operator counts, without one the first of and, or, not, and nothing at all is true.
void settle_as_workrail(SyntaxNode& node, const CheckContext& context) {
  const bool has_variable = !node.text_of("var").empty();
  bool found = false;
  std::erase_if(node.children, [&](const SyntaxNode& child) {
    const bool is_logic = child.key == "and" || child.key == "or" || child.key == "not";
    return has_variable ? is_logic : !is_logic;
  });
  std::vector<std::string_view> order = {"and", "or", "not"};
  if (has_variable) {
    order.clear();
    for (const Builtin& each : condition_operators()) order.push_back(each.id);
  }
  for (const std::string_view key : order) {
    if (node.has(key) && found) node.erase(key);
    found = found || node.has(key);
  }
  if (found || has_variable) return;
  context.diagnostics.warning(Code::WORKFLOW_BAD_CONDITION, node.at,
                              "the condition says nothing, which is always true");
  node.set("and", SyntaxNode::array(node.at));
}

/// How many things a condition object says: one is right.
std::size_t count_of_claims(const SyntaxNode& node) {
  std::size_t count = 0;
  for (const Builtin& each : condition_operators()) count += node.has(each.id) ? 1 : 0;
  if (count == 0 && node.has("var")) count = 1;
  for (const std::string_view key : {"and", "or", "not"}) count += node.has(key) ? 1 : 0;
  return count;
}

}  // namespace

bool check_condition(SyntaxNode& node, const CheckContext& context) {
  if (node.is_bool()) return true;
  if (node.is_text()) {
    return !node.text.empty() || wrong(node, context, "the condition is empty");
  }
  if (!known_keys(node, context)) return false;
  const bool is_workrail = context.dialect == Dialect::workrail;
  const std::size_t claims = count_of_claims(node);
  if (claims == 0 && !is_workrail) {
    return wrong(node, context, "the condition has no operator",
                 "write {var: name}, or {var: name, equals: value}");
  }
  if (claims > 1) {
    const std::string_view message = "a condition has exactly one operator";
    const std::string_view hint = "put several under \"and\" or \"or\"";
    if (context.dialect == Dialect::native) {
      return wrong(node, context, std::string(message), std::string(hint));
    }
    context.diagnostics.warning(Code::WORKFLOW_BAD_CONDITION, node.at,
                                cat(message, "; only the first counts"), std::string(hint));
  }
  if (is_workrail) settle_as_workrail(node, context);
  const SyntaxNode* var = node.find("var");
  if (const SyntaxNode* found = operator_of(node)) {
    if (var == nullptr) return wrong(node, context, "the condition needs \"var\"");
    if (!var->is_text() || var->text.empty()) return wrong(*var, context, "\"var\" is a name");
    return check_operand(*found, context);
  }
  for (const std::string_view key : {"and", "or", "not"}) {
    if (SyntaxNode* found = node.find(key)) return check_logic(*found, context);
  }
  return (var->is_text() && !var->text.empty()) || wrong(*var, context, "\"var\" is a name");
}

json::Value lower_condition(const SyntaxNode& node) {
  using json::Object;
  if (node.is_bool()) return Object{{"js", node.boolean ? "true" : "false"}};
  if (node.is_text()) return Object{{"js", bare_expression(node.text)}};
  const SyntaxNode* var = node.find("var");
  if (const SyntaxNode* found = operator_of(node)) {
    return Object{{"var", var->text}, {"op", found->key}, {"value", found->to_json()}};
  }
  if (const SyntaxNode* logic = logic_of(node)) {
    if (logic->key == "not") return Object{{"not", lower_condition(*logic)}};
    json::Array list;
    for (const SyntaxNode& child : logic->children) list.push_back(lower_condition(child));
    return Object{{logic->key, std::move(list)}};
  }
  return Object{{"var", var->text}};
}

}  // namespace baton::workflow
