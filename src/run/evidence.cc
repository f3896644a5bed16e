#include "run/evidence.h"

#include <algorithm>

#include "base/limits.h"
#include "base/overloaded.h"
#include "base/schema.h"
#include "base/schema_pattern.h"
#include "base/text.h"
#include "base/utf8.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;

std::string line_of(const std::vector<std::string>& argv) {
  std::string out;
  for (const std::string& word : argv) out += cat(out.empty() ? "" : " ", word);
  return out;
}

std::string cut(std::string_view text, std::size_t bytes) {
  return std::string(utf8::prefix(text, bytes));
}

bool is_commit_id(std::string_view text) {
  return text.size() >= limits::git_sha_chars_min && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// A program of the workspace, which whoever works there can change.
bool is_of_workspace(const CommandPasses& command) {
  const std::string& program = command.argv.front();
  return program.contains('/') && !program.starts_with('/');
}

Look file_look(std::string path, bool with_text = false) {
  return {Look::Kind::file, std::move(path), {}, with_text};
}

const Seen* seen_before(const Baseline& baseline, Look::Kind kind, std::string_view what) {
  const auto found = std::ranges::find_if(
      baseline, [&](const Trace& each) { return each.kind == kind && each.what == what; });
  return found == baseline.end() ? nullptr : &found->seen;
}

/// How one requirement came out; `expected` is empty when it is met.
struct Outcome {
  std::string expected;
  std::string found;
  std::string fix = {};
  std::optional<Sha256> digest = {};
};

std::string shown(const Seen& seen) {
  switch (seen.kind) {
    case Seen::Kind::nothing: return "there is nothing of that name";
    case Seen::Kind::file:
      return seen.bytes == 0 ? std::string("an empty file")
                             : cat("a file of ", seen.bytes, " bytes");
    case Seen::Kind::folder: return "a folder";
    case Seen::Kind::link: return "a symbolic link, or a path through one";
    case Seen::Kind::other: return "something that is no file of the workspace";
    case Seen::Kind::commit: return cat("the commit ", seen.commit);
    case Seen::Kind::ended: return cat("it ended with ", seen.exit);
    case Seen::Kind::no_end: return "it came to no end of its own";
    case Seen::Kind::untrusted: return "it was not run: the workflow is not trusted";
  }
  return {};
}

std::string with_said(const Seen& seen) {
  return seen.said.empty() ? shown(seen) : cat(shown(seen), ": ", utf8::as_line(seen.said));
}

Outcome judge_file(const std::string& path, const Seen& seen) {
  Outcome out{{}, shown(seen), {}, seen.digest};
  if (seen.kind != Seen::Kind::file || seen.bytes == 0) {
    out.expected = cat("a file ", path, " that is not empty");
    out.fix = cat("Write the file ", path, " in the workspace, as a file of its own.");
  }
  return out;
}

Outcome judge_contains(const FileContains& wanted, const Seen& seen) {
  Outcome out = judge_file(wanted.path, seen);
  if (!out.expected.empty()) return out;
  out.expected = cat("a file ", wanted.path, " with a part that matches ", wanted.pattern);
  out.fix = cat("Change ", wanted.path, " so that the pattern matches.");
  if (!seen.text) {
    out.found +=
        cat(", more than the ", limits::evidence_file_bytes_max, " that are looked through");
    return out;
  }
  const auto pattern = schema::Pattern::compile(wanted.pattern);
  if (!pattern || !utf8::is_valid(*seen.text)) {
    out.found += pattern ? ", which is no UTF-8" : "; and the pattern cannot be read";
  } else if (pattern->matches(*seen.text)) {
    out.expected.clear();
  } else {
    out.found += " in which nothing matches";
  }
  return out;
}

Outcome judge_changed(const FileChanged& wanted, const Seen& seen, const Baseline& baseline) {
  Outcome out = judge_file(wanted.path, seen);
  const Seen* before = seen_before(baseline, Look::Kind::file, wanted.path);
  if (out.expected.empty() && before != nullptr && before->kind != Seen::Kind::file) return out;
  const bool is_same =
      before != nullptr && before->bytes == seen.bytes && before->digest == seen.digest;
  if (out.expected.empty() && before != nullptr && !is_same) return out;
  out.expected = cat("a file ", wanted.path, " with another content than when the step began");
  out.fix = cat("Change what ", wanted.path, " says; a new date is not a change.");
  if (before == nullptr)
    out.found += "; and how it was when the step began was not seen";
  else if (is_same)
    out.found += ", byte for byte as it was";
  return out;
}

Outcome judge_commit(const CommitExists& wanted, const Seen& seen, const Baseline& baseline) {
  Outcome out{{}, shown(seen)};
  if (wanted.commit.empty()) {
    const Seen* before = seen_before(baseline, Look::Kind::commit, "");
    const bool is_new =
        seen.kind == Seen::Kind::commit && before != nullptr && before->commit != seen.commit;
    if (is_new) return out;
    out.expected = "a commit at HEAD that was not there when the step began";
    out.fix = "Commit the work of this step.";
    if (seen.kind == Seen::Kind::commit) out.found += ", as it was";
    return out;
  }
  if (!is_commit_id(wanted.commit)) {
    return {cat("a commit by its digest, of at least ", limits::git_sha_chars_min, " characters"),
            cat("\"", cut(wanted.commit, limits::schema_shown_bytes_max), '"'),
            "Give the digest as `git log` shows it; a branch or HEAD says nothing about the work."};
  }
  if (seen.kind == Seen::Kind::commit && seen.commit.starts_with(wanted.commit)) return out;
  out.expected = cat("the commit ", wanted.commit, " in the repository of the workspace");
  out.fix = "Make the commit, and report its real digest.";
  return out;
}

Outcome judge_command(const CommandPasses& wanted, const Seen& seen, const Seen* program,
                      const Baseline& baseline) {
  const std::string line = line_of(wanted.argv);
  Outcome out{{}, with_said(seen), {}, sha256(seen.said)};
  const std::string expected = cat("`", line, "` ends with ", wanted.exit);
  if (seen.kind == Seen::Kind::untrusted) {
    return {expected, shown(seen),
            "Ask the user to look at the workflow's commands and run `baton trust`."};
  }
  const Seen* before =
      program == nullptr ? nullptr : seen_before(baseline, Look::Kind::file, wanted.argv.front());
  if (before != nullptr && before->kind == Seen::Kind::file &&
      (program->kind != Seen::Kind::file || program->digest != before->digest)) {
    return {
        cat("`", line, "` as it was when the step began"),
        cat(wanted.argv.front(), " was changed in this step, so that its word counts no more"),
        cat("Undo the change of ", wanted.argv.front(), " and make it pass by the work itself.")};
  }
  if (seen.kind == Seen::Kind::ended && seen.exit == wanted.exit) return out;
  out.expected = expected;
  out.fix =
      cat("Run `", line, "` in the workspace, mend what it says, then send the output again.");
  return out;
}

std::string_view type_of(const Value& artifact) {
  for (const std::string_view key : {"kind", "type"}) {
    const Value* type = artifact.find(key);
    if (type != nullptr && type->is_string()) return *type->if_string();
  }
  return {};
}

/// What is wrong with an artifact of the right type; empty when nothing is.
std::string fault_of(const ArtifactGiven& wanted, const Value& artifact) {
  const auto bytes = static_cast<std::int64_t>(json::print(artifact).size());
  if (bytes < wanted.min_bytes) return cat("one of ", bytes, " bytes");
  if (!wanted.schema) return {};
  const auto schema = schema::Schema::compile(*wanted.schema, {});
  if (!schema) return "one, but the schema cannot be used";
  const auto fits = schema->check(artifact);
  return fits ? std::string() : cat("one that does not fit: ", fits.error().message);
}

Outcome judge_artifact(const ArtifactGiven& wanted, const json::Array& artifacts) {
  Outcome out{cat("an artifact of type ", wanted.type), "none of that type"};
  if (wanted.min_bytes > 0) out.expected += cat(" with at least ", wanted.min_bytes, " bytes");
  if (wanted.schema) out.expected += " that fits its schema";
  out.fix = cat("Add it to output.artifacts, with \"kind\": \"", wanted.type, "\".");
  for (const Value& artifact : artifacts) {
    if (type_of(artifact) != wanted.type) continue;
    out.found = fault_of(wanted, artifact);
    if (!out.found.empty()) continue;
    return {{}, cat("an artifact of type ", wanted.type), {}, sha256(json::print(artifact))};
  }
  return out;
}

/// Takes the answers of closing_looks() one after the other.
class Answers {
 public:
  explicit Answers(std::span<const Seen> seen) : rest_(seen) {}
  const Seen& next() {
    ASSERT(!rest_.empty());
    const Seen& first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }

 private:
  std::span<const Seen> rest_;
};

}  // namespace

