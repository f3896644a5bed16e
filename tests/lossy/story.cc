#include "story.h"

#include <algorithm>

#include "base/text/text.h"

namespace baton::lossy {
namespace {

constexpr std::size_t long_notes_bytes = 10'240;

/// The step's own id, without the rounds it is in.
std::string_view own_id(std::string_view step) {
  const std::size_t at = step.rfind("::");
  return at == std::string_view::npos ? step : step.substr(at + 2);
}

/// The round of the innermost loop. REQUIRES: the step is in one.
std::int64_t round_of(std::string_view step) {
  const std::size_t from = step.rfind('@') + 1;
  return *parse_int(step.substr(from, step.rfind("::") - from));
}

/// `opening` is what the step's criteria look for, if it has some.
std::string text_in(Words words, std::string_view opening, std::string_view about) {
  switch (words) {
    case Words::plain: return cat(opening, "done as asked, at ", about, '.');
    case Words::other: return cat("What was asked is done. ", opening, "fine, at ", about, '.');
    case Words::two_bytes: break;
    case Words::ten_kilobytes: {
      std::string out = cat(opening, "at length, at ", about, ".\n");
      while (out.size() < long_notes_bytes) out += "- one more line of a long report\n";
      return out;
    }
    case Words::emoji:
      return cat(opening, "\U0001F44D\U0001F3FD \U0001F469\u200D\U0001F4BB at ", about, " \u2705");
    case Words::right_to_left:
      return cat(opening, "\u202B\u0645\u0631\u062D\u0628\u0627 \u05E9\u05DC\u05D5\u05DD\u202C at ",
                 about);
  }
  return {};
}

}  // namespace

std::string_view workflow_text() {
  return R"(id: lossy
name: A workflow for lossy agents
steps:
  - id: plan
    prompt: Put the files to look at into the context value `files`.
  - id: files
    type: loop
    loop: {type: forEach, items: files, itemVar: file, maxIterations: 5}
    body:
      - id: read
        prompt: Read {{ file }}.
      - id: judge
        prompt: Judge {{ file }}.
        validationCriteria:
          and:
            - {type: contains, value: 'Verdict:', message: 'The notes need "Verdict:".'}
            - {type: length, min: 20}
  - id: mark
    type: shell_command
    on_fork: repeat
    command: echo mark >> "$HOME/marks"
  - id: polish
    type: loop
    loop:
      type: while
      conditionSource: {kind: artifact_contract, contractRef: loop_control}
      maxIterations: 5
    body:
      - id: improve
        prompt: Improve one thing.
      - id: enough
        prompt: Decide whether that is enough.
        outputContract: {contractRef: loop_control}
  - id: hunt
    type: loop
    loop:
      type: until
      conditionSource: {kind: artifact_contract, contractRef: loop_control}
      maxIterations: 5
    body:
      - id: try
        prompt: Try one thing, and say whether to go on.
  - id: hand-over
    prompt: Say what was left out.
    outputContract: {contractRef: workflow_divergence}
  - id: report
    prompt: Report.
    validationCriteria:
      - {type: regex, pattern: 'Verdict: \S', message: 'The notes need "Verdict:" and a word.'}
)";
}

std::vector<std::string> Story::steps() const {
  std::vector<std::string> out{"plan"};
  for (std::int64_t i = 0; i < files_; ++i) {
    out.push_back(cat("files@", i, "::read"));
    out.push_back(cat("files@", i, "::judge"));
  }
  for (std::int64_t i = 0; i < rounds_; ++i) {
    out.push_back(cat("polish@", i, "::improve"));
    out.push_back(cat("polish@", i, "::enough"));
  }
  for (std::int64_t i = 0; i < rounds_; ++i) out.push_back(cat("hunt@", i, "::try"));
  out.push_back("hand-over");
  out.push_back("report");
  return out;
}

Asks Story::asks(std::string_view step) {
  const std::string_view id = own_id(step);
  if (id == "plan") return Asks::files;
  if (id == "judge" || id == "report") return Asks::verdict;
  if (id == "enough" || id == "try") return Asks::decision;
  return id == "hand-over" ? Asks::divergence : Asks::nothing;
}

std::string Story::decision(std::string_view step) const {
  return round_of(step) + 1 < rounds_ ? "continue" : "stop";
}

Content Story::content(std::string_view step, Words words) const {
  Content out;
  out.notes = text_in(words, asks(step) == Asks::verdict ? "Verdict: " : "",
                      cat(step, " of run ", number_));
  if (words == Words::two_bytes) {
    // No two steps of a run say the same.
    const auto keys = steps();
    const auto at = std::ranges::find(keys, step) - keys.begin();
    out.notes = cat('o', static_cast<char>('a' + at));
  }
  switch (asks(step)) {
    case Asks::files: {
      json::Array files;
      for (std::int64_t i = 0; i < files_; ++i) files.emplace_back(cat("file-", number_, '-', i));
      out.context.set("files", std::move(files));
      break;
    }
    case Asks::decision:
      out.artifacts.push_back(
          json::Object{{"kind", "baton.loop_control"}, {"decision", decision(step)}});
      break;
    case Asks::divergence:
      out.artifacts.push_back(json::Object{{"kind", "baton.divergence"},
                                           {"reason", "efficiency_skip"},
                                           {"summary", cat("left out in run ", number_)}});
      break;
    case Asks::nothing:
    case Asks::verdict: break;
  }
  return out;
}

}  // namespace baton::lossy
