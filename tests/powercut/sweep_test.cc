// Death and I/O errors at every operation of the first start of a store, of an advance and of a
// checkpoint of the WAL.

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "image.h"

namespace baton::powercut {
namespace {

/// A client at a store over a CrashVfs, with all it was told so far.
class Scene {
 public:
  explicit Scene(Profile profile = {}) : vfs({.profile = profile, .seed = 3}) {
    // Checkpoints come when a test asks for one.
    vfs.only_checkpoints_by({});
  }

  World::Setup setup() {
    return {.path = store_path, .vfs = vfs.name(), .id_seed = ++id_seed_, .busy_ms_max = 20};
  }

  Result<void> open() {
    world = TRY(World::open(setup()));
    return {};
  }

  /// The next call of the client; what is answered, it relies on from then on.
  Result<surface::SignedReply> go_on() {
    Request request;
    if (!told.empty()) {
      request.kind = Request::Kind::advance;
      request.token = *told.back().reply.ack_token;
      request.input.notes = cat("step ", told.size(), std::string(3'000, 's'));
    }
    auto reply = send(*world, request);
    if (reply) told.push_back({request, *reply});
    return reply;
  }

  /// Empty, or what does not hold after a power cut now, for a few kinds of damage.
  std::string broken_after_a_cut(ImageFolder& folder) {
    const Disk disk = vfs.disk();
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Dice dice(seed);
      const auto left = World::open({.path = folder.put(disk.cut(dice, nullptr)), .vfs = {}});
      if (!left) return cat("cut ", seed, " does not open: ", text_of(left.error()));
      if (auto problem = broken_promise(**left, told); !problem.empty()) {
        return cat("cut ", seed, ": ", problem);
      }
    }
    return {};
  }

  CrashVfs vfs;
  std::unique_ptr<World> world;
  std::vector<Told> told;

 private:
  std::uint64_t id_seed_ = 10;
};

enum class Canonical : std::uint8_t { first_start, advance, wal_checkpoint };
constexpr Canonical all_canonical[] = {Canonical::first_start, Canonical::advance,
                                       Canonical::wal_checkpoint};

const char* name_of(Canonical operation) {
  static constexpr const char* names[] = {"first start", "advance", "WAL checkpoint"};
  return names[static_cast<std::size_t>(operation)];
}

/// Everything before the operation.
void prepare(Scene& scene, Canonical operation) {
  if (operation == Canonical::first_start) return;
  ASSERT_TRUE(scene.open());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(scene.go_on());
}

/// The operation itself: its error, or nothing.
std::optional<Error> perform(Scene& scene, Canonical operation) {
  if (operation == Canonical::first_start) {
    if (auto opened = scene.open(); !opened) return opened.error();
    if (auto reply = scene.go_on(); !reply) return reply.error();
  } else if (operation == Canonical::advance) {
    if (auto reply = scene.go_on(); !reply) return reply.error();
  } else {
    const std::int64_t seen = scene.vfs.checkpoints();
    scene.vfs.anyone_checkpoints();
    scene.vfs.wait_for_checkpoint(seen);
    EXPECT_GT(scene.vfs.checkpoints(), seen) << "the store made no checkpoint";
    scene.vfs.only_checkpoints_by({});
  }
  return std::nullopt;
}

// --- death --------------------------------------------------------------------------------------

/// The process dies when `ops` operations have returned: the system keeps them all. The next one
/// finds what was told before, and continues.
void die_and_restart(const Recording& recording, std::size_t ops, ImageFolder& folder) {
  Disk disk(recording.profile);
  for (std::size_t i = 0; i < ops; ++i) disk.apply(recording.ops[i]);
  Dice dice(ops);
  const Verdict verdict = judge(recording, ops, folder.put(disk.cached_files()), dice);
  EXPECT_TRUE(verdict.ok()) << "dead after operation " << ops << " of " << recording.ops.size()
                            << ": " << verdict.problem;
}

// Enforces: G2
TEST(sweep, death_at_any_operation_leaves_whole_advances) {
  ImageFolder folder;
  const Recording recording = run_workload({.seed = 11, .steps = 12});
  // The first start, several advances, and the checkpoints when the workload makes them and when
  // the store is closed: every operation of all of them.
  for (std::size_t ops = 0; ops <= recording.ops.size(); ++ops) {
    die_and_restart(recording, ops, folder);
    if (HasFailure()) return;
  }
}

// --- I/O errors ---------------------------------------------------------------------------------

struct Case {
  Canonical operation;
  CrashVfs::Fault fault;
};

std::string text_of_case(const Case& each) {
  return cat(name_of(each.operation), ": ", name_of(each.fault.call), ' ', each.fault.nth,
             each.fault.forever ? " and all after it" : "", " refused");
}

bool is_store_error(Code code) {
  return code == Code::STORE_FAILED || code == Code::STORE_BUSY || code == Code::STORE_FULL ||
         code == Code::STORE_READ_ONLY || code == Code::TOKEN_SESSION_LOCKED ||
         code == Code::ENVIRONMENT;
}

/// After a failed sync nothing is written any more, and everything told can still be read.
void expect_fail_stop(Scene& scene) {
  const auto written = scene.vfs.op_count();
  const auto refused = scene.go_on();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::STORE_FAILED) << text_of(refused.error());
  EXPECT_EQ(scene.vfs.op_count(), written) << "it wrote after a failed sync";
  EXPECT_EQ(broken_promise(*scene.world, scene.told), "");
}

/// One fault; false when the operation never reached it.
bool meet_fault(const Case& each, ImageFolder& folder) {
  SCOPED_TRACE(text_of_case(each));
  Scene scene;
  prepare(scene, each.operation);
  scene.vfs.refuse(each.fault);
  const auto error = perform(scene, each.operation);
  const bool was_met = scene.vfs.refused() > 0;
  if (!was_met) return false;
  if (error) {
    EXPECT_TRUE(is_store_error(error->code)) << text_of(*error);
  }
  if (each.fault.forever && scene.world != nullptr) {
    // It keeps failing, or what it says is true.
    if (auto reply = scene.go_on(); !reply) {
      EXPECT_TRUE(is_store_error(reply.error().code)) << text_of(reply.error());
    }
  }
  EXPECT_EQ(scene.broken_after_a_cut(folder), "");
  scene.vfs.heal();
  const bool is_open = scene.world != nullptr;
  if (each.fault.call == Call::sync && is_open) {
    expect_fail_stop(scene);
  } else if (is_open) {
    EXPECT_TRUE(scene.go_on()) << "it does not go on";
    EXPECT_EQ(broken_promise(*scene.world, scene.told), "");
  }
  // The next process finds everything and continues.
  scene.world.reset();
  EXPECT_TRUE(scene.open());
  EXPECT_TRUE(scene.world != nullptr && scene.go_on());
  if (scene.world != nullptr) {
    EXPECT_EQ(broken_promise(*scene.world, scene.told), "");
  }
  return true;
}

void sweep(Call call) {
  ImageFolder folder;
  for (const Canonical operation : all_canonical) {
    for (const bool forever : {false, true}) {
      std::int64_t nth = 1;
      while (meet_fault({operation, {call, nth, forever}}, folder)) {
        if (::testing::Test::HasFailure()) return;
        ++nth;
      }
      if (::testing::Test::HasFailure()) return;
      ::testing::Test::RecordProperty(cat(name_of(operation), forever ? " forever" : " once"),
                                      std::to_string(nth - 1));
    }
  }
}

// Enforces: G2
TEST(sweep, refused_reads_lose_and_halve_nothing) { sweep(Call::read); }
// Enforces: G2
TEST(sweep, refused_writes_lose_and_halve_nothing) { sweep(Call::write); }
// Enforces: G1, G10
TEST(sweep, failed_sync_ends_writing_and_leaves_reading) { sweep(Call::sync); }
TEST(sweep, refused_truncates_lose_nothing) { sweep(Call::truncate); }
TEST(sweep, refused_locks_lose_nothing) { sweep(Call::lock); }
TEST(sweep, refused_opens_lose_nothing) { sweep(Call::open); }
TEST(sweep, refused_removals_lose_nothing) { sweep(Call::remove); }
TEST(sweep, refused_sizes_lose_nothing) { sweep(Call::size); }
TEST(sweep, refused_shared_memory_loses_nothing) { sweep(Call::map); }

}  // namespace
}  // namespace baton::powercut
