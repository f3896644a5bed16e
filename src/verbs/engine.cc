#include "verbs/engine.h"

#include <cstring>

namespace baton::verbs {

IdBytes IdSource::next_bytes() {
  std::array<std::uint8_t, 8> random{};
  entropy_.fill(random);
  const std::scoped_lock lock(mutex_);
  return maker_.next(clock_.wall(), random);
}

run::Draw draw(Engine& engine) {
  std::array<std::uint8_t, 8> random{};
  engine.entropy.fill(random);
  run::Draw drawn;
  drawn.drawn.now = engine.clock.wall();
  std::memcpy(&drawn.drawn.seed, random.data(), random.size());
  drawn.session = engine.ids.next<SessionId>();
  drawn.run = engine.ids.next<RunId>();
  drawn.node = engine.ids.next<NodeId>();
  return drawn;
}

}  // namespace baton::verbs
