#pragma once
// Agents that lose things drive runs to their end through the real server, two at a time. Counts
// what it took. One thread.

#include <array>
#include <map>

#include "adversary.h"

namespace baton::lossy {

struct Figures {
  struct OfFault {
    std::int64_t times = 0;
    std::int64_t extra_calls = 0;
    std::int64_t extra_calls_most = 0;  // after one of them
  };
  std::int64_t calls = 0;
  std::int64_t calls_without_faults = 0;
  std::array<OfFault, fault_count> by_fault{};

  std::int64_t faults() const;
  std::int64_t extra_calls() const;
  /// As a Markdown table.
  std::string table() const;
};

/// One run and the agent that drives it.
struct Driven {
  explicit Driven(Story told) : story(std::move(told)) {}

  Story story;
  Memory memory;
  std::vector<Call> past;                              // that settled a step
  std::map<std::string, std::vector<Content>> handed;  // all right for their step
  std::int64_t branches_max = 0;  // that its faults may leave behind: wrong tokens and other words
};

class Play {
 public:
  Play(Wire& wire, std::uint64_t seed) : wire_(wire), adversary_(seed) {}

  /// Both to their end, in turns. An error says what broke a promise, and with which fault.
  Result<void> drive(Driven& first, Driven& second);

  const Figures& figures() const { return figures_; }

 private:
  struct Turn;

  Result<void> settle_one(Driven& mine, Driven& other);
  Result<std::optional<Told>> deliver(Turn& turn);
  Result<std::optional<Told>> deliver_twice(Turn& turn, bool at_once);
  Result<std::optional<Told>> deliver_reordered(Turn& turn);
  Result<Told> ask(const Call& call);
  void plan_call(Turn& turn, Words words);
  void heed(Turn& turn, const Told& told);
  void count_extra(Turn& turn);
  void allow_branch(Turn& turn);

  Wire& wire_;
  Adversary adversary_;
  Figures figures_;
};

}  // namespace baton::lossy
