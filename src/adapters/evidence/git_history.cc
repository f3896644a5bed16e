#include "adapters/evidence/git_history.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_set>

#include "adapters/files/place.h"
#include "adapters/vcs/text_file.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

using run::CommitSet;
using run::FreshCommit;
using run::ProbeResult;

/// Calls `take` with each line, without its end.
void each_line(std::string_view text, const auto& take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::vector<std::string_view> words_in(std::string_view line) {
  std::vector<std::string_view> out;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) out.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return out;
}

/// Adds a digest to one of the lists of the set. All digests of a repository are of one length.
void add_id(CommitSet& set, std::string CommitSet::* list, std::string_view digest) {
  const auto bytes = from_hex(digest);
  if (!bytes) return;
  set.id_bytes = static_cast<std::int64_t>(bytes->size());
  (set.*list).append(bytes->begin(), bytes->end());
}

/// One digest a line, each after `prefix`.
std::string id_lines(const std::string& ids, std::int64_t id_bytes, std::string_view prefix) {
  std::string out;
  const auto width = static_cast<std::size_t>(id_bytes);
  for (std::size_t at = 0; width > 0 && at + width <= ids.size(); at += width) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(ids.data() + at);
    out += cat(prefix, to_hex({bytes, width}), '\n');
  }
  return out;
}

Result<std::string> known_place(const std::string& path) {
  auto place = place_of(path);
  if (!place) return fail(Code::ENVIRONMENT, cat("cannot look at ", path));
  return *std::move(place);
}

/// A commit as `--format=%H %T %P` writes it.
struct Written {
  std::string_view commit;
  std::string_view tree;
  std::vector<std::string_view> parents;
};

std::vector<Written> commits_in(std::string_view text) {
  std::vector<Written> out;
  each_line(text, [&](std::string_view line) {
    const std::vector<std::string_view> words = words_in(line);
    if (words.size() < 2 || words[0] == "commit") return;  // git's own line about each
    out.push_back({words[0], words[1], {words.begin() + 2, words.end()}});
  });
  return out;
}

constexpr const char* with_trees = "--format=%H %T %P";

/// `history` has a line for each commit that refs lead to, with its parents; `objects` one for each
/// object, with its kind.
CommitSet ends_of(std::string_view history, std::string_view objects) {
  std::unordered_set<std::string_view> reached;
  std::unordered_set<std::string_view> parents;
  each_line(history, [&](std::string_view line) {
    const auto words = words_in(line);
    if (words.empty()) return;
    reached.insert(words[0]);
    parents.insert(words.begin() + 1, words.end());
  });
  // Sorted, so that the same repository is always written down in the same way.
  std::set<std::string_view> ends;
  std::ranges::copy_if(reached, std::inserter(ends, ends.end()),
                       [&](std::string_view each) { return !parents.contains(each); });
  std::set<std::string_view> others;
  constexpr std::string_view is_commit = "commit ";
  each_line(objects, [&](std::string_view line) {
    if (!line.starts_with(is_commit)) return;
    line.remove_prefix(is_commit.size());
    if (!reached.contains(line)) others.insert(line);
  });
  CommitSet out;
  for (const std::string_view each : ends) add_id(out, &CommitSet::named, each);
  for (const std::string_view each : others) add_id(out, &CommitSet::others, each);
  return out;
}

}  // namespace

Result<std::string> GitHistory::listed(std::vector<std::string> words, std::string input) const {
  VcsCommand command = git_.command(std::move(words));
  command.input = std::move(input);
  command.output_bytes_max = limits::evidence_listing_bytes_max;
  CommandResult done = TRY(run_command(command));
  if (done.exit != 0) return nonzero_exit(command, done);
  return std::move(done.output);
}

Result<std::optional<std::string>> GitHistory::listed_if_short(std::vector<std::string> words,
                                                               std::string input) const {
  VcsCommand command = git_.command(std::move(words));
  command.input = std::move(input);
  command.output_bytes_max = limits::evidence_listing_bytes_max;
  command.may_cut = true;
  CommandResult done = TRY(run_command(command));
  if (done.cut) return std::nullopt;
  if (done.exit != 0) return nonzero_exit(command, done);
  return std::move(done.output);
}

Result<ProbeResult> GitHistory::repository() const {
  const std::string places = TRY(listed({"rev-parse", "--path-format=absolute", "--git-common-dir",
                                         "--git-path", "objects", "--git-path", "shallow"}));
  std::vector<std::string> paths;
  each_line(places, [&](std::string_view line) { paths.emplace_back(line); });
  if (paths.size() != 3) return fail(Code::COMMAND_FAILED, "git did not report its folder");
  ProbeResult out;
  out.kind = ProbeResult::Kind::folder;
  out.place = cat(TRY(known_place(paths[0])), ' ', TRY(known_place(paths[1])));
  std::set<std::string> alternates;
  each_line(TRY(listed({"count-objects", "-v"})), [&](std::string_view line) {
    if (line.starts_with("alternate: ")) alternates.emplace(line);
  });
  std::string all;
  for (const std::string& each : alternates) all += cat(each, '\n');
  if (!all.empty()) out.alternates = sha256(all);
  if (const auto shallow = TRY(read_file(paths[2], limits::evidence_listing_bytes_max))) {
    out.shallow = sha256(shallow->text);
  }
  return out;
}

