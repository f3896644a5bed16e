// The rules that look at a value as a whole. Those that go into it are in schema_containers.cc.

#include <algorithm>
#include <optional>

#include "base/schema/evaluator.h"
#include "base/schema/value.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::schema {
namespace {

using json::Value;

std::size_t children_of(const Value& value) {
  if (const json::Array* array = value.if_array()) return array->size();
  if (const json::Object* object = value.if_object()) return object->size();
  return 0;
}

}  // namespace

Seen::Seen(const Value& value) : bits_(children_of(value)) {}

bool Evaluator::accepts(const Program& program, const Value& value) {
  return node(*program.root, value, InstancePlace{}, nullptr);
}

std::vector<SchemaProblem> Evaluator::problems(const Program& program, const Value& value) {
  Problems found;
  out_ = &found;
  const bool fits = node(*program.root, value, InstancePlace{}, nullptr);
  if (!exhausted_.empty()) {
    // Under `not` and its like, what was found so far may be the opposite of the truth.
    return {SchemaProblem{Code::LIMIT_EXCEEDED, "", "", "", exhausted_}};
  }
  ASSERT(fits == found.empty());
  for (SchemaProblem& problem : found) {
    if (problem.instance_path.empty()) continue;
    problem.message = cat(problem.instance_path, ": ", problem.message);
  }
  return found;
}

bool Evaluator::spend(std::size_t steps) {
  if (steps <= steps_left_) {
    steps_left_ -= steps;
    return true;
  }
  return exhaust(cat("checking the value takes more than ", options_.steps_max, " steps"));
}

bool Evaluator::exhaust(std::string message) {
  if (exhausted_.empty()) exhausted_ = std::move(message);
  steps_left_ = 0;  // so that everything still under way ends at its next step
  out_ = nullptr;
  return false;
}

bool Evaluator::node(const Node& node, const Value& value, const InstancePlace& at, Seen* seen) {
  if (!spend(1)) return false;
  if (node.fixed) return *node.fixed || report(node, "", at, "nothing is allowed here");
  if (depth_ >= limits::schema_eval_depth_max) {
    return exhaust(
        cat("the schema applies itself more than ", limits::schema_eval_depth_max, " levels deep"));
  }
  ++depth_;
  const Scope* before = scope_;
  const Scope entered{before, node.resource};
  if (before == nullptr || before->resource != node.resource) scope_ = &entered;
  const bool fits = rules(node, value, at, seen);
  scope_ = before;
  --depth_;
  return fits && exhausted_.empty();
}

bool Evaluator::rules(const Node& node, const Value& value, const InstancePlace& at, Seen* seen) {
  // Of a value of the wrong type nothing else is worth saying.
  if (!type(node, value, at)) return false;
  bool fits = true;
  if (!keep(fits, scalar_rules(node, value, at))) return false;
  // What `unevaluated...` sees is what this node and those inside it looked at, not its siblings.
  std::optional<Seen> own;
  if (node.tracks) own.emplace(value);
  Seen* noted = own ? &*own : seen;
  if (node.logic && !keep(fits, logic(node, value, at, noted))) return false;
  if (node.array && value.is_array() && !keep(fits, array(node, *value.if_array(), at, noted))) {
    return false;
  }
  if (node.object && value.is_object() && !keep(fits, object(node, value, at, noted))) return false;
  if (!own) return fits;
  if (!keep(fits, unevaluated(node, value, at, *own))) return false;
  if (seen != nullptr) seen->merge(*own);
  return fits;
}

// --- one value ---------------------------------------------------------------------------------

bool Evaluator::type(const Node& node, const Value& value, const InstancePlace& at) {
  if ((node.types & bit_of(value.type())) != 0) return true;
  if ((node.types & bit_of(json::Type::integer)) != 0 && is_whole(value)) return true;
  if (out_ == nullptr) return false;
  return report(node, "type", at,
                cat("expected ", types_text(node.types), ", got ", json::name_of(value.type())));
}

