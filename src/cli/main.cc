// The composition root: the only file that names concrete adapters.

#include <malloc.h>
#include <unistd.h>

#include <cerrno>

#include "adapters/crypto/approval_key_file.h"
#include "adapters/crypto/crypto_signer.h"
#include "adapters/crypto/ed25519.h"
#include "adapters/crypto/memory_signer.h"
#include "adapters/evidence/assumed_evidence.h"
#include "adapters/evidence/workspace_evidence.h"
#include "adapters/files/private_file.h"
#include "adapters/files/workflow_files.h"
#include "adapters/os/repeatable.h"
#include "adapters/os/stream_log.h"
#include "adapters/os/system.h"
#include "adapters/process/host_processes.h"
#include "adapters/process/writable.h"
#include "adapters/script/quickjs_host.h"
#include "adapters/store/memory/memory_store.h"
#include "adapters/store/sqlite/aux_store.h"
#include "adapters/store/sqlite/search_index.h"
#include "adapters/store/sqlite/sqlite_store.h"
#include "adapters/store/sqlite/store_files.h"
#include "adapters/store/sqlite/write/change_feed.h"
#include "adapters/trust/trust_file.h"
#include "adapters/vcs/project_plan.h"
#include "adapters/vcs/repositories.h"
#include "base/core/thread_safety.h"
#include "base/text/text.h"
#include "cli/app.h"
#include "cli/config/command_settings.h"
#include "cli/config/places.h"
#include "cli/config/store_policy.h"
#include "cli/parts.h"
#include "engine/load/approvals.h"
#include "workflow/bundled.h"

namespace baton {
namespace {

/// The keys beside the store, made when they are first needed.
class FileKeys final : public ports::KeyAdmin {
 public:
  FileKeys(std::string store, ports::Entropy& entropy)
      : store_(std::move(store)), file_(store_ + ".keys"), entropy_(entropy) {}

  /// Keys are made before their store. A store without keys has lost them: making others in
  /// silence would void every token it gave out.
  Result<void> create_for_new_store() {
    TRY(adapters::check_store_file(store_));
    if (::access(store_.c_str(), F_OK) == 0) return {};
    return create_if_missing();
  }

  Result<void> create_if_missing() {
    TRY(cli::make_store_folder(store_));
    return file_.create_if_missing(entropy_);
  }

  const adapters::KeyFile& file() const { return file_; }

  Result<std::vector<ports::KeySlot>> list() override {
    TRY(create_for_new_store());
    std::vector<ports::KeySlot> slots;
    for (const adapters::KeyInfo& key : TRY(file_.list())) {
      slots.push_back({key.slot, key.state == adapters::KeyState::current});
    }
    return slots;
  }
  Result<std::uint8_t> rotate() override {
    TRY(create_if_missing());
    return file_.rotate(entropy_);
  }
  Result<void> retire(std::uint8_t slot) override {
    TRY(create_for_new_store());
    return file_.retire(slot);
  }

