#include "disk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

namespace baton::powercut {
namespace {

constexpr std::uint64_t cuts = 200;

OpPtr op(Op op) { return std::make_shared<const Op>(std::move(op)); }
OpPtr create(Inode inode, std::string name) {
  return op({.kind = Op::Kind::create, .inode = inode, .name = std::move(name)});
}
OpPtr write(Inode inode, std::int64_t offset, std::size_t size, std::uint8_t byte) {
  return op({.kind = Op::Kind::write, .inode = inode, .offset = offset, .data = Bytes(size, byte)});
}
OpPtr sync(Inode inode) { return op({.kind = Op::Kind::sync, .inode = inode}); }
OpPtr sync_folder() { return op({.kind = Op::Kind::sync_folder}); }

Disk disk_of(Profile profile, const std::vector<OpPtr>& ops) {
  Disk out(profile);
  for (const OpPtr& each : ops) out.apply(each);
  return out;
}

/// What `cuts` cuts leave.
std::vector<Files> many_cuts(const Disk& disk, const OpPtr& in_flight = nullptr) {
  std::vector<Files> out;
  for (std::uint64_t seed = 0; seed < cuts; ++seed) {
    Dice dice(seed);
    out.push_back(disk.cut(dice, in_flight));
  }
  return out;
}

template <class Test>
std::size_t count(const std::vector<Files>& all, Test test) {
  return static_cast<std::size_t>(std::ranges::count_if(all, test));
}

TEST(disk, what_was_synced_survives_every_cut) {
  const Disk disk = disk_of({}, {create(1, "/a"), write(1, 0, 2000, 7), sync(1), sync_folder()});
  for (const Files& left : many_cuts(disk)) {
    EXPECT_EQ(left, (Files{{"/a", Bytes(2000, 7)}}));
  }
}

TEST(disk, name_without_a_folder_sync_may_be_lost_with_all_its_data) {
  const Disk disk = disk_of({}, {create(1, "/a"), write(1, 0, 2000, 7), sync(1)});
  const auto lost = count(many_cuts(disk), [](const Files& left) { return left.empty(); });
  EXPECT_GT(lost, 0u);
  EXPECT_LT(lost, cuts);
  EXPECT_FALSE(disk.is_name_certain("/a", 1));
}

TEST(disk, removal_without_a_folder_sync_may_be_undone) {
  const Disk disk = disk_of({}, {create(1, "/a"), write(1, 0, 9, 7), sync(1), sync_folder(),
                                 op({.kind = Op::Kind::remove, .inode = 1, .name = "/a"})});
  const auto back =
      count(many_cuts(disk), [](const Files& left) { return left == Files{{"/a", Bytes(9, 7)}}; });
  EXPECT_GT(back, 0u);
  EXPECT_LT(back, cuts);
}

TEST(disk, unsynced_write_may_be_whole_lost_torn_or_garbage) {
  const Disk disk = disk_of(
      {}, {create(1, "/a"), write(1, 0, 2048, 1), sync(1), sync_folder(), write(1, 0, 2048, 2)});
  std::size_t whole = 0;
  std::size_t lost = 0;
  std::size_t torn = 0;
  std::size_t garbage = 0;
  for (const Files& left : many_cuts(disk)) {
    const Bytes& bytes = left.at("/a");
    const auto old_bytes = std::ranges::count(bytes, 1);
    const auto new_bytes = std::ranges::count(bytes, 2);
    whole += new_bytes == 2048;
    lost += old_bytes == 2048;
    torn += old_bytes + new_bytes == 2048 && old_bytes % 512 == 0 && old_bytes % 2048 != 0;
    garbage += old_bytes + new_bytes < 2000;
  }
  EXPECT_GT(whole, 0u);
  EXPECT_GT(lost, 0u);
  EXPECT_GT(torn, 0u);
  EXPECT_GT(garbage, 0u);
}

TEST(disk, write_in_flight_may_be_kept) {
  const Disk disk = disk_of({}, {create(1, "/a"), write(1, 0, 512, 1), sync(1), sync_folder()});
  const auto kept = count(many_cuts(disk, write(1, 0, 512, 2)),
                          [](const Files& left) { return left.at("/a") == Bytes(512, 2); });
  EXPECT_GT(kept, 0u);
  EXPECT_LT(kept, cuts);
}

TEST(disk, later_write_may_survive_an_earlier_one) {
  const Disk disk = disk_of({}, {create(1, "/a"), write(1, 0, 1024, 1), sync(1), sync_folder(),
                                 write(1, 0, 512, 2), write(1, 512, 512, 3)});
  const auto swapped = count(many_cuts(disk), [](const Files& left) {
    return left.at("/a")[0] == 1 && left.at("/a")[512] == 3;
  });
  EXPECT_GT(swapped, 0u);
}

TEST(disk, powersafe_overwrite_keeps_garbage_out_of_synced_neighbours) {
  for (const bool powersafe : {true, false}) {
    Profile profile;
    profile.powersafe_overwrite = powersafe;
    const Disk disk = disk_of(profile, {create(1, "/a"), write(1, 0, 4096, 1), sync(1),
                                        sync_folder(), write(1, 1000, 100, 2)});
    const auto hurt = count(many_cuts(disk), [](const Files& left) {
      return std::ranges::count(left.at("/a"), 1) < 4096 - 100;
    });
    EXPECT_EQ(hurt > 0, !powersafe);
  }
}

TEST(disk, atomic_sectors_are_old_or_new) {
  Profile profile;
  profile.atomic_sector = true;
  const Disk disk = disk_of(profile, {create(1, "/a"), write(1, 0, 2048, 1), sync(1), sync_folder(),
                                      write(1, 0, 2048, 2)});
  for (const Files& left : many_cuts(disk)) {
    for (std::size_t sector = 0; sector < 2048; sector += 512) {
      const std::span<const std::uint8_t> bytes(left.at("/a").data() + sector, 512);
      const auto fresh = std::ranges::count(bytes, 2);
      EXPECT_TRUE(fresh == 512 || (fresh == 0 && std::ranges::count(bytes, 1) == 512));
    }
  }
}

TEST(disk, safe_append_never_leaves_a_hole) {
  Profile profile;
  profile.safe_append = true;
  const Disk disk = disk_of(profile, {create(1, "/a"), sync(1), sync_folder(), write(1, 0, 700, 1),
                                      write(1, 700, 700, 1), write(1, 1400, 700, 1)});
  for (const Files& left : many_cuts(disk)) {
    EXPECT_EQ(std::ranges::count(left.at("/a"), 1),
              static_cast<std::int64_t>(left.at("/a").size()));
  }
}

TEST(disk, sequential_device_keeps_a_prefix_across_files) {
  Profile profile;
  profile.sequential = true;
  const Disk disk = disk_of(profile, {create(1, "/a"), create(2, "/b"), sync_folder(),
                                      write(1, 0, 512, 1), write(2, 0, 512, 2)});
  std::size_t both = 0;
  for (const Files& left : many_cuts(disk)) {
    const bool has_second = left.at("/b") == Bytes(512, 2);
    EXPECT_TRUE(!has_second || left.at("/a") == Bytes(512, 1));
    both += has_second;
  }
  EXPECT_GT(both, 0u);
  EXPECT_LT(both, cuts);
}

TEST(disk, failed_sync_leaves_its_writes_in_doubt_for_good) {
  const Disk disk = disk_of({}, {create(1, "/a"), sync(1), sync_folder(), write(1, 0, 512, 1),
                                 op({.kind = Op::Kind::sync_failed, .inode = 1}), sync(1)});
  for (const Files& left : many_cuts(disk)) EXPECT_EQ(left.at("/a"), Bytes());
}

TEST(disk, faked_sync_syncs_nothing) {
  const Disk disk = disk_of({}, {create(1, "/a"), sync(1), sync_folder(), write(1, 0, 512, 1),
                                 op({.kind = Op::Kind::sync_faked, .inode = 1})});
  EXPECT_EQ(disk.unsynced(1).ops, 1);
  EXPECT_EQ(disk.unsynced(1).bytes, 512);
}

TEST(disk, death_of_a_process_loses_nothing) {
  const Disk disk = disk_of({}, {create(1, "/a"), write(1, 0, 5, 1), write(1, 3, 5, 2)});
  EXPECT_EQ(disk.cached_files(), (Files{{"/a", Bytes{1, 1, 1, 2, 2, 2, 2, 2}}}));
}

TEST(disk, same_dice_leave_the_same) {
  const Disk disk = disk_of({}, {create(1, "/a"), write(1, 0, 5000, 1), write(1, 3, 500, 2)});
  EXPECT_EQ(many_cuts(disk), many_cuts(disk));
}

}  // namespace
}  // namespace baton::powercut
