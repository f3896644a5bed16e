#include "verbs/tokens.h"

#include "base/text.h"
#include "verbs/revoke.h"

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

/// The log has the node, and its entry does not fit.
std::unexpected<Error> damaged_entry(const NodeId& node) {
  return fail(Code::STORAGE_CORRUPTION_DETECTED,
              cat("the token is good, but the entry of its ", node.text(),
                  " is missing in the store or was changed"),
              "`baton verify` lists what is damaged, `baton rebuild` makes the entries anew");
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

/// Whether the token was given out for a node with this id and these steps, to this caller.
Result<bool> is_genuine(const Reading& reading, const Principal& principal,
                        const run::UnverifiedToken& token, const run::TokenSubject& subject) {
  const auto step = step_of(token, subject.open_steps);
  const std::string preimage =
      run::mac_preimage(token, subject.id, step.value_or(""), principal.name);
  return TRY(reading.signer.verify(token.key_slot, preimage, token.mac)) && step.has_value();
}

/// Nobody learns from the work that a refusal takes whether the node is there: whatever is wrong
/// with a token, three things are asked for and two MACs are made. The second is of what the log
/// says: a token that fits it is a good one, and what is wrong is the store.
std::unexpected<Error> refuse(const Reading& reading, const Principal& principal,
                              const run::UnverifiedToken& token, bool has_subject) {
  if (has_subject) {
    const auto same_work = reading.store.tombstone(token.node);
    if (!same_work) return std::unexpected(same_work.error());
  }
  const auto subject = reading.store.logged_subject(token.node);
  if (!subject) return std::unexpected(subject.error());
  const auto genuine =
      is_genuine(reading, principal, token, subject->value_or(run::TokenSubject{}));
  if (!genuine) return std::unexpected(genuine.error());
  if (!*genuine || !*subject) return not_ours();
  return damaged_entry((*subject)->id);
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
  const auto subject = TRY(reading.store.token_subject(token.node));
  const bool genuine =
      TRY(is_genuine(reading, principal, token, subject.value_or(run::TokenSubject{})));
  if (!genuine || !subject) {
    return refuse(reading, principal, token, subject && !subject->is_removed);
  }
  // Only a token that was really given out hears that its node was removed.
  if (subject->is_removed) {
    if (TRY(reading.store.commit(token.node.commit()))) return damaged_entry(subject->id);
    return removed();
  }
  auto node = TRY(reading.store.node(token.node));
  if (!node) return removed();
  const auto step = step_of(token, node->open_steps);
  if (node->id != subject->id || !step) return not_ours();
  OpenToken open{token, *std::move(node), *step};
  if (TRY(is_revoked(reading, open.node))) return revoked();
  // A token without an end asks no clock, so that a replay depends on nothing but the log.
  if (token.life_minutes != 0 && run::is_expired(token, open.node.created, reading.clock.wall())) {
    return fail(Code::TOKEN_EXPIRED, "this token's life is over",
                "send the stateToken alone to continue_workflow to get fresh ones");
  }
  return open;
}

Result<bool> is_revoked(const Reading& reading, const run::NodeRow& node) {
  const auto is_void = [&](const std::optional<run::Commit>& newest) {
    return newest && newest->no >= node.no.commit();
  };
  const bool by_log = is_void(TRY(reading.store.newest_by_prefix(node.session, revocation_prefix)));
  if (node.revoked == by_log) return by_log;
  // The row was read first, so that a revocation may have come between the two looks.
  const auto again = TRY(reading.store.node(node.no));
  if (!again || again->revoked == by_log) return by_log;
  return close_session(
      reading.caches, node.session,
      cat("the history of ", node.session.text(), " does not fit: whether the tokens of ",
          node.id.text(), " are revoked is not what the log says"));
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
  if (TRY(is_revoked(reading, *row))) return revoked();
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
    return close_session(reading.caches, node.session,
                         cat("the history of ", node.session.text(),
                             " does not fit: a recorded token names a step that ", node.id.text(),
                             " does not have"));
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
