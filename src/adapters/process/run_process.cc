#include "adapters/process/run_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "adapters/files/descriptor.h"
#include "adapters/process/supervisor.h"
#include "adapters/process/supervisor_image.h"
#include "adapters/process/writable.h"
#include "base/core/result.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

using ports::Process;
using ports::ProcessEnd;
using ports::ProcessResult;
using Clock = std::chrono::steady_clock;

/// Texts in the form that exec wants.
class Texts {
 public:
  explicit Texts(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

std::vector<std::string> assignments(const ports::Environment& environment) {
  std::vector<std::string> out;
  for (const auto& [name, value] : environment) out.push_back(cat(name, '=', value));
  return out;
}

/// A program's arguments end at their first NUL, so one that holds a NUL would not arrive whole.
bool can_be_passed(const Process& process) {
  const auto is_whole = [](std::string_view text) { return !text.contains('\0'); };
  const bool is_sandbox_whole =
      !process.sandbox || (is_whole(process.sandbox->workspace) &&
                           std::ranges::all_of(process.sandbox->writable, is_whole));
  return std::ranges::all_of(process.argv, is_whole) && is_whole(process.directory) &&
         is_sandbox_whole && std::ranges::all_of(process.environment, [&](const auto& each) {
           return !each.first.empty() && !each.first.contains('=') && is_whole(each.first) &&
                  is_whole(each.second);
         });
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// The same file under a number that the command does not get.
Descriptor moved_up(int number) {
  const Descriptor low(number);
  return Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, supervisor_control_fd + 1));
}

bool make_pipe(Pipe& out) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  out = {Descriptor(ends[0]), moved_up(ends[1])};
  return out.write.is_open() && ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

/// A file in memory, so that no thread has to write while the command reads.
Descriptor input_file(std::string_view text) {
  Descriptor file = moved_up(text.empty() ? ::open("/dev/null", O_RDONLY | O_CLOEXEC)
                                          : ::memfd_create("input", MFD_CLOEXEC));
  if (!file.is_open() || text.empty()) return file;
  while (!text.empty()) {
    const ssize_t put = ::write(file.number(), text.data(), text.size());
    if (put <= 0) return {};
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

/// What lies between Baton and the command.
struct Channels {
  Descriptor input;
  Pipe output;
  Pipe errors;
  Descriptor control;             // ours
  Descriptor supervisor_control;  // the supervisor's

  bool open(const Process& process) {
    input = input_file(process.input);
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return false;
    control = Descriptor(pair[0]);
    supervisor_control = moved_up(pair[1]);
    return input.is_open() && supervisor_control.is_open() && make_pipe(output) &&
           make_pipe(errors);
  }
  void close_far_ends() {
    input = Descriptor();
    output.write = Descriptor();
    errors.write = Descriptor();
    supervisor_control = Descriptor();
  }
};

/// As containment.h reads them.
std::string limits_text(const ports::ResourceLimits& limits) {
  std::string out;
  for (const auto& each : {limits.open_files, limits.processes, limits.file_bytes,
                           limits.cpu_seconds, limits.memory_bytes}) {
    out += cat(out.empty() ? "" : ",", each ? cat(*each) : "-");
  }
  return out;
}

/// The supervisor's arguments, as supervisor.h lists them.
std::vector<std::string> supervisor_words(const Process& process, std::string program) {
  std::vector<std::string> words = {supervisor_name(), process.directory,
                                    limits_text(process.resources)};
  if (process.sandbox) {
    std::vector<std::string> paths = writable_paths(*process.sandbox, process.environment);
    words.push_back(cat(paths.size()));
    std::ranges::move(paths, std::back_inserter(words));
  } else {
    words.emplace_back("-");
  }
  words.push_back(std::move(program));
  words.insert(words.end(), process.argv.begin(), process.argv.end());
  return words;
}

/// 0, or the error number.
int spawn_supervisor(const Process& process, std::string program, const Channels& channels,
                     pid_t& pid) {
  std::vector<std::string> words = supervisor_words(process, std::move(program));
  SpawnSettings settings(SpawnSettings::Signals::blocked);
  const bool is_set =
      settings.set_descriptor(channels.input.number(), STDIN_FILENO) &&
      settings.set_descriptor(channels.output.write.number(), STDOUT_FILENO) &&
      settings.set_descriptor(channels.errors.write.number(), STDERR_FILENO) &&
      settings.set_descriptor(channels.supervisor_control.number(), supervisor_control_fd);
  if (!is_set) return ENOMEM;
  const Texts arguments(std::move(words));
  const Texts environment(assignments(process.environment));
  int problem = ENOEXEC;
  if (const char* small = supervisor_program()) {
    problem = settings.spawn(pid, small, arguments.data(), environment.data());
  }
  // Where files in memory may not be executed this same program can do it, only not as fast.
  if (problem == EACCES || problem == ENOENT || problem == ENOEXEC || problem == EPERM) {
    problem = settings.spawn(pid, "/proc/self/exe", arguments.data(), environment.data());
  }
  return problem;
}

/// A command and its supervisor on the way to their end.
class Watch {
 public:
  Watch(const Process& process, pid_t supervisor, Channels channels, int stop_fd)
      : process_(process),
        supervisor_(supervisor),
        channels_(std::move(channels)),
        stop_fd_(stop_fd) {}

  ProcessResult run() {
    auto deadline = Clock::now() + std::chrono::milliseconds(process_.ms_max);
    while (channels_.control.is_open()) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) {
        if (killed_as_ || reported_) break;  // it will not end; do not wait for it
        kill(ProcessEnd::timed_out);
      } else {
        step(static_cast<int>(std::min<std::int64_t>(left, 60'000)));
      }
      if ((killed_as_ || reported_) && !is_ending_) {
        is_ending_ = true;
        deadline = Clock::now() + std::chrono::milliseconds(limits::process_kill_ms_max);
      }
    }
    // No process can write any more; what was written before is still there.
    drain_output();
    drain_errors();
    end_supervisor();
    judge();
    return std::move(result_);
  }

 private:
  void step(int ms) {
    std::array<pollfd, 4> watched{{{channels_.control.number(), POLLIN, 0},
                                   {channels_.output.read.number(), POLLIN, 0},
                                   {channels_.errors.read.number(), POLLIN, 0},
                                   {killed_as_ ? -1 : stop_fd_, POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), ms) < 0) return;
    drain_output();
    drain_errors();
    if (watched[3].revents != 0) kill(ProcessEnd::stopped);
    if (watched[0].revents != 0) hear();
  }

  void hear() {
    SupervisorReport report;
    const ssize_t got = ::recv(channels_.control.number(), &report, sizeof report, 0);
    if (got < 0 && errno == EINTR) return;
    if (got == sizeof report) {
      reported_ = report;
    } else {
      channels_.control = Descriptor();  // it has exited: nothing is left
    }
  }

  void kill(ProcessEnd why) {
    if (killed_as_) return;
    killed_as_ = why;
    ::shutdown(channels_.control.number(), SHUT_WR);
  }

  /// Reads what is there; `take` gets each piece.
  template <class Take>
  static void drain(Descriptor& from, const Take& take) {
    std::array<char, 65'536> piece;
    // As often as this before the clock is looked at again.
    for (int reads = 0; reads < 64 && from.is_open(); ++reads) {
      const ssize_t got = ::read(from.number(), piece.data(), piece.size());
      if (got < 0) return;  // nothing there now
      if (got == 0) {
        from = Descriptor();
        return;
      }
      take(std::string_view(piece.data(), static_cast<std::size_t>(got)));
    }
  }

  void drain_output() {
    drain(channels_.output.read, [&](std::string_view piece) {
      const std::size_t room = process_.output_bytes_max - result_.output.size();
      result_.output += piece.substr(0, room);
      if (piece.size() <= room) return;
      result_.output_cut = true;
      if (process_.when_full == ports::WhenFull::stop) kill(ProcessEnd::stopped);
    });
  }

  void drain_errors() {
    drain(channels_.errors.read, [&](std::string_view piece) {
      std::string& kept = result_.errors;
      kept += piece;
      if (kept.size() <= process_.errors_bytes_max) return;
      kept.erase(0, kept.size() - process_.errors_bytes_max);
      result_.errors_cut = true;
    });
  }

  /// A supervisor that has not exited has a child that even a kill does not end.
  void end_supervisor() {
    if (channels_.control.is_open()) ::kill(supervisor_, SIGKILL);
    int status = 0;
    while (::waitpid(supervisor_, &status, 0) < 0 && errno == EINTR) {
    }
  }

  void judge() {
    if (reported_ && reported_->kind == SupervisorReport::Kind::not_started) {
      result_.end = ProcessEnd::not_started;
      result_.code = reported_->value;
    } else if (reported_ && WIFEXITED(reported_->value)) {
      // In time, if only just.
      result_.end = ProcessEnd::exited;
      result_.code = WEXITSTATUS(reported_->value);
    } else if (killed_as_) {
      result_.end = *killed_as_;
    } else if (reported_) {
      result_.end = ProcessEnd::signalled;
      result_.code = WTERMSIG(reported_->value);
    }
  }

  const Process& process_;
  const pid_t supervisor_;
  Channels channels_;
  const int stop_fd_;
  ProcessResult result_;
  std::optional<SupervisorReport> reported_;
  std::optional<ProcessEnd> killed_as_;
  bool is_ending_ = false;
};

ProcessResult not_started(int error) {
  ProcessResult result;
  result.end = ProcessEnd::not_started;
  result.code = error;
  return result;
}

bool is_program(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_program(std::string_view name, const ports::Environment& environment,
                         const std::string& directory) {
  if (name.contains('/')) {
    std::string path = name.starts_with('/') ? std::string(name) : cat(directory, '/', name);
    return is_program(path) ? path : std::string();
  }
  const auto path = environment.find("PATH");
  std::string_view rest = "/usr/bin:/bin";
  if (path != environment.end()) rest = path->second;
  while (!rest.empty() && !name.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string_view folder = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!folder.starts_with('/')) continue;
    std::string candidate = cat(folder, '/', name);
    if (is_program(candidate)) return candidate;
  }
  return {};
}

ProcessResult run_process(const Process& process, int stop_fd) {
  ASSERT(!process.argv.empty());
  if (!can_be_passed(process)) return not_started(0);
  const std::string program =
      find_program(process.argv.front(), process.environment, process.directory);
  if (program.empty()) {
    ProcessResult result;
    result.end = ProcessEnd::not_found;
    return result;
  }
  Channels channels;
  if (!channels.open(process)) return not_started(errno);
  if (process.why_not) {
    // As late as this, so that there is little time to change what is asked about.
    ProcessResult refused = not_started(0);
    refused.refused = process.why_not();
    if (!refused.refused.empty()) return refused;
  }
  pid_t pid = -1;
  if (const int problem = spawn_supervisor(process, program, channels, pid); problem != 0) {
    return not_started(problem);
  }
  channels.close_far_ends();
  return Watch(process, pid, std::move(channels), stop_fd).run();
}

}  // namespace baton::adapters
