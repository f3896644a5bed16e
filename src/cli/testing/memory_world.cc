#include "cli/testing/memory_world.h"

#include <sys/mman.h>
#include <unistd.h>

namespace baton::cli {
namespace {

int memory_file(const char* name) {
  const int descriptor = memfd_create(name, MFD_CLOEXEC);
  ASSERT(descriptor >= 0);
  return descriptor;
}

std::string content(int descriptor) {
  std::string text;
  char chunk[4096];
  for (;;) {
    const ssize_t got = pread(descriptor, chunk, sizeof chunk, static_cast<off_t>(text.size()));
    ASSERT(got >= 0);
    if (got == 0) return text;
    text.append(chunk, static_cast<std::size_t>(got));
  }
}

}  // namespace

MemoryWorld::MemoryWorld() {
  world_.input = memory_file("input");
  world_.output = memory_file("output");
  world_.errors = memory_file("errors");
  world_.directory = "/";
  world_.executable = "/usr/bin/baton";
}

MemoryWorld::~MemoryWorld() {
  close(world_.input);
  close(world_.output.descriptor());
  close(world_.errors.descriptor());
}

void MemoryWorld::set_input(std::string_view text) {
  ASSERT(ftruncate(world_.input, 0) == 0);
  ASSERT(lseek(world_.input, 0, SEEK_SET) == 0);
  // A memory file takes everything short of running out of memory.
  MUST(write_bytes(world_.input, text));
  ASSERT(lseek(world_.input, 0, SEEK_SET) == 0);
}

std::string MemoryWorld::output() const { return content(world_.output.descriptor()); }
std::string MemoryWorld::errors() const { return content(world_.errors.descriptor()); }

}  // namespace baton::cli
