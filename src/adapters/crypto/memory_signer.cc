#include "adapters/crypto/memory_signer.h"

#include <algorithm>

#include "base/core/sha256.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

/// HMAC-SHA256 (RFC 2104), cut to a token's length.
run::TokenMac hmac(const std::array<std::uint8_t, 32>& key, std::string_view message) {
  constexpr std::size_t block_bytes = 64;
  std::string inner(block_bytes, '\x36');
  std::string outer(block_bytes, '\x5c');
  for (std::size_t i = 0; i < key.size(); ++i) {
    inner[i] = static_cast<char>(key[i] ^ 0x36);
    outer[i] = static_cast<char>(key[i] ^ 0x5c);
  }
  inner += message;
  const Sha256 inner_digest = sha256(inner);
  outer.append(reinterpret_cast<const char*>(inner_digest.bytes.data()), inner_digest.bytes.size());
  const Sha256 digest = sha256(outer);
  run::TokenMac mac{};
  std::copy_n(digest.bytes.begin(), mac.size(), mac.begin());
  return mac;
}

}  // namespace

MemorySigner::MemorySigner(ports::Entropy& entropy) : entropy_(entropy) { keys_[0] = fresh_key(); }

MemorySigner::Key MemorySigner::fresh_key() {
  Key key{};
  entropy_.fill(key);
  return key;
}

Result<std::uint8_t> MemorySigner::current_slot() {
  const MutexLock lock(mutex_);
  return current_;
}

Result<bool> MemorySigner::has_key(std::uint8_t slot) {
  const MutexLock lock(mutex_);
  return slot < keys_.size() && keys_[slot].has_value();
}

Result<run::TokenMac> MemorySigner::sign(std::uint8_t slot, std::string_view preimage) {
  const MutexLock lock(mutex_);
  if (slot >= keys_.size() || !keys_[slot]) {
    return fail(Code::NOT_FOUND, cat("There is no key in slot ", slot, "."));
  }
  return hmac(*keys_[slot], preimage);
}

Result<bool> MemorySigner::verify(std::uint8_t slot, std::string_view preimage,
                                  const run::TokenMac& mac) {
  const MutexLock lock(mutex_);
  if (slot >= keys_.size() || !keys_[slot]) return false;
  const run::TokenMac right = hmac(*keys_[slot], preimage);
  unsigned difference = 0;
  for (std::size_t i = 0; i < mac.size(); ++i) difference |= unsigned{mac[i]} ^ right[i];
  return difference == 0;
}

Result<std::uint8_t> MemorySigner::rotate() {
  const MutexLock lock(mutex_);
  const auto free = std::ranges::find_if(keys_, [](const auto& key) { return !key; });
  if (free == keys_.end()) return fail(Code::KEYS_EXHAUSTED, "All 16 key slots are taken.");
  *free = fresh_key();
  current_ = static_cast<std::uint8_t>(free - keys_.begin());
  return current_;
}

Result<void> MemorySigner::retire(std::uint8_t slot) {
  const MutexLock lock(mutex_);
  if (slot >= keys_.size() || !keys_[slot]) {
    return fail(Code::NOT_FOUND, cat("There is no key in slot ", slot, "."));
  }
  if (slot == current_) return fail(Code::INVALID_INPUT, "The current key cannot be retired.");
  keys_[slot] = std::nullopt;
  return {};
}

}  // namespace baton::adapters
