#include "memory_backend.h"

#include <atomic>

#include "adapters/crypto/ed25519.h"
#include "adapters/crypto/memory_signer.h"
#include "adapters/evidence/assumed_evidence.h"
#include "adapters/evidence/workspace_evidence.h"
#include "adapters/files/workflow_files.h"
#include "adapters/os/system.h"
#include "adapters/process/host_processes.h"
#include "adapters/store/memory/memory_search.h"
#include "adapters/store/memory/memory_store.h"
#include "adapters/trust/trust_file.h"
#include "base/core/thread_safety.h"
#include "cli/config/command_settings.h"
#include "cli/config/places.h"
#include "cli/config/store_policy.h"
#include "workflow/bundled.h"

namespace baton::cases {

/// What outlives a command.
struct MemoryMachine::Disk {
  adapters::OsEntropy entropy;
  adapters::MemoryStore store;
  adapters::MemorySigner signer{entropy};
  adapters::MemorySearch search;
  std::atomic<bool> is_made = false;  // the store was used
};

namespace {

class SignerKeys final : public ports::KeyAdmin {
 public:
  explicit SignerKeys(adapters::MemorySigner& signer) : signer_(signer) {}

  Result<std::vector<ports::KeySlot>> list() override {
    std::vector<ports::KeySlot> slots;
    const std::uint8_t current = TRY(signer_.current_slot());
    for (std::uint8_t slot = 0; slot < 16; ++slot) {
      if (TRY(signer_.has_key(slot))) slots.push_back({slot, slot == current});
    }
    return slots;
  }
  Result<std::uint8_t> rotate() override { return signer_.rotate(); }
  Result<void> retire(std::uint8_t slot) override { return signer_.retire(slot); }

 private:
  adapters::MemorySigner& signer_;
};

adapters::WorkflowFiles workflow_files(const cli::Config& config,
                                       const std::filesystem::path& first) {
  std::vector<adapters::WorkflowFolder> folders;
  if (!first.empty()) folders.push_back({"extra", first.string(), true});
  for (cli::WorkflowPlace& place : cli::workflow_places(config)) {
    folders.push_back(
        {std::move(place.source), std::move(place.path), place.must_exist, std::move(place.root)});
  }
  std::vector<adapters::BundledText> bundled;
  for (const EmbeddedText& each : workflow::bundled_texts()) {
    bundled.push_back({each.name, each.text});
  }
  return adapters::WorkflowFiles(std::move(folders), std::move(bundled));
}

/// The same on every machine, so that a case says all that its commands see.
ports::CommandSettings commands_of(const cli::Config& config) {
  return cli::command_settings(config,
                               {{"LC_ALL", "C.UTF-8"}, {"PATH", "/usr/local/bin:/usr/bin:/bin"}});
}

/// One command's view of a disk; its caches and ids are its own, as a process's are.
template <class Disk>
class MemoryBackend final : public cli::Backend {
 public:
  MemoryBackend(std::shared_ptr<Disk> disk, const cli::Config& config,
                const std::filesystem::path& folder, std::shared_ptr<ports::ScriptHost> scripts)
      : disk_(std::move(disk)),
        place_(config.store()),
        keys_(disk_->signer),
        trust_(config.trust_file()),
        files_(workflow_files(config, folder)),
        scripts_(std::move(scripts)),
        commands_(commands_of(config)),
        policy_(config.policy_words()) {
    engine_.scripts = scripts_.get();
    engine_.preferences = config.preferences();
    engine_.processes = &processes_;
    engine_.trust = &trust_;
    engine_.evidence = &evidence_;
    engine_.commands = &commands_;
    engine_.signatures = &signatures_;
  }

  /// From here on nothing outside is looked at or run.
  void rehearse() {
    engine_.evidence = &rehearsal_;
    engine_.processes = nullptr;
    engine_.trust = nullptr;
  }

  Result<engine::Engine*> engine() override {
    disk_->is_made = true;
    const MutexLock lock(mutex_);
    policy_.take(engine_);
    return &engine_;
  }
  Result<engine::Engine*> existing() override {
    if (!disk_->is_made) return cli::no_store_at(place_);
    return engine();
  }
  ports::KeyAdmin& keys() override { return keys_; }
  ports::StoreAdmin& store_admin() override { panic(__FILE__, __LINE__, "it has no files"); }
  ports::TrustAdmin& trust() override { return trust_; }
  Result<void> check_sandbox() override { return {}; }
  ports::WorkflowSource& workflows() override { return files_; }
  ports::AuxStore* aux() override { return nullptr; }

 private:
  std::shared_ptr<Disk> disk_;
  const std::string place_;
  SignerKeys keys_;
  adapters::TrustFile trust_;
  adapters::WorkflowFiles files_;
  std::shared_ptr<ports::ScriptHost> scripts_;
  adapters::SystemClock clock_;
  adapters::HostProcesses processes_;
  const ports::CommandSettings commands_;
  Mutex mutex_;
  cli::StorePolicy policy_ GUARDED_BY(mutex_);
  adapters::WorkspaceEvidence evidence_{commands_};
  adapters::AssumedEvidence rehearsal_;
  adapters::Ed25519Check signatures_;
  engine::IdSource ids_{clock_, disk_->entropy};
  engine::Caches caches_;
  engine::CheckedStore checked_{disk_->store, caches_};
  engine::Engine engine_{checked_, files_,  disk_->signer, clock_,         disk_->entropy,
                         ids_,     caches_, nullptr,       &disk_->search, nullptr};
};

}  // namespace

std::shared_ptr<cli::Backend> MemoryMachine::open(const cli::Config& config,
                                                  std::shared_ptr<ports::ScriptHost> scripts) {
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<Disk>& disk = disks_[config.store()];
  if (disk == nullptr) disk = std::make_shared<Disk>();
  return std::make_shared<MemoryBackend<Disk>>(disk, config, std::filesystem::path(),
                                               std::move(scripts));
}

std::shared_ptr<cli::Backend> MemoryMachine::open_scratch(
    const cli::Config& config, const std::filesystem::path& folder,
    std::shared_ptr<ports::ScriptHost> scripts) {
  auto backend = std::make_shared<MemoryBackend<Disk>>(std::make_shared<Disk>(), config, folder,
                                                       std::move(scripts));
  backend->rehearse();
  return backend;
}

}  // namespace baton::cases