bool Evaluator::scalar_rules(const Node& node, const Value& value, const InstancePlace& at) {
  bool fits = true;
  if (node.constant && !keep(fits, choice(node, *node.constant, "const", value, at))) return false;
  if (node.enumeration && !keep(fits, choice(node, *node.enumeration, "enum", value, at))) {
    return false;
  }
  if (node.number && value.is_number() && !keep(fits, number(node, value, at))) return false;
  if (node.string && value.is_string()) keep(fits, string(node, *value.if_string(), at));
  return fits;
}

bool Evaluator::choice(const Node& node, const Choice& choice, std::string_view keyword,
                       const Value& value, const InstancePlace& at) {
  const std::string key = key_of(value);
  if (!spend(1 + key.size() / 16)) return false;
  if (std::ranges::binary_search(choice.keys, key)) return true;
  if (out_ == nullptr) return false;
  if (keyword == "const") {
    return report(node, keyword, at, cat("must be ", choice.listed, ", got ", shown(value)));
  }
  std::string message = cat(shown(value), " is not one of ", choice.listed);
  if (const std::string* word = value.if_string()) {
    const std::size_t count = std::min(choice.words.size(), limits::schema_candidates_max);
    const std::vector<std::string_view> words(choice.words.begin(),
                                              choice.words.begin() + static_cast<long>(count));
    if (const auto near = nearest(*word, words)) {
      message += cat("; did you mean ", in_quotes(*near), '?');
    }
  }
  return report(node, keyword, at, std::move(message));
}

bool Evaluator::number(const Node& node, const Value& value, const InstancePlace& at) {
  const NumberRules& rules = *node.number;
  bool fits = true;
  const auto bound = [&](const std::optional<Value>& limit, std::string_view keyword,
                         std::string_view words, auto good) {
    if (!limit || good(compare_numbers(value, *limit))) return true;
    return keep(fits, report(node, keyword, at,
                             cat("must be ", words, ' ', shown(*limit), ", got ", shown(value))));
  };
  if (!bound(rules.minimum, "minimum", "at least", [](auto order) { return order >= 0; }) ||
      !bound(rules.maximum, "maximum", "at most", [](auto order) { return order <= 0; }) ||
      !bound(rules.exclusive_minimum, "exclusiveMinimum", "above",
             [](auto order) { return order > 0; }) ||
      !bound(rules.exclusive_maximum, "exclusiveMaximum", "below",
             [](auto order) { return order < 0; })) {
    return false;
  }
  if (rules.multiple_of && !is_multiple(value, *rules.multiple_of)) {
    return report(node, "multipleOf", at,
                  cat("must be a multiple of ", shown(*rules.multiple_of), ", got ", shown(value)));
  }
  return fits;
}

bool Evaluator::string(const Node& node, const std::string& text, const InstancePlace& at) {
  const StringRules& rules = *node.string;
  bool fits = true;
  if (rules.length_min > 0 || rules.length_max != unbounded) {
    if (!spend(text.size() / 64)) return false;
    const std::size_t length = utf8::length(text);
    if (length < rules.length_min) {
      keep(fits, report(node, "minLength", at,
                        cat("needs at least ", counted(rules.length_min, "character", "characters"),
                            ", has ", length)));
    }
    if (length > rules.length_max) {
      keep(fits,
           report(node, "maxLength", at,
                  cat("may have at most ", counted(rules.length_max, "character", "characters"),
                      ", has ", length)));
    }
  }
  if (!fits && out_ == nullptr) return false;
  if (rules.pattern && !matches(*rules.pattern, text)) {
    return report(node, "pattern", at,
                  cat(in_quotes(text), " does not match the pattern ",
                      shortened(rules.pattern->source(), limits::schema_shown_bytes_max)));
  }
  return fits;
}

bool Evaluator::matches(const Pattern& pattern, std::string_view text) {
  return spend(pattern.steps(text.size())) && pattern.matches(text);
}

// --- subschemas on the same value --------------------------------------------------------------

