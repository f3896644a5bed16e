#pragma once
// A page of a log on its way: bounded by a number of commits and by their bytes. One thread.

#include <vector>

#include "base/core/limits.h"
#include "run/log/rows.h"

namespace baton::adapters {

class LogPage {
 public:
  explicit LogPage(std::size_t commits_max) : commits_max_(commits_max) {}

  bool is_full() const {
    return commits_.size() >= commits_max_ || bytes_ >= limits::log_page_bytes_max;
  }

  /// REQUIRES: it is not full.
  void add(run::Commit commit) {
    bytes_ += commit.body.size();
    commits_.push_back(std::move(commit));
  }

  std::vector<run::Commit> take() && { return std::move(commits_); }

 private:
  const std::size_t commits_max_;
  std::size_t bytes_ = 0;
  std::vector<run::Commit> commits_;
};

}  // namespace baton::adapters
