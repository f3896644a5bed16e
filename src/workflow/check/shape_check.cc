#include "workflow/check/shape_check.h"

#include <algorithm>
#include <cmath>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "workflow/check/gate_carriers.h"
#include "workflow/check/what_to_type.h"
#include "workflow/check/word_set.h"
#include "workflow/lower/condition.h"

namespace baton::workflow {
namespace {

constexpr std::size_t shown_bytes_max = 64;

std::string shown(std::string_view text) {
  return cat('"', utf8::prefix(text, shown_bytes_max), '"');
}

std::string_view what_is(const SyntaxNode& node) {
  switch (node.type) {
    case json::Type::null: return "nothing";
    case json::Type::boolean: return "true or false";
    case json::Type::integer:
    case json::Type::number: return "a number";
    case json::Type::string: return "a string";
    case json::Type::array: return "a list";
    case json::Type::object: break;
  }
  return "an object";
}

bool fits_type(const SyntaxNode& node, const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::any: return true;
    case ShapeKind::text: return node.is_text();
    case ShapeKind::boolean: return node.is_bool();
    case ShapeKind::integer: return node.is_integer();
    case ShapeKind::number: return node.is_number();
    case ShapeKind::list: return node.is_array();
    case ShapeKind::map:
    case ShapeKind::step: return node.is_object();
    case ShapeKind::object: return node.is_object() && (shape.mark.empty() || node.has(shape.mark));
    case ShapeKind::condition: return node.is_text() || node.is_bool() || node.is_object();
    case ShapeKind::choice: break;
  }
  return std::ranges::any_of(shape.choices,
                             [&](const Shape* each) { return fits_type(node, *each); });
}

class Checker {
 public:
  explicit Checker(const CheckContext& context)
      : context_(context), diagnostics_(context.diagnostics) {}

  /// False when the value must be taken out.
  bool check(SyntaxNode& node, const Shape& shape) {
    const bool is_whole = shape.kind == ShapeKind::integer ||
                          (shape.kind == ShapeKind::choice &&
                           std::ranges::any_of(shape.choices, [](const Shape* each) {
                             return each->kind == ShapeKind::integer;
                           }));
    const bool may_round = is_whole && node.type == json::Type::number &&
                           context_.dialect == Dialect::workrail && std::abs(node.number) < 1e15;
    if (may_round) round_up(node);
    if (!fits_type(node, shape)) return wrong_type(node, shape);
    switch (shape.kind) {
      case ShapeKind::any:
      case ShapeKind::boolean: return true;
      case ShapeKind::text: return text(node, shape);
      case ShapeKind::integer:
      case ShapeKind::number: return number(node, shape);
      case ShapeKind::list: return list(node, shape);
      case ShapeKind::map:
        std::erase_if(node.children, [&](SyntaxNode& child) { return !check(child, *shape.item); });
        return true;
      case ShapeKind::object: return object(node, shape.keys, shape.what, shape.closed);
      case ShapeKind::choice:
        for (const Shape* each : shape.choices) {
          if (fits_type(node, *each)) return check(node, *each);
        }
        return true;
      case ShapeKind::condition: return check_condition(node, context_);
      case ShapeKind::step: break;
    }
    return step(node);
  }

 private:
  bool wrong_type(SyntaxNode& node, const Shape& shape) {
    std::string hint;
    if (node.key == "on_error" && node.is_object()) {
      hint = instead_of_value(node.key);
    } else if (!shape.words.empty()) {
      hint = cat("use ", either_of(shape.words));
    } else if (shape.kind == ShapeKind::text && (node.is_number() || node.is_bool())) {
      hint = "quote it";
    } else if (shape.kind == ShapeKind::boolean && node.is_text()) {
      hint = "write true or false, without quotes";
    } else if (node.is_null()) {
      hint = "give it a value or remove the key";
    } else {
      hint = instead_of_value(node.key);
      if (hint.empty() && shape.kind == ShapeKind::list && node.is_text()) {
        hint = "write it as a list: [" + node.text + "]";
      }
    }
    const std::string name = node.key.empty() ? std::string("this") : shown(node.key);
    diagnostics_.error(Code::WORKFLOW_WRONG_TYPE, node.at,
                       cat(name, " must be ", shape.what, ", not ", what_is(node)), hint);
    if (shape.kind != ShapeKind::text || !shape.words.empty()) return false;
    // It counts as a text, so that it is not also reported as missing.
    SyntaxNode text = SyntaxNode::of_text("-", node.at);
    text.key = std::move(node.key);
    text.key_at = node.key_at;
    node = std::move(text);
    return true;
  }

