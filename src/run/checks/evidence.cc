#include "run/checks/evidence.h"

#include <algorithm>
#include <utility>

#include "base/core/limits.h"
#include "base/core/overloaded.h"
#include "base/schema/pattern.h"
#include "base/schema/schema.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

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

/// A program that runs a script, and its options with code instead of one.
struct Interpreter {
  std::string_view name;
  std::string_view code_options;  // by their letters
};
constexpr Interpreter interpreters[] = {
    {"sh", "c"},    {"bash", "c"},  {"dash", "c"}, {"zsh", "c"},   {"ksh", "c"},  {"python", "cm"},
    {"node", "ep"}, {"deno", "ep"}, {"bun", "ep"}, {"perl", "eE"}, {"ruby", "e"}, {"php", "r"}};

bool is_about(const Requirement& requirement, std::string_view path) {
  return std::visit(
      [&](const auto& each) {
        if constexpr (requires { each.path; }) return each.path == path;
        return false;
      },
      requirement);
}

/// Of a name like /usr/bin/python3.11; null for other programs.
const Interpreter* interpreter_of(std::string_view program) {
  program.remove_prefix(program.rfind('/') + 1);
  const std::size_t end = program.find_last_not_of("0123456789.");
  const auto found =
      std::ranges::find(interpreters, program.substr(0, end + 1), &Interpreter::name);
  return found == std::end(interpreters) ? nullptr : found;
}

/// The words that may be the script of an interpreter, the likeliest first: of a word behind an
/// option, the text does not show whether it belongs to that option.
std::vector<std::string> scripts_of(const Interpreter& interpreter,
                                    std::span<const std::string> words) {
  const bool has_verbs = interpreter.name == "deno" || interpreter.name == "bun";
  std::vector<std::string> out;
  bool is_behind_option = false;
  for (const std::string& word : words) {
    if (word.starts_with('-') || word.starts_with('+')) {
      const bool is_long = word.starts_with("--");
      const bool is_code =
          is_long ? word == "--eval" || word == "--print"
                  : word.find_first_of(interpreter.code_options, 1) != std::string::npos;
      if (is_code || word == "-") return {};
      is_behind_option = word != "--";
      continue;
    }
    if (has_verbs && out.empty() && (word == "run" || word == "test")) continue;
    out.push_back(word);
    if (!is_behind_option) break;
    is_behind_option = false;
  }
  return out;
}

/// Without what `env` is told.
std::span<const std::string> without_env(std::span<const std::string> argv) {
  if (argv.front() != "env" && !argv.front().ends_with("/env")) return argv;
  const auto program = std::ranges::find_if(argv.subspan(1), [](const std::string& word) {
    return !word.starts_with('-') && !word.contains('=');
  });
  return {program, argv.end()};
}

/// What a command is, where that is a file of the workspace, which the agent can change: its
/// program, or the script of an interpreter, which is the first of them that is a file. Nothing
/// when the step has to write that file.
std::vector<std::string> own_programs(const CommandPasses& command,
                                      std::span<const Requirement> requirements) {
  const auto argv = without_env(command.argv);
  if (argv.empty()) return {};
  const auto is_within = [](const std::string& path) { return !path.starts_with('/'); };
  std::vector<std::string> all;
  if (argv.front().contains('/') && is_within(argv.front())) {
    all = {argv.front()};
  } else if (const Interpreter* interpreter = interpreter_of(argv.front())) {
    all = scripts_of(*interpreter, argv.subspan(1));
  }
  const auto is_to_write = [&](const std::string& path) {
    return std::ranges::any_of(requirements,
                               [&](const Requirement& each) { return is_about(each, path); });
  };
  all.erase(std::ranges::find_if(all, is_to_write), all.end());
  std::erase_if(all, [&](const std::string& path) { return !is_within(path); });
  return all;
}

Probe file_look(std::string path, bool with_text = false) {
  return {Probe::Kind::file, std::move(path), {}, with_text};
}

const ProbeResult* seen_before(const Baseline& baseline, Probe::Kind kind, std::string_view what) {
  const auto found = std::ranges::find_if(
      baseline, [&](const BaselineEntry& each) { return each.kind == kind && each.what == what; });
  return found == baseline.end() ? nullptr : &found->seen;
}

