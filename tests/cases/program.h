#pragma once
// Baton running under the eye of a case: the real binary in a process of its own, or the same
// function that main() calls, on a thread of ours.

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "memory_backend.h"

namespace baton::cases {

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return value_; }
  void reset();
  Descriptor duplicate() const;

 private:
  int value_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe();

/// A file in memory that holds `content`, read from its beginning.
Descriptor memory_file(std::string_view content);

/// All that a memory file holds, from any offset.
std::string content_of(const Descriptor& file);

/// What a case starts.
enum class Which { baton, fixtures };  // fixtures: the server of tests/conformance

struct ProgramStart {
  Which which = Which::baton;
  std::vector<std::string> words;
  std::map<std::string, std::string, std::less<>> environment;
  std::filesystem::path directory;
  std::filesystem::path binary;
  Descriptor input;
  Descriptor output;
  Descriptor errors;
  std::shared_ptr<MemoryMachine> machine;  // where the stores are when run in process
};

class Program {
 public:
  /// Ends what still runs.
  virtual ~Program() = default;
  /// The exit code, or 128 + n for signal n.
  virtual Result<int> wait() = 0;
  /// Asks a process of its own to end, as a terminal does.
  virtual void stop() {}
};

Result<std::unique_ptr<Program>> start_binary(ProgramStart start);
std::unique_ptr<Program> start_inprocess(ProgramStart start);

}  // namespace baton::cases
