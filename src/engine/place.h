#pragma once
// A place of a run where an attempt can be made, and what a caller is told of a node. Values.

#include "engine/engine.h"
#include "engine/recovery.h"

namespace baton::engine {

/// Where an attempt is made, and which one it is.
struct Place {
  run::NodeRow node;
  run::AttemptKey attempt;
  std::string step;  // the key of the open step it settles; empty for a checkpoint
  // Given while this process made the node a moment ago; nothing has to be read then.
  std::shared_ptr<const Tip> tip = {};
};

/// The place that a reply offers. REQUIRES: the claim is about `node`, and of a step or checkpoint
/// that it has.
Place place_of(const run::TokenClaim& claim, const run::NodeRow& node);

/// The next checkpoint at a node: what changes a run without settling a step.
Result<Place> checkpoint_place(const LoadContext& loading, const run::NodeRow& node);

/// What a caller is told of a node.
struct NodeAnswer {
  run::Reply reply;
  run::NodeRow node;  // that the reply is about
  std::optional<Place> fork =
      {};  // the attempt was recorded with another input: where a fork begins
  std::optional<Recovery> recovery = {};  // only for a caller that returns to a node
  bool is_unproven = false;               // the attempt failed its step, for missing evidence
  bool is_recorded = true;                // false for a block that left no trace
  std::optional<run::RunHeld> hold = {};  // by the owner, where that matters to the caller
};

/// How the tokens of a reply are to be claimed: with the current key, without an end.
Result<run::TokenSettings> current_token_settings(const ReadContext& reading);

}  // namespace baton::engine
