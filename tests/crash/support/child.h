#pragma once
// A process of ours: its standard streams as pipes, its standard error as a file. The starter
// owns it; ending the owner ends the process. One thread at a time.

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/result.h"

namespace baton::crash {

/// A file descriptor that is closed with its owner.
class Fd {
 public:
  explicit Fd(int value = -1) : value_(value) {}
  Fd(Fd&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return value_; }
  void reset();

 private:
  int value_;
};

struct Command {
  std::vector<std::string> words;        // the program first, as a path or a name on PATH
  std::vector<std::string> environment;  // NAME=value; PATH is always there
  std::filesystem::path errors;          // where standard error is appended
};

class Child {
 public:
  static Result<std::unique_ptr<Child>> start(const Command& command);
  Child(pid_t pid, Fd in, Fd out) : pid_(pid), in_(std::move(in)), out_(std::move(out)) {}
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  int out() const { return out_.get(); }

  /// False when the reader has closed the pipe.
  bool write_line(const std::string& text);
  void close_input() { in_.reset(); }

  enum class Heard { line, nothing_yet, end };
  struct Line {
    Heard heard = Heard::nothing_yet;
    std::string text;
  };
  /// The next whole line; waits at most `wait_ms` for bytes (0: does not wait). A last line without
  /// its newline was never said.
  Line read_line(int wait_ms);

  /// SIGKILL. What it wrote before can still be read.
  void kill();
  /// Waits for its end: the exit code, or 128 + n after signal n.
  int wait();

 private:
  pid_t pid_;
  Fd in_;
  Fd out_;
  std::string buffer_;
  std::size_t scanned_ = 0;  // bytes of buffer_ without a newline
  bool is_at_end_ = false;
  std::optional<int> status_;
};

}  // namespace baton::crash