/// The commits that were there before.
CommitSet commits_before(const Baseline& baseline) {
  CommitSet out;
  const ProbeResult* head = seen_before(baseline, Probe::Kind::commit, "");
  if (head == nullptr) return out;
  if (head->known) return *head->known;
  if (head->commit.empty()) return out;
  // As 0.1.0 recorded them: some of the refs, and HEAD.
  std::vector<std::string> ids = head->tips;
  ids.push_back(head->commit);
  out.id_bytes = static_cast<std::int64_t>(head->commit.size() / 2);
  for (const std::string& each : ids) {
    const auto bytes = from_hex(each);
    if (!bytes || each.size() != head->commit.size()) continue;
    out.named.append(bytes->begin(), bytes->end());
  }
  return out;
}

/// How one requirement came out; `expected` is empty when it is met.
struct Outcome {
  std::string expected;
  std::string found;
  std::string fix = {};
  std::optional<Sha256> digest = {};
};

std::string shown(const ProbeResult& seen) {
  switch (seen.kind) {
    case ProbeResult::Kind::nothing: return "nothing with that name exists";
    case ProbeResult::Kind::file:
      return seen.bytes == 0 ? std::string("an empty file")
                             : cat("a file of ", seen.bytes, " bytes");
    case ProbeResult::Kind::folder: return "a folder";
    case ProbeResult::Kind::link: return "a symbolic link, or a path through one";
    case ProbeResult::Kind::other: return "something that is not a file of the workspace";
    case ProbeResult::Kind::commit: return cat("the commit ", seen.commit);
    case ProbeResult::Kind::ended: return cat("it ended with ", seen.exit);
    case ProbeResult::Kind::no_end: return "it did not end by itself";
    case ProbeResult::Kind::untrusted: return "it was not run: the workflow is not trusted";
    case ProbeResult::Kind::no_workspace: return "nothing: the run has no workspace";
    case ProbeResult::Kind::assumed: return "assumed";
  }
  return {};
}

std::string with_said(const ProbeResult& seen) {
  return seen.said.empty() ? shown(seen) : cat(shown(seen), ": ", utf8::as_line(seen.said));
}

Outcome judge_file(const std::string& path, const ProbeResult& seen) {
  Outcome out{{}, shown(seen), {}, seen.digest};
  if (seen.kind != ProbeResult::Kind::file || seen.bytes == 0) {
    out.expected = cat("a file ", path, " that is not empty");
    out.fix = cat("Write the file ", path, " in the workspace, as a regular file.");
  }
  return out;
}

Outcome judge_contains(const FileContains& wanted, const ProbeResult& seen) {
  Outcome out = judge_file(wanted.path, seen);
  if (!out.expected.empty()) return out;
  out.expected = cat("a file ", wanted.path, " with a part that matches ", wanted.pattern);
  out.fix = cat("Change ", wanted.path, " so that the pattern matches.");
  if (!seen.text) {
    out.found += cat(", more than the ", limits::evidence_file_bytes_max, " that are searched");
    return out;
  }
  const auto pattern = schema::Pattern::compile(wanted.pattern);
  if (!pattern || !utf8::is_valid(*seen.text)) {
    out.found += pattern ? ", which is not UTF-8" : "; and the pattern cannot be read";
  } else if (pattern->matches(*seen.text)) {
    out.expected.clear();
  } else {
    out.found += ", and nothing in it matches";
  }
  return out;
}

enum class Sameness : std::uint8_t { same, different, unknown };

/// What a file holds, then and now. Without both digests only another length tells something.
Sameness compared(const ProbeResult& before, const ProbeResult& now) {
  if (before.kind != ProbeResult::Kind::file || now.kind != ProbeResult::Kind::file)
    return Sameness::different;
  if (before.bytes != now.bytes) return Sameness::different;
  if (!before.digest || !now.digest) return Sameness::unknown;
  return before.digest == now.digest ? Sameness::same : Sameness::different;
}

