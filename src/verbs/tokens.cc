#include "verbs/tokens.h"

#include "base/text.h"

namespace baton::verbs {
namespace {

using run::TokenKind;

std::string_view argument_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::state: return "stateToken";
    case TokenKind::ack: return "ackToken";
    case TokenKind::checkpoint: return "checkpointToken";
    case TokenKind::step: return "step_token";
  }
  return "token";
}

std::unexpected<Error> not_ours() {
  return fail(Code::TOKEN_BAD_SIGNATURE,
              "this token was not issued by this server's store, or not to you",
              "send the token from the latest reply; if it is lost, resume_session finds the run");
}

std::unexpected<Error> removed() {
  return fail(Code::TOKEN_UNKNOWN_NODE, "the run this token belongs to was removed by gc",
              "start_workflow begins a new run");
}

std::unexpected<Error> revoked() {
  return fail(Code::TOKEN_REVOKED, "the tokens of this run were revoked",
              "start_workflow begins a new run");
}

/// The step key that a token's MAC covers; nothing when it names a step that is not there.
std::optional<std::string> step_of(const run::UnverifiedToken& token,
                                   const std::vector<std::string>& open_steps) {
  if (token.kind != TokenKind::ack && token.kind != TokenKind::step) return std::string();
  if (token.ordinal >= open_steps.size()) return std::nullopt;
  return open_steps[token.ordinal];
}

/// What a token is checked against: the node, what is left of it, or nothing.
struct Target {
  std::optional<run::NodeRow> node;
  std::optional<run::Tombstone> grave;

  NodeId id() const { return node ? node->id : grave ? grave->id : NodeId{}; }
  std::vector<std::string> open_steps() const {
    return node ? node->open_steps : grave ? grave->open_steps : std::vector<std::string>();
  }
};

/// Nobody learns from the work that a refusal takes whether the node is there: whatever is wrong
/// with a token, two rows are asked for and one MAC is made.
std::unexpected<Error> refuse(const Reading& reading, const run::UnverifiedToken& token,
                              const Target& target) {
  if (target.node) {
    const auto same_work = reading.store.tombstone(token.node);
    if (!same_work) return std::unexpected(same_work.error());
  }
  return not_ours();
}

}  // namespace

Result<run::UnverifiedToken> read_token(std::string_view text, TokenKind kind) {
  auto token = run::decode_token(text);
  if (!token) token.error().message = cat(argument_of(kind), ": ", token.error().message);
  return token;
}

Result<OpenToken> open_token(const Reading& reading, const Principal& principal,
                             std::string_view text, TokenKind kind) {
  const run::UnverifiedToken token = TRY(read_token(text, kind));
  if (token.kind != kind) {
    return fail(Code::TOKEN_SCOPE_MISMATCH,
                cat("this token begins with ", run::prefix_of(token.kind), "1, so it is the ",
                    argument_of(token.kind), "; needed here is the ", argument_of(kind), ", ",
                    run::prefix_of(kind), "1..."),
                cat("send the ", argument_of(kind), " of the same reply"));
  }
  Target target;
  target.node = TRY(reading.store.node(token.node));
  if (!target.node) target.grave = TRY(reading.store.tombstone(token.node));
  const auto step = step_of(token, target.open_steps());
  const std::string preimage =
      run::mac_preimage(token, target.id(), step.value_or(""), principal.name);
  const bool is_signed = TRY(reading.signer.verify(token.key_slot, preimage, token.mac));
  const bool is_known = target.node || target.grave;
  if (!is_signed || !is_known || !step) return refuse(reading, token, target);
  // Only a token that was really given out hears that its node was removed.
  if (target.grave) return removed();
  OpenToken open{token, *std::move(target.node), *step};
  if (open.node.revoked) return revoked();
  // A token without an end asks no clock, so that a replay depends on nothing but the log.
  if (token.life_minutes != 0 && run::is_expired(token, open.node.created, reading.clock.wall())) {
    return fail(Code::TOKEN_EXPIRED, "this token's life is over",
                "send the stateToken alone to continue_workflow to get fresh ones");
  }
  return open;
}

Result<std::optional<OpenToken>> open_known(const Reading& reading, const Principal& principal,
                                            const run::UnverifiedToken& token,
                                            const run::NodeRow& node) {
  const auto step = step_of(token, node.open_steps);
  if (!step || token.life_minutes != 0) return std::nullopt;
  const std::string preimage = run::mac_preimage(token, node.id, *step, principal.name);
  if (!TRY(reading.signer.verify(token.key_slot, preimage, token.mac))) return std::nullopt;
  return OpenToken{token, node, *step};
}

Result<void> check_still_good(const Reading& reading, const OpenToken& open) {
  const auto row = TRY(reading.store.node(open.node.no));
  if (!row) return removed();
  if (row->revoked) return revoked();
  return {};
}

Result<std::string> sign_claim(const Reading& reading, const Principal& principal,
                               const run::TokenClaim& claim, const run::NodeRow& node) {
  ASSERT(claim.node == node.id);
  run::UnverifiedToken token{.kind = claim.kind,
                             .key_slot = claim.key_slot,
                             .node = node.no,
                             .ordinal = claim.ordinal,
                             .count = claim.count,
                             .life_minutes = claim.life_minutes,
                             .mac = {}};
  const bool names_step = claim.kind == TokenKind::ack || claim.kind == TokenKind::step;
  if (names_step && claim.ordinal >= node.open_steps.size()) {
    return fail(Code::STORE_CORRUPT,
                cat("a recorded token names a step that ", node.id.text(), " does not have"));
  }
  const std::string_view step = names_step ? node.open_steps[claim.ordinal] : std::string_view();
  const auto sign = [&] {
    return reading.signer.sign(token.key_slot,
                               run::mac_preimage(token, node.id, step, principal.name));
  };
  auto mac = sign();
  if (!mac && mac.error().code == Code::NOT_FOUND) {
    // The key it was first signed with was retired since.
    token.key_slot = TRY(reading.signer.current_slot());
    mac = sign();
  }
  token.mac = TRY(std::move(mac));
  return run::encode_token(token);
}

Result<SignedReply> sign_reply(const Reading& reading, const Principal& principal, run::Reply reply,
                               const run::NodeRow& node) {
  SignedReply out;
  out.state_token = TRY(sign_claim(reading, principal, reply.state, node));
  if (reply.ack) out.ack_token = TRY(sign_claim(reading, principal, *reply.ack, node));
  if (reply.checkpoint) {
    out.checkpoint_token = TRY(sign_claim(reading, principal, *reply.checkpoint, node));
  }
  out.reply = std::move(reply);
  return out;
}

Result<run::Minting> rail_minting(const Reading& reading) {
  return run::Minting{.key_slot = TRY(reading.signer.current_slot()), .life_minutes = 0};
}

}  // namespace baton::verbs
