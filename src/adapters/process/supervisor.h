#pragma once
// The process between Baton and a command. It starts the command, takes in every process that
// anything below it leaves orphaned, in any session, and kills all of them when the command ends
// or Baton does.
//
// It is a small program that Baton holds in memory, or Baton itself: a process that is called by
// the supervisor's name never reaches main(). Its environment is the command's. Descriptors 0 to 2
// are the command's; through the third its report goes out, and the end of what comes in is the
// order to kill.

#include <spawn.h>

#include <cstdint>
#include <string>

namespace baton::adapters {

inline constexpr int supervisor_control_fd = 3;

/// The arguments of a supervisor: this, the directory, the limits as containment.h reads them, "-"
/// or the number of paths that alone may be written to and these paths, the program's file, and its
/// arguments.
const char* supervisor_name();

/// What a supervisor reports, once. It exits when every process of the command has ended.
struct SupervisorReport {
  enum class Kind : std::int32_t { not_started, ended };
  Kind kind = Kind::not_started;
  std::int32_t value = 0;  // the error number, or the status that waitpid gave
};

/// What a process is started with, undone again when it goes out of scope: a session of its own,
/// so that there is no terminal to ask for a password on, and signals as usual.
class SpawnSettings {
 public:
  enum class Signals : std::uint8_t { open, blocked };
  explicit SpawnSettings(Signals signals);
  ~SpawnSettings();
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  bool set_directory(const char* path);
  bool set_descriptor(int from, int to);

  /// 0, or the error number.
  int spawn(pid_t& pid, const char* program, char* const* argv, char* const* environment) const;

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace baton::adapters
