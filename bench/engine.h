#pragma once
// An engine on a real store for the benchmarks, with the workload's workflows.

#include <memory>
#include <string>

#include "adapters/crypto/crypto_signer.h"
#include "adapters/os/system.h"
#include "adapters/store/sqlite/sqlite_store.h"
#include "surface/tokens.h"
#include "verbs/run/start_run.h"

namespace baton::bench {

/// No files: the benchmarks pin their workflow themselves.
class NoWorkflows final : public ports::WorkflowSource {
 public:
  Result<std::vector<ports::WorkflowFile>> all() override { return {}; }
  Result<std::vector<ports::WorkflowFile>> named(std::string_view) override { return {}; }
  void read(ports::WorkflowFile&) override {}
  Result<std::vector<ports::WorkflowFile>> find(const ports::WantedText&) override { return {}; }
};

/// What the workload hands in at each step. Made beforehand: thinking is the agent's time.
class Outputs {
 public:
  Outputs();
  const run::StepInput& next() { return all_[at_++ % all_.size()]; }

 private:
  std::vector<run::StepInput> all_;
  std::size_t at_ = 0;
};

class BenchEngine {
 public:
  explicit BenchEngine(const std::string& path);

  engine::Engine& engine() { return *engine_; }
  adapters::SqliteStore& store() { return *store_; }

  /// Starts a run of a workflow of `steps` steps; gives the first reply.
  surface::SignedReply start(std::size_t steps, std::size_t prompt_size);

  /// Starts a run of any workflow, with a host for its scripts.
  surface::SignedReply start(workflow::CompiledWorkflow workflow,
                             ports::ScriptHost* scripts = nullptr);

  /// Hands `output` in and gives the next reply.
  surface::SignedReply advance(const surface::SignedReply& at, run::StepInput output);

  /// From now on as a process that has just opened the store.
  void forget();

 private:
  adapters::OsEntropy entropy_;
  adapters::SystemClock clock_;
  NoWorkflows workflows_;
  std::unique_ptr<adapters::SqliteStore> store_;
  std::unique_ptr<adapters::CryptoSigner> signer_;
  engine::IdSource ids_{clock_, entropy_};
  std::unique_ptr<engine::Caches> caches_;
  std::unique_ptr<engine::CheckedStore> checked_;
  std::unique_ptr<engine::Engine> engine_;
};

/// The bytes that the last advance put into its commit.
std::string commit_body(BenchEngine& bench);

}  // namespace baton::bench
