#include "engine/engine.h"

#include <cstring>

namespace baton::engine {

RandomBits IdSource::fresh_bits() {
  RandomBits random{};
  entropy_.fill(random);
  return random;
}

IdBytes IdSource::next_bytes(const RandomBits& random) {
  const MutexLock lock(mutex_);
  return maker_.next(clock_.wall(), random);
}

run::FreshValues draw(Engine& engine) {
  // All that an advance takes from chance, in one go.
  std::array<RandomBits, 4> random{};
  std::array<std::uint8_t, sizeof random> bytes{};
  engine.entropy.fill(bytes);
  std::memcpy(random.data(), bytes.data(), bytes.size());
  run::FreshValues drawn;
  drawn.drawn.now = engine.clock.wall();
  std::memcpy(&drawn.drawn.seed, random[0].data(), random[0].size());
  drawn.session = engine.ids.next<SessionId>(random[1]);
  drawn.run = engine.ids.next<RunId>(random[2]);
  drawn.node = engine.ids.next<NodeId>(random[3]);
  return drawn;
}

}  // namespace baton::engine
