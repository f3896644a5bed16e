#include "image.h"

#include <fstream>

#include "base/text/text.h"
#include "surface/tokens.h"
#include "verbs/store/verify.h"

namespace baton::powercut {
namespace {

constexpr int replays_per_image = 3;

using Problem = std::optional<Verdict>;

Verdict other(std::string problem) { return {Finding::other, std::move(problem)}; }
Verdict lost(std::string problem) { return {Finding::lost_reply, std::move(problem)}; }

class Judge {
 public:
  Judge(const Recording& recording, std::size_t ops_done, World& world, Dice& dice)
      : recording_(recording),
        acknowledged_(recording.acknowledged(ops_done)),
        world_(world),
        dice_(dice) {}

  Result<Verdict> judge() {
    if (auto bad = TRY(check_log())) return *bad;
    if (auto bad = TRY(check_whole())) return *bad;
    if (acknowledged_ > 0) {
      if (auto bad = check_replay(acknowledged_ - 1)) return *bad;
      for (int i = 0; i < replays_per_image; ++i) {
        if (auto bad = check_replay(dice_.below(acknowledged_))) return *bad;
      }
    }
    if (commits_ != static_cast<std::size_t>(TRY(world_.store().last_commit()).value)) {
      return other("asking again appended something");
    }
    if (auto bad = check_in_flight()) return *bad;
    if (auto bad = check_next()) return *bad;
    return Verdict{};
  }

 private:
  /// The log is the beginning of what would have become of it, with all that was acknowledged.
  Result<Problem> check_log() {
    run::CommitNo after;
    while (true) {
      const auto page = TRY(world_.store().store_log(after, limits::log_page_commits));
      if (page.empty()) break;
      after = page.back().no;
      for (const run::Commit& commit : page) {
        if (commits_ >= recording_.log.size() || commit != recording_.log[commits_]) {
          return other(cat("commit ", commit.no.value, " is not the one that was written"));
        }
        ++commits_;
      }
    }
    const std::size_t wanted =
        acknowledged_ == 0 ? 0 : recording_.acts[acknowledged_ - 1].commits_after;
    if (commits_ < wanted) {
      return lost(
          cat("lost reply: ", wanted, " commits were acknowledged, ", commits_, " are there"));
    }
    if (commits_ > wanted + 1) return other("commits from the future");
    return std::nullopt;
  }

  Result<Problem> check_whole() {
    const auto report = TRY(verbs::verify(world_.store()));
    if (!report.ok()) return other(cat("verify: ", report.problems.front()));
    return std::nullopt;
  }

  Problem check_replay(std::size_t number) {
    const Act& act = recording_.acts[number];
    if (act.request.kind == Request::Kind::start) {
      const auto found = surface::rehydrate(world_.reading(), {}, act.reply.state_token);
      if (!found) return lost(cat("act ", number, " (start): ", text_of(found.error())));
      if (found->reply.run != act.reply.reply.run ||
          found->reply.pending != act.reply.reply.pending) {
        return other(cat("act ", number, ": the start of a run has changed"));
      }
      return std::nullopt;
    }
    const auto again = send(world_, act.request);
    if (!again) return lost(cat("act ", number, ": ", text_of(again.error())));
    if (!same_reply(*again, act.reply)) {
      return lost(cat("act ", number, ": it was acknowledged with another reply"));
    }
    return std::nullopt;
  }

  /// The call that was cut short: it happened or it did not, and the client may ask again.
  Problem check_in_flight() {
    if (acknowledged_ == recording_.acts.size()) return std::nullopt;
    const Act& act = recording_.acts[acknowledged_];
    const auto reply = send(world_, act.request);
    if (!reply) return other(cat("act ", acknowledged_, ", again: ", text_of(reply.error())));
    const bool had_happened = commits_ >= act.commits_after;
    const bool is_start = act.request.kind == Request::Kind::start;
    if (had_happened && !is_start && !same_reply(*reply, act.reply)) {
      return other(cat("act ", acknowledged_, " was recorded with another reply"));
    }
    if (is_start) return std::nullopt;
    const auto again = send(world_, act.request);
    if (!again || !same_reply(*again, *reply)) {
      return other(cat("act ", acknowledged_, " gives two replies"));
    }
    return std::nullopt;
  }

