#pragma once
// Turns: what waits for a script thread, in an order that is fair. Workflows take turns with one
// another, the runs of a workflow take turns with one another, and the jobs of a run come in the
// order they were asked for. One thread at a time.

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "base/core/result.h"
#include "ports/script_host.h"

namespace baton::adapters {

template <class Job>
class FairQueue {
 public:
  /// At most `run_jobs_max` jobs of one run wait at a time.
  explicit FairQueue(std::size_t run_jobs_max) : run_jobs_max_(run_jobs_max) {}

  /// False, and nothing done, when the run has as many jobs here as it may have.
  bool add(const ports::ScriptQueueKey& turn, Job job) {
    if (waiting(turn) >= run_jobs_max_) return false;
    place(turn).push_back(std::move(job));
    ++size_;
    return true;
  }

  /// A job that is not finished after its turn: the next one of its run, once that has its turn.
  void put_back(const ports::ScriptQueueKey& turn, Job job) {
    place(turn).push_front(std::move(job));
    ++size_;
  }

  /// The job whose turn it is. REQUIRES: there is one.
  Job take() {
    ASSERT(size_ > 0);
    --size_;
    const std::string workflow = std::move(order_.front());
    order_.pop_front();
    Runs& runs = workflows_.at(workflow);
    const std::string run = std::move(runs.order.front());
    runs.order.pop_front();
    std::deque<Job>& jobs = runs.jobs.at(run);
    Job job = std::move(jobs.front());
    jobs.pop_front();
    if (jobs.empty()) {
      runs.jobs.erase(run);
    } else {
      runs.order.push_back(run);
    }
    if (runs.jobs.empty()) {
      workflows_.erase(workflow);
    } else {
      order_.push_back(workflow);
    }
    return job;
  }

  /// Whether a job of any other run waits.
  bool has_other(const ports::ScriptQueueKey& turn) const { return size_ > waiting(turn); }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

 private:
  struct Runs {
    std::map<std::string, std::deque<Job>, std::less<>> jobs;  // none is empty
    std::deque<std::string> order;                             // those of `jobs`
  };

  std::size_t waiting(const ports::ScriptQueueKey& turn) const {
    const auto runs = workflows_.find(turn.workflow);
    if (runs == workflows_.end()) return 0;
    const auto jobs = runs->second.jobs.find(turn.run);
    return jobs == runs->second.jobs.end() ? 0 : jobs->second.size();
  }

  std::deque<Job>& place(const ports::ScriptQueueKey& turn) {
    const auto [runs, is_new_workflow] = workflows_.try_emplace(turn.workflow);
    if (is_new_workflow) order_.push_back(turn.workflow);
    const auto [jobs, is_new_run] = runs->second.jobs.try_emplace(turn.run);
    if (is_new_run) runs->second.order.push_back(turn.run);
    return jobs->second;
  }

  const std::size_t run_jobs_max_;
  std::size_t size_ = 0;
  std::map<std::string, Runs, std::less<>> workflows_;  // none is without jobs
  std::deque<std::string> order_;                       // those of `workflows_`
};

}  // namespace baton::adapters
