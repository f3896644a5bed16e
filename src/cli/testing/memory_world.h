#pragma once
// A world whose three streams are files in memory: what a test gives a command and reads back.
// Owns its descriptors; one thread at a time.

#include <string>
#include <string_view>

#include "cli/world.h"

namespace baton::cli {

class MemoryWorld {
 public:
  MemoryWorld();
  ~MemoryWorld();
  MemoryWorld(const MemoryWorld&) = delete;
  MemoryWorld& operator=(const MemoryWorld&) = delete;

  World& world() { return world_; }
  const World& world() const { return world_; }

  void set_input(std::string_view text);

  // Everything written so far.
  std::string output() const;
  std::string errors() const;

 private:
  World world_;
};

}  // namespace baton::cli
