#pragma once
// An engine over a SQLite store whose clock, randomness and keys follow from seeds: the same calls
// give the same replies and the same operations on the files. One caller at a time.

#include <functional>
#include <memory>
#include <string>

#include "adapters/crypto/memory_signer.h"
#include "adapters/os/repeatable.h"
#include "adapters/store/faulty/faulty_store.h"
#include "adapters/store/sqlite/sqlite_store.h"
#include "surface/tokens.h"
#include "verbs/run/start_run.h"

namespace baton::powercut {

/// One workflow, long enough that its runs get snapshots.
class OneWorkflow final : public ports::WorkflowSource {
 public:
  static constexpr const char* id = "walk";
  OneWorkflow();
  Result<std::vector<ports::WorkflowFile>> all() override { return files_; }
  Result<std::vector<ports::WorkflowFile>> named(std::string_view) override { return files_; }
  void read(ports::WorkflowFile&) override {}
  Result<std::vector<ports::WorkflowFile>> find(const ports::WantedText&) override {
    return std::vector<ports::WorkflowFile>();
  }

 private:
  std::vector<ports::WorkflowFile> files_;
};

/// Passes everything on and tells when an append has returned without an error.
class WatchedStore final : public adapters::FaultyStore {
 public:
  WatchedStore(ports::EventStore& inner, std::function<void()> on_append)
      : FaultyStore(inner), on_append_(std::move(on_append)) {}
  Result<ports::AppendOutcome> append(run::CommitDraft append) override;

 private:
  std::function<void()> on_append_;
};

class World {
 public:
  struct Setup {
    std::string path;
    std::string vfs;             // empty: SQLite's own
    std::uint64_t key_seed = 1;  // tokens of the same key seed are good in every world
    std::uint64_t id_seed = 1;
    std::int64_t busy_ms_max = limits::store_busy_ms_max;
    std::function<void()> on_append = [] {};
  };
  static Result<std::unique_ptr<World>> open(const Setup& setup);
  World(const Setup& setup, std::unique_ptr<adapters::SqliteStore> store);

  engine::Engine& engine() { return engine_; }
  engine::ReadContext reading() { return engine_.reading(); }
  adapters::SqliteStore& store() { return *store_; }

 private:
  adapters::FixedEntropy key_entropy_;
  adapters::FixedEntropy entropy_;
  adapters::ManualClock clock_;
  adapters::MemorySigner signer_;
  OneWorkflow workflows_;
  std::unique_ptr<adapters::SqliteStore> store_;
  WatchedStore watched_;
  engine::IdSource ids_;
  engine::Caches caches_;
  engine::CheckedStore checked_;
  engine::Engine engine_;
};

/// What a client asks for; it can ask again.
struct Request {
  enum class Kind : std::uint8_t { start, advance, checkpoint };
  Kind kind = Kind::start;
  std::string token;
  std::string goal;
  run::StepInput input;
};
Result<surface::SignedReply> send(World& world, const Request& request);

/// Whether two replies tell the caller the same, notices apart.
bool same_reply(const surface::SignedReply& a, const surface::SignedReply& b);

/// "CODE: message", for failures.
std::string text_of(const Error& error);

}  // namespace baton::powercut
