#include "case_file.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text/text.h"
#include "call_line.h"

namespace baton::cases {
namespace {

struct Keyword {
  std::string_view prefix;
  EntryKind kind;
};

constexpr std::array keywords = {Keyword{"$ ", EntryKind::command},
                                 Keyword{"file ", EntryKind::file}, Keyword{"env ", EntryKind::env},
                                 Keyword{"only ", EntryKind::only}};

constexpr std::string_view no_newline = "\\ no newline";

constexpr std::string_view query_words[] = {"field", "prompt", "text"};

constexpr std::string_view fact_words[] = {
    "assessment", "blocked",    "broken",  "call",      "candidate",  "capability", "checkpoint",
    "child",      "complete",   "confirm", "content",   "definition", "eligible",   "ended",
    "error",      "expression", "gap",     "has",       "isComplete", "latest",     "messages",
    "mode",       "next",       "not",     "notice",    "notified",   "omitted",    "openGaps",
    "raised",     "reason",     "recap",   "recorded",  "recovers",   "recovery",   "refused",
    "replaced",   "requires",   "retry",   "retryable", "role",       "run",        "same",
    "send",       "state",      "status",  "step",      "untold",     "values",     "warnings",
    "workflows"};

std::optional<EntryKind> keyword_of(std::string_view line) {
  for (const Keyword& keyword : keywords) {
    if (line.starts_with(keyword.prefix)) return keyword.kind;
  }
  return std::nullopt;
}

bool is_prose(std::string_view line) { return line.empty() || line.starts_with('#'); }

/// "> text" and a bare ">" for an empty line.
std::optional<std::string_view> marked(std::string_view line, std::string_view mark) {
  if (!line.starts_with(mark)) return std::nullopt;
  line.remove_prefix(mark.size());
  if (line.empty()) return line;
  if (line.front() != ' ') return std::nullopt;
  return line.substr(1);
}

constexpr std::string_view indentation = "  ";

/// The first word of a line below a call; "" for any other line.
std::string_view word_below_call(std::string_view line) {
  if (!line.starts_with(indentation)) return "";
  line.remove_prefix(indentation.size());
  return line.substr(0, line.find(' '));
}

bool is_query(std::string_view line) { return is_query_word(word_below_call(line)); }

bool is_given(std::string_view line) {
  return is_prose(line) || marked(line, "<") || marked(line, "-->") || marked(line, "-->&") ||
         line.starts_with("capture ") || is_call_line(line) || is_query(line);
}

bool is_expected(std::string_view line) {
  const std::string_view word = word_below_call(line);
  return marked(line, ">") || marked(line, "!") || marked(line, "<--") || line == no_newline ||
         line.starts_with("exit ") || word == "|" || is_fact_word(word);
}

/// Why a line has no place.
std::string placeless(std::string_view line) {
  const std::string_view word = word_below_call(line);
  if (word.empty()) return cat("'", line, "' has no place here");
  std::vector<std::string_view> words(std::begin(fact_words), std::end(fact_words));
  words.insert(words.end(), std::begin(query_words), std::end(query_words));
  const auto near = nearest(word, words);
  return cat("there is no fact or query '", word, "'",
             near ? cat("; did you mean '", *near, "'?") : "");
}

bool belongs(const Entry& entry, std::string_view line) {
  switch (entry.kind) {
    case EntryKind::command: return is_given(line) || is_expected(line);
    case EntryKind::file: return is_prose(line) || marked(line, "|") || line == no_newline;
    case EntryKind::prose:
    case EntryKind::only:
    case EntryKind::env: return is_prose(line);
  }
  return false;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Moves comments and blank lines at the end of each body in front of what follows: they speak of
/// that.
std::vector<Entry> with_prose_apart(std::vector<Entry> entries) {
  std::vector<Entry> out;
  for (Entry& entry : entries) {
    std::size_t keep = entry.body.size();
    while (keep > 0 && is_prose(entry.body[keep - 1])) --keep;
    Entry prose;
    prose.line = entry.line + keep + 1;
    prose.body.assign(entry.body.begin() + static_cast<std::ptrdiff_t>(keep), entry.body.end());
    entry.body.resize(keep);
    out.push_back(std::move(entry));
    if (prose.body.empty()) continue;
    prose.head = prose.body.front();
    prose.body.erase(prose.body.begin());
    out.push_back(std::move(prose));
  }
  return out;
}

void append_marked(std::vector<std::string>& body, std::string_view mark, std::string_view text) {
  for (const std::string& line : lines_of(text)) {
    body.push_back(line.empty() ? std::string(mark) : cat(mark, ' ', line));
  }
  if (!text.empty() && !text.ends_with('\n')) body.emplace_back(no_newline);
}

/// Text from lines with `mark`; the mark for a missing newline is honoured right after one.
std::string unmarked(const std::vector<std::string>& body, std::string_view mark) {
  std::string text;
  bool last_was_marked = false;
  for (const std::string& line : body) {
    if (line == no_newline && last_was_marked) {
      text.pop_back();
      continue;
    }
    const auto content = marked(line, mark);
    last_was_marked = content.has_value();
    if (content) text += cat(*content, '\n');
  }
  return text;
}

void add_given(Command& command, std::string_view line) {
  const auto add_send = [&](std::string_view text, bool waits, bool is_call) {
    command.sends.push_back({std::string(text), waits, is_call, {}});
  };
  if (const auto text = marked(line, "-->")) add_send(*text, true, false);
  if (const auto text = marked(line, "-->&")) add_send(*text, false, false);
  if (is_call_line(line)) add_send(line, true, true);
  if (is_query(line) && !command.sends.empty()) {
    command.sends.back().queries.emplace_back(line.substr(indentation.size()));
  }
  if (!line.starts_with("capture ")) return;
  line.remove_prefix(std::string_view("capture ").size());
  const std::size_t space = std::min(line.find(' '), line.size() - 1);
  command.captures.push_back(
      {std::string(line.substr(0, space)), std::string(line.substr(space + 1))});
}

}  // namespace

bool is_fact_word(std::string_view word) {
  return std::ranges::find(fact_words, word) != std::end(fact_words);
}

bool is_query_word(std::string_view word) {
  return std::ranges::find(query_words, word) != std::end(query_words);
}

Result<std::vector<Entry>> parse_case(std::string_view text) {
  std::vector<Entry> entries;
  std::size_t number = 0;
  for (std::string& line : lines_of(text)) {
    ++number;
    if (const auto kind = keyword_of(line)) {
      entries.push_back({*kind, number, std::move(line), {}});
    } else if (!entries.empty() && belongs(entries.back(), line)) {
      entries.back().body.push_back(std::move(line));
    } else if (is_prose(line)) {
      entries.push_back({EntryKind::prose, number, std::move(line), {}});
    } else {
      return fail(Code::INVALID_INPUT, cat(number, ": ", placeless(line)));
    }
  }
  if (entries.empty() || !entries[0].head.starts_with('#')) {
    return fail(Code::INVALID_INPUT, "1: a case begins with a comment that says what it shows");
  }
  return with_prose_apart(std::move(entries));
}

std::string print_case(const std::vector<Entry>& entries) {
  std::string text;
  for (const Entry& entry : entries) {
    text += cat(entry.head, '\n');
    for (const std::string& line : entry.body) text += cat(line, '\n');
  }
  return text;
}

Command command_of(const Entry& entry) {
  Command command;
  std::string_view head = entry.head;
  head.remove_prefix(2);
  const std::size_t space = std::min(head.find(' '), head.size());
  command.name = head.substr(0, space);
  command.rest = head.substr(std::min(space + 1, head.size()));
  command.input = unmarked(entry.body, "<");
  for (const std::string& line : entry.body) add_given(command, line);
  return command;
}

Result<std::vector<std::string>> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool open = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        words.back() += c;
      continue;
    }
    if (c == ' ') {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c == '\'' || c == '"')
      quote = c;
    else
      words.back() += c;
  }
  if (quote != 0) return fail(Code::INVALID_INPUT, "a quote is not closed");
  return words;
}

