#pragma once
// One client, one server after the other, one call at a time: what the tests of outside faults
// share. Asserts through gtest. One thread.

#include <gtest/gtest.h>

#include "support/store_check.h"

namespace baton::crash {

/// "nightly" multiplies the sizes of the tests.
bool is_nightly();

/// The seed of this run; the same unless BATON_CRASH_SEED says otherwise.
std::uint64_t crash_seed();

class Walk {
 public:
  explicit Walk(Place place);

  /// Starts a server on the place; the last one must have ended.
  void start(std::vector<std::string> wrapper = {}, std::vector<std::string> environment = {});
  void end();
  void kill();

  /// Sends the call that is out, or the next one. The code of the error; empty: it was taken.
  std::string step();

  /// So many steps that must succeed.
  void go_on(int steps);

  /// Steps until one is refused, at most so many: its code, or empty.
  std::string go_until_refused(int steps_max);

  /// A point can be looked at and a recorded answer comes again, byte by byte.
  void expect_reads_work();

  /// The store holds what this client was told, and nothing else.
  StoreCheck expect_nothing_lost();

  RunClient& client() { return client_; }
  Server& server() { return *server_; }
  const Place& place() const { return place_; }

 private:
  Answer call(const Call& call);

  Place place_;
  RunClient client_;
  std::string last_error_;
  std::unique_ptr<Server> server_;
};

}  // namespace baton::crash
