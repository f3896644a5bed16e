#pragma once
// What a store must hold, given what its clients were told. Reads only the log for this; that the
// rows beside it agree with the log is for verbs::verify, which runs too.

#include "support/run_client.h"

namespace baton::crash {

/// What clients hold.
struct Held {
  std::vector<Acked> acked;            // each must be in the log, once
  std::vector<std::string> in_flight;  // tokens sent and not answered: each in the log or not
  std::vector<std::string> runs;       // started, and told so
  std::int64_t starts_unheard = 0;     // at most so many runs more, with nothing but their start

  void add(const RunClient& client);
};

struct StoreCheck {
  std::int64_t commits = 0;
  std::int64_t attempts = 0;            // recorded advances and checkpoints
  std::int64_t in_flight_recorded = 0;  // of them, unheard
  std::int64_t runs_unheard = 0;
  std::int64_t steps_back = 0;  // of the clock, from one commit to the next
  std::vector<std::string> problems;
};

StoreCheck check_store(const std::filesystem::path& db, const Held& held);

}  // namespace baton::crash