std::string name_of(const Requirement& requirement) {
  const std::string name = std::visit(
      Overloaded{[](const FileExists& each) { return cat("file_exists ", each.path); },
                 [](const FileContains& each) { return cat("file_contains ", each.path); },
                 [](const FileChanged& each) { return cat("file_changed ", each.path); },
                 [](const CommitExists& each) {
                   return each.commit.empty() ? std::string("git_commit_exists")
                                              : cat("git_commit_exists ", each.commit);
                 },
                 [](const CommandPasses& each) { return cat("command ", line_of(each.argv)); },
                 [](const ArtifactGiven& each) { return cat("artifact ", each.type); },
                 [](const StateHolds& each) { return cat("state ", each.expression); }},
      requirement);
  return cut(name, limits::blocker_message_bytes_max / 4);
}

std::vector<std::string> describe_evidence(std::span<const Requirement> requirements) {
  std::vector<std::string> out;
  for (const Requirement& requirement : requirements) {
    out.push_back(std::visit(
        Overloaded{
            [](const FileExists& each) { return cat("The file ", each.path, " is not empty."); },
            [](const FileContains& each) {
              return cat("A part of the file ", each.path, " matches ", each.pattern, '.');
            },
            [](const FileChanged& each) {
              return cat("The file ", each.path, " says something else than before the step.");
            },
            [](const CommitExists& each) {
              return each.commit.empty() ? std::string("HEAD is a new commit.")
                                         : cat("The commit ", each.commit, " exists.");
            },
            [](const CommandPasses& each) {
              return cat("`", line_of(each.argv), "` ends with ", each.exit, '.');
            },
            [](const ArtifactGiven& each) {
              return cat("output.artifacts has one of kind ", each.type,
                         each.min_bytes > 0 ? cat(" with at least ", each.min_bytes, " bytes") : "",
                         each.schema ? cat(" that fits ", json::print(*each.schema)) : "", '.');
            },
            [](const StateHolds& each) { return cat("This is true: ", each.expression, '.'); }},
        requirement));
  }
  return out;
}

