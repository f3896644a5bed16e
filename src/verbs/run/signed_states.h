#pragma once
// Seals the state of an interrupted call with the store's keys, so that any process on the store
// can continue with it: version, key slot, end of life and two MACs before the state itself, as
// base64url. Readable by its holder, but not to be changed.
//
// Any thread.

#include <functional>

#include "engine/engine.h"
#include "protocol/state_sealer.h"

namespace baton::verbs {

class SignedStates final : public protocol::StateSealer {
 public:
  using Open = std::function<Result<engine::Engine*>()>;

  /// `open` gives the engine when it is first needed; what it gives must outlive this.
  explicit SignedStates(Open open) : open_(std::move(open)) {}

  Result<std::string> seal(std::string_view bytes, std::string_view binding) override;
  Result<std::string> open(std::string_view text, std::string_view binding) override;

 private:
  Open open_;
};

}  // namespace baton::verbs