Outcome judge_changed(const FileChanged& wanted, const ProbeResult& seen,
                      const Baseline& baseline) {
  Outcome out = judge_file(wanted.path, seen);
  const bool is_there = out.expected.empty();
  const ProbeResult* before = seen_before(baseline, Probe::Kind::file, wanted.path);
  // What could not be opened then may have had this very content.
  const bool was_seen = before != nullptr && before->kind != ProbeResult::Kind::other &&
                        before->kind != ProbeResult::Kind::no_workspace;
  const Sameness sameness = was_seen ? compared(*before, seen) : Sameness::unknown;
  if (is_there && was_seen && sameness == Sameness::different) return out;
  out.expected = cat("a file ", wanted.path, " whose content has changed since the step began");
  out.fix = cat("Change what ", wanted.path, " contains; a new date is not a change.");
  if (!is_there) return out;
  if (!was_seen) {
    out.found += "; its content at the start of the step is not known";
  } else if (sameness == Sameness::same) {
    out.found += ", unchanged";
  } else {
    out.found += cat(", of the same length as before, too long to compare: files are read up to ",
                     limits::evidence_hashed_bytes_max, " bytes");
    out.fix = cat("Show the work in a shorter file, or in one of another length than ", wanted.path,
                  " had.");
  }
  return out;
}

/// The repository as it was and as it is; nothing when the baseline says nothing about it.
struct RepositoryPair {
  const ProbeResult* before = nullptr;
  const ProbeResult* now = nullptr;
};

constexpr std::string_view unknown_baseline_fix =
    "Rewind the run to before this step, so that Baton reads the repository again.";

/// Why no commit of the repository can prove anything; nothing when it can.
std::optional<Outcome> distrusted(const RepositoryPair& pair) {
  if (pair.before == nullptr) return std::nullopt;
  const ProbeResult& before = *pair.before;
  const ProbeResult& now = *pair.now;
  const std::string expected = "the same repository as when the step began, with a new commit";
  if (before.kind == ProbeResult::Kind::other) {
    return Outcome{expected,
                   cat("the repository could not be read when the step began: ", before.said),
                   std::string(unknown_baseline_fix)};
  }
  if (now.kind == ProbeResult::Kind::other) {
    return Outcome{expected, cat("the repository cannot be read: ", now.said),
                   "Repair the repository, then send the output again."};
  }
  if (now.kind != ProbeResult::Kind::folder) return std::nullopt;
  if (now.alternates && now.alternates != before.alternates) {
    return Outcome{expected,
                   "the repository borrows objects from another one (objects/info/alternates), "
                   "which it did not do when the step began",
                   "Remove the alternates and commit the work of this step."};
  }
  if (before.kind != ProbeResult::Kind::folder) return std::nullopt;
  if (now.place != before.place) {
    return Outcome{expected, "not the same repository as when the step began",
                   "Restore the repository and commit the work of this step in it."};
  }
  if (now.shallow && now.shallow != before.shallow) {
    return Outcome{expected,
                   "the history was cut elsewhere since the step began (the file .git/shallow)",
                   "Restore the file, or fetch the whole history."};
  }
  return std::nullopt;
}

