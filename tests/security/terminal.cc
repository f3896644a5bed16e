#include "terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "base/core/result.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "support/child.h"

namespace baton::security {
namespace {

using crash::Fd;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

struct Ends {
  Fd in;      // to write its input to
  Fd out;     // to read its output from
  Fd errors;  // the same; none on a terminal
  Fd child_in;
  Fd child_out;
  Fd child_errors;
};

Ends pipes() {
  int in[2];
  int out[2];
  int errors[2];
  ASSERT(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
  ASSERT(pipe2(errors, O_CLOEXEC) == 0);
  return {Fd(in[1]), Fd(out[0]), Fd(errors[0]), Fd(in[0]), Fd(out[1]), Fd(errors[1])};
}

Ends terminal() {
  int master = -1;
  int slave = -1;
  ASSERT(openpty(&master, &slave, nullptr, nullptr, nullptr) == 0);
  // Bytes are to arrive as they were written, and nothing but what the program wrote.
  termios settings{};
  ASSERT(tcgetattr(slave, &settings) == 0);
  settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  ASSERT(tcsetattr(slave, TCSANOW, &settings) == 0);
  for (const int fd : {master, slave}) ASSERT(fcntl(fd, F_SETFD, FD_CLOEXEC) == 0);
  return {
      Fd(fcntl(master, F_DUPFD_CLOEXEC, 0)), Fd(master), Fd(), Fd(fcntl(slave, F_DUPFD_CLOEXEC, 0)),
      Fd(fcntl(slave, F_DUPFD_CLOEXEC, 0)),  Fd(slave)};
}

pid_t start(const Program& program, const Ends& ends) {
  std::vector<std::string> words = program.words;
  std::vector<std::string> environment = program.environment;
  const auto argv = pointers(words);
  const auto variables = pointers(environment);
  const pid_t pid = fork();
  ASSERT(pid >= 0);
  if (pid != 0) return pid;
  setsid();
  const bool is_ready = dup2(ends.child_in.get(), STDIN_FILENO) >= 0 &&
                        dup2(ends.child_out.get(), STDOUT_FILENO) >= 0 &&
                        dup2(ends.child_errors.get(), STDERR_FILENO) >= 0 &&
                        chdir(program.directory.c_str()) == 0;
  if (is_ready) execve(argv[0], argv.data(), variables.data());
  _exit(127);
}

/// Reads what there is; false at the end.
bool read_some(const Fd& from, std::string& into) {
  char chunk[16'384];
  const ssize_t got = read(from.get(), chunk, sizeof chunk);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;  // a terminal whose last user is gone says EIO
  into.append(chunk, static_cast<std::size_t>(got));
  return true;
}

// The program's own, each of which it writes itself and never copies from anywhere.
constexpr std::array<std::string_view, 6> own_colours = {"\033[0m",  "\033[1;31m", "\033[2m",
                                                         "\033[36m", "\033[32m",   "\033[33m"};

struct Range {
  char32_t first;
  char32_t last;
};
constexpr Range dangers[] = {
    {0x00, 0x08},     {0x0b, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},
    {0x34f, 0x34f},   {0x61c, 0x61c},   {0x115f, 0x1160}, {0x180b, 0x180f},
    {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},
    {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};

char32_t take(std::string_view& text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const std::size_t size = byte(0) < 0x80 ? 1 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  char32_t code = size == 1 ? byte(0) : byte(0) & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) code = (code << 6) | (byte(i) & 0x3fu);
  text.remove_prefix(size);
  return code;
}

/// Without the program's own progress: a carriage return, a line, and the rest cleared.
std::string without_progress(std::string_view bytes) {
  constexpr std::string_view cleared = "\033[K";
  std::string out;
  while (!bytes.empty()) {
    if (bytes.front() == '\r') {
      const std::size_t end = std::min(bytes.find_first_of("\r\n\033", 1), bytes.size());
      if (bytes.substr(end).starts_with(cleared)) {
        bytes.remove_prefix(end + cleared.size());
        continue;
      }
    }
    out += bytes.front();
    bytes.remove_prefix(1);
  }
  return out;
}

}  // namespace

Shown run(const Program& program, Streams streams) {
  Ends ends = streams == Streams::pipes ? pipes() : terminal();
  const pid_t pid = start(program, ends);
  ends.child_in.reset();
  ends.child_out.reset();
  ends.child_errors.reset();
  std::string input = program.input;
  // Ctrl-D: the first ends a line that has no end, the next one the input.
  if (streams == Streams::terminal && program.stop_after.empty()) input += "\x04\x04";
  Shown out;
  bool is_stopped = program.stop_after.empty();
  bool has_output = true;
  bool has_errors = ends.errors.get() >= 0;
  while (has_output || has_errors) {
    pollfd watched[] = {{has_output ? ends.out.get() : -1, POLLIN, 0},
                        {has_errors ? ends.errors.get() : -1, POLLIN, 0},
                        {input.empty() ? -1 : ends.in.get(), POLLOUT, 0}};
    if (poll(watched, std::size(watched), -1) < 0) continue;
    if (watched[0].revents != 0) has_output = read_some(ends.out, out.output);
    if (watched[1].revents != 0) has_errors = read_some(ends.errors, out.errors);
    if (watched[2].revents != 0) {
      const ssize_t put =
          write(ends.in.get(), input.data(), std::min<std::size_t>(input.size(), 1'000));
      input.erase(0, put > 0 ? static_cast<std::size_t>(put) : input.size());
    }
    if (input.empty() && streams == Streams::pipes && is_stopped) ends.in.reset();
    if (!is_stopped && out.all().contains(program.stop_after)) {
      is_stopped = true;
      kill(pid, SIGTERM);
    }
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  out.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

std::string danger_in(std::string_view bytes, bool colours) {
  std::string text = without_progress(bytes);
  for (const std::string_view colour : own_colours) {
    for (std::size_t at = 0; colours && (at = text.find(colour)) != std::string::npos;) {
      text.erase(at, colour.size());
    }
  }
  if (const auto bad = utf8::first_invalid(text)) {
    return cat("a byte that is not UTF-8 behind: ", text.substr(*bad < 60 ? 0 : *bad - 60, 60));
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t at = text.size() - rest.size();
    const char32_t code = take(rest);
    for (const Range& range : dangers) {
      if (code < range.first || code > range.last) continue;
      return cat("code point ", std::uint32_t{code},
                 " behind: ", text.substr(at < 60 ? 0 : at - 60, 60));
    }
  }
  return {};
}

}  // namespace baton::security
