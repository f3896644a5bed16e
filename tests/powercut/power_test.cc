// The power goes: at any moment of a workload, and after a process died and the next one answered
// from what the system still caches.

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "base/text/text.h"
#include "image.h"

namespace baton::powercut {
namespace {

/// The operations of the `nth` act that appended something to a run.
const Act& advance_of(const Recording& recording, std::size_t nth) {
  for (std::size_t i = 1; i < recording.acts.size(); ++i) {
    const Act& act = recording.acts[i];
    const bool appended = act.commits_after > recording.acts[i - 1].commits_after;
    if (appended && act.request.kind == Request::Kind::advance && nth-- == 0) return act;
  }
  return recording.acts.front();
}

/// Empty, or how a reply given after the death at `ops_done` was lost.
std::string restart_and_cut(const Recording& recording, const Act& act, std::size_t ops_done,
                            ImageFolder& folder) {
  Disk disk(recording.profile);
  for (std::size_t i = 0; i < ops_done; ++i) disk.apply(recording.ops[i]);
  CrashVfs vfs({.profile = recording.profile, .seed = 7}, std::move(disk));
  vfs.only_checkpoints_by(std::this_thread::get_id());
  const auto restarted = World::open(
      {.path = store_path, .vfs = vfs.name(), .key_seed = recording.key_seed(), .id_seed = 99});
  if (!restarted) return text_of(restarted.error());
  const auto reply = send(**restarted, act.request);
  if (!reply) return text_of(reply.error());
  const Disk at_reply = vfs.disk();
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Dice dice(mix(seed, ops_done));
    const std::string path = folder.put(at_reply.cut(dice, nullptr));
    const auto left =
        World::open({.path = path, .vfs = {}, .key_seed = recording.key_seed(), .id_seed = 98});
    if (!left) return text_of(left.error());
    const auto before = (*left)->store().last_commit();
    const auto again = send(**left, act.request);
    if (!again) return text_of(again.error());
    const auto after = (*left)->store().last_commit();
    if (!before || !after || *before != *after || !same_reply(*again, *reply)) {
      return cat("killed after operation ", ops_done, ", cut with seed ", seed,
                 ": the reply of the second process is lost");
    }
  }
  return {};
}

// Enforces: G1
TEST(restart, reply_from_a_recovered_log_survives_a_power_cut) {
  ImageFolder folder;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Recording recording = run_workload({.seed = seed, .steps = 20});
    const Act& act = advance_of(recording, seed);
    for (std::size_t n = act.ops_before; n <= act.ops_after; ++n) {
      const std::string problem = restart_and_cut(recording, act, n, folder);
      ASSERT_EQ(problem, "") << "workload " << seed << ", operations " << act.ops_before << " to "
                             << act.ops_after << ", " << recording.profile.text();
    }
  }
}

// Enforces: G1, G2
TEST(cuts, every_acknowledged_reply_survives_whole) {
  ImageFolder folder;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Recording recording = run_workload({.seed = seed});
    Cutter cutter(recording);
    for (std::int64_t k = 0; k < images_per_workload; k += 5) {
      const Verdict verdict = cutter.judge_cut(k, folder);
      ASSERT_TRUE(verdict.ok()) << "workload " << seed << ", image " << k << ", on "
                                << recording.profile.text() << ": " << verdict.problem;
    }
  }
}

/// A reply, and how many operations had returned when it came.
struct TimedTold {
  Told told;
  std::size_t ops = 0;
};

/// One client of several that call at the same time.
std::vector<TimedTold> walk(World& world, CrashVfs& vfs, std::size_t client) {
  std::vector<TimedTold> out;
  Request request;
  for (int i = 0; i < 12; ++i) {
    const auto reply = send(world, request);
    EXPECT_TRUE(reply);
    if (!reply) break;
    out.push_back({{request, *reply}, vfs.op_count()});
    request.kind = Request::Kind::advance;
    request.token = *reply->ack_token;
    request.input.notes = cat("client ", client, ", step ", i);
  }
  return out;
}

// Threads meet in other groups each time; what a cut leaves is the same for the same operations.
// Enforces: G1, G2
TEST(cuts, clients_that_share_a_commit_keep_their_replies) {
  CrashVfs vfs({.profile = {}, .seed = 1});
  vfs.only_checkpoints_by({});
  const auto world = World::open({.path = store_path, .vfs = vfs.name()});
  ASSERT_TRUE(world);
  std::array<std::vector<TimedTold>, 6> told;
  {
    std::vector<std::jthread> clients;
    for (std::size_t i = 0; i < told.size(); ++i) {
      clients.emplace_back([&, i] { told[i] = walk(**world, vfs, i); });
    }
  }
  const auto counts = (*world)->store().counts();
  EXPECT_EQ(counts.appends, 72);
  RecordProperty("groups", std::to_string(counts.groups));
  const std::vector<OpPtr> ops = vfs.ops();
  ImageFolder folder;
  Disk disk(Profile{});
  for (std::size_t n = 0; n < ops.size(); ++n) {
    Dice dice(mix(n, 1));
    if (dice.chance(30)) {
      std::vector<Told> relied;
      for (const auto& client : told) {
        for (const auto& each : client) {
          if (each.ops <= n) relied.push_back(each.told);
        }
      }
      const auto left = World::open({.path = folder.put(disk.cut(dice, ops[n])), .vfs = {}});
      ASSERT_TRUE(left) << text_of(left.error());
      ASSERT_EQ(broken_promise(**left, relied), "") << "cut at operation " << n;
    }
    disk.apply(ops[n]);
  }
}

}  // namespace
}  // namespace baton::powercut
