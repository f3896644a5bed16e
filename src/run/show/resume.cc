#include "run/show/resume.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/core/limits.h"
#include "base/text/search.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::run {
namespace {

constexpr std::string_view match_names[] = {"id",       "head_sha",   "branch", "notes",
                                            "workflow", "some_words", "recency"};

/// The folder itself, or one beneath it.
bool is_within(std::string_view path, std::string_view folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  if (folder.empty() || !path.starts_with(folder)) return false;
  return path.size() == folder.size() || path[folder.size()] == '/' || folder == "/";
}

bool is_same_commit(std::string_view one, std::string_view other) {
  if (std::min(one.size(), other.size()) < limits::git_sha_chars_min) return false;
  return one.starts_with(other) || other.starts_with(one);
}

int branch_match(std::string_view one, std::string_view other) {
  if (one.empty() || other.empty()) return 0;
  if (one == other) return 2;
  return one.starts_with(other) || other.starts_with(one) ? 1 : 0;
}

}  // namespace

std::string_view name_of(Match match) { return match_names[static_cast<std::size_t>(match)]; }

void read_query(std::string_view query, ResumeQuestion& question) {
  std::string rest;
  while (!query.empty()) {
    const std::size_t end = std::min(query.size(), query.find_first_of(" \t\r\n,;\"'`()[]<>"));
    const std::string_view piece = query.substr(0, end);
    query.remove_prefix(std::min(query.size(), end + 1));
    if (const auto run = RunId::parse(piece)) {
      question.runs.push_back(*run);
    } else if (const auto session = SessionId::parse(piece)) {
      question.sessions.push_back(*session);
    } else {
      rest += cat(piece, ' ');
    }
  }
  for (std::string& word : search_tokens(rest)) {
    if (question.words.size() == limits::search_words_max) break;
    if (std::ranges::find(question.words, word) == question.words.end()) {
      question.words.push_back(std::move(word));
    }
  }
}

void ResumeRanking::begin(std::int64_t runs, std::span<const std::int64_t> runs_with_word) {
  // A word that occurs in every run tells nothing; one in half as many runs tells more.
  for (const std::int64_t with : runs_with_word) {
    const auto share = static_cast<std::uint64_t>(runs / std::max<std::int64_t>(with, 1));
    weights_.push_back(std::max(0, static_cast<int>(std::bit_width(share)) - 1));
  }
}

bool ResumeRanking::is_named(const FoundRun& run) const {
  return std::ranges::find(question_.runs, run.run) != question_.runs.end() ||
         std::ranges::find(question_.sessions, run.session) != question_.sessions.end();
}

bool ResumeRanking::is_here(const FoundRun& run) const {
  if (question_.workspace.empty()) return true;
  const RunSurroundings& around = run.around;
  if (!question_.repo_root.empty() && (around.repo_root == question_.repo_root ||
                                       is_within(around.workspace, question_.repo_root))) {
    return true;
  }
  return is_within(around.workspace, question_.workspace) ||
         (!around.workspace.empty() && is_within(question_.workspace, around.workspace));
}

ResumeRanking::Ranked ResumeRanking::rank(const FoundRun& run) const {
  Ranked out;
  out.id = is_named(run);
  out.head_sha = is_same_commit(run.around.head_sha, question_.head_sha);
  out.branch = branch_match(run.around.branch, question_.branch);
  const std::size_t count = question_.words.size();
  if (count > 0) {
    const std::uint64_t all = (std::uint64_t{1} << count) - 1;
    const auto names = search_tokens(cat(run.workflow_id, ' ', run.workflow_name));
    std::uint64_t named = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_in_name = std::ranges::find(names, question_.words[i]) != names.end();
      if (is_in_name) named |= std::uint64_t{1} << i;
      if (is_in_name || (run.words >> i & 1) != 0) out.weight += weights_[i];
    }
    out.notes = run.words == all;
    out.workflow = named == all;
  }
  out.run = run;
  return out;
}

bool ResumeRanking::is_better(const Ranked& a, const Ranked& b) {
  const auto reasons = [](const Ranked& r) {
    return std::tuple(r.id, r.head_sha, r.branch, r.notes, r.workflow, r.weight, r.run.last);
  };
  if (reasons(a) != reasons(b)) return reasons(a) > reasons(b);
  return std::tie(a.run.session, a.run.run) < std::tie(b.run.session, b.run.run);
}

void ResumeRanking::add(const FoundRun& run) {
  if (run.around.principal != question_.principal) return;
  if (!is_here(run) && !is_named(run)) {
    ++elsewhere_;
    return;
  }
  ++eligible_;
  const auto keep = [](std::vector<Ranked>& kept, Ranked ranked, std::size_t most) {
    kept.insert(std::ranges::upper_bound(kept, ranked, is_better), std::move(ranked));
    if (kept.size() > most) kept.pop_back();
  };
  Ranked ranked = rank(run);
  if (ranked.notes) keep(by_words_, ranked, 1);
  keep(kept_, std::move(ranked), candidates_max_);
}

ResumeCandidate ResumeRanking::candidate(Ranked ranked) {
  ResumeCandidate out;
  const auto because = [&](bool holds, Match match) {
    if (holds) out.why.push_back(match);
  };
  because(ranked.id, Match::id);
  because(ranked.head_sha, Match::head_sha);
  because(ranked.branch > 0, Match::branch);
  because(ranked.notes, Match::notes);
  because(ranked.workflow, Match::workflow);
  because(ranked.weight > 0 && !ranked.notes && !ranked.workflow, Match::some_words);
  because(out.why.empty(), Match::recency);
  out.run = std::move(ranked.run);
  return out;
}

std::vector<ResumeCandidate> ResumeRanking::best() && {
  const bool has_words = std::ranges::any_of(kept_, &Ranked::notes);
  if (!has_words && !by_words_.empty() && !kept_.empty()) kept_.back() = by_words_.front();
  std::vector<ResumeCandidate> out;
  for (Ranked& ranked : kept_) out.push_back(candidate(std::move(ranked)));
  return out;
}

std::string snippet_of(std::string_view text, const std::vector<std::string>& words) {
  std::size_t start = 0;
  for (std::size_t line = 0; line < text.size() && !words.empty();) {
    const std::size_t end = std::min(text.size(), text.find('\n', line));
    const auto tokens = search_tokens(text.substr(line, end - line));
    const auto is_asked = [&](const std::string& token) {
      return std::ranges::find(words, token) != words.end();
    };
    if (std::ranges::any_of(tokens, is_asked)) {
      start = line;
      break;
    }
    line = end + 1;
  }
  constexpr std::string_view skipped = "[...]\n";
  if (start == 0) return utf8::truncate(text, limits::resume_snippet_bytes_max);
  return cat(skipped,
             utf8::truncate(text.substr(start), limits::resume_snippet_bytes_max - skipped.size()));
}

}  // namespace baton::run
