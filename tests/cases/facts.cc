#include "facts.h"

namespace baton::cases {
namespace {

bool is_plain(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\n\"'{}[],") == std::string_view::npos;
}

std::string_view first_word(std::string_view line) { return line.substr(0, line.find(' ')); }

}  // namespace

const json::Value* Facts::take(std::string_view key) {
  taken_.emplace(key);
  return root_.find(key);
}

void Facts::add(std::string line) {
  ASSERT(is_fact_word(first_word(line)));
  lines_.push_back(std::move(line));
}

void Facts::expect_told(std::string_view path, const json::Value* value) {
  const std::string* told = value == nullptr ? nullptr : value->if_string();
  if (told != nullptr && !text_.contains(*told)) say("untold ", path);
}

std::vector<std::string> Facts::finish() {
  if (const json::Object* members = root_.if_object()) {
    for (const json::Member& member : *members) {
      if (!taken_.contains(member.key)) say("has ", member.key, ' ', word_of(&member.value));
    }
  }
  return std::move(lines_);
}

std::string word_of(const json::Value* value) {
  if (value == nullptr) return "none";
  const std::string* text = value->if_string();
  return text != nullptr && is_plain(*text) ? *text : json::print(*value);
}

std::string_view string_at(const json::Value* object, std::string_view key) {
  const json::Value* value = object == nullptr ? nullptr : object->find(key);
  const std::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : *text;
}

bool is_true(const json::Value* value) {
  const bool* flag = value == nullptr ? nullptr : value->if_bool();
  return flag != nullptr && *flag;
}

const json::Array& items_of(const json::Value* value) {
  static const json::Array none;
  const json::Array* items = value == nullptr ? nullptr : value->if_array();
  return items == nullptr ? none : *items;
}

void say_blockers(Facts& facts) {
  for (const json::Value& blocker : items_of(facts.take("blockers"))) {
    const json::Value* pointer = blocker.find("pointer");
    facts.say("blocked ", string_at(&blocker, "code"), ' ', string_at(pointer, "kind"), ' ',
              string_at(pointer, "value"));
    for (const std::string_view key : {"code", "message", "suggestedFix", "suggested_fix"}) {
      facts.expect_told(cat("blockers.", key), blocker.find(key));
    }
  }
  const json::Value* retryable = facts.take("retryable");
  if (retryable != nullptr && !is_true(retryable)) facts.say("retryable false");
}

void say_warnings(Facts& facts) {
  const json::Array& warnings = items_of(facts.take("warnings"));
  if (!warnings.empty()) facts.say("warnings ", warnings.size());
  for (const json::Value& warning : warnings) facts.expect_told("warnings", &warning);
}

void say_run(Facts& facts, std::string_view run, std::string_view session) {
  if (run.empty() || facts.memory().run == run) return;
  facts.memory().run = run;
  facts.say("run ", run, session.empty() ? "" : " ", session);
}

void say_recap(Facts& facts, const json::Value* recap) {
  const std::string* text = recap == nullptr ? nullptr : recap->if_string();
  if (text == nullptr) return;
  facts.expect_told("recap", recap);
  std::string_view rest = *text;
  std::string_view section;
  std::string entry;  // the heading of an entry whose first line is still to come
  const auto say_entry = [&](std::string_view first_line) {
    if (!entry.empty()) facts.say("recap ", section, entry, ": ", first_line);
    entry.clear();
  };
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with("## ")) {
      section = line.contains(" after ") ? "after " : "";
    } else if (line.starts_with("### ")) {
      say_entry("");
      entry = line.substr(4);
    } else if (!line.empty()) {
      say_entry(line);
    }
  }
  say_entry("");
}

}  // namespace baton::cases
