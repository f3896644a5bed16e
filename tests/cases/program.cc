#include "program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <thread>

#include "adapters/crypto/approval_key_file.h"
#include "adapters/os/repeatable.h"
#include "adapters/os/stream_log.h"
#include "adapters/os/system.h"
#include "adapters/script/quickjs_host.h"
#include "adapters/vcs/project_plan.h"
#include "base/text/text.h"
#include "cli/app.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/world.h"
#include "conformance/server.h"

namespace baton::cases {
namespace {

class BinaryProgram : public Program {
 public:
  explicit BinaryProgram(pid_t pid) : pid_(pid) {}
  ~BinaryProgram() override {
    if (ended_) return;
    kill(pid_, SIGKILL);
    (void)wait();
  }

  Result<int> wait() override {
    int status = 0;
    if (waitpid(pid_, &status, 0) != pid_) return fail(Code::ENVIRONMENT, "waitpid failed");
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  void stop() override { kill(pid_, SIGTERM); }

 private:
  pid_t pid_;
  bool ended_ = false;
};

/// What main() composes, but for what would reach outside the case.
cli::Parts parts_in_process(const std::shared_ptr<MemoryMachine>& machine) {
  cli::Parts parts;
  parts.clock = std::make_shared<adapters::SystemClock>();
  parts.entropy = std::make_shared<adapters::FixedEntropy>(1);
  parts.scripts = std::make_shared<adapters::QuickJsHost>();
  parts.open_log = [clock = parts.clock](const cli::World& world, const cli::Config& config) {
    return std::make_unique<adapters::StreamLog>(
        world.errors.descriptor(),
        config.verbose() ? ports::LogSeverity::debug : ports::LogSeverity::warn,
        adapters::LogForm::json, *clock);
  };
  parts.open_backend = [machine, scripts = parts.scripts](const cli::Config& config) {
    return machine->open(config, scripts);
  };
  parts.open_scratch = [scripts = parts.scripts](const cli::Config& config,
                                                 const std::filesystem::path& folder) {
    return MemoryMachine::open_scratch(config, folder, scripts);
  };
  parts.open_approval_key = [entropy = parts.entropy](const std::string& path) {
    constexpr adapters::ScryptCost cheap{16, 1, 1};
    return std::make_unique<adapters::LockedKeyFile>(path, *entropy, cheap);
  };
  parts.open_plan = [](const cli::World& world, const cli::Config&) {
    return std::make_shared<adapters::ProjectPlan>(world.directory, world.environment);
  };
  return parts;
}

/// The fixtures on the store that a command of this world would use.
int run_fixtures(const cli::World& world, const cli::Parts& parts) {
  const auto backend = parts.open_backend(MUST(cli::load_config(world, {})));
  engine::Engine& engine = *MUST(backend->engine());
  return conformance::serve_stdio(engine, world.input, world.output.descriptor(), -1) ? 0 : 1;
}

class ThreadProgram : public Program {
 public:
  explicit ThreadProgram(ProgramStart start)
      : start_(std::move(start)), thread_([this] { run(); }) {}
  ~ThreadProgram() override {
    if (thread_.joinable()) thread_.join();
  }

  Result<int> wait() override {
    thread_.join();
    return exit_;
  }

 private:
  void run() {
    cli::World world;
    world.arguments = start_.words;
    world.environment = start_.environment;
    world.directory = start_.directory;
    world.executable = start_.binary;
    world.account_home = start_.directory / "home";  // wherever HOME leads
    world.input = start_.input.get();
    world.output = start_.output.get();
    world.errors = start_.errors.get();
    const cli::Parts parts = parts_in_process(start_.machine);
    exit_ = start_.which == Which::fixtures ? run_fixtures(world, parts)
                                            : static_cast<int>(cli::run(world, parts).exit);
    // As a process's end does: the reader of our output sees its end.
    start_.input.reset();
    start_.output.reset();
    start_.errors.reset();
  }

  ProgramStart start_;
  int exit_ = -1;
  std::thread thread_;
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

void Descriptor::reset() {
  if (value_ >= 0) close(value_);
  value_ = -1;
}

Descriptor Descriptor::duplicate() const { return Descriptor(fcntl(value_, F_DUPFD_CLOEXEC, 0)); }

Pipe make_pipe() {
  int ends[2];
  ASSERT(pipe2(ends, O_CLOEXEC) == 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Descriptor memory_file(std::string_view content) {
  Descriptor file(memfd_create("case", MFD_CLOEXEC));
  ASSERT(file.get() >= 0);
  // A memory file takes everything short of running out of memory.
  MUST(cli::write_bytes(file.get(), content));
  ASSERT(lseek(file.get(), 0, SEEK_SET) == 0);
  return file;
}

std::string content_of(const Descriptor& file) {
  ASSERT(lseek(file.get(), 0, SEEK_SET) == 0);
  // Reading a memory file cannot fail, and it has no size that matters here.
  return MUST(cli::read_text(file.get(), SIZE_MAX));
}

Result<std::unique_ptr<Program>> start_binary(ProgramStart start) {
  std::vector<std::string> words = {start.binary.string()};
  words.insert(words.end(), start.words.begin(), start.words.end());
  std::vector<std::string> variables;
  for (const auto& [name, value] : start.environment) variables.push_back(cat(name, '=', value));

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, start.directory.c_str());
  posix_spawn_file_actions_adddup2(&actions, start.input.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, start.output.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, start.errors.get(), 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int problem = posix_spawn(&pid, start.binary.c_str(), &actions, &attributes,
                                  pointers(words).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    return fail(Code::ENVIRONMENT,
                cat("cannot start ", start.binary.string(), ": ", std::strerror(problem)));
  }
  return std::make_unique<BinaryProgram>(pid);
}

std::unique_ptr<Program> start_inprocess(ProgramStart start) {
  return std::make_unique<ThreadProgram>(std::move(start));
}

}  // namespace baton::cases
