#pragma once
// Backend: an engine on a real or an in-memory store, opened when it is first needed.

#include "ports/key_admin.h"
#include "ports/store_admin.h"
#include "ports/trust.h"
#include "verbs/engine.h"

namespace baton::cli {

class Backend {
 public:
  virtual ~Backend() = default;

  /// Opens what is not open yet; the same engine every time. Any thread.
  virtual Result<verbs::Engine*> engine() = 0;

  /// The same for who only looks at what is there: NOT_FOUND where no store is, and none is made.
  virtual Result<verbs::Engine*> existing() = 0;

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
};

}  // namespace baton::cli