Result<std::optional<std::string>> GitHistory::find(const std::string& commit) const {
  const VcsCommand asked = git_.command(
      {"rev-parse", "--verify", "--quiet", cat(commit.empty() ? "HEAD" : commit, "^{commit}")});
  const CommandResult done = TRY(run_command(asked));
  if (done.exit == 1) return std::nullopt;
  // git complains about a digest that it does not have, or that is not of a commit.
  if (done.exit != 0 && !commit.empty()) return std::nullopt;
  if (done.exit != 0) return nonzero_exit(asked, done);
  return first_line(done.output);
}

Result<bool> GitHistory::head_leads_to(const std::string& commit) const {
  const VcsCommand asked = git_.command({"merge-base", "--is-ancestor", commit, "HEAD"});
  const CommandResult done = TRY(run_command(asked));
  if (done.exit > 1) return nonzero_exit(asked, done);
  return done.exit == 0;
}

Result<CommitSet> GitHistory::commits() const {
  const auto history = TRY(listed_if_short({"rev-list", "--all", "--parents"}));
  std::optional<std::string> objects;
  if (history) {
    objects = TRY(listed_if_short({"cat-file", "--batch-all-objects", "--unordered",
                                   "--batch-check=%(objecttype) %(objectname)"}));
  }
  CommitSet out = history ? ends_of(*history, objects.value_or("")) : CommitSet();
  if (!history) {
    const std::string tips = TRY(listed({"rev-list", "--no-walk=unsorted", "--all"}));
    each_line(tips, [&](std::string_view line) { add_id(out, &CommitSet::named, line); });
  }
  if (!objects) {
    const std::string logged = TRY(listed({"rev-list", "--reflog", "--not", "--all"}));
    each_line(logged, [&](std::string_view line) { add_id(out, &CommitSet::others, line); });
  }
  const std::size_t count =
      (out.named.size() + out.others.size()) / static_cast<std::size_t>(out.id_bytes);
  if (count > limits::evidence_known_commits_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("it has ", count, " branch tips and unreachable commits; at most ",
                    limits::evidence_known_commits_max, " can be recorded"));
  }
  return out;
}

Result<std::string> GitHistory::not_known(const std::string& head, const CommitSet& known) const {
  const std::string input = cat(head, '\n', id_lines(known.named, known.id_bytes, "^"),
                                id_lines(known.others, known.id_bytes, "^"));
  std::vector<std::string> words = {"rev-list", "--stdin", with_trees,
                                    cat("--max-count=", limits::evidence_fresh_commits_max)};
  auto found = listed(words, input);
  if (found) return found;
  // Commits that no ref led to may be gone: git removes them after a while.
  const std::string there = TRY(listed({"cat-file", "--batch-check=%(objectname)"},
                                       id_lines(known.named, known.id_bytes, "")));
  if (there.contains(" missing\n")) {
    return fail(Code::COMMAND_FAILED,
                "commits that existed when the step began are missing, so the "
                "server cannot tell what is new");
  }
  // git reads its input when it reaches --stdin, so this must be before it.
  words.insert(words.begin() + 1, "--ignore-missing");
  return listed(std::move(words), input);
}

Result<std::vector<FreshCommit>> GitHistory::fresh(const std::string& head,
                                                   const CommitSet& known) const {
  const std::string new_text = TRY(not_known(head, known));
  std::vector<Written> news = commits_in(new_text);
  if (news.empty()) return std::vector<FreshCommit>();
  // git walks by date and stops early, so it can miss that an old commit with a false date is
  // known. A walk that excludes nothing misses nothing.
  const auto all_known = TRY(listed_if_short({"rev-list", "--ignore-missing", "--stdin"},
                                             id_lines(known.named, known.id_bytes, "")));
  if (all_known) {
    std::unordered_set<std::string_view> is_known;
    each_line(*all_known, [&](std::string_view line) { is_known.insert(line); });
    std::erase_if(news, [&](const Written& each) { return is_known.contains(each.commit); });
    if (news.empty()) return std::vector<FreshCommit>();
  }
  // Of the old ones only those that HEAD does not lead to: a change that was undone since may be
  // made again.
  std::string old_text;
  if (!known.named.empty()) {
    old_text = TRY(listed({"rev-list", "--ignore-missing", "--stdin", with_trees,
                           cat("--max-count=", limits::evidence_compared_commits_max)},
                          cat(id_lines(known.named, known.id_bytes, ""), '^', head, '\n')));
  }
  std::set<std::string_view> new_trees;
  for (const Written& each : news) new_trees.insert(each.tree);
  std::vector<Written> olds = commits_in(old_text);
  std::erase_if(olds, [&](const Written& each) { return !new_trees.contains(each.tree); });
  // What led to the same files before is the same work, however it is cut into commits.
  std::map<std::string_view, std::string_view> old_trees;
  for (const Written& each : olds) old_trees.emplace(each.tree, each.commit);
  std::set<std::string_view> parents;
  for (const Written& each : news) parents.insert(each.parents.begin(), each.parents.end());
  std::string asked;
  for (const std::string_view each : parents) asked += cat(each, '\n');
  const std::string tree_text =
      asked.empty() ? std::string()
                    : TRY(listed({"rev-list", "--no-walk=unsorted", "--stdin", with_trees}, asked));
  std::map<std::string_view, std::string_view> trees;
  for (const Written& each : commits_in(tree_text)) trees[each.commit] = each.tree;
  std::vector<FreshCommit> out;
  for (const Written& each : news) {
    std::vector<std::string> from;
    for (const std::string_view parent : each.parents) from.emplace_back(trees[parent]);
    const auto old = old_trees.find(each.tree);
    out.push_back({std::string(each.commit), std::string(each.tree), std::move(from),
                   std::string(old == old_trees.end() ? std::string_view() : old->second)});
  }
  return out;
}

}  // namespace baton::adapters
