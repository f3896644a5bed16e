#include "adapters/process/supervisor.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "adapters/process/containment.h"

namespace baton::adapters {
namespace {

constexpr char own_name[] = "baton-command";
constexpr int control_fd = supervisor_control_fd;
constexpr int round_ms = 10;  // between two looks at what is left, when no child ends

void report(SupervisorReport::Kind kind, int value) {
  const SupervisorReport text{kind, value};
  // The reader may have ended.
  static_cast<void>(::send(control_fd, &text, sizeof text, MSG_NOSIGNAL));
}

/// The parent of a process by its /proc/N/stat: "N (name) S parent ...", where the name may hold
/// anything.
pid_t parent_in(std::string_view stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 4 > stat.size()) return -1;
  pid_t parent = 0;
  for (const char c : stat.substr(name_end + 4)) {
    if (c < '0' || c > '9') break;
    parent = parent * 10 + (c - '0');
  }
  return parent;
}

pid_t parent_of(int proc, const char* pid) {
  std::array<char, 32> path{};
  const std::string_view digits(pid);
  constexpr std::string_view stat = "/stat";
  if (digits.size() + stat.size() >= path.size()) return -1;
  stat.copy(path.data() + digits.copy(path.data(), digits.size()), stat.size());
  const int file = ::openat(proc, path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  std::array<char, 512> text;
  const ssize_t got = ::read(file, text.data(), text.size());
  ::close(file);
  return got <= 0 ? -1 : parent_in({text.data(), static_cast<std::size_t>(got)});
}

/// A child cannot vanish before it was waited for, so its number is never another process's.
void kill_if_child(int proc, const char* name) {
  pid_t pid = 0;
  for (const char* c = name; *c != '\0'; ++c) {
    if (*c < '0' || *c > '9') return;
    pid = pid * 10 + (*c - '0');
  }
  if (pid > 1 && parent_of(proc, name) == ::getpid()) ::kill(pid, SIGKILL);
}

void kill_children() {
  const int proc = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return;
  // Few at a time, so that a process which keeps moving on is looked at while it is there.
  alignas(dirent64) std::array<char, 1024> room;
  for (;;) {
    const ssize_t got = ::getdents64(proc, room.data(), room.size());
    if (got <= 0) break;
    for (ssize_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(room.data() + at);
      kill_if_child(proc, entry->d_name);
      at += entry->d_reclen;
    }
  }
  ::close(proc);
}

class Supervisor {
 public:
  explicit Supervisor(pid_t command, int child_ended) : command_(command), ended_(child_ended) {}

  void run() {
    bool is_ordered = false;
    while (reap() && !is_reported_ && !is_ordered) {
      std::array<pollfd, 2> watched{{{ended_, POLLIN, 0}, {control_fd, POLLIN, 0}}};
      ::poll(watched.data(), watched.size(), -1);
      take_signals();
      is_ordered = watched[1].revents != 0;
    }
    // The orphans of a killed process become children of this one and are killed next.
    while (reap()) {
      kill_children();
      pollfd ended{ended_, POLLIN, 0};
      ::poll(&ended, 1, round_ms);
      take_signals();
    }
  }

 private:
  /// False when there is no child any more.
  bool reap() {
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG);
      if (pid < 0) return errno != ECHILD;
      if (pid == 0) return true;
      if (pid != command_ || is_reported_) continue;
      is_reported_ = true;
      report(SupervisorReport::Kind::ended, status);
    }
  }

  void take_signals() {
    signalfd_siginfo ignored;
    static_cast<void>(!::read(ended_, &ignored, sizeof ignored));
  }

  const pid_t command_;
  const int ended_;
  bool is_reported_ = false;
};

[[noreturn]] void refuse(int problem) {
  report(SupervisorReport::Kind::not_started, problem);
  ::_exit(1);
}

/// The arguments between the directory and the program.
struct Words {
  const char* limits = nullptr;
  bool is_sandboxed = false;
  char** writable = nullptr;
  std::size_t writable_count = 0;
  char** command = nullptr;
};

bool read_words(int count, char** words, Words& out) {
  if (count < 4) return false;
  out.limits = words[0];
  out.is_sandboxed = words[1][0] != '-';
  for (const char* c = words[1]; out.is_sandboxed && *c != '\0'; ++c) {
    if (*c < '0' || *c > '9') return false;
    out.writable_count = out.writable_count * 10 + static_cast<std::size_t>(*c - '0');
  }
  out.writable = words + 2;
  out.command = out.writable + out.writable_count;
  // A program and at least one argument follow.
  return out.writable_count + 4 <= static_cast<std::size_t>(count);
}

/// The command inherits what this process has dropped.
void contain(const Words& words) {
  int problem = give_up_new_rights();
  if (problem == 0 && words.is_sandboxed) {
    problem = write_only_beneath(words.writable, words.writable_count);
  }
  if (problem == 0) problem = limit_resources(words.limits);
  if (problem != 0) refuse(problem);
}

[[noreturn]] void supervise(const char* directory, const Words& words, char** environment) {
  // The command must not inherit Baton's descriptors, even one without close-on-exec.
  ::close_range(control_fd + 1, ~0u, 0);
  ::fcntl(control_fd, F_SETFD, FD_CLOEXEC);
  ::prctl(PR_SET_NAME, own_name);
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  const int ended = ::signalfd(-1, &child_ended, SFD_CLOEXEC | SFD_NONBLOCK);
  if (ended < 0 || ::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) refuse(errno);
  contain(words);
  // No process is left to report the result: then the command is not run.
  pollfd ordered{control_fd, POLLIN, 0};
  if (::poll(&ordered, 1, 0) != 0) ::_exit(1);
  SpawnSettings settings(SpawnSettings::Signals::open);
  pid_t pid = -1;
  const int problem = settings.set_directory(directory)
                          ? settings.spawn(pid, words.command[0], words.command + 1, environment)
                          : ENOMEM;
  if (problem != 0) refuse(problem);
  ::close_range(STDIN_FILENO, STDERR_FILENO, 0);
  Supervisor(pid, ended).run();
  ::_exit(0);
}

/// Before main() and everything that is made before it.
[[gnu::constructor(101)]] void supervise_if_called_so(int argc, char** argv, char** environment) {
  if (argc < 4 || std::strcmp(argv[0], own_name) != 0) return;
  Words words;
  if (!read_words(argc - 2, argv + 2, words)) ::_exit(1);
  supervise(argv[1], words, environment);
}

}  // namespace

const char* supervisor_name() { return own_name; }

SpawnSettings::SpawnSettings(Signals signals) {
  posix_spawn_file_actions_init(&actions_);
  posix_spawnattr_init(&attributes_);
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes_, signals == Signals::open ? &none : &all);
  posix_spawnattr_setsigdefault(&attributes_, &all);
  posix_spawnattr_setflags(
      &attributes_,
      static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
}

SpawnSettings::~SpawnSettings() {
  posix_spawn_file_actions_destroy(&actions_);
  posix_spawnattr_destroy(&attributes_);
}

bool SpawnSettings::set_directory(const char* path) {
  return posix_spawn_file_actions_addchdir_np(&actions_, path) == 0;
}

bool SpawnSettings::set_descriptor(int from, int to) {
  return posix_spawn_file_actions_adddup2(&actions_, from, to) == 0;
}

int SpawnSettings::spawn(pid_t& pid, const char* program, char* const* argv,
                         char* const* environment) const {
  return ::posix_spawn(&pid, program, &actions_, &attributes_, argv, environment);
}

}  // namespace baton::adapters