  bool wrong_value(const SyntaxNode& node, std::string message, std::string hint = {}) {
    diagnostics_.error(Code::WORKFLOW_WRONG_VALUE, node.at, std::move(message), std::move(hint));
    return false;
  }

  bool text(const SyntaxNode& node, const Shape& shape) {
    if (shape.min > 0 && node.text.empty()) {
      return wrong_value(node, cat(shown(node.key), " is empty"));
    }
    if (shape.words.empty() || std::ranges::find(shape.words, node.text) != shape.words.end()) {
      return true;
    }
    std::string hint = did_you_mean(node.text, shape.words);
    if (node.key == "on_error" && node.text == "fallback") {
      hint = "write on_error: continue; fallback_value is then the result";
    }
    if (hint.empty()) hint = cat("use ", either_of(shape.words));
    return wrong_value(node, cat(shown(node.text), " is not ", shape.what), hint);
  }

  /// WorkRail takes any number where it counts something.
  void round_up(SyntaxNode& node) {
    diagnostics_.warning(Code::WORKFLOW_WRONG_TYPE, node.at,
                         cat(shown(node.key), " is no whole number; it is rounded up"));
    const SourcePlace key_at = node.key_at;
    std::string key = std::move(node.key);
    node = SyntaxNode::of_integer(static_cast<std::int64_t>(std::ceil(node.number)), node.at);
    node.key = std::move(key);
    node.key_at = key_at;
  }

  bool number(const SyntaxNode& node, const Shape& shape) {
    const double value = node.is_integer() ? static_cast<double>(node.integer) : node.number;
    if (value < static_cast<double>(shape.min) || value > static_cast<double>(shape.max)) {
      return wrong_value(node, cat(shown(node.key), " must be ", shape.what));
    }
    return true;
  }

  bool list(SyntaxNode& node, const Shape& shape) {
    if (static_cast<std::int64_t>(node.children.size()) < shape.min) {
      wrong_value(node, cat(shown(node.key), " must be ", shape.what));
    }
    std::erase_if(node.children, [&](SyntaxNode& child) { return !check(child, *shape.item); });
    return true;
  }

  /// Looks at one key of an object; nullptr when it is unknown. False when it must be taken out.
  bool entry(SyntaxNode& child, const Key* key, std::span<const Key> keys,
             std::span<const Key> more, std::string_view what, bool closed) {
    if (key == nullptr) return unknown_key(child, keys, more, what, closed);
    if (key->rule == KeyRule::ignored) {
      return key->of == context_.dialect ? ignored(child, what)
                                         : unknown_key(child, keys, more, what, closed);
    }
    return check(child, *key->shape);
  }

  bool ignored(const SyntaxNode& child, std::string_view what) {
    diagnostics_.warning(Code::WORKFLOW_KEY_IGNORED, child.key_at,
                         cat(shown(child.key), " of ", what, " in a ", name_of(context_.dialect),
                             " file has no meaning for the server"));
    return false;
  }

  /// A file of another system may have keys of another release of it, or an author's own.
  bool is_tolerated(bool closed) const {
    switch (context_.dialect) {
      case Dialect::native: return false;
      case Dialect::aromcp: return !closed;
      case Dialect::workrail:
      case Dialect::midex: break;
    }
    return true;
  }

