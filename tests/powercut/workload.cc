#include "workload.h"

#include <sqlite3.h>

#include <algorithm>

#include "base/text/text.h"
#include "surface/tokens.h"

namespace baton::powercut {
namespace {

run::StepInput some_input(Dice& dice) {
  run::StepInput out;
  const std::size_t size = dice.chance(10) ? 20'000 + dice.below(30'000) : 20 + dice.below(1'500);
  out.notes = cat("note ", dice.below(1'000'000), ' ', std::string(size, 'n'));
  if (dice.chance(30)) {
    out.artifacts = {
        json::Object{{"kind", "report"}, {"text", std::string(100 + dice.below(3'000), 'a')}}};
  }
  if (dice.chance(30)) out.context = {{"mood", cat("calm ", dice.below(100))}};
  return out;
}

class Script {
 public:
  explicit Script(const WorkloadOptions& options)
      : options_(options), dice_(mix(options.seed, 1)), vfs_(vfs_options(options)) {
    out_.seed = options.seed;
    out_.profile = vfs_.disk().profile();
    sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, static_cast<int>(options.seed % 100'000 + 1),
                         nullptr);
    vfs_.only_checkpoints_by(std::this_thread::get_id());
  }

  Recording run() {
    // The script is right and the disk is sound, so no part of it can fail.
    world_ = MUST(open(1));
    start();
    for (std::size_t i = 0; i < options_.steps; ++i) step();
    run::CommitNo after;
    while (true) {
      const auto page = MUST(world_->store().store_log(after, limits::log_page_commits));
      if (page.empty()) break;
      after = page.back().no;
      out_.log.insert(out_.log.end(), page.begin(), page.end());
    }
    world_.reset();
    out_.ops = vfs_.ops();
    return std::move(out_);
  }

 private:
  static CrashVfs::Options vfs_options(const WorkloadOptions& options) {
    Dice dice(mix(options.seed, 2));
    return {Profile::drawn(dice), mix(options.seed, 3), options.syncs_work};
  }

  Result<std::unique_ptr<World>> open(std::uint64_t id_seed) {
    return World::open({.path = store_path,
                        .vfs = vfs_.name(),
                        .key_seed = out_.seed,
                        .id_seed = mix(options_.seed, 100 + id_seed),
                        .on_append = [this] { watch(); }});
  }

  /// An append has returned: a cut at this moment must not undo it.
  void watch() {
    ++out_.appends;
    if (!options_.syncs_work) return;
    if (auto problem = vfs_.unsynced_commit(store_path)) {
      out_.problems.push_back(cat("append ", out_.appends, " returned too early: ", *problem));
    }
  }

  const surface::SignedReply& call(World& world, std::size_t client, Request request) {
    const std::size_t before = vfs_.op_count();
    auto reply = MUST(send(world, request));
    const auto commits = MUST(world.store().last_commit());
    out_.acts.push_back({std::move(request), std::move(reply), client, before, vfs_.op_count(),
                         static_cast<std::size_t>(commits.value)});
    return out_.acts.back().reply;
  }

  void start() {
    clients_.push_back(call(*world_, clients_.size(),
                            {Request::Kind::start, {}, cat("goal ", clients_.size()), {}}));
  }

  void advance(World& world) {
    const std::size_t client = dice_.below(clients_.size());
    if (!clients_[client].ack_token) return start();
    clients_[client] =
        call(world, client,
             {Request::Kind::advance, *clients_[client].ack_token, {}, some_input(dice_)});
  }

  void checkpoint_run() {
    const std::size_t client = dice_.below(clients_.size());
    if (!clients_[client].checkpoint_token) return start();
    clients_[client] = call(
        *world_, client,
        {Request::Kind::checkpoint, *clients_[client].checkpoint_token, {}, some_input(dice_)});
  }

  /// An old call again, as it was (the same answer) or with another output (a fork).
  void again(bool forks) {
    const Act old = out_.acts[dice_.below(out_.acts.size())];
    if (old.request.kind == Request::Kind::start) return advance(*world_);
    Request request = old.request;
    if (forks) request.input = some_input(dice_);
    const surface::SignedReply reply = call(*world_, old.client, request);
    const bool is_same = same_reply(reply, old.reply);
    if (forks && request.kind == Request::Kind::advance) {
      if (is_same) out_.problems.push_back("another output got the recorded reply");
      clients_[old.client] = reply;
      return;
    }
    if (!is_same) out_.problems.push_back("a replay gave another reply");
    if (!reply.notice) return;
    request.token = reply.notice->ack_token;
    clients_[old.client] = call(*world_, old.client, request);
  }

  void rehydrate() {
    const surface::SignedReply& last = clients_[dice_.below(clients_.size())];
    MUST(surface::rehydrate(world_->reading(), {}, last.state_token));
  }

  void checkpoint_wal() {
    static constexpr int modes[] = {SQLITE_CHECKPOINT_PASSIVE, SQLITE_CHECKPOINT_PASSIVE,
                                    SQLITE_CHECKPOINT_FULL, SQLITE_CHECKPOINT_RESTART,
                                    SQLITE_CHECKPOINT_TRUNCATE};
    sqlite3* db = nullptr;
    ASSERT(sqlite3_open_v2(store_path, &db, SQLITE_OPEN_READWRITE, vfs_.name().c_str()) ==
           SQLITE_OK);
    const int rc = sqlite3_wal_checkpoint_v2(db, nullptr, modes[dice_.below(5)], nullptr, nullptr);
    ASSERT(rc == SQLITE_OK);
    sqlite3_close(db);
  }

  void step() {
    const std::uint64_t die = dice_.below(100);
    if (die < 44) return advance(*world_);
    if (die < 54) return checkpoint_run();
    if (die < 62) return again(false);
    if (die < 72) return again(true);
    if (die < 77) return start();
    if (die < 80) return rehydrate();
    if (die < 90) return checkpoint_wal();
    if (die < 94) {
      world_.reset();
      world_ = MUST(open(++opened_));
      return;
    }
    const auto other = MUST(open(++opened_));
    advance(*other);
  }

  WorkloadOptions options_;
  Dice dice_;
  CrashVfs vfs_;
  Recording out_;
  std::unique_ptr<World> world_;
  std::uint64_t opened_ = 1;
  std::vector<surface::SignedReply> clients_;  // the latest reply of each
};

}  // namespace

std::size_t Recording::acknowledged(std::size_t ops_done) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(acts, [&](const Act& act) { return act.ops_after <= ops_done; }));
}

Recording run_workload(const WorkloadOptions& options) { return Script(options).run(); }

}  // namespace baton::powercut
