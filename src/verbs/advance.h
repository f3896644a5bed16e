#pragma once
// Advances a run, or takes a checkpoint of it: the two attempts a token allows. An attempt has one
// outcome; asking again gets the recorded answer.

#include "verbs/patience.h"
#include "verbs/tokens.h"

namespace baton::verbs {

struct AttemptRequest {
  std::string token;                       // an ack or a checkpoint token
  std::optional<std::string> state_token;  // if sent, it must name the same node
  run::Input input;
  Patience patience = {};  // for commands that the server runs then
  // How the caller came to change preferences, and by which tool; for the record.
  run::ChangedHow how = run::ChangedHow::call;
  std::string tool = {};
};

Result<SignedReply> advance(Engine& engine, const Principal& principal,
                            const AttemptRequest& request);
Result<SignedReply> checkpoint(Engine& engine, const Principal& principal,
                               const AttemptRequest& request);

/// The server's own attempt at the step of `node`, whose command it ran: the same as advance(), but
/// for a token. INVALID_INPUT when the run was ended meanwhile; then nothing is recorded.
Result<SignedReply> settle_command(Engine& engine, const Principal& principal,
                                   const run::NodeRow& node, run::ProcessReport report);

}  // namespace baton::verbs
