#pragma once
// What the supervisor takes from itself before it starts a command, and thereby from the command
// and all that it starts. Part of the supervisor's small program: no heap, no library but libc.

#include <cstddef>

namespace baton::adapters {

/// As one word among the supervisor's arguments: five numbers with commas between, '-' for none, in
/// the order open files, processes, bytes of a file, seconds of CPU, bytes of addresses.
/// 0, or the error number. Limits are lowered, never raised.
int limit_resources(const char* text);

/// No program that is started from here on gets rights by its file: setuid, setgid, capabilities.
/// 0, or the error number.
int give_up_new_rights();

/// From here on files can be created, changed and removed beneath these paths alone. One that does
/// not exist is passed over. 0, or the error number: EOPNOTSUPP when the kernel has no Landlock
/// that can do it. REQUIRES: give_up_new_rights().
int write_only_beneath(char* const* paths, std::size_t count);

/// The version of Landlock that the kernel offers; 0 for none.
int landlock_version();

/// The first one that knows all that is needed: with earlier ones a file could be emptied.
inline constexpr int landlock_version_min = 3;

}  // namespace baton::adapters
