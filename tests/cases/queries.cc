#include "queries.h"

#include <optional>

#include "base/text/text.h"

namespace baton::cases {
namespace {

/// The value at a path such as a.b[0].c or a[].b; nothing if the answer lacks it.
std::optional<json::Value> value_at(const json::Value& value, std::string_view path) {
  if (path.empty()) return value;
  if (path.front() == '.') path.remove_prefix(1);
  if (path.front() != '[') {
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    const json::Value* member = value.find(path.substr(0, end));
    if (member == nullptr) return std::nullopt;
    return value_at(*member, path.substr(end));
  }
  const std::size_t close = std::min(path.find(']'), path.size() - 1);
  const std::string_view index = path.substr(1, close - 1);
  const std::string_view rest = path.substr(close + 1);
  const json::Array* items = value.if_array();
  if (items == nullptr) return std::nullopt;
  if (!index.empty()) {
    const auto place = static_cast<std::size_t>(parse_int(index).value_or(-1));
    if (place >= items->size()) return std::nullopt;
    return value_at((*items)[place], rest);
  }
  json::Array all;
  for (const json::Value& item : *items) all.push_back(value_at(item, rest).value_or(nullptr));
  return json::Value(std::move(all));
}

/// `subject contains "..."` or `subject lacks "..."`, whichever is so. `query` ends with the text
/// in quotes.
Result<std::vector<std::string>> contains_or_lacks(std::string_view subject, std::string_view text,
                                                   std::string_view query, const Names& names) {
  const std::string_view quoted = query.substr(std::min(query.find('"'), query.size()));
  const std::string expanded = TRY(names.expand_call(quoted));
  const Result<json::Value> wanted = json::parse(expanded);
  if (!wanted || !wanted->is_string()) {
    return fail(Code::INVALID_INPUT, cat("a text in double quotes is missing: ", query));
  }
  const bool is_there = text.contains(*wanted->if_string());
  return std::vector{cat(subject, is_there ? " contains " : " lacks ", quoted)};
}

std::vector<std::string> whole_text(std::string_view text) {
  std::vector<std::string> lines = {"text"};
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (;;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(end == 0 ? "|" : cat("| ", text.substr(0, end)));
    if (end == text.size()) return lines;
    text.remove_prefix(end + 1);
  }
}

/// The author's part of the step's prompt: the text before the sections that Baton adds.
std::string prompt_of(const json::Value& root) {
  for (const std::string_view path :
       {"pending.prompt", "step.definition.prompt", "step.definition.message"}) {
    const std::optional<json::Value> value = value_at(root, path);
    const std::string* text = value ? value->if_string() : nullptr;
    if (text != nullptr) return json::print(json::Value(text->substr(0, text->find("\n\n## "))));
  }
  return "absent";
}

bool asks_for_part(std::string_view rest) {
  return rest.starts_with("contains ") || rest.starts_with("lacks ");
}

}  // namespace

Result<std::vector<std::string>> answer_query(const Shown& shown, std::string_view query,
                                              const Names& names) {
  const std::string_view written = query;
  const auto take_word = [&] {
    const std::size_t end = std::min(query.find(' '), query.size());
    const std::string_view word = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    return word;
  };
  const std::string_view kind = take_word();
  if (kind == "prompt") return std::vector{cat("prompt ", prompt_of(shown.root))};
  if (kind == "text" && query.empty()) return whole_text(shown.text);
  if (kind == "text" && asks_for_part(query)) {
    return contains_or_lacks("text", shown.text, query, names);
  }
  const std::string_view path = take_word();
  if (kind != "field" || path.empty()) {
    return fail(Code::INVALID_INPUT, cat("this query cannot be read: ", written));
  }
  const std::optional<json::Value> value = value_at(shown.root, path);
  const std::string printed = value ? json::print(*value) : "absent";
  if (!asks_for_part(query)) return std::vector{cat("field ", path, " = ", printed)};
  const std::string* text = value ? value->if_string() : nullptr;
  return contains_or_lacks(cat("field ", path), text == nullptr ? printed : *text, query, names);
}

}  // namespace baton::cases