std::vector<std::string> expected_body(const Entry& entry, const Outcome& outcome) {
  std::vector<std::string> body;
  std::size_t sent = 0;
  std::size_t queried = 0;  // queries of the last call that are in the body already
  bool input_open = false;
  const auto append_replies = [&](std::size_t index) {
    if (index >= outcome.replies.size()) return;
    for (const std::string& reply : outcome.replies[index]) body.push_back(cat("<-- ", reply));
  };
  const auto append_indented = [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) body.push_back(cat(indentation, line));
  };
  for (const std::string& line : entry.body) {
    const bool ends_input = input_open && line == no_newline;
    input_open = marked(line, "<").has_value();
    if (!is_given(line) && !ends_input) continue;
    const auto last = sent == 0 ? outcome.answers.end() : outcome.answers.find(sent - 1);
    if (is_query(line) && last != outcome.answers.end()) {
      append_indented(last->second.queried.at(queried++));
      continue;
    }
    body.push_back(line);
    const bool is_message = marked(line, "-->") || marked(line, "-->&");
    if (!is_message && !is_call_line(line)) continue;
    queried = 0;
    append_replies(sent);
    const auto given = outcome.answers.find(sent++);
    if (given != outcome.answers.end()) append_indented(given->second.facts);
  }
  append_replies(sent);
  append_marked(body, ">", outcome.output);
  append_marked(body, "!", outcome.errors);
  if (outcome.exit != 0) body.push_back(cat("exit ", outcome.exit));
  return body;
}

std::string file_content(const Entry& entry) { return unmarked(entry.body, "|"); }

}  // namespace baton::cases
