#pragma once
// Memory that holds a secret and is wiped when it goes. Values; each owner wipes its own copy.

#include <openssl/crypto.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace baton::adapters {

/// A token key.
class SecretKey {
 public:
  static constexpr std::size_t size = 32;

  SecretKey() = default;
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey() { OPENSSL_cleanse(bytes.data(), bytes.size()); }

  std::array<std::uint8_t, size> bytes{};
};

/// Text with keys in it. Reserve its full size first: growing would leave copies behind.
class SecretText {
 public:
  SecretText() = default;
  SecretText(SecretText&& other) noexcept : text(std::move(other.text)) { other.wipe(); }
  SecretText& operator=(SecretText&&) = delete;
  ~SecretText() { wipe(); }

  std::string text;

 private:
  void wipe() {
    text.resize(text.capacity());
    OPENSSL_cleanse(text.data(), text.size());
    text.clear();
  }
};

}  // namespace baton::adapters