  bool unknown_key(const SyntaxNode& child, std::span<const Key> keys, std::span<const Key> more,
                   std::string_view what, bool closed) {
    if (diagnostics_.is_full()) {
      if (!is_tolerated(closed)) {
        diagnostics_.error(Code::WORKFLOW_UNKNOWN_KEY, child.key_at, {});
      }
      return false;
    }
    std::vector<std::string_view> names;
    for (const std::span<const Key> each : {keys, more}) {
      for (const Key& key : each) {
        if (key.rule != KeyRule::ignored) names.push_back(key.name);
      }
    }
    std::string hint(more.empty() ? std::string_view() : steps_with_key(child.key));
    if (hint.empty()) hint = did_you_mean(child.key, names);
    const std::string instead = hint.empty() ? instead_of_key(child.key, what) : std::string();
    // That a type has other keys is no news to who brings a file of another system.
    const bool is_general = instead.starts_with('`');
    if (!is_general || (names.size() > 12 && !is_tolerated(closed))) hint += instead;
    if (is_tolerated(closed)) {
      diagnostics_.warning(Code::WORKFLOW_UNKNOWN_KEY, child.key_at,
                           cat(shown(child.key), " is no key of ", what, "; it is left out"),
                           std::move(hint));
      return false;
    }
    if (hint.empty() && names.size() <= 12) {
      std::ranges::sort(names);
      hint = cat("the keys are ", either_of(names));
    }
    diagnostics_.error(Code::WORKFLOW_UNKNOWN_KEY, child.key_at,
                       cat("there is no key ", shown(child.key), " in ", what), hint);
    return false;
  }

  /// Gives each key its canonical spelling; the second of two spellings is reported.
  void unalias(SyntaxNode& node, std::span<const Key> keys, std::span<const Key> more) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      SyntaxNode& child = node.children[i];
      const Key* key = find_key(keys, child.key);
      if (key == nullptr) key = find_key(more, child.key);
      if (key == nullptr || key->canonical.empty()) continue;
      if (node.has(key->canonical)) {
        diagnostics_.error(
            Code::WORKFLOW_DUPLICATE_KEY, child.key_at,
            cat(shown(child.key), " and ", shown(key->canonical), " are two names of one key"),
            "keep one of them");
        node.children.erase(node.children.begin() + static_cast<std::ptrdiff_t>(i--));
        continue;
      }
      child.key = key->canonical;
    }
  }

  bool object(SyntaxNode& node, std::span<const Key> keys, std::string_view what, bool closed,
              std::span<const Key> more = {}) {
    // Missing keys are told by what the author wrote, before wrong values are taken out.
    for (const Key& key : keys) {
      if (key.rule != KeyRule::required || node.has(key.name)) continue;
      diagnostics_.error(Code::WORKFLOW_MISSING_KEY, node.at, cat(what, " needs ", shown(key.name)),
                         key.help.empty() ? std::string() : cat(key.name, ": ", key.help));
    }
    bool has_alias = false;
    std::erase_if(node.children, [&](SyntaxNode& child) {
      const Key* key = find_key(keys, child.key);
      if (key == nullptr) key = find_key(more, child.key);
      has_alias = has_alias || (key != nullptr && !key->canonical.empty());
      return !entry(child, key, keys, more, what, closed);
    });
    if (has_alias) unalias(node, keys, more);
    return true;
  }

  const StepType* type_of(const SyntaxNode& node) {
    if (const SyntaxNode* type = node.find("type")) {
      if (!type->is_text()) {
        diagnostics_.error(Code::WORKFLOW_WRONG_TYPE, type->at, "\"type\" must be a step type");
        return nullptr;
      }
      const StepType* found = find_step_type(type->text);
      if (found == nullptr) {
        std::vector<std::string_view> names;
        for (const StepType& each : step_types()) names.push_back(each.name);
        std::string hint = did_you_mean(type->text, names);
        diagnostics_.error(
            Code::WORKFLOW_UNKNOWN_STEP, type->at, cat("there is no step type ", shown(type->text)),
            !instead_of_type(type->text).empty() ? std::string(instead_of_type(type->text))
            : hint.empty()                       ? "`baton builtins` lists them"
                                                 : hint);
      }
      return found;
    }
    if (node.has("templateCall")) return find_step_type("template_call");
    for (const std::string_view key : {"prompt", "promptBlocks", "promptFragments", "agent"}) {
      if (node.has(key)) return find_step_type("prompt");
    }
    // There a title alone makes a step.
    if (context_.dialect == Dialect::workrail && node.has("title")) return find_step_type("prompt");
    std::string hint = "add \"prompt\", or \"type\" with one of those `baton builtins` lists";
    constexpr std::string_view wanted[] = {"type", "prompt", "promptBlocks", "promptFragments"};
    for (const SyntaxNode& child : node.children) {
      const std::string near = did_you_mean(child.key, wanted);
      if (!near.empty()) hint = cat(shown(child.key), ": ", near);
    }
    diagnostics_.error(Code::WORKFLOW_UNKNOWN_STEP, node.at, "a step needs a type or a prompt",
                       std::move(hint));
    return nullptr;
  }

  bool step(SyntaxNode& node) {
    const StepType* type = type_of(node);
    if (type == nullptr) return false;
    const std::string what = cat("a ", type->name, " step");
    // In a file of WorkRail a step has the keys of a prompt beside its template call.
    std::span<const Key> keys = type->keys;
    if (type->name == "template_call" && !node.has("type")) keys = find_step_type("prompt")->keys;
    object(node, keys, what, false, common_step_keys());
    const std::string_view name = type->canonical.empty() ? type->name : type->canonical;
    const SyntaxNode* said = node.find("type");
    SyntaxNode canonical =
        SyntaxNode::of_text(std::string(name), said == nullptr ? node.at : said->at);
    if (type->name == "agent_response" && !node.has("prompt")) {
      node.set("prompt",
               SyntaxNode::of_text("Answer with the response that is asked for.", node.at));
    }
    node.set("type", std::move(canonical));
    return true;
  }

  const CheckContext& context_;
  Diagnostics& diagnostics_;
};