std::vector<Look> baseline_looks(std::span<const Requirement> requirements) {
  std::vector<Look> out;
  const auto add = [&](Look look) {
    if (std::ranges::find(out, look) == out.end()) out.push_back(std::move(look));
  };
  for (const Requirement& requirement : requirements) {
    if (const auto* changed = std::get_if<FileChanged>(&requirement)) add(file_look(changed->path));
    if (const auto* commit = std::get_if<CommitExists>(&requirement);
        commit != nullptr && commit->commit.empty()) {
      add({Look::Kind::commit, {}, {}, false});
    }
    if (const auto* command = std::get_if<CommandPasses>(&requirement);
        command != nullptr && is_of_workspace(*command)) {
      add(file_look(command->argv.front()));
    }
  }
  return out;
}

std::vector<Look> closing_looks(std::span<const Requirement> requirements) {
  std::vector<Look> out;
  for (const Requirement& requirement : requirements) {
    std::visit(
        Overloaded{[&](const FileExists& each) { out.push_back(file_look(each.path)); },
                   [&](const FileContains& each) { out.push_back(file_look(each.path, true)); },
                   [&](const FileChanged& each) { out.push_back(file_look(each.path)); },
                   [&](const CommitExists& each) {
                     out.push_back({Look::Kind::commit, each.commit, {}, false});
                   },
                   [&](const CommandPasses& each) {
                     // Before it runs, because it may change itself.
                     if (is_of_workspace(each)) out.push_back(file_look(each.argv.front()));
                     out.push_back({Look::Kind::command, {}, each.argv, false});
                   },
                   [](const ArtifactGiven&) {}, [](const StateHolds&) {}},
        requirement);
  }
  return out;
}

Baseline baseline_of(std::span<const Look> looks, std::span<const Seen> seen) {
  ASSERT(looks.size() == seen.size());
  Baseline out;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    out.push_back({looks[i].kind, looks[i].what, seen[i]});
    out.back().seen.text.reset();
  }
  return out;
}

EvidenceCheck check_evidence(std::span<const Requirement> requirements, const Baseline& baseline,
                             std::span<const Seen> seen, const json::Array& artifacts,
                             const Holds& holds) {
  EvidenceCheck out;
  Answers answers(seen);
  for (const Requirement& requirement : requirements) {
    Outcome outcome = std::visit(
        Overloaded{
            [&](const FileExists& each) { return judge_file(each.path, answers.next()); },
            [&](const FileContains& each) { return judge_contains(each, answers.next()); },
            [&](const FileChanged& each) { return judge_changed(each, answers.next(), baseline); },
            [&](const CommitExists& each) { return judge_commit(each, answers.next(), baseline); },
            [&](const CommandPasses& each) {
              const Seen* program = is_of_workspace(each) ? &answers.next() : nullptr;
              return judge_command(each, answers.next(), program, baseline);
            },
            [&](const ArtifactGiven& each) { return judge_artifact(each, artifacts); },
            [&](const StateHolds& each) {
              const bool is_true = holds(Object{{"js", each.expression}});
              return Outcome{is_true ? "" : cat("that this is true: ", each.expression),
                             is_true ? "it is true" : "it is false",
                             "Bring the state to where it is true, then send the output again."};
            }},
        requirement);
    const std::string name = name_of(requirement);
    if (!outcome.expected.empty()) {
      out.findings.push_back({Reason::evidence_missing,
                              {PointerKind::evidence, name},
                              cat("expected ", outcome.expected, "; found: ", outcome.found),
                              std::move(outcome.fix)});
    }
    out.entries.push_back({name, outcome.expected.empty(),
                           cut(outcome.found, limits::blocker_message_bytes_max), outcome.digest});
  }
  return out;
}

}  // namespace baton::run