// The tree without a file, by either kind of digest.
constexpr std::string_view empty_trees[] = {
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"};

bool changes_nothing(const FreshCommit& commit) {
  const auto is = [&](std::string_view tree) { return commit.tree == tree; };
  return commit.parent_trees.empty() ? std::ranges::any_of(empty_trees, is)
                                     : std::ranges::any_of(commit.parent_trees, is);
}

/// Why HEAD does not prove work; empty when it does.
std::string fault_of_head(const ProbeResult& head) {
  if (head.fresh.empty()) return ", which adds nothing to what existed before";
  const FreshCommit* repeated = nullptr;
  for (const FreshCommit& each : head.fresh) {
    if (changes_nothing(each)) continue;
    if (each.repeats.empty()) return {};
    if (repeated == nullptr) repeated = &each;
  }
  if (repeated != nullptr) {
    return cat("; but ", repeated->commit, " leaves every file as ", repeated->repeats,
               " did, which existed before, and nothing else is new");
  }
  return head.fresh.size() == 1 ? ", which brings no change of its own"
                                : cat("; but none of ", head.fresh.size(),
                                      " new commits changes a file beyond what existed before");
}

std::string shown_commit(const ProbeResult& seen) {
  if (seen.kind == ProbeResult::Kind::nothing) return "no such commit";
  if (seen.kind == ProbeResult::Kind::other)
    return cat("the repository cannot be read: ", seen.said);
  return shown(seen);
}

Outcome judge_head(const ProbeResult& seen) {
  const bool is_there = seen.kind == ProbeResult::Kind::commit;
  const std::string fault = is_there ? fault_of_head(seen) : std::string();
  Outcome out{{}, shown_commit(seen)};
  if (is_there && fault.empty()) return out;
  out.expected = "a commit at HEAD that was not there when the step began";
  out.fix = "Commit the work of this step.";
  out.found += fault;
  return out;
}

Outcome judge_commit(const CommitExists& wanted, const ProbeResult& seen, const Baseline& baseline,
                     const RepositoryPair& repository) {
  if (!wanted.commit.empty() && !is_commit_id(wanted.commit)) {
    return {cat("a commit by its digest, of at least ", limits::git_sha_chars_min, " characters"),
            cat("\"", cut(wanted.commit, limits::schema_shown_bytes_max), '"'),
            "Send the digest as `git log` shows it; a branch or HEAD does not show the work."};
  }
  if (auto outcome = distrusted(repository)) return *std::move(outcome);
  if (wanted.commit.empty()) {
    const ProbeResult* before = seen_before(baseline, Probe::Kind::commit, "");
    if (before != nullptr && before->kind == ProbeResult::Kind::other) {
      return {"a commit at HEAD that was not there when the step began",
              cat("the commits at the start of the step are not known: ", before->said),
              std::string(unknown_baseline_fix)};
    }
    if (before != nullptr) return judge_head(seen);
    return {"a commit at HEAD that was not there when the step began",
            cat(shown_commit(seen), "; the commits at the start of the step are not known"),
            std::string(unknown_baseline_fix)};
  }
  Outcome out{{}, shown_commit(seen)};
  const bool is_there =
      seen.kind == ProbeResult::Kind::commit && seen.commit.starts_with(wanted.commit);
  if (is_there && seen.is_at_head) return out;
  out.expected = cat("the commit ", wanted.commit, " in the repository of the workspace");
  out.fix = "Make the commit, and report its real digest.";
  if (is_there) {
    out.found += ", which is not reachable from HEAD";
    out.fix = "Merge the commit into the branch that is checked out.";
  }
  return out;
}

/// Its program, where that is a file of the workspace, as it is and as it was.
struct OwnProgram {
  std::string path;
  const ProbeResult& now;
  const ProbeResult* before;

  bool is_file() const {
    return now.kind == ProbeResult::Kind::file ||
           (before != nullptr && before->kind == ProbeResult::Kind::file);
  }
};

Outcome judge_command(const CommandPasses& wanted, const ProbeResult& seen,
                      const std::optional<OwnProgram>& own, std::string_view workflow) {
  const std::string line = line_of(wanted.argv);
  Outcome out{{}, with_said(seen), {}, sha256(seen.said)};
  const std::string expected = cat("that `", line, "` ends with ", wanted.exit);
  if (seen.kind == ProbeResult::Kind::untrusted) {
    return {expected, seen.said.empty() ? shown(seen) : cat("it was not run: ", seen.said),
            cat("Ask the user to review the workflow's commands and run `baton trust ", workflow,
                "`, then send the output again.")};
  }
  if (own && own->before != nullptr && own->before->kind == ProbeResult::Kind::file) {
    const Sameness sameness = compared(*own->before, own->now);
    const std::string as_it_was = cat("`", line, "` as it was when the step began");
    if (sameness == Sameness::different) {
      return {as_it_was, cat(own->path, " was changed in this step, so its result is not accepted"),
              cat("Undo the change of ", own->path, " and make it pass by doing the work.")};
    }
    if (sameness == Sameness::unknown) {
      return {as_it_was,
              cat(own->path, " is too long to compare: files are read up to ",
                  limits::evidence_hashed_bytes_max, " bytes"),
              "Ask the workflow's author for a check outside the workspace."};
    }
  }
  if (seen.kind == ProbeResult::Kind::ended && seen.exit == wanted.exit) return out;
  out.expected = expected;
  out.fix =
      cat("Run `", line, "` in the workspace, fix what it reports, then send the output again.");
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
  return fits ? std::string() : cat("one that does not match its schema: ", fits.error().message);
}

Outcome judge_artifact(const ArtifactGiven& wanted, const json::Array& artifacts) {
  Outcome out{cat("an artifact of type ", wanted.type), "none of that type"};
  if (wanted.min_bytes > 0) out.expected += cat(" with at least ", wanted.min_bytes, " bytes");
  if (wanted.schema) out.expected += " that matches its schema";
  out.fix = cat("Add it to the artifacts, with \"kind\": \"", wanted.type, "\".");
  for (const Value& artifact : artifacts) {
    if (type_of(artifact) != wanted.type) continue;
    out.found = fault_of(wanted, artifact);
    if (!out.found.empty()) continue;
    return {{}, cat("an artifact of type ", wanted.type), {}, sha256(json::print(artifact))};
  }
  return out;
}

/// Takes the answers of closing_looks() one after the other.
class ProbeCursor {
 public:
  explicit ProbeCursor(std::span<const ProbeResult> seen) : rest_(seen) {}
  const ProbeResult& next() {
    ASSERT(!rest_.empty());
    const ProbeResult& first = rest_.front();
    rest_ = rest_.subspan(1);
    last_ = first.kind;
    return first;
  }
  /// What was seen last, since this was asked before.
  std::optional<ProbeResult::Kind> last() { return std::exchange(last_, std::nullopt); }

 private:
  std::span<const ProbeResult> rest_;
  std::optional<ProbeResult::Kind> last_;
};

Outcome judge_state(const StateHolds& wanted, const Holds& holds) {
  const bool is_true = holds(Object{{"js", wanted.expression}});
  return {is_true ? "" : cat("that this is true: ", wanted.expression),
          is_true ? "it is true" : "it is false", "Make it true, then send the output again."};
}

/// The answers about the whole of the workspace and its repository, which come first.
struct Surroundings {
  const ProbeResult* workspace = nullptr;  // nothing: it was not looked at
  RepositoryPair repository = {};
};

/// Why nothing in the workspace can prove anything; nothing when it can.
std::optional<Outcome> distrusted_workspace(const Baseline& baseline, const ProbeResult& now) {
  const ProbeResult& before = *seen_before(baseline, Probe::Kind::workspace, "");
  const auto is_looked_at = [](const ProbeResult& each) {
    return each.kind != ProbeResult::Kind::assumed && each.kind != ProbeResult::Kind::no_workspace;
  };
  if (!is_looked_at(before) || !is_looked_at(now)) return std::nullopt;
  if (now.kind == before.kind && now.place == before.place) return std::nullopt;
  const bool was_there = before.kind == ProbeResult::Kind::folder;
  return Outcome{"the workspace to be the same folder as when the step began",
                 now.kind != ProbeResult::Kind::folder ? "its path is not a folder"
                 : was_there                           ? "its path is now another folder"
                             : "a folder that did not exist when the step began",
                 was_there
                     ? "Restore the folder, or rewind the run to before this step, so that Baton "
                       "reads this folder."
                     : "Start the run again, now that the folder exists."};
}

bool is_in_workspace(const Requirement& requirement) {
  return !std::holds_alternative<ArtifactGiven>(requirement) &&
         !std::holds_alternative<StateHolds>(requirement);
}

Surroundings surroundings(const Baseline& baseline, ProbeCursor& answers) {
  Surroundings out;
  if (seen_before(baseline, Probe::Kind::workspace, "") != nullptr) out.workspace = &answers.next();
  out.repository.before = seen_before(baseline, Probe::Kind::repository, "");
  if (out.repository.before != nullptr) out.repository.now = &answers.next();
  static_cast<void>(answers.last());
  return out;
}

Outcome judge(const Requirement& requirement, std::span<const Requirement> all,
              const Baseline& baseline, const Surroundings& around, ProbeCursor& answers,
              const EvidenceShown& shown) {
  return std::visit(
      Overloaded{
          [&](const FileExists& each) { return judge_file(each.path, answers.next()); },
          [&](const FileContains& each) { return judge_contains(each, answers.next()); },
          [&](const FileChanged& each) { return judge_changed(each, answers.next(), baseline); },
          [&](const CommitExists& each) {
            return judge_commit(each, answers.next(), baseline, around.repository);
          },
          [&](const CommandPasses& each) {
            std::optional<OwnProgram> own;
            for (const std::string& path : own_programs(each, all)) {
              const OwnProgram found{path, answers.next(),
                                     seen_before(baseline, Probe::Kind::file, path)};
              if (!own && found.is_file()) own.emplace(found);
            }
            return judge_command(each, answers.next(), own, shown.workflow);
          },
          [&](const ArtifactGiven& each) { return judge_artifact(each, shown.artifacts); },
          [&](const StateHolds& each) { return judge_state(each, shown.holds); }},
      requirement);
}

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
              return cat("The file ", each.path, " has changed since the step began.");
            },
            [](const CommitExists& each) {
              return each.commit.empty() ? std::string("HEAD has a new commit.")
                                         : cat("The commit ", each.commit, " exists.");
            },
            [](const CommandPasses& each) {
              return cat("`", line_of(each.argv), "` ends with ", each.exit, '.');
            },
            [](const ArtifactGiven& each) {
              return cat("The artifacts have one of kind ", each.type,
                         each.min_bytes > 0 ? cat(" with at least ", each.min_bytes, " bytes") : "",
                         each.schema ? cat(" that matches ", json::print(*each.schema)) : "", '.');
            },
            [](const StateHolds& each) { return cat("This is true: ", each.expression, '.'); }},
        requirement));
  }
  return out;
}

