#pragma once
// What evidence asks a git repository: which repository it is, which commits it has, and which of
// those that HEAD leads to were not there before. Changes nothing in it and starts no program but
// git. Any thread.

#include "adapters/vcs/git_command.h"
#include "run/log/evidence_record.h"

namespace baton::adapters {

class GitHistory {
 public:
  /// REQUIRES: `git` lives as long as this.
  explicit GitHistory(const Git& git) : git_(git) {}

  /// The repository as a folder, with what could bring in commits from elsewhere or hide some.
  Result<run::ProbeResult> repository() const;

  /// The whole digest of the commit, or of HEAD when `commit` is empty; nothing when it is not
  /// there. REQUIRES: `commit` has hexadecimal digits only.
  Result<std::optional<std::string>> find(const std::string& commit) const;

  /// REQUIRES: the repository has this commit, by its whole digest.
  Result<bool> head_leads_to(const std::string& commit) const;

  /// Every commit that is there: by refs, and one by one where no ref leads to it. Of a repository
  /// whose list of objects is longer than limits::evidence_listing_bytes_max, what neither a ref
  /// nor a reflog leads to is left out. LIMIT_EXCEEDED past limits::evidence_known_commits_max.
  Result<run::CommitSet> commits() const;

  /// What `head` leads to and `known` does not, the newest first, at most
  /// limits::evidence_fresh_commits_max. An error when some of what refs named is gone: its
  /// ancestors cannot be told from new commits then. In a repository whose list of commits is
  /// longer than limits::evidence_listing_bytes_max, git may take an old commit with a false date
  /// for a new one.
  Result<std::vector<run::FreshCommit>> fresh(const std::string& head,
                                              const run::CommitSet& known) const;

 private:
  Result<std::string> listed(std::vector<std::string> words, std::string input = {}) const;
  /// Nothing when the output is too long.
  Result<std::optional<std::string>> listed_if_short(std::vector<std::string> words,
                                                     std::string input = {}) const;
  Result<std::string> not_known(const std::string& head, const run::CommitSet& known) const;

  const Git& git_;
};

}  // namespace baton::adapters
