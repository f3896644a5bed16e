#pragma once
// Backend: an engine on a real or an in-memory store, opened when it is first needed.

#include <functional>
#include <memory>

#include "cli/config/config.h"
#include "cli/world.h"
#include "engine/engine.h"
#include "ports/approval_key.h"
#include "ports/log.h"
#include "ports/plan_turns.h"
#include "ports/script_host.h"
#include "ports/signer.h"
#include "ports/store_admin.h"
#include "ports/system.h"
#include "ports/trust.h"

namespace baton::cli {

class Backend {
 public:
  virtual ~Backend() = default;

  /// Opens what is not open yet; the same engine every time. Any thread.
  virtual Result<engine::Engine*> engine() = 0;

  /// The same for who only looks at what is there: NOT_FOUND where no store is, and none is made.
  virtual Result<engine::Engine*> existing() = 0;

  virtual ports::KeyAdmin& keys() = 0;

  /// The store's files as a whole; opens no store.
  virtual ports::StoreAdmin& store_admin() = 0;

  /// Which workflows may run commands; opens no store.
  virtual ports::TrustAdmin& trust() = 0;

  /// ENVIRONMENT when the owner's settings ask for a sandbox that this machine does not have.
  virtual Result<void> check_sandbox() = 0;

  /// Where workflows come from; opens no store.
  virtual ports::WorkflowSource& workflows() = 0;

  /// What is remembered between processes; nullptr for nothing.
  virtual ports::AuxStore* aux() = 0;

  /// Waits for what this process or another one appends to the store; nullptr where no other can.
  virtual Result<std::unique_ptr<ports::ChangeFeed>> changes() {
    return std::unique_ptr<ports::ChangeFeed>();
  }
};

// Parts: the concrete pieces that the composition root chose, for the verbs to use.

struct Parts {
  std::function<std::unique_ptr<ports::Log>(const World&, const Config&)> open_log;
  std::function<std::shared_ptr<Backend>(const Config&)> open_backend;
  /// A store in memory of its own, with a clock and chance that repeat themselves. Workflows are
  /// looked for in `folder` too, before all but the bundled ones.
  std::function<std::shared_ptr<Backend>(const Config&, const std::filesystem::path& folder)>
      open_scratch;
  /// The plan of the project that the world's directory is in.
  std::function<std::shared_ptr<ports::SharedPlan>(const World&, const Config&)> open_plan;
  std::function<std::unique_ptr<ports::ApprovalKeyFile>(const std::string& path)> open_approval_key;
  std::shared_ptr<ports::Clock> clock;
  std::shared_ptr<ports::Entropy> entropy;
  std::shared_ptr<ports::ScriptHost> scripts;
};

}  // namespace baton::cli
