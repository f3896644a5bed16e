#pragma once
// Tokens at the edge of a surface that gives them out: opening those that come in and signing those
// that go out, and the calls that are made with them. Nothing else opens or signs a token.

#include <string>
#include <string_view>

#include "engine/advance.h"
#include "engine/load/read_node.h"
#include "verbs/run/start_run.h"

namespace baton::surface {

/// A token that is ours, for this caller, alive, and of the kind that was asked for.
struct OpenToken {
  run::UnverifiedToken token;  // verified by now
  run::NodeRow node;
  std::string step;  // step key of an ack; empty for the other kinds
};

/// What a surface calls its tokens: the argument that each is sent in. Errors use these names,
/// since an agent finds what to change by the name of the field.
using TokenNames = std::string_view (*)(run::TokenKind kind);
/// "ack token", where there are no arguments.
std::string_view plain_token_name(run::TokenKind kind);

/// What a token's text says, unverified; an error names the argument it came in.
Result<run::UnverifiedToken> read_token(std::string_view text, run::TokenKind kind,
                                        TokenNames name = plain_token_name);

/// Unknown, foreign, forged and another caller's tokens all get TOKEN_BAD_SIGNATURE.
Result<OpenToken> open_token(const engine::ReadContext& reading, const engine::Principal& principal,
                             std::string_view text, run::TokenKind kind,
                             TokenNames name = plain_token_name);

/// The text of a claim about `node`. With the recorded key while it is there, else the current.
Result<std::string> sign_claim(const engine::ReadContext& reading,
                               const engine::Principal& principal, const run::TokenClaim& claim,
                               const run::NodeRow& node);

/// A stateToken for a node that the caller has a right to.
Result<std::string> sign_node(const engine::ReadContext& reading,
                              const engine::Principal& principal, const run::NodeRow& node);

/// That an attempt was recorded with another input, and the token of a fork.
struct Notice {
  run::AttemptKind kind = run::AttemptKind::advance;
  std::string step;       // step key of the place
  std::string ack_token;  // or a checkpoint token
  bool operator==(const Notice&) const = default;
};

/// An answer with its tokens as text.
struct SignedReply {
  run::Reply reply;
  std::string state_token;
  std::optional<std::string> ack_token;
  std::optional<std::string> checkpoint_token;
  std::optional<Notice> notice;
  std::string left_token;  // stateToken of the branch that a fork leaves behind (Reply::left)
  std::optional<engine::Recovery> recovery;
  std::vector<std::string> child_tokens;  // stateTokens of the recovery's children, in their order
  std::string tip_token;                  // of its tip
  bool is_unproven = false;               // the attempt failed its step, for missing evidence
  bool is_recorded = true;                // false for a block that left no trace
  bool is_silent = false;                 // the run is complete without any output
  std::optional<run::RunHeld> hold;       // by the owner, told to a caller that returns
};

/// `life_minutes`: of the token that the call came with.
Result<SignedReply> sign(const engine::ReadContext& reading, const engine::Principal& principal,
                         engine::NodeAnswer answer, std::uint16_t life_minutes = 0);

/// Starts a run and gives its first step.
Result<SignedReply> start(engine::Engine& engine, const engine::Principal& principal,
                          const verbs::StartRequest& request);

struct AttemptRequest {
  std::string token;                       // an ack or a checkpoint token
  std::optional<std::string> state_token;  // if sent, it must name the same run
  run::StepInput input;
  engine::WaitPolicy wait = {};                   // for commands that the server runs then
  std::string tool = {};                          // that was called, for the record
  run::OtherInput other = run::OtherInput::fork;  // what another input at a settled step is
  TokenNames names = plain_token_name;
  std::optional<run::GateWord> asked = {};  // what a form came back with
};

/// Advances a run, or takes a checkpoint of it: the two attempts a token allows.
Result<SignedReply> advance(engine::Engine& engine, const engine::Principal& principal,
                            const AttemptRequest& request);
Result<SignedReply> checkpoint(engine::Engine& engine, const engine::Principal& principal,
                               const AttemptRequest& request);

/// Gives the pending step and fresh tokens of a node again, with what is around it.
Result<SignedReply> rehydrate(const engine::ReadContext& reading,
                              const engine::Principal& principal, std::string_view state_token,
                              engine::RecoveryDetail around = engine::RecoveryDetail::told,
                              TokenNames names = plain_token_name);

}  // namespace baton::surface