bool Evaluator::logic(const Node& node, const Value& value, const InstancePlace& at, Seen* seen) {
  const LogicRules& rules = *node.logic;
  // What must hold in any case may note into `seen` directly: if it fails, so does this node, and
  // no code reads the notes of a node that failed.
  bool fits = true;
  if (rules.ref != nullptr && !keep(fits, this->node(*rules.ref, value, at, seen))) return false;
  if (rules.dynamic_ref != nullptr &&
      !keep(fits, this->node(dynamic_target(rules), value, at, seen))) {
    return false;
  }
  for (const Node* branch : rules.all_of) {
    if (!keep(fits, this->node(*branch, value, at, seen))) return false;
  }
  if (!rules.any_of.empty() && !keep(fits, any_of(node, value, at, seen))) return false;
  if (!rules.one_of.empty() && !keep(fits, one_of(node, value, at, seen))) return false;
  if (rules.negated != nullptr && fits_quietly(*rules.negated, value, at, nullptr)) {
    if (!keep(fits, report(node, "not", at, "has a form that \"not\" forbids"))) return false;
  }
  if (rules.condition != nullptr) keep(fits, condition(rules, value, at, seen));
  return fits;
}

bool Evaluator::fits_quietly(const Node& node, const Value& value, const InstancePlace& at,
                             Seen* seen) {
  const Quiet quiet(*this);
  if (seen == nullptr) return this->node(node, value, at, nullptr);
  Seen branch(value);
  if (!this->node(node, value, at, &branch)) return false;
  seen->merge(branch);
  return true;
}

bool Evaluator::any_of(const Node& node, const Value& value, const InstancePlace& at, Seen* seen) {
  bool found = false;
  for (const Node* branch : node.logic->any_of) {
    found |= fits_quietly(*branch, value, at, seen);
    if (found && seen == nullptr) return true;
  }
  return found || report_no_branch(node, "anyOf", node.logic->any_of, value, at);
}

bool Evaluator::one_of(const Node& node, const Value& value, const InstancePlace& at, Seen* seen) {
  const std::vector<const Node*>& branches = node.logic->one_of;
  std::optional<std::size_t> fitting;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    if (!fits_quietly(*branches[i], value, at, seen)) continue;
    if (fitting) {
      return report(node, "oneOf", at,
                    cat("fits alternatives ", *fitting + 1, " and ", i + 1, " of ", branches.size(),
                        ", but must fit exactly one"));
    }
    fitting = i;
  }
  return fitting || report_no_branch(node, "oneOf", branches, value, at);
}

bool Evaluator::condition(const LogicRules& rules, const Value& value, const InstancePlace& at,
                          Seen* seen) {
  const bool holds = fits_quietly(*rules.condition, value, at, seen);
  const Node* branch = holds ? rules.then_branch : rules.else_branch;
  return branch == nullptr || node(*branch, value, at, seen);
}

/// The outermost resource entered so far that has the dynamic anchor decides.
const Node& Evaluator::dynamic_target(const LogicRules& rules) {
  const Node* target = rules.dynamic_ref;
  if (!rules.dynamic_ref_name) return *target;
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
    if (!spend(scope->resource->dynamic_anchors.size() / 8)) break;
    if (const Node* found = scope->resource->find(*rules.dynamic_ref_name)) target = found;
  }
  return *target;
}

std::vector<SchemaProblem> Schema::validate(const json::Value& value,
                                            const ValidateOptions& options) const {
  ValidateOptions bounds = options;
  bounds.problems_max = std::max<std::size_t>(1, bounds.problems_max);
  return Evaluator(bounds).problems(*program_, value);
}

bool Schema::accepts(const json::Value& value) const {
  const ValidateOptions bounds;
  return Evaluator(bounds).accepts(*program_, value);
}

Result<void> Schema::check(const json::Value& value) const {
  // The usual case first: a value that fits needs no list.
  if (accepts(value)) return {};
  const std::vector<SchemaProblem> problems = validate(value);
  ASSERT(!problems.empty());
  if (problems.size() == 1) return fail(problems.front().code, problems.front().message);
  const bool full = problems.size() >= limits::schema_problems_max;
  std::string message = cat(full ? "at least " : "", problems.size(), " problems");
  for (const SchemaProblem& problem : problems) {
    message += cat(&problem == &problems.front() ? ": " : "; ", problem.message);
  }
  return fail(Code::SCHEMA_VIOLATION, std::move(message));
}

}  // namespace baton::schema
