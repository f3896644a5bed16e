#include "cli/config/store_policy.h"

#include "cli/config/signed_policy.h"
#include "engine/load/approvals.h"

namespace baton::cli {

void StorePolicy::take(engine::Engine& engine) {
  // The head first: what is recorded after it is seen the next time.
  const auto head = engine.store.head(run::approvals_session);
  if (head && seen_ == head->seq) return;
  const auto approvals = engine::approvals_of(engine.reading(), engine.signatures);
  const bool is_first = !has_taken_;
  has_taken_ = true;
  if (approvals && head) seen_ = head->seq;
  if (!approvals && !is_first) return;
  if (approvals && approvals->keys.first().empty()) {
    engine.policy.set(run::OwnerPolicy(statements_of(said_)));
    return;
  }
  const bool is_signed = approvals && approvals->policy;
  auto words = words_in_force(said_, is_signed ? approvals->policy->text : "");
  if (!words) words = words_in_force(said_, "");
  if (words) engine.policy.set(run::OwnerPolicy(statements_of(*words)));
}

}  // namespace baton::cli
