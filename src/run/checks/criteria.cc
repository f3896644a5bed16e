#include "run/checks/criteria.h"

#include <algorithm>
#include <optional>

#include "base/schema/pattern.h"
#include "base/schema/schema.h"
#include "base/text/text.h"

namespace baton::run {
namespace {

using json::Value;

std::string_view text_in(const Value& rule, std::string_view key) {
  const Value* found = rule.find(key);
  return found != nullptr && found->is_string() ? std::string_view(*found->if_string())
                                                : std::string_view();
}

std::optional<std::int64_t> number_in(const Value& rule, std::string_view key) {
  const Value* found = rule.find(key);
  if (found == nullptr || found->if_int() == nullptr) return std::nullopt;
  return *found->if_int();
}

/// The pattern in which `.` matches a line's end too.
std::string with_dot_for_all(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      out += c;
      out += pattern[++i];
      continue;
    }
    if (c == '[') in_class = true;
    if (c == ']') in_class = false;
    if (c == '.' && !in_class) {
      out += "[^]";
    } else {
      out += c;
    }
  }
  return out;
}

/// The rule's regular expression with its flags. `g`, `u` and `y` change nothing about whether a
/// text matches.
Result<schema::Pattern> pattern_of(const Value& rule) {
  const std::string_view flags = text_in(rule, "flags");
  std::string pattern(text_in(rule, "pattern"));
  if (flags.contains('s')) pattern = with_dot_for_all(pattern);
  if (flags.contains('i')) pattern = cat("(?i)", pattern);
  if (flags.contains('m')) pattern = cat("(?m)", pattern);
  return schema::Pattern::compile(pattern);
}

std::int64_t characters_in(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & '\xC0') != '\x80'; });
}

/// The JSON that the notes are, or that their first fenced block holds.
Result<Value> json_in(std::string_view notes) {
  auto whole = json::parse(notes);
  if (whole) return whole;
  const std::size_t fence = notes.find("```");
  if (fence == std::string_view::npos) return whole;
  const std::size_t begin = notes.find('\n', fence);
  if (begin == std::string_view::npos) return whole;
  const std::size_t end = notes.find("```", begin);
  if (end == std::string_view::npos) return whole;
  return json::parse(notes.substr(begin, end - begin));
}

std::string schema_problem(const Value& rule, std::string_view notes) {
  const Value* shape = rule.find("schema");
  const auto schema = schema::Schema::compile(shape == nullptr ? Value(true) : *shape, {});
  if (!schema) return cat("its schema cannot be used: ", schema.error().message);
  const auto value = json_in(notes);
  if (!value) return cat("they are not JSON: ", value.error().message);
  const auto checked = schema->check(*value);
  return checked ? std::string() : checked.error().message;
}

std::string describe_length(const Value& rule) {
  const auto min = number_in(rule, "min");
  const auto max = number_in(rule, "max");
  if (min && max) return cat("have ", *min, " to ", *max, " characters");
  if (min) return cat("have at least ", *min, " characters");
  if (max) return cat("have at most ", *max, " characters");
  return "have any length";
}

/// What the notes must do, as the words after "must" and "must not".
std::string describe_rule(const Value& rule) {
  const std::string_view type = text_in(rule, "type");
  if (type == "contains") return cat("contain \"", text_in(rule, "value"), '"');
  if (type == "length") return describe_length(rule);
  if (type == "schema") {
    const Value* shape = rule.find("schema");
    return cat("be JSON that matches the schema ", shape == nullptr ? "true" : json::print(*shape));
  }
  const std::string_view flags = text_in(rule, "flags");
  return cat("match the regular expression /", text_in(rule, "pattern"), '/', flags);
}

/// What is found instead, when a rule is broken.
std::string found_instead(const Value& rule, std::string_view notes) {
  const std::string_view type = text_in(rule, "type");
  if (type == "length") return cat("they have ", characters_in(notes));
  if (type == "schema") return schema_problem(rule, notes);
  return "they do not";
}

bool passes(const Value& rule, std::string_view notes) {
  const std::string_view type = text_in(rule, "type");
  if (type == "contains") return notes.contains(text_in(rule, "value"));
  if (type == "length") {
    const std::int64_t length = characters_in(notes);
    return length >= number_in(rule, "min").value_or(0) &&
           length <= number_in(rule, "max").value_or(length);
  }
  if (type == "schema") return schema_problem(rule, notes).empty();
  const auto pattern = pattern_of(rule);
  return pattern && pattern->matches(notes);
}

bool applies(const Value& rule, const Holds& holds) {
  const Value* condition = rule.find("condition");
  return condition == nullptr || holds(*condition);
}

// The depth of criteria is that of a compiled workflow, which is bounded.

