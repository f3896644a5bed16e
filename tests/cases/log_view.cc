// The directives `log` and `verify`: what `baton log` and `baton verify` print, cut to what a case
// is about.

#include <algorithm>
#include <array>

#include "base/json/json.h"
#include "base/text/text.h"
#include "facts.h"
#include "scene.h"

namespace baton::cases {
namespace {

/// Members that say nothing new, are long, or are wording; `--full KIND` shows them.
constexpr std::array<std::string_view, 13> unshown = {
    "run",    "session",     "workflowHash", "drawn",   "input",    "reply",   "sha256",
    "issues", "suggestions", "summary",      "ordinal", "position", "nodeKind"};

std::string shown_entries(const json::Value& entries) {
  std::string out;
  for (const json::Value& entry : items_of(&entries)) {
    out += cat(out.empty() ? " " : "; ", string_at(&entry, "kind"));
    for (const json::Value& ref : items_of(entry.find("refs"))) {
      out += cat(' ', string_at(&ref, "value"));
    }
  }
  return out;
}

/// "kind key=value ..." of an event's kind and its members.
std::string shown_event(std::string_view kind, const json::Value& members) {
  std::string out(kind);
  if (!members.is_object()) return out;
  for (const json::Member& member : *members.if_object()) {
    const std::string value = word_of(&member.value);
    const bool is_usual = (member.key == "attempt" && value == "0") || value == R"("")";
    const bool is_other_kind = member.key == "nodeKind" && value != "step";
    if (member.key == "entries") {
      out += shown_entries(member.value);
    } else if (is_other_kind ||
               (!is_usual && std::ranges::find(unshown, member.key) == unshown.end())) {
      out += cat(' ', member.key, '=', value);
    }
  }
  if (string_at(members.find("reply"), "kind") == "blocked") out += " blocked";
  return out;
}

/// A line "N kind {...}" of the log, cut; any other line as it is.
std::string shown_line(const std::string& line, std::string_view full) {
  const std::size_t first = std::min(line.find(' '), line.size());
  const std::size_t second = std::min(line.find(' ', first + 1), line.size());
  const Result<json::Value> members =
      json::parse(std::string_view(line).substr(std::min(second + 1, line.size())));
  const std::string kind = line.substr(std::min(first + 1, line.size()), second - first - 1);
  if (!members || cat(',', full, ',').contains(cat(',', kind, ','))) return line;
  return cat(line.substr(0, first), ' ', shown_event(kind, *members));
}

template <class Edit>
void edit_lines(std::string& text, const Edit& edit) {
  std::string out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out += edit(std::string(rest.substr(0, end)), end + 1 >= rest.size());
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  text = std::move(out);
}

}  // namespace

/// `log RUN [--full KIND,...] ARGS`: one short line for each event, in full for some kinds.
Result<Outcome> run_log(Scene& scene, const Command& command) {
  constexpr std::string_view option = " --full ";
  Command plain = command;
  std::string full;
  if (const std::size_t at = plain.rest.find(option); at != std::string::npos) {
    const std::size_t start = at + option.size();
    const std::size_t end = std::min(plain.rest.find(' ', start), plain.rest.size());
    full = plain.rest.substr(start, end - start);
    plain.rest.erase(at, end - at);
  }
  plain.rest = cat("log ", plain.rest);
  Outcome outcome = TRY(run_baton(scene, plain));
  edit_lines(outcome.output,
             [&](const std::string& line, bool) { return cat(shown_line(line, full), '\n'); });
  return outcome;
}

/// `verify ARGS`: the last line of what `baton verify` says when it finds nothing wrong.
Result<Outcome> run_verify(Scene& scene, const Command& command) {
  Command plain = command;
  plain.rest = cat("verify ", plain.rest);
  Outcome outcome = TRY(run_baton(scene, plain));
  if (outcome.exit != 0) return outcome;
  edit_lines(outcome.output, [](const std::string& line, bool is_last) {
    return is_last ? cat(line, '\n') : std::string();
  });
  return outcome;
}

}  // namespace baton::cases
