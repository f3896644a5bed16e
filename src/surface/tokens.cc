#include "surface/tokens.h"

#include "base/text/text.h"
#include "engine/load/load.h"
#include "engine/load/silent_run.h"
#include "engine/revocation.h"

namespace baton::surface {
namespace {

using engine::NodeAnswer;
using engine::Place;
using engine::Principal;
using engine::ReadContext;
using run::TokenKind;

std::unexpected<Error> not_ours() {
  return fail(Code::TOKEN_BAD_SIGNATURE,
              "this store did not issue this token, or issued it to another caller",
              Move::send_latest_token);
}

run::AttemptKey attempt_of(const run::UnverifiedToken& token) {
  const bool is_checkpoint = token.kind == TokenKind::checkpoint;
  return {is_checkpoint ? run::AttemptKind::checkpoint : run::AttemptKind::advance, token.ordinal,
          token.count};
}

Result<std::string> sign_place(const ReadContext& reading, const Principal& principal,
                               const Place& place, std::uint16_t life_minutes,
                               std::uint8_t key_slot) {
  const bool is_checkpoint = place.attempt.kind == run::AttemptKind::checkpoint;
  return sign_claim(reading, principal,
                    {.kind = is_checkpoint ? TokenKind::checkpoint : TokenKind::ack,
                     .node = place.node.id,
                     .ordinal = place.attempt.ordinal,
                     .count = place.attempt.count,
                     .life_minutes = life_minutes,
                     .key_slot = key_slot},
                    place.node);
}

/// The log has the node, and its entry does not fit.
std::unexpected<Error> damaged_entry(const NodeId& node) {
  return fail(Code::STORAGE_CORRUPTION_DETECTED,
              cat("the token is valid, but the entry of its ", node.text(),
                  " is missing in the store or was changed"),
              Move::rebuild_store);
}

/// The step key that a token's MAC covers; nothing when it names a step that is not there.
std::optional<std::string> step_of(const run::UnverifiedToken& token,
                                   const std::vector<std::string>& open_steps) {
  if (token.kind != TokenKind::ack && token.kind != TokenKind::step) return std::string();
  if (token.ordinal >= open_steps.size()) return std::nullopt;
  return open_steps[token.ordinal];
}

/// Whether the token was given out for a node with this id and these steps, to this caller.
Result<bool> is_genuine(const ReadContext& reading, const Principal& principal,
                        const run::UnverifiedToken& token, const run::TokenSubject& subject) {
  const auto step = step_of(token, subject.open_steps);
  const std::string preimage =
      run::mac_preimage(token, subject.id, step.value_or(""), principal.name);
  return TRY(reading.signer.verify(token.key_slot, preimage, token.mac)) && step.has_value();
}

/// The time that a refusal takes does not show whether the node exists: for every fault
/// with a token, three things are asked for and two MACs are made. The second is of what the log
/// says: a token that fits it is a good one, and what is wrong is the store.
std::unexpected<Error> refuse(const ReadContext& reading, const Principal& principal,
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

std::string_view plain_token_name(TokenKind kind) {
  switch (kind) {
    case TokenKind::state: return "state token";
    case TokenKind::ack: return "ack token";
    case TokenKind::checkpoint: return "checkpoint token";
    case TokenKind::step: return "step token";
  }
  return "token";
}

Result<run::UnverifiedToken> read_token(std::string_view text, TokenKind kind, TokenNames name) {
  auto token = run::decode_token(text);
  if (!token) token.error().message = cat(name(kind), ": ", token.error().message);
  return token;
}

Result<OpenToken> open_token(const ReadContext& reading, const Principal& principal,
                             std::string_view text, TokenKind kind, TokenNames name) {
  const run::UnverifiedToken token = TRY(read_token(text, kind, name));
  if (token.kind != kind) {
    return fail(Code::TOKEN_SCOPE_MISMATCH,
                cat("this token begins with ", run::prefix_of(token.kind), "1, so it is the ",
                    name(token.kind), "; this call needs the ", name(kind), ", ",
                    run::prefix_of(kind), "1..."),
                cat("send the ", name(kind), " of the same reply"));
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
    return engine::run_is_removed();
  }
  auto node = TRY(reading.store.node(token.node));
  if (!node) return engine::run_is_removed();
  const auto step = step_of(token, node->open_steps);
  if (node->id != subject->id || !step) return not_ours();
  OpenToken open{token, *std::move(node), *step};
  if (TRY(engine::is_revoked(reading, open.node))) return engine::tokens_are_revoked();
  // A token without an end asks no clock, so that a replay depends on nothing but the log.
  if (token.life_minutes != 0 && run::is_expired(token, open.node.created, reading.clock.wall())) {
    return fail(Code::TOKEN_EXPIRED, "this token has expired", Move::look_again);
  }
  return open;
}

Result<std::string> sign_claim(const ReadContext& reading, const Principal& principal,
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
    return engine::close_session(reading.caches, node.session,
                                 cat("the history of ", node.session.text(),
                                     " is inconsistent: a recorded token names a step that ",
                                     node.id.text(), " does not have"));
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

Result<SignedReply> sign(const ReadContext& reading, const Principal& principal, NodeAnswer answer,
                         std::uint16_t life_minutes) {
  SignedReply out;
  const run::Reply& reply = answer.reply;
  out.state_token = TRY(sign_claim(reading, principal, reply.state, answer.node));
  if (reply.ack) out.ack_token = TRY(sign_claim(reading, principal, *reply.ack, answer.node));
  if (reply.checkpoint) {
    out.checkpoint_token = TRY(sign_claim(reading, principal, *reply.checkpoint, answer.node));
  }
  if (answer.fork) {
    const std::uint8_t slot = TRY(reading.signer.current_slot());
    std::string token = TRY(sign_place(reading, principal, *answer.fork, life_minutes, slot));
    out.notice = Notice{answer.fork->attempt.kind, answer.fork->step, std::move(token)};
  }
  if (reply.is_complete()) out.is_silent = TRY(engine::is_silent(reading, answer.node));
  if (reply.left) {
    const run::NodeRow tip = TRY(engine::load_node(reading, reply.left->tip.node));
    out.left_token = TRY(sign_claim(reading, principal, reply.left->tip, tip));
  }
  if (answer.recovery) {
    for (const engine::Child& child : answer.recovery->children) {
      out.child_tokens.push_back(TRY(sign_node(reading, principal, child.node)));
    }
    if (answer.recovery->tip) {
      out.tip_token = TRY(sign_node(reading, principal, *answer.recovery->tip));
    }
  }
  out.recovery = std::move(answer.recovery);
  out.is_unproven = answer.is_unproven;
  out.is_recorded = answer.is_recorded;
  out.hold = std::move(answer.hold);
  out.reply = std::move(answer.reply);
  return out;
}

Result<std::string> sign_node(const ReadContext& reading, const Principal& principal,
                              const run::NodeRow& node) {
  const run::TokenSettings minting = TRY(engine::current_token_settings(reading));
  return sign_claim(reading, principal,
                    {.kind = TokenKind::state,
                     .node = node.id,
                     .life_minutes = minting.life_minutes,
                     .key_slot = minting.key_slot},
                    node);
}

// --- calls by token -----------------------------------------------------------------------------

namespace {

struct OpenPlace {
  Place place;
  std::uint16_t life_minutes = 0;
};

/// The token's place when this process made its node a moment ago; nothing when it is not a good
/// token for it, or when only the store can tell.
Result<std::optional<OpenPlace>> open_at_tip(const ReadContext& reading, const Principal& principal,
                                             const run::UnverifiedToken& token) {
  const auto tip = reading.caches.tips.find(token.node.value);
  if (tip == nullptr || token.count != 0 || token.life_minutes != 0) return std::nullopt;
  const auto step = step_of(token, tip->node.open_steps);
  if (!step) return std::nullopt;
  const std::string preimage = run::mac_preimage(token, tip->node.id, *step, principal.name);
  if (!TRY(reading.signer.verify(token.key_slot, preimage, token.mac))) return std::nullopt;
  return OpenPlace{{tip->node, attempt_of(token), *step, tip}, token.life_minutes};
}

Result<OpenPlace> open_place(const ReadContext& reading, const Principal& principal,
                             const AttemptRequest& request, TokenKind kind) {
  if (!request.state_token) {
    const run::UnverifiedToken token = TRY(read_token(request.token, kind, request.names));
    if (token.kind == kind) {
      if (auto known = TRY(open_at_tip(reading, principal, token))) return *std::move(known);
    }
  }
  OpenToken open = TRY(open_token(reading, principal, request.token, kind, request.names));
  if (request.state_token) {
    const OpenToken state =
        TRY(open_token(reading, principal, *request.state_token, TokenKind::state, request.names));
    if (state.node.run != open.node.run) {
      return fail(Code::TOKEN_SCOPE_MISMATCH, "the two tokens belong to different runs",
                  "send both from the reply that gave you the step");
    }
  }
  return OpenPlace{{std::move(open.node), attempt_of(open.token), std::move(open.step)},
                   open.token.life_minutes};
}

engine::Submission submission_of(const Principal& principal, const AttemptRequest& request) {
  return {.input = request.input,
          .source = {principal.name, run::ChangedHow::call, request.tool},
          .other = request.other,
          .asked = request.asked,
          .client_asks = principal.client_asks};
}

}  // namespace

Result<SignedReply> start(engine::Engine& engine, const Principal& principal,
                          const verbs::StartRequest& request) {
  NodeAnswer answer = TRY(verbs::start_run(engine, principal, request));
  return sign(engine.reading(), principal, std::move(answer));
}

Result<SignedReply> advance(engine::Engine& engine, const Principal& principal,
                            const AttemptRequest& request) {
  const auto keys = TRY(engine.signer.held());
  const ReadContext reading = engine.reading(*keys);
  OpenPlace open = TRY(open_place(reading, principal, request, TokenKind::ack));
  NodeAnswer answer = TRY(engine::advance(engine, principal, std::move(open.place),
                                          submission_of(principal, request), request.wait));
  return sign(reading, principal, std::move(answer), open.life_minutes);
}

Result<SignedReply> checkpoint(engine::Engine& engine, const Principal& principal,
                               const AttemptRequest& request) {
  const auto keys = TRY(engine.signer.held());
  const ReadContext reading = engine.reading(*keys);
  OpenPlace open = TRY(open_place(reading, principal, request, TokenKind::checkpoint));
  NodeAnswer answer =
      TRY(engine::checkpoint(engine, std::move(open.place), submission_of(principal, request)));
  return sign(reading, principal, std::move(answer), open.life_minutes);
}

Result<SignedReply> rehydrate(const ReadContext& reading, const Principal& principal,
                              std::string_view state_token, engine::RecoveryDetail around,
                              TokenNames names) {
  const OpenToken open = TRY(open_token(reading, principal, state_token, TokenKind::state, names));
  return sign(reading, principal, TRY(engine::look_at(reading, open.node, around)));
}

}  // namespace baton::surface
