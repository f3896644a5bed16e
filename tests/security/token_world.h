#pragma once
// A small store of nodes with tokens for them, and the one question of these tests: would this
// text be accepted? Used by one thread.
//
// Accepted means: it decodes, it is of the kind the call needs, the node it names is there and has
// that open step, the MAC is right for what was looked up and the caller, and it has not expired.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/crypto/crypto_signer.h"
#include "adapters/os/repeatable.h"
#include "run/log/token.h"

namespace baton::security {

constexpr std::int64_t minute_ms = 60'000;

struct Node {
  NodeId id;
  WallMs created;
  std::vector<std::string> steps;
};

/// A valid token and the principal it was issued to.
struct Issued {
  run::UnverifiedToken token;
  std::string principal;
  std::string text() const { return run::encode_token(token); }
};

class TokenWorld {
 public:
  /// Nodes, keys and tokens follow from the seed. Three keys are live, in slots 0 to 2.
  explicit TokenWorld(std::uint64_t seed);
  ~TokenWorld();
  TokenWorld(const TokenWorld&) = delete;

  const std::vector<Issued>& issued() const { return issued_; }
  const adapters::KeyFile& keys() const { return *keys_; }
  adapters::FixedEntropy& entropy() { return entropy_; }
  ports::Signer& signer() { return *signer_; }
  Node& node(run::NodeNo no) { return nodes_.at(no); }
  std::uint64_t draw();

  /// The text that the MAC of this token covers, from the store; empty when the store has none.
  std::string preimage(const run::UnverifiedToken& token, std::string_view principal) const;

  Issued issue(run::UnverifiedToken token, std::string principal);

  bool accepts(const run::UnverifiedToken& token, std::string_view principal, WallMs now);
  bool accepts(std::string_view text, run::TokenKind needed, std::string_view principal,
               WallMs now);

  /// As its owner presents it, in the first minute of the token's life.
  bool accepts(const Issued& issued) { return accepts(issued.text(), issued); }

  /// This text in the place of that token.
  bool accepts(std::string_view text, const Issued& instead_of);

 private:
  run::UnverifiedToken random_claim(std::size_t index);

  adapters::FixedEntropy entropy_;
  std::string directory_;
  std::unique_ptr<adapters::KeyFile> keys_;
  std::unique_ptr<ports::Signer> signer_;
  std::map<run::NodeNo, Node> nodes_;
  std::vector<Issued> issued_;
};

}  // namespace baton::security