std::vector<Probe> baseline_probes(std::span<const Requirement> requirements) {
  std::vector<Probe> out;
  const auto add = [&](Probe look) {
    if (std::ranges::find(out, look) == out.end()) out.push_back(std::move(look));
  };
  if (std::ranges::any_of(requirements, is_in_workspace)) add({Probe::Kind::workspace, {}, {}, {}});
  for (const Requirement& requirement : requirements) {
    if (const auto* changed = std::get_if<FileChanged>(&requirement)) add(file_look(changed->path));
    if (const auto* commit = std::get_if<CommitExists>(&requirement)) {
      add({Probe::Kind::repository, {}, {}, false});
      if (commit->commit.empty()) add({Probe::Kind::commit, {}, {}, false});
    }
    if (const auto* command = std::get_if<CommandPasses>(&requirement)) {
      for (std::string& own : own_programs(*command, requirements)) add(file_look(std::move(own)));
    }
  }
  return out;
}

std::vector<Probe> closing_probes(std::span<const Requirement> requirements,
                                  const Baseline& baseline) {
  const CommitSet known = commits_before(baseline);
  std::vector<Probe> out;
  // What a baseline of 0.1.0 says nothing about cannot be compared.
  for (const Probe::Kind kind : {Probe::Kind::workspace, Probe::Kind::repository}) {
    if (seen_before(baseline, kind, "") != nullptr) out.push_back({kind, {}, {}, false});
  }
  for (const Requirement& requirement : requirements) {
    std::visit(
        Overloaded{[&](const FileExists& each) { out.push_back(file_look(each.path)); },
                   [&](const FileContains& each) { out.push_back(file_look(each.path, true)); },
                   [&](const FileChanged& each) { out.push_back(file_look(each.path)); },
                   [&](const CommitExists& each) {
                     out.push_back({Probe::Kind::commit, each.commit, {}, false});
                     if (each.commit.empty()) out.back().known = known;
                   },
                   [&](const CommandPasses& each) {
                     // Before it runs, because it may change itself.
                     for (std::string& own : own_programs(each, requirements)) {
                       out.push_back(file_look(std::move(own)));
                     }
                     out.push_back({Probe::Kind::command, {}, each.argv, false});
                   },
                   [](const ArtifactGiven&) {}, [](const StateHolds&) {}},
        requirement);
  }
  return out;
}

Baseline baseline_of(std::span<const Probe> looks, std::span<const ProbeResult> seen) {
  ASSERT(looks.size() == seen.size());
  Baseline out;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    out.push_back({looks[i].kind, looks[i].what, seen[i]});
    out.back().seen.text.reset();
  }
  return out;
}

EvidenceCheck check_evidence(std::span<const Requirement> requirements, const Baseline& baseline,
                             const EvidenceShown& shown) {
  EvidenceCheck out;
  ProbeCursor answers(shown.seen);
  const Surroundings around = surroundings(baseline, answers);
  for (const Requirement& requirement : requirements) {
    Outcome outcome = judge(requirement, requirements, baseline, around, answers, shown);
    if (around.workspace != nullptr && is_in_workspace(requirement)) {
      if (auto reason = distrusted_workspace(baseline, *around.workspace)) {
        outcome = *std::move(reason);
      }
    }
    const auto last = answers.last();
    if (last == ProbeResult::Kind::assumed) outcome.expected.clear();
    if (last == ProbeResult::Kind::no_workspace) {
      outcome.fix =
          "Start the run again with its workspace, the absolute path of the folder that the work "
          "is in.";
    }
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
