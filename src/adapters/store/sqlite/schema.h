#pragma once
// The tables of a store's file, and bringing a file to them: new, older, newer, or not ours.

#include <memory>
#include <span>
#include <string>

#include "adapters/store/sqlite/connection.h"

namespace baton::adapters::sqlite {

/// Marks the file as ours ("BATN").
inline constexpr std::int64_t application_id = 0x4241544e;

/// Brings a file of version `to - 1` to version `to`. Forward only, and additive.
struct Migration {
  std::int64_t to = 1;
  const char* statements = "";
};

/// This release's, in order; the last one's number is the version it writes. The first makes a
/// new file.
std::span<const Migration> migrations();

/// From this version on a store has anchors.
inline constexpr std::int64_t anchored_version = 3;

/// STORE versions below this one have the bug that can corrupt a file shared by processes.
inline constexpr int sqlite_version_min = 3051003;

/// ENVIRONMENT when the library `number` is too old.
Result<void> check_library(int number);

struct Opened {
  std::unique_ptr<Connection> connection;
  bool is_newer = false;  // written by a newer release: for reading only
};

/// Opens or makes the file. Many processes may do so at once. An older file is copied to
/// `<path>.v<version>.backup` before it is brought up to date.
Result<Opened> open_file(const Where& where, std::span<const Migration> steps, Health& health);

/// Of a WAL after a reset; a longer one is cut to it.
inline constexpr std::int64_t wal_bytes_kept = 32 << 20;

/// What every connection that writes must have set.
Result<void> prepare_to_write(Connection& connection);
Result<void> prepare_to_read(Connection& connection);

}  // namespace baton::adapters::sqlite
