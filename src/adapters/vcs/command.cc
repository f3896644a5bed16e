#include "adapters/vcs/command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "adapters/files/descriptor.h"
#include "base/text.h"
#include "base/utf8.h"

// Declared here because the header of glibc 2.36 forgets to say extern "C".
extern "C" int pidfd_open(pid_t pid, unsigned int flags) noexcept;

namespace baton::adapters {
namespace {

using Clock = std::chrono::steady_clock;

std::unexpected<Error> failed(const Command& command, std::string_view why) {
  return fail(Code::COMMAND_FAILED, cat("'", command.words.front(), "' ", why));
}

/// What a child is started with, undone again when it goes out of scope.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    sigset_t usual;
    sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&usual, signal);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_,
        static_cast<short>(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  bool set(const Command& command, int in, int out, int errors) {
    return posix_spawn_file_actions_adddup2(&actions_, in, STDIN_FILENO) == 0 &&
           posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO) == 0 &&
           posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO) == 0 &&
           posix_spawn_file_actions_addchdir_np(&actions_, command.directory.c_str()) == 0;
  }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

std::optional<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  Pipe made{Descriptor(ends[0]), Descriptor(ends[1])};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return made;
}

/// A file in memory, so that nobody has to write while the child reads.
Descriptor input_file(std::string_view text) {
  Descriptor file(::memfd_create("input", MFD_CLOEXEC));
  while (file.is_open() && !text.empty()) {
    const ssize_t put = ::write(file.number(), text.data(), text.size());
    if (put <= 0) return {};
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  if (file.is_open()) ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

/// A running child and the ends of its pipes. It and its group are gone with this.
class Child {
 public:
  Child(pid_t pid, Descriptor output, Descriptor errors)
      : pid_(pid),
        exited_(::pidfd_open(pid, 0)),
        output_(std::move(output)),
        errors_(std::move(errors)) {}
  ~Child() {
    if (pid_ < 0) return;
    ::kill(-pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  Result<CommandResult> wait(const Command& command) {
    const auto deadline = Clock::now() + std::chrono::milliseconds(command.ms_max);
    if (!exited_.is_open()) return failed(command, "cannot be watched");
    CommandResult result;
    bool ended = false;
    while (!ended) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return failed(command, cat("took longer than ", command.ms_max, " ms"));
      std::array<pollfd, 3> watched{{{exited_.number(), POLLIN, 0},
                                     {output_.number(), POLLIN, 0},
                                     {errors_.number(), POLLIN, 0}}};
      if (::poll(watched.data(), watched.size(), static_cast<int>(left)) < 0 && errno != EINTR) {
        return failed(command, "cannot be watched");
      }
      // What it wrote before it ended is read once more below, so nothing is missed.
      ended = watched[0].revents != 0;
      drain(errors_, result.errors);
      keep_end(result.errors);
      drain(output_, result.output, command.output_bytes_max + 1);
      if (result.output.size() <= command.output_bytes_max) continue;
      if (!command.may_cut) {
        return failed(command, cat("wrote more than ", command.output_bytes_max, " bytes"));
      }
      result.output.resize(command.output_bytes_max);
      result.cut = true;
      return result;
    }
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    ::kill(-pid_, SIGKILL);  // what it left behind in its group
    pid_ = -1;
    result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
  }

 private:
  static void drain(Descriptor& from, std::string& into, std::size_t most = SIZE_MAX) {
    std::array<char, 16'384> piece;
    // As often as this before the clock is looked at again.
    for (int reads = 0; reads < 256 && from.is_open() && into.size() < most; ++reads) {
      const ssize_t got = ::read(from.number(), piece.data(), piece.size());
      if (got < 0) return;  // nothing there now
      if (got == 0) {
        from = Descriptor();
        return;
      }
      into.append(piece.data(), static_cast<std::size_t>(got));
      if (most == SIZE_MAX) keep_end(into);
    }
  }

  static void keep_end(std::string& text) {
    if (text.size() <= limits::command_errors_bytes_max) return;
    text.erase(0, text.size() - limits::command_errors_bytes_max);
  }

  pid_t pid_;
  Descriptor exited_;
  Descriptor output_;
  Descriptor errors_;
};

}  // namespace

std::string find_program(std::string_view name, const Environment& environment) {
  if (name.starts_with('/')) return std::string(name);
  const auto path = environment.find("PATH");
  std::string_view rest = "/usr/bin:/bin";
  if (path != environment.end()) rest = path->second;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string_view folder = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!folder.starts_with('/')) continue;
    std::string candidate = cat(folder, '/', name);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return {};
}

Result<CommandResult> run_command(const Command& command) {
  const std::string program = find_program(command.words.front(), command.environment);
  if (program.empty()) {
    return fail(Code::COMMAND_FAILED, cat("'", command.words.front(), "' is not on the PATH"),
                "install it, or start Baton with a PATH that has it");
  }
  std::vector<std::string> words = command.words;
  std::vector<std::string> variables;
  for (const auto& [name, value] : command.environment) variables.push_back(cat(name, '=', value));

  const Descriptor input = input_file(command.input);
  auto output = make_pipe();
  auto errors = make_pipe();
  SpawnSettings settings;
  if (!input.is_open() || !output || !errors ||
      !settings.set(command, input.number(), output->write.number(), errors->write.number())) {
    return failed(command, "cannot be started: no room for its pipes");
  }
  pid_t pid = -1;
  const int problem =
      ::posix_spawn(&pid, program.c_str(), settings.actions(), settings.attributes(),
                    pointers(words).data(), pointers(variables).data());
  if (problem != 0) return failed(command, cat("cannot be started: ", std::strerror(problem)));
  output->write = Descriptor();
  errors->write = Descriptor();
  return Child(pid, std::move(output->read), std::move(errors->read)).wait(command);
}

std::unexpected<Error> nonzero_exit(const Command& command, const CommandResult& result) {
  std::string said;
  for (const char c : result.errors) {
    if (c == '\n' && !said.empty()) said += ' ';
    if (c >= ' ' || c < 0) said += c;
  }
  while (said.ends_with(' ')) said.pop_back();
  if (!utf8::is_valid(said)) said = "(something that is not UTF-8)";
  std::string line;
  for (const std::string& word : command.words) {
    if (line.size() + word.size() > limits::schema_shown_bytes_max) {
      line += " ...";
      break;
    }
    line += cat(line.empty() ? "" : " ", word);
  }
  return fail(Code::COMMAND_NONZERO_EXIT,
              cat("'", line, "' ended with ", result.exit, said.empty() ? "" : ": ", said));
}

}  // namespace baton::adapters
