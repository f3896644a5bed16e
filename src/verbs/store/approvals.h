#pragma once
// Recording an owner's approval keys and signed policies. Each is a commit of its own, in a session
// that every store has for it.

#include <string>
#include <string_view>

#include "engine/engine.h"
#include "engine/load/approvals.h"
#include "ports/approval_key.h"

namespace baton::verbs {

/// Records the store's first key, sealed by itself. INVALID_INPUT: the store has one already. The
/// same key again changes nothing.
Result<void> record_first_key(engine::Engine& engine, ports::Sealer& sealer);

/// Records another change of the keys, sealed by `sealer`. `key`: the public key that it is about,
/// in hex. INVALID_INPUT: the key that seals does not count in this store, or the change cannot be.
Result<void> change_keys(engine::Engine& engine, ports::Sealer& sealer, run::KeyChange change,
                         std::string key);

/// Signs the text of a policy file, which is in force in this store from now on. Gives its number.
/// INVALID_INPUT: the key that seals does not count in this store.
Result<std::int64_t> sign_policy(engine::Engine& engine, ports::Sealer& sealer, std::string text);

/// Seals a decision at a gate: signs it and notes the key. INVALID_INPUT as above.
Result<run::GateWord> seal_word(engine::Engine& engine, ports::Sealer& sealer,
                                const run::GateSubject& subject, run::GateWord word);

}  // namespace baton::verbs
