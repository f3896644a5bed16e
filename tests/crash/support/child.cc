#include "support/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/text/text.h"

namespace baton::crash {
namespace {

struct Pipe {
  Fd read;
  Fd write;
};

Pipe make_pipe() {
  int ends[2];
  ASSERT(pipe2(ends, O_CLOEXEC) == 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

void Fd::reset() {
  if (value_ >= 0) close(value_);
  value_ = -1;
}

Result<std::unique_ptr<Child>> Child::start(const Command& command) {
  // A server that died is seen by the failed write, not by a signal to us.
  std::signal(SIGPIPE, SIG_IGN);
  Pipe to = make_pipe();
  Pipe from = make_pipe();
  std::vector<std::string> words = command.words;
  std::vector<std::string> variables = command.environment;
  const char* path = std::getenv("PATH");
  variables.push_back(cat("PATH=", path != nullptr ? path : "/usr/bin:/bin"));

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to.read.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, from.write.get(), 1);
  posix_spawn_file_actions_addopen(&actions, 2, command.errors.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int problem = posix_spawnp(&pid, words.front().c_str(), &actions, &attributes,
                                   pointers(words).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    return fail(Code::ENVIRONMENT,
                cat("cannot start ", words.front(), ": ", std::strerror(problem)));
  }
  return std::make_unique<Child>(pid, std::move(to.write), std::move(from.read));
}

Child::~Child() {
  if (status_) return;
  kill();
  wait();
}

bool Child::write_line(const std::string& text) {
  std::string line = cat(text, '\n');
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(in_.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Child::Line Child::read_line(int wait_ms) {
  for (;;) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end != std::string::npos) {
      Line line{Heard::line, buffer_.substr(0, end)};
      buffer_.erase(0, end + 1);
      scanned_ = 0;
      return line;
    }
    scanned_ = buffer_.size();
    if (is_at_end_) return {Heard::end, {}};
    pollfd waiting{out_.get(), POLLIN, 0};
    if (poll(&waiting, 1, wait_ms) <= 0) return {Heard::nothing_yet, {}};
    char chunk[65536];
    const ssize_t got = read(out_.get(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      is_at_end_ = true;
    } else {
      buffer_.append(chunk, static_cast<std::size_t>(got));
    }
  }
}

void Child::kill() { ::kill(pid_, SIGKILL); }

int Child::wait() {
  if (status_) return *status_;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0) ASSERT(errno == EINTR);
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return *status_;
}

}  // namespace baton::crash