  /// Some client continues with the latest token it has.
  Problem check_next() {
    if (acknowledged_ == 0) return std::nullopt;
    const std::size_t client = recording_.acts[dice_.below(acknowledged_)].client;
    const surface::SignedReply* last = nullptr;
    for (std::size_t i = 0; i < acknowledged_; ++i) {
      if (recording_.acts[i].client == client) last = &recording_.acts[i].reply;
    }
    if (!last->ack_token) return std::nullopt;
    run::StepInput input;
    input.notes = "going on";
    const auto reply = send(world_, {Request::Kind::advance, *last->ack_token, {}, input});
    if (!reply) return other(cat("going on: ", text_of(reply.error())));
    return std::nullopt;
  }

  const Recording& recording_;
  std::size_t acknowledged_;
  World& world_;
  Dice& dice_;
  std::size_t commits_ = 0;  // of the image
};

}  // namespace

ImageFolder::ImageFolder() {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code problem;
  const bool has_memory = std::filesystem::is_directory(memory, problem);
  std::string pattern =
      ((has_memory ? memory : std::filesystem::temp_directory_path()) / "powercut-XXXXXX").string();
  ASSERT(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

ImageFolder::~ImageFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ImageFolder::put(const Files& files) {
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    std::filesystem::remove_all(entry.path());
  }
  for (const auto& [name, bytes] : files) {
    std::ofstream file(path_ / name.substr(1), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    ASSERT(file.good());
  }
  return (path_ / std::string(store_path).substr(1)).string();
}

std::string broken_promise(World& place, const std::vector<Told>& told) {
  const auto report = verbs::verify(place.store());
  if (!report) return text_of(report.error());
  if (!report->ok()) return report->problems.front();
  const auto before = place.store().last_commit();
  for (const auto& [request, reply] : told) {
    if (request.kind == Request::Kind::start) {
      const auto found = surface::rehydrate(place.reading(), {}, reply.state_token);
      if (!found) return cat("lost start: ", text_of(found.error()));
      continue;
    }
    const auto again = send(place, request);
    if (!again) return cat("lost reply: ", text_of(again.error()));
    if (!same_reply(*again, reply)) return "another reply";
  }
  const auto after = place.store().last_commit();
  if (!before || !after || *before != *after) return "asking again appended something";
  return {};
}

Verdict judge(const Recording& recording, std::size_t ops_done, const std::string& path,
              Dice& dice) {
  const auto world = World::open(
      {.path = path, .vfs = {}, .key_seed = recording.key_seed(), .id_seed = dice.next()});
  if (!world) return other(cat("does not open: ", text_of(world.error())));
  const auto verdict = Judge(recording, ops_done, **world, dice).judge();
  if (!verdict) return other(text_of(verdict.error()));
  return *verdict;
}

std::size_t Cutter::place(std::int64_t k) const {
  const auto count = static_cast<std::int64_t>(recording_.ops.size());
  const std::int64_t from = k * count / images_per_workload;
  const std::int64_t to = (k + 1) * count / images_per_workload;
  const auto width = static_cast<std::uint64_t>(std::max<std::int64_t>(to - from, 1));
  Dice dice(mix(recording_.seed, static_cast<std::uint64_t>(k)));
  return static_cast<std::size_t>(from) + static_cast<std::size_t>(dice.below(width));
}

Verdict Cutter::judge_cut(std::int64_t k, ImageFolder& folder) {
  const std::size_t at = place(k);
  while (fed_ < at) disk_.apply(recording_.ops[fed_++]);
  const OpPtr in_flight = at < recording_.ops.size() ? recording_.ops[at] : nullptr;
  Dice dice(mix(recording_.seed ^ 0x5eed, static_cast<std::uint64_t>(k)));
  return judge(recording_, at, folder.put(disk_.cut(dice, in_flight)), dice);
}

}  // namespace baton::powercut