/// The rules of a composition, and how they are joined.
struct Joined {
  const json::Array* rules = nullptr;
  std::string_view word;  // " and " or " or "
};

Joined joined_of(const Value& criteria) {
  if (const Value* all = criteria.find("and")) return {all->if_array(), " and "};
  if (const Value* any = criteria.find("or")) return {any->if_array(), " or "};
  return {};
}

std::string describe(const Value& criteria, const Holds& holds) {
  if (!applies(criteria, holds)) return {};
  if (const Value* opposite = criteria.find("not")) {
    const std::string inner = describe(*opposite, holds);
    return inner.empty() ? inner : cat("not ", inner);
  }
  const Joined joined = joined_of(criteria);
  if (joined.rules == nullptr) return describe_rule(criteria);
  std::string out;
  std::size_t count = 0;
  for (const Value& each : *joined.rules) {
    const std::string inner = describe(each, holds);
    if (inner.empty()) continue;
    out += cat(out.empty() ? "" : joined.word, inner);
    ++count;
  }
  return count > 1 ? cat('(', out, ')') : out;
}

/// Nothing when the criteria are met or do not apply; else why not.
std::optional<std::string> problem_of(const Value& criteria, std::string_view notes,
                                      const Holds& holds) {
  if (!applies(criteria, holds)) return std::nullopt;
  if (const Value* opposite = criteria.find("not")) {
    const std::string inner = describe(*opposite, holds);
    if (inner.empty() || problem_of(*opposite, notes, holds)) return std::nullopt;
    return cat("the notes must not ", inner);
  }
  const Joined joined = joined_of(criteria);
  if (joined.rules == nullptr) {
    if (passes(criteria, notes)) return std::nullopt;
    const std::string_view message = text_in(criteria, "message");
    return cat(message, message.empty() ? "" : " (", "the notes must ", describe_rule(criteria),
               "; ", found_instead(criteria, notes), message.empty() ? "" : ")");
  }
  std::string out;
  for (const Value& each : *joined.rules) {
    const auto inner = problem_of(each, notes, holds);
    const bool is_any = joined.word == " or ";
    if (!inner && is_any && applies(each, holds)) return std::nullopt;
    if (inner) out += cat(out.empty() ? "" : is_any ? ", or " : "; ", *inner);
  }
  if (out.empty()) return std::nullopt;
  return out;
}

/// What the author says of rules that apply, as sentences.
std::string messages_in(const Value& criteria, const Holds& holds) {
  if (!applies(criteria, holds)) return {};
  const Joined joined = joined_of(criteria);
  std::string out;
  if (joined.rules == nullptr) {
    out = trimmed(text_in(criteria, "message"));
    if (!out.empty() && !std::string_view(".!?:)").contains(out.back())) out += '.';
    return out;
  }
  for (const Value& each : *joined.rules) {
    const std::string inner = messages_in(each, holds);
    if (!inner.empty()) out += cat(out.empty() ? "" : joined.word == " or " ? " Or: " : " ", inner);
  }
  return out;
}

/// The rules that the outermost "and" joins, or the criteria alone.
std::vector<const Value*> outermost(const Value& criteria) {
  std::vector<const Value*> out;
  const Joined joined = joined_of(criteria);
  if (joined.rules == nullptr || joined.word != " and ") return {&criteria};
  for (const Value& each : *joined.rules) out.push_back(&each);
  return out;
}

}  // namespace

std::vector<std::string> broken_criteria(const Value& criteria, std::string_view notes,
                                         const Holds& holds) {
  std::vector<std::string> out;
  if (!applies(criteria, holds)) return out;
  for (const Value* each : outermost(criteria)) {
    if (auto problem = problem_of(*each, notes, holds)) out.push_back(*std::move(problem));
  }
  return out;
}

std::vector<std::string> describe_criteria(const Value& criteria, const Holds& holds) {
  std::vector<std::string> out;
  if (!applies(criteria, holds)) return out;
  for (const Value* each : outermost(criteria)) {
    const std::string text = describe(*each, holds);
    if (text.empty()) continue;
    const std::string words = messages_in(*each, holds);
    out.push_back(words.empty() ? cat("The notes must ", text, '.')
                                : cat(words, " (The notes must ", text, ".)"));
  }
  return out;
}

std::vector<std::string> required_texts(const Value& criteria, const Holds& holds) {
  std::vector<std::string> out;
  if (!applies(criteria, holds)) return out;
  for (const Value* each : outermost(criteria)) {
    if (text_in(*each, "type") != "contains" || !applies(*each, holds)) continue;
    out.emplace_back(text_in(*each, "value"));
  }
  return out;
}

}  // namespace baton::run
