#include "adapters/crypto/key_ring.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/json/fields.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

constexpr std::int64_t ring_version = 1;
constexpr std::string_view hex_digits = "0123456789abcdef";

SecretKey fresh_key(ports::Entropy& entropy) {
  SecretKey key;
  entropy.fill(key.bytes);
  return key;
}

/// Written here and not by to_hex, which would leave an unwiped copy behind.
void append_hex(std::string& out, const SecretKey& key) {
  for (const std::uint8_t byte : key.bytes) {
    out += hex_digits[byte >> 4];
    out += hex_digits[byte & 15];
  }
}

bool read_hex(std::string_view text, SecretKey& key) {
  if (text.size() != 2 * key.bytes.size()) return false;
  for (std::size_t i = 0; i < key.bytes.size(); ++i) {
    const std::size_t high = hex_digits.find(text[2 * i]);
    const std::size_t low = hex_digits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    key.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return true;
}

/// Wipes every string under `value`, which holds at most an object of arrays of objects.
void wipe_strings(json::Value& value) {
  if (std::string* text = value.if_string()) {
    OPENSSL_cleanse(text->data(), text->size());
  } else if (json::Array* array = value.if_array()) {
    for (json::Value& element : *array) wipe_strings(element);
  } else if (json::Object* object = value.if_object()) {
    for (json::Member& member : *object) wipe_strings(member.value);
  }
}

struct Entry {
  std::uint8_t slot = 0;
  KeyState state = KeyState::current;
  SecretKey key;
};

Result<Entry> read_entry(const json::Value& value) {
  json::Fields fields(value, "key", Code::STORE_CORRUPT);
  Entry entry;
  const std::int64_t slot = TRY(fields.integer("slot"));
  if (slot < 0 || slot >= static_cast<std::int64_t>(KeyRing::slots)) {
    return fields.wrong("slot", "from 0 to 15");
  }
  entry.slot = static_cast<std::uint8_t>(slot);
  const std::string state = TRY(fields.string("state"));
  if (state == name_of(KeyState::verify_only)) {
    entry.state = KeyState::verify_only;
  } else if (state != name_of(KeyState::current)) {
    return fields.wrong("state", "current or verify_only");
  }
  const std::string* key = TRY(fields.any("key"))->if_string();
  if (key == nullptr || !read_hex(*key, entry.key)) {
    return fields.wrong("key", "64 lower-case hexadecimal digits");
  }
  TRY(fields.done());
  return entry;
}

}  // namespace

std::string_view name_of(KeyState state) {
  return state == KeyState::current ? "current" : "verify_only";
}

KeyRing KeyRing::make(ports::Entropy& entropy) {
  KeyRing ring;
  ring.keys_[0] = fresh_key(entropy);
  return ring;
}

Result<KeyRing> KeyRing::parse(std::string_view text) {
  auto value = json::parse(text, {.bytes_max = limits::key_ring_bytes_max, .depth_max = 4});
  // The reader's message may quote the text, so it goes no further.
  if (!value) return fail(Code::STORE_CORRUPT, "The key ring is not JSON.");
  struct ClearOnExit {
    json::Value& value;
    ~ClearOnExit() { wipe_strings(value); }
  } const wiper{*value};

  json::Fields fields(*value, "key ring", Code::STORE_CORRUPT);
  const std::int64_t version = TRY(fields.integer("version"));
  if (version > ring_version) {
    return fail(Code::STORE_NEWER, cat("The key ring has version ", version,
                                       "; this release reads version ", ring_version, '.'));
  }
  if (version != ring_version) return fields.wrong("version", "1");
  const json::Array& entries = *TRY(fields.array("keys"));
  TRY(fields.done());

  KeyRing ring;
  int current_keys = 0;
  for (const json::Value& element : entries) {
    const Entry entry = TRY(read_entry(element));
    if (ring.keys_[entry.slot]) return fail(Code::STORE_CORRUPT, "key ring: a slot occurs twice");
    ring.keys_[entry.slot] = entry.key;
    if (entry.state == KeyState::current) {
      ring.current_ = entry.slot;
      ++current_keys;
    }
  }
  if (current_keys != 1) return fail(Code::STORE_CORRUPT, "key ring: one key must be current");
  return ring;
}

SecretText KeyRing::print() const {
  SecretText out;
  std::string& text = out.text;
  text.reserve(limits::key_ring_bytes_max);
  text += cat("{\"version\":", ring_version, ",\"keys\":[");
  const char* separator = "\n";
  for (const KeyInfo& info : list()) {
    text += cat(separator, "{\"slot\":", info.slot, ",\"state\":\"", name_of(info.state),
                "\",\"key\":\"");
    append_hex(text, *key(info.slot));
    text += "\"}";
    separator = ",\n";
  }
  text += "\n]}\n";
  ASSERT(text.size() <= limits::key_ring_bytes_max);
  return out;
}

const SecretKey* KeyRing::key(std::uint8_t slot) const {
  return slot < slots && keys_[slot] ? &*keys_[slot] : nullptr;
}

std::vector<KeyInfo> KeyRing::list() const {
  std::vector<KeyInfo> out;
  for (std::uint8_t slot = 0; slot < slots; ++slot) {
    if (!keys_[slot]) continue;
    out.push_back({slot, slot == current_ ? KeyState::current : KeyState::verify_only});
  }
  return out;
}

Result<std::uint8_t> KeyRing::rotate(ports::Entropy& entropy) {
  const auto free = std::ranges::find_if(keys_, [](const auto& key) { return !key.has_value(); });
  if (free == keys_.end()) {
    return fail(Code::KEYS_EXHAUSTED, "All 16 key slots are taken, so no new key can be added.",
                "Retire keys whose tokens are no longer needed: baton keys retire --slot N.");
  }
  *free = fresh_key(entropy);
  current_ = static_cast<std::uint8_t>(free - keys_.begin());
  return current_;
}

Result<void> KeyRing::retire(std::uint8_t slot) {
  if (key(slot) == nullptr) {
    return fail(Code::NOT_FOUND, cat("There is no key in slot ", slot, '.'),
                "baton keys list shows the slots that have one.");
  }
  if (slot == current_) {
    return fail(Code::INVALID_INPUT,
                cat("The key in slot ", slot, " signs new tokens, so it cannot be retired."),
                "Make another key current first: baton keys rotate.");
  }
  keys_[slot].reset();
  return {};
}

}  // namespace baton::adapters
