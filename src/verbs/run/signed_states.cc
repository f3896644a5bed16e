#include "verbs/run/signed_states.h"

#include "base/text/base64.h"
#include "base/text/text.h"

namespace baton::verbs {
namespace {

constexpr char version = 1;
constexpr std::size_t mac_bytes = std::tuple_size_v<run::TokenMac>;
constexpr std::size_t expiry_bytes = 8;
constexpr std::size_t head_bytes = 2 + expiry_bytes + 2 * mac_bytes;

std::string big_endian(std::int64_t number) {
  std::string out(expiry_bytes, '\0');
  for (std::size_t i = expiry_bytes; i-- > 0; number >>= 8) {
    out[i] = static_cast<char>(number & 255);
  }
  return out;
}

std::int64_t from_big_endian(std::string_view bytes) {
  std::uint64_t out = 0;
  for (const char c : bytes) out = (out << 8) | static_cast<std::uint8_t>(c);
  return static_cast<std::int64_t>(out);
}

/// What is signed. No token's text begins so, and `half` makes two MACs of 64 bits one of 128.
std::string preimage(char half, std::string_view expiry, std::string_view binding,
                     std::string_view bytes) {
  return cat("mcp-state:", half, expiry, static_cast<std::int64_t>(binding.size()), ':', binding,
             bytes);
}

std::unexpected<Error> not_ours() {
  return fail(Code::INVALID_INPUT, "This server did not issue the state, or it has expired.",
              "Make the call again from the start.");
}

}  // namespace

Result<std::string> SignedStates::seal(std::string_view bytes, std::string_view binding) {
  engine::Engine& engine = *TRY(open_());
  const std::uint8_t slot = TRY(engine.signer.current_slot());
  const std::string expiry = big_endian(engine.clock.wall().value + limits::request_state_ms_max);
  std::string out{version, static_cast<char>(slot)};
  out += expiry;
  for (const char half : {'a', 'b'}) {
    const run::TokenMac mac = TRY(engine.signer.sign(slot, preimage(half, expiry, binding, bytes)));
    out.append(mac.begin(), mac.end());
  }
  return to_base64url(cat(out, bytes));
}

Result<std::string> SignedStates::open(std::string_view text, std::string_view binding) {
  const auto decoded = from_base64url(text);
  if (!decoded || decoded->size() < head_bytes || decoded->front() != version) return not_ours();
  const std::string_view all = *decoded;
  const auto slot = static_cast<std::uint8_t>(all[1]);
  const std::string_view expiry = all.substr(2, expiry_bytes);
  const std::string_view bytes = all.substr(head_bytes);
  engine::Engine& engine = *TRY(open_());
  bool genuine = true;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string_view given = all.substr(2 + expiry_bytes + i * mac_bytes, mac_bytes);
    run::TokenMac mac{};
    std::ranges::copy(given, mac.begin());
    const char half = i == 0 ? 'a' : 'b';
    genuine &= TRY(engine.signer.verify(slot, preimage(half, expiry, binding, bytes), mac));
  }
  if (!genuine || from_big_endian(expiry) < engine.clock.wall().value) return not_ours();
  return std::string(bytes);
}

}  // namespace baton::verbs
