#pragma once
// Turns: what waits for a script thread, in an order that is fair. Workflows take turns with one
// another, the runs of a workflow take turns with one another, and the jobs of a run come in the
// order they were asked for. One thread at a time.

#include <cstddef>
#include <cstdint>
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
  /// How many jobs may wait at a time. Those without a run have the bound of a workflow only.
  struct Bounds {
    std::size_t of_run;
    std::size_t of_workflow;  // of all its runs together
  };
  enum class Added : std::uint8_t { yes, run_is_full, workflow_is_full };

  explicit FairQueue(const Bounds& bounds) : bounds_(bounds) {}

  /// Nothing is done when the run or the workflow has as many jobs here as it may have.
  Added add(const ports::ScriptQueueKey& turn, Job job) {
    if (!turn.run.empty() && waiting(turn) >= bounds_.of_run) return Added::run_is_full;
    if (waiting(turn.workflow) >= bounds_.of_workflow) return Added::workflow_is_full;
    place(turn).push_back(std::move(job));
    return Added::yes;
  }

  /// A job that is not finished after its turn: the next one of its run, once that has its turn.
  void put_back(const ports::ScriptQueueKey& turn, Job job) {
    place(turn).push_front(std::move(job));
  }

  /// The job whose turn it is. REQUIRES: there is one.
  Job take() {
    ASSERT(size_ > 0);
    --size_;
    const std::string workflow = std::move(order_.front());
    order_.pop_front();
    Runs& runs = workflows_.at(workflow);
    --runs.size;
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
    std::size_t size = 0;                                      // all of them
  };

  std::size_t waiting(const std::string& workflow) const {
    const auto runs = workflows_.find(workflow);
    return runs == workflows_.end() ? 0 : runs->second.size;
  }

  std::size_t waiting(const ports::ScriptQueueKey& turn) const {
    const auto runs = workflows_.find(turn.workflow);
    if (runs == workflows_.end()) return 0;
    const auto jobs = runs->second.jobs.find(turn.run);
    return jobs == runs->second.jobs.end() ? 0 : jobs->second.size();
  }

  /// Where one more job comes.
  std::deque<Job>& place(const ports::ScriptQueueKey& turn) {
    ++size_;
    const auto [runs, is_new_workflow] = workflows_.try_emplace(turn.workflow);
    if (is_new_workflow) order_.push_back(turn.workflow);
    ++runs->second.size;
    const auto [jobs, is_new_run] = runs->second.jobs.try_emplace(turn.run);
    if (is_new_run) runs->second.order.push_back(turn.run);
    return jobs->second;
  }

  const Bounds bounds_;
  std::size_t size_ = 0;
  std::map<std::string, Runs, std::less<>> workflows_;  // none is without jobs
  std::deque<std::string> order_;                       // those of `workflows_`
};

}  // namespace baton::adapters
