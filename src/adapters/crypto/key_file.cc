#include "adapters/crypto/key_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include "adapters/files/private_file.h"
#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

constexpr mode_t private_mode = 0600;

// Each try but the last means that another process changed the file meanwhile.
constexpr int lock_tries = 1'000;

std::unexpected<Error> refused(std::string_view what, std::string_view path,
                               std::string hint = {}) {
  const int number = errno;
  return fail(Code::ENVIRONMENT,
              cat("Cannot ", what, " the key file ", path, ": ",
                  std::generic_category().message(number), '.'),
              std::move(hint));
}

/// Keys are made before their store and beside it: when that is gone too, so is everything.
std::unexpected<Error> missing(std::string_view path) {
  constexpr std::string_view ending = ".keys";
  if (path.ends_with(ending)) {
    const std::string store(path.substr(0, path.size() - ending.size()));
    if (::access(store.c_str(), F_OK) != 0) {
      return fail(Code::STORE_REPLACED,
                  cat("The store ", store, " and its keys were removed or moved away."),
                  "Stop every server of this store, put its files back (docs/stores.md), and start "
                  "again.");
    }
  }
  return fail(Code::ENVIRONMENT, cat("The key file ", path, " is missing."),
              "Restore it from a backup: without its keys, tokens issued so far are not valid.");
}

KeyFileStamp stamp_of(const struct stat& info) {
  const auto ns = [](const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  return {.device = info.st_dev,
          .inode = info.st_ino,
          .size = info.st_size,
          .modified_ns = ns(info.st_mtim),
          .changed_ns = ns(info.st_ctim)};
}

/// A call repeated while a signal interrupts it.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

Result<Descriptor> open_existing(const std::string& path, int access) {
  // Without O_NONBLOCK a pipe in the file's place would hang the caller.
  Descriptor file(::open(path.c_str(), access | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file.is_open()) return file;
  if (errno == ENOENT) return missing(path);
  return refused("open", path);
}

Result<struct stat> checked_stat(const Descriptor& file, const std::string& path) {
  struct stat info{};
  if (::fstat(file.number(), &info) != 0) return refused("examine", path);
  if (!S_ISREG(info.st_mode)) {
    return fail(Code::ENVIRONMENT, cat("The key file ", path, " is not a regular file."));
  }
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(Code::ENVIRONMENT,
                cat("The key file ", path,
                    " can be read by other users than its owner, so its keys "
                    "cannot be trusted. Run: chmod 600 ",
                    path),
                "If others may have read it, then also: baton keys rotate, and retire the old.");
  }
  return info;
}

Result<SecretText> read_all(const Descriptor& file, const std::string& path) {
  SecretText out;
  out.text.resize(limits::key_ring_bytes_max + 1);
  std::size_t size = 0;
  while (size < out.text.size()) {
    const ssize_t got = uninterrupted([&] {
      return ::pread(file.number(), out.text.data() + size, out.text.size() - size,
                     static_cast<off_t>(size));
    });
    if (got < 0) return refused("read", path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  out.text.resize(size);
  return out;
}

Result<KeyFile::Opened> read_from(Descriptor file, const std::string& path) {
  const struct stat info = TRY(checked_stat(file, path));
  const SecretText secret = TRY(read_all(file, path));
  auto ring = KeyRing::parse(secret.text);
  if (!ring) {
    Error error = std::move(ring).error();
    error.message = cat("The key file ", path, " cannot be used: ", error.message);
    if (error.code == Code::STORE_CORRUPT) {
      error.next =
          "Restore it from a backup. To start with new keys, move it away; tokens issued so far "
          "are then not valid.";
    }
    return std::unexpected(std::move(error));
  }
  return KeyFile::Opened{*std::move(ring), stamp_of(info), std::move(file)};
}

/// Makes a private file with this content and syncs it; it is gone again when that fails.
Result<void> write_new(const std::string& path, const KeyRing& ring, const struct stat* owner) {
  const auto write = [&](const Descriptor& file) -> Result<void> {
    if (::fchmod(file.number(), private_mode) != 0) return refused("protect", path);
    // An administrator's rotation must not take the file away from its owner.
    if (owner != nullptr && owner->st_uid != ::geteuid() &&
        ::fchown(file.number(), owner->st_uid, owner->st_gid) != 0) {
      return refused("keep the owner of", path);
    }
    const SecretText secret = ring.print();
    std::string_view left = secret.text;
    while (!left.empty()) {
      const ssize_t put =
          uninterrupted([&] { return ::write(file.number(), left.data(), left.size()); });
      if (put < 0) return refused("write", path);
      left.remove_prefix(static_cast<std::size_t>(put));
    }
    if (::fsync(file.number()) != 0) return refused("sync", path);
    return {};
  };
  const Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, private_mode));
  if (!file.is_open()) {
    return refused("create", path, "Check that the directory exists and that you may write to it.");
  }
  auto written = write(file);
  if (!written) ::unlink(path.c_str());
  return written;
}

Result<void> sync_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "."
                                : slash == 0               ? "/"
                                                           : path.substr(0, slash);
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || ::fsync(opened.number()) != 0)
    return refused("sync the directory of", path);
  return {};
}

