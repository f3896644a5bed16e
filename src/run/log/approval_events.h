#pragma once
// What a store knows of its owners' approval keys and of the policies they signed. The commits have
// a session of their own, without a run, so that a run's log is not moved by them; the same one in
// every store, so that it is found without looking for it. Values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "run/log/gate_events.h"
#include "run/log/types.h"

namespace baton::run {

inline constexpr SessionId approvals_session{
    {'b', 'a', 't', 'o', 'n', '-', 'a', 'p', 'p', 'r', 'o', 'v', 'a', 'l', 's', '1'}};

/// What becomes of a key.
enum class KeyChange : std::uint8_t {
  first,     // it is the store's first one, and signs that itself
  admitted,  // it counts from now on, beside the one that signs
  replaced,  // it counts from now on, in place of the one that signs
  withdrawn  // it counts no longer
};
template <>
inline constexpr Names<4> names_of<KeyChange> = {"first", "admitted", "replaced", "withdrawn"};

/// A change of the keys whose seals count.
struct ApprovalKeyChanged {
  std::int64_t number = 1;  // 1, 2, 3, ... in the store
  KeyChange change = KeyChange::first;
  std::string key;  // the public key that it is about, in hex
  Seal seal;        // by a key that counted until then
  ChangeSource source = {};
  bool operator==(const ApprovalKeyChanged&) const = default;

  static constexpr std::string_view name = "approval_key_changed";
  static constexpr std::string_view key_prefix = "approval:key:";
  static void describe(auto& e, auto& v) {
    v.counted("number", e.number);
    v("change", e.change);
    v("key", e.key);
    v("seal", e.seal);
    v("source", e.source);
  }
};

/// A policy that an owner signed. The newest one stays in force until another is signed.
struct PolicySigned {
  std::int64_t number = 1;  // 1, 2, 3, ... in the store
  std::string text;         // of the policy file
  Seal seal;
  ChangeSource source = {};
  bool operator==(const PolicySigned&) const = default;

  static constexpr std::string_view name = "policy_signed";
  static constexpr std::string_view key_prefix = "approval:policy:";
  static void describe(auto& e, auto& v) {
    v.counted("number", e.number);
    v("text", e.text);
    v("seal", e.seal);
    v("source", e.source);
  }
};

inline std::string approval_key(const ApprovalKeyChanged& e) { return cat(e.key_prefix, e.number); }
inline std::string approval_key(const PolicySigned& e) { return cat(e.key_prefix, e.number); }

}  // namespace baton::run
