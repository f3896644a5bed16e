#pragma once
// Advances a run, or takes a checkpoint of it: the two attempts a token allows. An attempt has one
// outcome; asking again gets the recorded answer.

#include "verbs/tokens.h"

namespace baton::verbs {

struct AttemptRequest {
  std::string token;                       // an ack or a checkpoint token
  std::optional<std::string> state_token;  // if sent, it must name the same node
  run::Input input;
};

Result<SignedReply> advance(Engine& engine, const Principal& principal,
                            const AttemptRequest& request);
Result<SignedReply> checkpoint(Engine& engine, const Principal& principal,
                               const AttemptRequest& request);

}  // namespace baton::verbs