/// Keys that only files of WorkRail have.
constexpr WordSet workrail_marks("metricsProfile", "functionDefinitions", "conditionSource",
                                 "validatedAgainstSpecVersion", "about", "examples", "modelTier",
                                 "askForFiles", "hasValidation", "functionCalls", "audit",
                                 "verification", "parallelDelegations");
/// The keys of its steps; a state may have fields of any name.
constexpr WordSet workrail_blocks("", "steps", "body", "loop", "parallelDelegations");

/// What every step of WorkRail has, and no step of another system has beside it.
bool is_workrail_step(const SyntaxNode& step) {
  if (!step.is_object() || !step.has("id") || !step.has("title")) return false;
  const std::string_view type = step.text_of("type");
  return !step.has("type") || type == "loop" || type == "parallel";
}

/// The keys that WorkRail requires, in the one format that it reads, and none of state.
bool has_workrail_form(const SyntaxNode& document, std::string_view path) {
  if (!path.ends_with(".json")) return false;
  for (const std::string_view key : {"id", "name", "description", "version"}) {
    if (document.text_of(key).empty()) return false;
  }
  for (const std::string_view key :
       {"inputs", "default_state", "state_schema", "sub_agent_tasks", "imports", "kind"}) {
    if (document.has(key)) return false;
  }
  const SyntaxNode* steps = document.find("steps");
  return steps != nullptr && steps->is_array() &&
         std::ranges::all_of(steps->children, is_workrail_step);
}

bool has_workrail_key(const SyntaxNode& node) {
  for (const SyntaxNode& child : node.children) {
    if (workrail_marks.contains(child.key)) return true;
    // Depth is bounded by the reader.
    if (workrail_blocks.contains(child.key) && has_workrail_key(child)) return true;
  }
  return false;
}

}  // namespace

void check_shape(SyntaxNode& node, const Shape& shape, const CheckContext& context) {
  if (!Checker(context).check(node, shape)) node = SyntaxNode::object(node.at);
}

Dialect dialect_of(const SyntaxNode& document, std::string_view path) {
  if (document.has("baton")) return Dialect::native;
  if (path.find(".aromcp/") != std::string_view::npos) return Dialect::aromcp;
  if (document.has("phases")) return Dialect::midex;
  if (has_workrail_mark(document, path) || has_workrail_form(document, path)) {
    return Dialect::workrail;
  }
  return Dialect::native;
}

bool has_workrail_mark(const SyntaxNode& document, std::string_view path) {
  const std::string_view schema = document.text_of("$schema");
  return schema.find("workrail") != std::string_view::npos ||
         schema.find("workflowlookup") != std::string_view::npos ||
         path.find(".workrail/") != std::string_view::npos ||
         document.text_of("id").starts_with("wr.") || has_workrail_key(document);
}

}  // namespace baton::workflow