 private:
  const std::string store_;
  const adapters::KeyFile file_;
  ports::Entropy& entropy_;
};

/// `first` is looked into before the configured folders; may be empty.
adapters::WorkflowFiles workflow_files(const cli::Config& config,
                                       const std::filesystem::path& first = {}) {
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

/// The file beside the store, opened when something is first remembered or asked.
class LateAux final : public ports::AuxStore {
 public:
  explicit LateAux(std::string store) : store_(std::move(store)) {}

  void count(std::string_view counter, std::int64_t by) override { aux().count(counter, by); }
  void record(ports::CallRecord call) override { aux().record(std::move(call)); }
  Result<std::int64_t> counter(std::string_view name) override { return aux().counter(name); }
  Result<std::vector<ports::CallRecord>> calls(std::size_t limit) override {
    return aux().calls(limit);
  }
  void remember(std::string key, std::string text) override {
    aux().remember(std::move(key), std::move(text));
  }
  std::optional<std::string> remembered(std::string_view key) override {
    return aux().remembered(key);
  }

 private:
  ports::AuxStore& aux() {
    const MutexLock lock(mutex_);
    if (aux_ == nullptr) aux_ = adapters::SqliteAux::open(store_);
    return *aux_;
  }

  const std::string store_;
  Mutex mutex_;
  std::unique_ptr<ports::AuxStore> aux_ GUARDED_BY(mutex_);
};

adapters::CommandVariables variables_of(const ports::CommandSettings& commands) {
  const auto value_of = [&](const char* name) {
    const auto found = commands.environment.find(name);
    return found == commands.environment.end() ? std::string() : found->second;
  };
  return {value_of("PATH"), value_of("HOME")};
}

/// The engine on the configured store, opened at the first call that needs it.
class StoreBackend final : public cli::Backend {
 public:
  StoreBackend(const cli::Config& config, std::shared_ptr<ports::Clock> clock,
               std::shared_ptr<ports::ScriptHost> scripts, const adapters::Environment& environment)
      : path_(config.store()),
        preferences_(config.preferences()),
        clock_(std::move(clock)),
        scripts_(std::move(scripts)),
        files_(path_),
        keys_(path_, entropy_),
        signer_(keys_.file()),
        workflows_(workflow_files(config)),
        aux_(path_),
        search_(path_),
        commands_(cli::command_settings(config, environment)),
        trust_(config.trust_file(), variables_of(commands_)),
        repositories_(commands_.environment),
        evidence_(commands_),
        policy_(config.policy_words()) {}

  Result<engine::Engine*> engine() override {
    const MutexLock lock(mutex_);
    if (engine_) {
      refresh_policy();
      return &*engine_;
    }
    TRY(keys_.create_for_new_store());
    auto opened = adapters::SqliteStore::open(path_);
    if (!opened) {
      opened.error().message = cat(path_, ": ", opened.error().message);
      return std::unexpected(std::move(opened.error()));
    }
    sqlite_ = opened->get();
    store_ = std::move(*opened);
    checked_.emplace(*store_, caches_);
    engine_.emplace(*checked_, workflows_, signer_, *clock_, entropy_, ids_, caches_, &aux_,
                    &search_, &repositories_);
    engine_->preferences = preferences_;
    engine_->scripts = scripts_.get();
    engine_->processes = &processes_;
    engine_->trust = &trust_;
    engine_->evidence = &evidence_;
    engine_->commands = &commands_;
    engine_->signatures = &signatures_;
    refresh_policy();
    return &*engine_;
  }

  Result<engine::Engine*> existing() override {
    TRY(cli::check_store_place(path_));
    if (::access(path_.c_str(), F_OK) != 0 && errno == ENOENT) return cli::no_store_at(path_);
    return engine();
  }

  ports::KeyAdmin& keys() override { return keys_; }
  ports::StoreAdmin& store_admin() override { return files_; }
  ports::TrustAdmin& trust() override { return trust_; }
  Result<void> check_sandbox() override {
    const std::string problem = commands_.is_sandboxed ? adapters::why_no_sandbox() : "";
    if (problem.empty()) return {};
    return fail(Code::ENVIRONMENT, cat("commands.sandbox asks for a sandbox, but ", problem),
                "use a newer kernel, or remove the setting from your config.yaml");
  }
  ports::WorkflowSource& workflows() override { return workflows_; }
  ports::AuxStore* aux() override { return &aux_; }
  Result<std::unique_ptr<ports::ChangeFeed>> changes() override {
    TRY(engine());
    return adapters::open_sqlite_feed(path_);
  }

 private:
  /// A policy that another process signed takes effect at the next call. A read for each call would
  /// cost more than most calls, so the store is asked when another process has written, and now and
  /// then, because a signal can be lost.
  void refresh_policy() REQUIRES(mutex_) {
    const auto heard = sqlite_->heard_of_others();
    const MonoMs now = clock_->mono();
    if (heard == heard_ && now.value - asked_.value < policy_ask_ms) return;
    heard_ = heard;
    asked_ = now;
    policy_.take(*engine_);
  }

  static constexpr std::int64_t policy_ask_ms = 1'000;

  const std::string path_;
  const run::Preferences preferences_;
  const std::shared_ptr<ports::Clock> clock_;
  const std::shared_ptr<ports::ScriptHost> scripts_;
  adapters::OsEntropy entropy_;
  adapters::StoreFiles files_;
  FileKeys keys_;
  adapters::CryptoSigner signer_;
  adapters::WorkflowFiles workflows_;
  LateAux aux_;
  adapters::SqliteSearch search_;
  const ports::CommandSettings commands_;
  adapters::TrustFile trust_;
  adapters::GitRepositories repositories_;
  adapters::HostProcesses processes_;
  adapters::WorkspaceEvidence evidence_;
  adapters::Ed25519Check signatures_;
  engine::IdSource ids_{*clock_, entropy_};
  engine::Caches caches_;
  Mutex mutex_;
  cli::StorePolicy policy_ GUARDED_BY(mutex_);
  std::optional<std::uint64_t> heard_ GUARDED_BY(mutex_);
  MonoMs asked_ GUARDED_BY(mutex_);
  adapters::SqliteStore* sqlite_ GUARDED_BY(mutex_) = nullptr;
  std::unique_ptr<ports::EventStore> store_ GUARDED_BY(mutex_);
  std::optional<engine::CheckedStore> checked_ GUARDED_BY(mutex_);
  std::optional<engine::Engine> engine_ GUARDED_BY(mutex_);
};

/// An engine in memory, in which the same calls have the same outcome.
class ScratchBackend final : public cli::Backend {
 public:
  ScratchBackend(const cli::Config& config, const std::filesystem::path& folder,
                 std::shared_ptr<ports::ScriptHost> scripts)
      : scripts_(std::move(scripts)), workflows_(workflow_files(config, folder)) {
    engine_.scripts = scripts_.get();
    engine_.evidence = &evidence_;
  }

  Result<engine::Engine*> engine() override { return &engine_; }
  Result<engine::Engine*> existing() override { return &engine_; }
  ports::KeyAdmin& keys() override { panic(__FILE__, __LINE__, "a scratch store has no keys"); }
  ports::StoreAdmin& store_admin() override { panic(__FILE__, __LINE__, "it has no files"); }
  ports::TrustAdmin& trust() override { panic(__FILE__, __LINE__, "nothing is trusted there"); }
  Result<void> check_sandbox() override { return {}; }  // no command is run
  ports::WorkflowSource& workflows() override { return workflows_; }
  ports::AuxStore* aux() override { return nullptr; }

 private:
  const std::shared_ptr<ports::ScriptHost> scripts_;
  adapters::WorkflowFiles workflows_;
  adapters::AssumedEvidence evidence_;
  adapters::FixedEntropy entropy_{1};
  adapters::ManualClock clock_{WallMs{1'700'000'000'000}};
  adapters::MemoryStore store_;
  adapters::MemorySigner signer_{entropy_};
  engine::IdSource ids_{clock_, entropy_};
  engine::Caches caches_;
  engine::CheckedStore checked_{store_, caches_};
  engine::Engine engine_{checked_, workflows_, signer_, clock_, entropy_, ids_, caches_};
};

cli::Parts compose(const cli::World& of_process) {
  cli::Parts parts;
  parts.clock = std::make_shared<adapters::SystemClock>();
  parts.entropy = std::make_shared<adapters::OsEntropy>();
  parts.scripts = std::make_shared<adapters::QuickJsHost>();
  parts.open_log = [clock = parts.clock](const cli::World& world, const cli::Config& config) {
    return std::make_unique<adapters::StreamLog>(
        world.errors.descriptor(),
        config.verbose() ? ports::LogSeverity::debug : ports::LogSeverity::warn,
        world.errors_are_terminal ? adapters::LogForm::human : adapters::LogForm::json, *clock);
  };
  parts.open_backend = [clock = parts.clock, scripts = parts.scripts,
                        environment = of_process.environment](const cli::Config& config) {
    return std::make_shared<StoreBackend>(config, clock, scripts, environment);
  };
  parts.open_scratch = [scripts = parts.scripts](const cli::Config& config,
                                                 const std::filesystem::path& folder) {
    return std::make_shared<ScratchBackend>(config, folder, scripts);
  };
  parts.open_approval_key = [entropy = parts.entropy](const std::string& path) {
    return std::make_unique<adapters::LockedKeyFile>(path, *entropy);
  };
  parts.open_plan = [](const cli::World& world, const cli::Config& config) {
    return std::make_shared<adapters::ProjectPlan>(
        world.directory, cli::command_settings(config, world.environment).environment);
  };
  return parts;
}

int run_process(int argc, char** argv) {
  // Calls move from thread to thread. With a heap for each of them every one grows to its peak and
  // is cold when its turn comes again; two are enough for the threads that run at once.
  mallopt(M_ARENA_MAX, 2);
  const cli::World world = cli::world_of_process(argc, argv);
  const cli::Ending ending = cli::run(world, compose(world));
  const int code = static_cast<int>(ending.exit);
  // What still runs must not meet destructors.
  if (ending.threads == cli::Threads::left_running) _exit(code);
  return code;
}

}  // namespace
}  // namespace baton

int main(int argc, char** argv) { return baton::run_process(argc, argv); }
