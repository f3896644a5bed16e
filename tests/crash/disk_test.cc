// A disk that fails, fills up or may not be written, under the unmodified server.

#include "base/text/text.h"
#include "support/mounts.h"
#include "support/walk.h"

namespace baton::crash {
namespace {

constexpr std::int64_t disk_bytes = 16 << 20;
constexpr std::int64_t page_bytes = 4096;

/// strace makes a system call on the store's files fail. It counts the calls of each thread apart,
/// and any of the server's threads may write.
std::vector<std::string> failing(const Place& place, std::string_view calls, std::string_view error,
                                 std::string_view when) {
  return {"strace",
          "-f",
          "-qq",
          "-o",
          "/dev/null",
          "-P",
          place.db().string(),
          "-P",
          place.wal().string(),
          "-e",
          cat("trace=", calls),
          "-e",
          cat("inject=", calls, ":error=", error, ":when=", when)};
}

/// A store with some history, its server ended.
void make_history(Walk& walk) {
  walk.start();
  walk.go_on(8);
  walk.end();
}

// Enforces: G1, G10
TEST(disk, a_failed_sync_ends_writing_and_loses_nothing) {
  for (const int when : {1, 2, 3, 5, 8, 13, 21}) {
    SCOPED_TRACE(cat("sync ", when, " fails"));
    Scratch scratch;
    Walk walk(MUST(make_place(scratch.path())));  // the scratch folder is ours
    make_history(walk);

    walk.start(failing(walk.place(), "fdatasync,fsync", "EIO", cat(when)));
    if (when == 1) {
      // Before the first read, the connection that fails is the only one.
      EXPECT_EQ(MUST(walk.server().call(start_call())).code, "STORE_FAILED");
    }
    ASSERT_EQ(walk.go_until_refused(200), "STORE_FAILED");
    // The disk is well again, but what it lost is not known: no writing before a new start.
    for (int i = 0; i < 3; ++i) EXPECT_EQ(walk.step(), "STORE_FAILED");
    EXPECT_EQ(MUST(walk.server().call(start_call())).code, "STORE_FAILED");
    walk.expect_reads_work();
    walk.end();

    walk.expect_nothing_lost();
    walk.start();
    walk.go_on(10);
    walk.end();
    walk.expect_nothing_lost();
  }
}

// Enforces: G1
TEST(disk, a_write_without_room_is_refused_and_succeeds_later_with_the_same_token) {
  for (const int when : {1, 2, 4, 7, 12, 20, 33, 54}) {
    SCOPED_TRACE(cat("writes ", when, " to ", when + 15, " find no room"));
    Scratch scratch;
    Walk walk(MUST(make_place(scratch.path())));  // the scratch folder is ours
    make_history(walk);

    walk.start(failing(walk.place(), "pwrite64", "ENOSPC", cat(when, "..", when + 15)));
    ASSERT_EQ(walk.go_until_refused(200), "STORE_FULL");
    int refused = 1;
    for (int well = 0; well < 20; ++well) {
      const std::string code = walk.step();
      if (code.empty()) continue;
      ASSERT_EQ(code, "STORE_FULL");
      ASSERT_LT(++refused, 500);
      well = 0;
    }
    walk.end();
    walk.expect_nothing_lost();
  }
}

// Enforces: G1
TEST(disk, a_disk_that_stays_full_loses_nothing) {
  for (const int when : {1, 3, 10, 40}) {
    SCOPED_TRACE(cat("no room from write ", when, " on"));
    Scratch scratch;
    Walk walk(MUST(make_place(scratch.path())));  // the scratch folder is ours
    make_history(walk);

    walk.start(failing(walk.place(), "pwrite64", "ENOSPC", cat(when, "+")));
    ASSERT_EQ(walk.go_until_refused(200), "STORE_FULL");
    for (int i = 0; i < 10; ++i) {
      const std::string code = walk.step();
      EXPECT_TRUE(code.empty() || code == "STORE_FULL") << code;
    }
    walk.expect_reads_work();
    walk.end();
    walk.expect_nothing_lost();

    walk.start();
    walk.go_on(10);
    walk.end();
    walk.expect_nothing_lost();
  }
}

// Enforces: G1
TEST(disk, a_disk_that_fills_up_is_written_again_when_there_is_room) {
  // A new disk after ten fillings: what each of them adds to the store stays on it.
  const int stores = is_nightly() ? 200 : 5;
  const int points = 10;
  for (int store = 0; store < stores; ++store) {
    Scratch scratch;
    SmallDisk disk = MUST(SmallDisk::mount(scratch.path() / "disk", disk_bytes));
    Walk walk(MUST(make_place(scratch.path() / "disk")));  // the disk is new and empty
    walk.start();
    walk.go_on(8);
    for (int point = 0; point < points; ++point) {
      // Another number of pages is left each time, from none to about thirty advances' worth.
      const std::int64_t left = (point * stores + store) * 7 % 300;
      SCOPED_TRACE(cat("store ", store, ", point ", point, ", ", left, " pages are left"));
      ASSERT_TRUE(disk.fill_up_to(left * page_bytes));
      ASSERT_EQ(walk.go_until_refused(2'000), "STORE_FULL");
      walk.expect_reads_work();
      // A checkpoint may have made room in the log meanwhile.
      const std::string code = walk.step();
      EXPECT_TRUE(code.empty() || code == "STORE_FULL") << code;
      disk.free_all();
      walk.go_on(5);
      if (::testing::Test::HasFailure()) return;
    }
    walk.end();
    walk.expect_nothing_lost();
  }
}

// Enforces: G1
TEST(disk, a_full_disk_at_the_first_call_is_refused_until_there_is_room) {
  for (const std::int64_t left : {0, 1, 2, 3, 5, 9, 13, 17}) {
    SCOPED_TRACE(cat(left, " pages are left"));
    Scratch scratch;
    SmallDisk disk = MUST(SmallDisk::mount(scratch.path() / "disk", disk_bytes));
    Walk walk(MUST(make_place(scratch.path() / "disk")));  // the disk is new and empty
    ASSERT_TRUE(disk.fill_up_to(left * page_bytes));
    walk.start();
    const std::string code = walk.step();
    EXPECT_TRUE(code == "STORE_FULL" || code == "ENVIRONMENT") << code;
    disk.free_all();
    walk.go_on(10);
    walk.end();
    walk.expect_nothing_lost();
  }
}

// Enforces: G10
TEST(disk, a_killed_servers_store_is_read_on_a_read_only_disk_and_later_written) {
  Scratch scratch;
  SmallDisk disk = MUST(SmallDisk::mount(scratch.path() / "disk", disk_bytes));
  Place place = MUST(make_place(scratch.path() / "disk"));  // the disk is new and empty
  place.log = scratch.path() / "stderr";
  Walk walk(place);
  walk.start();
  walk.go_on(8);
  walk.kill();

  ASSERT_TRUE(disk.set_read_only(true));
  walk.start();
  ASSERT_EQ(walk.go_until_refused(50), "STORE_READ_ONLY");
  walk.expect_reads_work();
  EXPECT_EQ(walk.step(), "STORE_READ_ONLY");
  EXPECT_EQ(MUST(walk.server().call(start_call())).code, "STORE_READ_ONLY");
  ASSERT_TRUE(disk.set_read_only(false));
  walk.go_on(10);
  walk.end();
  walk.expect_nothing_lost();
}

// Enforces: G10
TEST(disk, a_closed_store_is_read_on_a_read_only_disk_and_later_written) {
  Scratch scratch;
  SmallDisk disk = MUST(SmallDisk::mount(scratch.path() / "disk", disk_bytes));
  Place place = MUST(make_place(scratch.path() / "disk"));  // the disk is new and empty
  place.log = scratch.path() / "stderr";
  Walk walk(place);
  make_history(walk);

  ASSERT_TRUE(disk.set_read_only(true));
  walk.start();
  ASSERT_EQ(walk.go_until_refused(50), "STORE_READ_ONLY");
  walk.expect_reads_work();
  EXPECT_EQ(MUST(walk.server().call(start_call())).code, "STORE_READ_ONLY");
  ASSERT_TRUE(disk.set_read_only(false));
  walk.go_on(10);
  walk.end();
  walk.expect_nothing_lost();
}

}  // namespace
}  // namespace baton::crash
