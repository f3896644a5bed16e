// The AuxStore port over both adapters, and what is special about the file.

#include <gtest/gtest.h>

#include <fstream>

#include "adapters/store/memory/memory_aux.h"
#include "adapters/store/sqlite/aux_store.h"
#include "base/core/limits.h"
#include "base/text/text.h"
#include "support/acts.h"
#include "support/stores.h"

namespace baton::contract {
namespace {

using adapters::MemoryAux;
using adapters::SqliteAux;

ports::CallRecord call(std::int64_t n) {
  return {WallMs{n}, cat("tool", n), n % 2 == 0 ? "" : "NOT_FOUND", n * 10,
          n % 3 == 0 ? std::optional(run_id(7)) : std::nullopt};
}

void holds_what_it_was_told(ports::AuxStore& aux) {
  EXPECT_EQ(got(aux.counter("calls")), 0);
  aux.count("calls", 2);
  aux.count("calls", 3);
  aux.count("other", 1);
  for (std::int64_t n = 1; n <= 5; ++n) aux.record(call(n));
  EXPECT_EQ(got(aux.counter("calls")), 5);
  EXPECT_EQ(got(aux.calls(3)), (std::vector{call(5), call(4), call(3)}));
  aux.count("calls", 1);
  EXPECT_EQ(got(aux.counter("calls")), 6);
}

TEST(aux_store, memory_holds_what_it_was_told) {
  MemoryAux aux;
  holds_what_it_was_told(aux);
}

TEST(aux_store, the_file_holds_what_it_was_told_and_keeps_it) {
  TempDir folder;
  {
    holds_what_it_was_told(*SqliteAux::open(folder.path("store.db")));
  }
  const auto again = SqliteAux::open(folder.path("store.db"));
  EXPECT_EQ(got(again->counter("calls")), 6);
  EXPECT_EQ(got(again->calls(100)).size(), 5u);
}

void remembers_up_to_its_limit(ports::AuxStore& aux) {
  EXPECT_EQ(aux.remembered("k0"), std::nullopt);
  for (std::size_t n = 0; n < limits::aux_texts_max; ++n) aux.remember(cat("k", n), cat("t", n));
  EXPECT_EQ(aux.remembered("k0"), "t0");
  // One more than there is room for makes room.
  aux.remember("more", "text");
  static_cast<void>(aux.counter("flushes"));
  EXPECT_EQ(aux.remembered("more"), "text");
  EXPECT_EQ(aux.remembered("k0"), std::nullopt);
}

// Enforces: G9
TEST(aux_store, texts_are_remembered_up_to_their_limit) {
  MemoryAux memory;
  remembers_up_to_its_limit(memory);
  TempDir folder;
  remembers_up_to_its_limit(*SqliteAux::open(folder.path("store.db")));
  EXPECT_EQ(SqliteAux::open(folder.path("store.db"))->remembered("more"), "text");
}

TEST(aux_store, only_the_newest_calls_are_kept) {
  TempDir folder;
  const auto file = SqliteAux::open(folder.path("store.db"));
  const auto kept = static_cast<std::int64_t>(limits::aux_calls_max);
  for (std::int64_t n = 1; n <= kept; ++n) file->record(call(n));
  EXPECT_EQ(got(file->calls(limits::aux_calls_max + 10)).back(), call(1));
  file->record(call(kept + 1));
  const auto calls = got(file->calls(limits::aux_calls_max + 10));
  EXPECT_EQ(calls.size(), limits::aux_calls_max);
  EXPECT_EQ(calls.front(), call(kept + 1));
  EXPECT_EQ(calls.back(), call(2));

  MemoryAux memory;
  const auto pending = static_cast<std::int64_t>(limits::aux_pending_calls_max);
  for (std::int64_t n = 1; n <= pending + 1; ++n) memory.record(call(n));
  EXPECT_EQ(got(memory.calls(SIZE_MAX)).size(), limits::aux_pending_calls_max);
}

TEST(aux_store, two_processes_files_add_up) {
  TempDir folder;
  const auto one = SqliteAux::open(folder.path("store.db"));
  const auto two = SqliteAux::open(folder.path("store.db"));
  one->count("n", 1);
  two->count("n", 2);
  EXPECT_EQ(got(one->counter("n")), 1);
  EXPECT_EQ(got(two->counter("n")), 3);
  EXPECT_EQ(got(one->counter("n")), 3);
}

TEST(aux_store, a_damaged_file_is_rebuilt) {
  TempDir folder;
  std::ofstream(folder.path("store.db.aux")) << std::string(8192, 'x');
  {
    SqliteAux::open(folder.path("store.db"))->count("n", 1);
  }
  EXPECT_EQ(got(SqliteAux::open(folder.path("store.db"))->counter("n")), 1);
}

TEST(aux_store, without_a_place_for_the_file_it_stays_in_memory) {
  const auto aux = SqliteAux::open("/proc/nowhere/store.db");
  holds_what_it_was_told(*aux);
}

}  // namespace
}  // namespace baton::contract
