#pragma once
// A .case file as a value: prose, settings and commands with the text expected of each, line by
// line, so that it can be written back with only the expectations changed. README.md describes
// the format.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace baton::cases {

enum class EntryKind { prose, only, env, file, command };

struct Entry {
  EntryKind kind = EntryKind::prose;
  std::size_t line = 0;           // of the head, from 1
  std::string head;               // the whole first line
  std::vector<std::string> body;  // the lines below that belong to it, as written
};

/// Splits the text of a case. INVALID_INPUT that begins with the number of a line
/// that has no place.
Result<std::vector<Entry>> parse_case(std::string_view text);

std::string print_case(const std::vector<Entry>& entries);

/// One message sent in an exchange.
struct Send {
  std::string text;                  // the message, or a whole `call` or `request` line
  bool waits = true;                 // for its reply, before anything else is sent
  bool is_call = false;              // a `call` or `request`, whose answer is shown as facts
  std::vector<std::string> queries;  // below a call: the lines that ask for more than the facts
};

/// Whether a line below a call may begin with this word and be a fact; README.md lists them.
bool is_fact_word(std::string_view word);
/// Whether a line below a call that begins with this word is a query.
bool is_query_word(std::string_view word);

struct Capture {
  std::string name;
  std::string pattern;  // RE2 with one group
};

/// A command as it is in the file.
struct Command {
  std::string name;
  std::string rest;         // the text after the name, as written
  std::string input;        // the `<` lines
  std::vector<Send> sends;  // the `-->` lines
  std::vector<Capture> captures;
};

Command command_of(const Entry& entry);

/// Words as a shell splits them: at spaces, '...' and "..." keep theirs. No escapes.
Result<std::vector<std::string>> words_of(std::string_view text);

/// What is shown below a call, without the indentation.
struct Answer {
  std::vector<std::string> facts;
  std::vector<std::vector<std::string>> queried;  // for each query, the lines that replace it
};

/// What a command did.
struct Outcome {
  std::string output;
  std::string errors;
  int exit = 0;
  /// For each Send the lines that came in answer to it, and then those that came unasked at the
  /// end. Empty for a command that is not an exchange.
  std::vector<std::vector<std::string>> replies;
  std::map<std::size_t, Answer> answers;  // in place of replies, by the place of a Send
};

/// The body that `entry` should have: what it gives (comments, input, messages) unchanged, and
/// below it what came out.
std::vector<std::string> expected_body(const Entry& entry, const Outcome& outcome);

/// The content of a `file` entry.
std::string file_content(const Entry& entry);

}  // namespace baton::cases
