#pragma once
// A server's insides without a process: a store in memory that can be made to fail, keys and ids
// from a seed, a clock that moves when told. One test owns one; one thread.

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "adapters/crypto/memory_signer.h"
#include "adapters/os/repeatable.h"
#include "adapters/store/faulty/faulty_store.h"
#include "adapters/store/memory/memory_search.h"
#include "adapters/store/memory/memory_store.h"
#include "surface/tokens.h"
#include "verbs/run/start_run.h"

namespace baton::testing {

/// Passes on and counts, so that a test can see that it was not asked.
class CountingClock final : public ports::Clock {
 public:
  explicit CountingClock(ports::Clock& inner) : inner_(inner) {}
  WallMs wall() override { return ++calls, inner_.wall(); }
  MonoMs mono() override { return ++calls, inner_.mono(); }
  int calls = 0;

 private:
  ports::Clock& inner_;
};

class CountingEntropy final : public ports::Entropy {
 public:
  explicit CountingEntropy(std::uint64_t seed) : inner_(seed) {}
  void fill(std::span<std::uint8_t> bytes) override { ++calls, inner_.fill(bytes); }
  int calls = 0;

 private:
  adapters::FixedEntropy inner_;
};

/// Workflow files as a list of texts.
class ListedWorkflows final : public ports::WorkflowSource {
 public:
  Result<std::vector<ports::WorkflowFile>> all() override { return ++calls, files; }
  Result<std::vector<ports::WorkflowFile>> named(std::string_view name) override;
  void read(ports::WorkflowFile&) override {}
  Result<std::vector<ports::WorkflowFile>> find(const ports::WantedText&) override {
    return std::vector<ports::WorkflowFile>();
  }
  std::vector<ports::WorkflowFile> files;
  int calls = 0;
};

inline constexpr WallMs morning{1'790'000'000'000};

class World {
 public:
  /// The workflow "demo" has `steps` steps named a, b, c, ...
  explicit World(std::uint64_t seed = 1, std::size_t steps = 3, std::size_t prompt_bytes = 10);

  /// Through `faulty`, with the caches of this process or with `caches` of another one.
  engine::Engine engine() { return engine(*caches); }
  engine::Engine engine(engine::Caches& of_process) {
    return {checked(of_process), workflows, signer,  clock,       entropy, ids,
            of_process,          nullptr,   &search, repositories};
  }
  /// The store as verbs are given it. Lives as long as the world.
  engine::CheckedStore& checked(engine::Caches& of_process) {
    const std::scoped_lock lock(mutex_);
    return checked_.emplace_back(*port, of_process);
  }

  Result<surface::SignedReply> start(json::Object context = {}, run::PreferencesDelta delta = {});
  Result<surface::SignedReply> advance(const std::string& ack, const std::string& notes = "done",
                                       json::Object context = {}, run::PreferencesDelta delta = {});
  Result<surface::SignedReply> checkpoint(const std::string& token,
                                          const std::string& notes = "half");
  Result<surface::SignedReply> rehydrate(const std::string& state_token);

  /// Removes a session as it is now.
  void purge(const SessionId& session);

  /// From now on as a process that has just started: it knows nothing but what is in the store.
  void forget() { caches = std::make_unique<engine::Caches>(); }

  run::CommitNo last_commit() { return store.last_commit().value(); }

  /// The state at a node as a process sees it that starts now.
  Result<run::NodeState> cold_state(const NodeId& node);

  /// Every commit of the store, in order.
  std::vector<run::Commit> whole_log();

  /// What the whole log folds to, without snapshots, caches or index.
  std::map<NodeId, run::NodeState> folded_states();

  adapters::ManualClock manual_clock{morning};
  CountingClock clock{manual_clock};
  CountingEntropy entropy;
  adapters::MemoryStore store;
  adapters::FaultyStore faulty{store};
  ports::EventStore* port = &faulty;  // what the engine writes to
  ListedWorkflows workflows;
  adapters::MemorySigner signer;
  adapters::MemorySearch search;
  ports::RepositoryReader* repositories = nullptr;
  engine::IdSource ids{clock, entropy};
  std::unique_ptr<engine::Caches> caches = std::make_unique<engine::Caches>();
  engine::Principal principal;

 private:
  std::mutex mutex_;
  std::deque<engine::CheckedStore> checked_;
};

std::string demo_workflow(std::size_t steps, std::size_t prompt_bytes);

/// Everything equal, token by token.
bool same(const surface::SignedReply& one, const surface::SignedReply& other);

template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "ok" : std::string(name_of(result.error().code));
}

run::StepInput notes_of(std::string notes);

}  // namespace baton::testing
