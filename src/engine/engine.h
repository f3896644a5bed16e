#pragma once
// What verbs are given: the ports, and caches of things that never change. Reading verbs get a
// Reading, which holds nothing that can append.

#include <memory>
#include <string>
#include <string_view>

#include "base/core/thread_safety.h"
#include "engine/load/checked_store.h"
#include "engine/policy_in_force.h"
#include "ports/aux_store.h"
#include "ports/event_store.h"
#include "ports/evidence_reader.h"
#include "ports/process_runner.h"
#include "ports/script_host.h"
#include "ports/search_index.h"
#include "ports/signer.h"
#include "ports/system.h"
#include "ports/trust.h"
#include "ports/version_control.h"
#include "ports/workflow_source.h"
#include "run/policy/policy.h"
#include "run/policy/signature.h"

namespace baton::engine {

using RandomBits = std::array<std::uint8_t, 8>;

/// Fresh ids in order of creation. Any thread.
class IdSource {
 public:
  IdSource(ports::Clock& clock, ports::Entropy& entropy) : clock_(clock), entropy_(entropy) {}

  template <class IdType>
  IdType next() {
    return next<IdType>(fresh_bits());
  }

  /// With random bits that the caller has drawn, for this id alone.
  template <class IdType>
  IdType next(const RandomBits& random) {
    return IdType{next_bytes(random)};
  }

 private:
  RandomBits fresh_bits();
  IdBytes next_bytes(const RandomBits& random);

  ports::Clock& clock_;
  ports::Entropy& entropy_;
  Mutex mutex_;
  IdMaker maker_ GUARDED_BY(mutex_);
};

/// Enough to load, not to write.
struct LoadContext {
  ports::EventReader& store;
  Caches& caches;
};

/// Enough to look and to answer with tokens, not to write.
struct ReadContext : LoadContext {
  ports::Signer& signer;
  ports::Clock& clock;
  ports::WorkflowSource* workflows = nullptr;       // to see whether a run's file has changed
  ports::ProcessWatch* processes = nullptr;         // to see whether a command still runs
  const run::SignatureCheck* signatures = nullptr;  // none: no seal counts
};

/// Told of every advance once it is durable; what goes wrong there is no fault of the advance,
/// whose answer is settled. Any thread.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  virtual void advanced(const LoadContext& loading, const RunId& run) = 0;
};

/// Everything.
struct Engine {
  CheckedStore& store;
  ports::WorkflowSource& workflows;
  ports::Signer& signer;
  ports::Clock& clock;
  ports::Entropy& entropy;
  IdSource& ids;
  Caches& caches;
  ports::AuxStore* aux = nullptr;                   // none: nothing is remembered between processes
  ports::SearchIndex* search = nullptr;             // none: no run can be searched for
  ports::RepositoryReader* repositories = nullptr;  // none: no repository is looked at
  RunWatcher* watcher = nullptr;                    // none: advances are not reported
  run::Preferences preferences = {};                // the default of new runs
  PolicyInForce policy = {};                        // what the owner allows every run
  ports::ScriptHost* scripts = nullptr;             // none: no script can be run
  ports::ProcessRunner* processes = nullptr;        // none: every command is the agent's
  ports::Trust* trust = nullptr;                    // none: no workflow is trusted
  ports::EvidenceReader* evidence = nullptr;        // none: nothing is ever seen to be done
  const run::SignatureCheck* signatures = nullptr;  // none: no seal counts
  const ports::CommandSettings* commands = nullptr;  // none: an empty environment, usual limits
  // Set by a simulation alone, for the engine of its own that it walks: see run::AdvanceCommand.
  bool is_simulated = false;

  ReadContext reading() const { return reading(signer); }
  /// With the keys of one call.
  ReadContext reading(ports::Signer& keys) const {
    return {{store, caches}, keys, clock, &workflows, processes, signatures};
  }
};

/// Who calls: "local" for stdio, a unix socket and the bearer secret.
struct Principal {
  std::string name = "local";
  bool client_asks = false;  // whether the client can show its user a form
};

/// What a decider asks for from outside.
run::FreshValues draw(Engine& engine);

}  // namespace baton::engine
