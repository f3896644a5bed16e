#include "token_world.h"

#include <stdlib.h>

#include <cstring>
#include <filesystem>

#include "base/text/text.h"

namespace baton::security {
namespace {

constexpr std::size_t nodes = 40;
constexpr std::size_t tokens = 100;
constexpr WallMs epoch{1'700'000'000'000};

run::NodeNo node_no(std::size_t index) { return {static_cast<std::int64_t>(16 * (index + 1))}; }

}  // namespace

TokenWorld::TokenWorld(std::uint64_t seed) : entropy_(seed) {
  std::string pattern = (std::filesystem::temp_directory_path() / "baton-tokens-XXXXXX").string();
  const char* directory = ::mkdtemp(pattern.data());
  ASSERT(directory != nullptr);
  directory_ = directory;
  keys_ = std::make_unique<adapters::KeyFile>(cat(directory_, "/keys"));
  // A test without its keys proves nothing, so a failure here may end it.
  (MUST(keys_->create_if_missing(entropy_)));
  (void)MUST(keys_->rotate(entropy_));
  (void)MUST(keys_->rotate(entropy_));
  signer_ = std::make_unique<adapters::CryptoSigner>(*keys_);
  for (std::size_t i = 0; i < nodes; ++i) {
    Node node{.id = {}, .created = {epoch.value + static_cast<std::int64_t>(i)}, .steps = {}};
    entropy_.fill(node.id.bytes);
    for (std::size_t step = 0; step < 1 + i % 64; ++step) {
      node.steps.push_back(cat("step-", step % 7, "@", step));
    }
    nodes_.emplace(node_no(i), std::move(node));
  }
  constexpr std::array principals = {"local", "ann@issuer.example", "bob@issuer.example"};
  for (std::size_t i = 0; i < tokens; ++i) {
    issued_.push_back(issue(random_claim(i), principals[draw() % principals.size()]));
  }
}

TokenWorld::~TokenWorld() { std::filesystem::remove_all(directory_); }

std::uint64_t TokenWorld::draw() {
  std::array<std::uint8_t, 8> bytes{};
  entropy_.fill(bytes);
  std::uint64_t number = 0;
  for (const std::uint8_t byte : bytes) number = number << 8 | byte;
  return number;
}

run::UnverifiedToken TokenWorld::random_claim(std::size_t index) {
  run::UnverifiedToken token;
  token.kind = static_cast<run::TokenKind>(index % 4);
  token.key_slot = static_cast<std::uint8_t>(draw() % 3);
  token.node = node_no(draw() % nodes);
  token.ordinal = static_cast<std::uint8_t>(draw() % nodes_.at(token.node).steps.size());
  token.count = static_cast<std::uint16_t>(draw() % 1'024);
  token.life_minutes = static_cast<std::uint16_t>(index % 2 == 0 ? 0 : 1 + draw() % 10'080);
  return token;
}

std::string TokenWorld::preimage(const run::UnverifiedToken& token,
                                 std::string_view principal) const {
  const auto found = nodes_.find(token.node);
  if (found == nodes_.end() || token.ordinal >= found->second.steps.size()) return {};
  return run::mac_preimage(token, found->second.id, found->second.steps[token.ordinal], principal);
}

Issued TokenWorld::issue(run::UnverifiedToken token, std::string principal) {
  const std::string signed_text = preimage(token, principal);
  ASSERT(!signed_text.empty());
  token.mac = MUST(signer_->sign(token.key_slot, signed_text));  // the slots are all taken
  return {token, std::move(principal)};
}

bool TokenWorld::accepts(const run::UnverifiedToken& token, std::string_view principal,
                         WallMs now) {
  const std::string signed_text = preimage(token, principal);
  if (signed_text.empty()) return false;
  if (run::is_expired(token, nodes_.at(token.node).created, now)) return false;
  return MUST(signer_->verify(token.key_slot, signed_text, token.mac));  // the file is ours
}

bool TokenWorld::accepts(std::string_view text, run::TokenKind needed, std::string_view principal,
                         WallMs now) {
  const auto token = run::decode_token(text);
  return token && token->kind == needed && accepts(*token, principal, now);
}

bool TokenWorld::accepts(std::string_view text, const Issued& instead_of) {
  // A kind that the text claims is granted: its call would be the one that needs it.
  const auto token = run::decode_token(text);
  if (!token) return false;
  const WallMs created = nodes_.at(instead_of.token.node).created;
  return accepts(text, token->kind, instead_of.principal, created);
}

}  // namespace baton::security
