#pragma once
// Opening tokens that come in and signing those that go out. Reads only.

#include <string>
#include <string_view>

#include "verbs/recovery.h"

namespace baton::verbs {

/// A token that is ours, for this caller, alive, and of the kind that was asked for.
struct OpenToken {
  run::UnverifiedToken token;  // verified by now
  run::NodeRow node;
  std::string step;  // step key of an ack; empty for the other kinds
};

/// What a token's text says, unverified; an error names the argument it came in.
Result<run::UnverifiedToken> read_token(std::string_view text, run::TokenKind kind);

/// Unknown, foreign, forged and another caller's tokens all get TOKEN_BAD_SIGNATURE.
Result<OpenToken> open_token(const Reading& reading, const Principal& principal,
                             std::string_view text, run::TokenKind kind);

/// Whether the tokens of a node are void: by the revocations in the log, which the node's row must
/// agree with.
Result<bool> is_revoked(const Reading& reading, const run::NodeRow& node);

/// The token opened against a node that is known already; nothing when it is not a good token for
/// it, or when only the store can tell. REQUIRES: the node is not revoked.
Result<std::optional<OpenToken>> open_known(const Reading& reading, const Principal& principal,
                                            const run::UnverifiedToken& token,
                                            const run::NodeRow& node);

/// Whether a token that was opened earlier is still good: TOKEN_UNKNOWN_NODE when its session was
/// removed since, TOKEN_REVOKED when its run's tokens were.
Result<void> check_still_good(const Reading& reading, const OpenToken& open);

/// The text of a claim about `node`. With the recorded key while it is there, else the current.
Result<std::string> sign_claim(const Reading& reading, const Principal& principal,
                               const run::TokenClaim& claim, const run::NodeRow& node);

/// What a surface encodes: a reply with its tokens as text.
struct Notice {
  std::string message;
  std::string ack_token;
};

struct SignedReply {
  run::Reply reply;
  std::string state_token;
  std::optional<std::string> ack_token;
  std::optional<std::string> checkpoint_token;
  std::optional<Notice> notice;
  std::optional<Recovery> recovery;  // only in the answer to a rehydrate
  bool is_unproven = false;          // the attempt failed its step, for missing proof
};

/// `node` is the one that the reply's claims are about.
Result<SignedReply> sign_reply(const Reading& reading, const Principal& principal, run::Reply reply,
                               const run::NodeRow& node);

/// How a reply on the rail is to be claimed: with the current key, without an end.
Result<run::Minting> rail_minting(const Reading& reading);

}  // namespace baton::verbs