/// The path without symbolic links: a rename would replace the link and not the file.
Result<std::string> resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), &::free);
  if (real) return std::string(real.get());
  if (errno == ENOENT) return missing(path);
  return refused("find", path);
}

/// The file, locked, and still the one at `path` once the lock was got.
Result<Descriptor> open_locked(const std::string& path) {
  for (int i = 0; i < lock_tries; ++i) {
    Descriptor file = TRY(open_existing(path, O_RDWR));
    if (uninterrupted([&] { return ::flock(file.number(), LOCK_EX); }) != 0) {
      return refused("lock", path);
    }
    struct stat locked{};
    struct stat named{};
    if (::fstat(file.number(), &locked) != 0) return refused("examine", path);
    if (::stat(path.c_str(), &named) == 0 && named.st_ino == locked.st_ino &&
        named.st_dev == locked.st_dev) {
      return file;
    }
  }
  return fail(Code::STORE_BUSY, cat("Other processes keep changing the key file ", path, '.'));
}

}  // namespace

Result<void> KeyFile::create_if_missing(ports::Entropy& entropy) const {
  struct stat info{};
  if (::stat(path_.c_str(), &info) == 0) return {};
  if (errno != ENOENT) return refused("examine", path_);
  std::array<std::uint8_t, 8> random{};
  entropy.fill(random);
  const std::string temporary = cat(path_, '.', to_hex(random), ".tmp");
  TRY(write_new(temporary, KeyRing::make(entropy), nullptr));
  // When another process was first, its keys are ours too.
  if (const auto named = name_if_free(temporary, path_); !named) {
    errno = named.error();
    return refused("create", path_);
  }
  return sync_directory_of(path_);
}

Result<KeyFile::Opened> KeyFile::read() const {
  return read_from(TRY(open_existing(path_, O_RDONLY)), path_);
}

Result<KeyFileStamp> KeyFile::stamp() const {
  struct stat info{};
  if (::stat(path_.c_str(), &info) == 0) return stamp_of(info);
  if (errno == ENOENT) return missing(path_);
  return refused("examine", path_);
}

Result<std::vector<KeyInfo>> KeyFile::list() const { return TRY(read()).ring.list(); }

Result<std::uint8_t> KeyFile::rotate(ports::Entropy& entropy) const {
  std::uint8_t slot = 0;
  TRY(change([&](KeyRing& ring) -> Result<void> {
    slot = TRY(ring.rotate(entropy));
    return {};
  }));
  return slot;
}

Result<void> KeyFile::retire(std::uint8_t slot) const {
  return change([&](KeyRing& ring) { return ring.retire(slot); });
}

Result<void> KeyFile::change(const std::function<Result<void>(KeyRing&)>& edit) const {
  const std::string target = TRY(resolved(path_));
  Descriptor locked = TRY(open_locked(target));
  struct stat owner{};
  if (::fstat(locked.number(), &owner) != 0) return refused("examine", target);
  Opened opened = TRY(read_from(std::move(locked), target));
  TRY(edit(opened.ring));
  // The lock makes the name ours; an existing file is left from an interrupted change.
  const std::string temporary = cat(target, ".new");
  if (::unlink(temporary.c_str()) != 0 && errno != ENOENT) return refused("replace", temporary);
  TRY(write_new(temporary, opened.ring, &owner));
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    const auto error = refused("replace", target);
    ::unlink(temporary.c_str());
    return error;
  }
  return sync_directory_of(target);
}

}  // namespace baton::adapters
