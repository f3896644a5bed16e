#include "adapters/crypto/approval_key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "adapters/crypto/ed25519.h"
#include "adapters/files/private_file.h"
#include "base/core/approval_limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

class OpenKey final : public ports::Sealer {
 public:
  OpenKey(std::string key, const SecretKey& seed) : key_(std::move(key)), seed_(seed) {}

  const std::string& key() const override { return key_; }
  Result<run::Seal> seal(std::string_view text) override {
    std::string signature = TRY(ed25519_sign(seed_, text));
    return run::Seal{key_, std::move(signature)};
  }

 private:
  std::string key_;
  SecretKey seed_;
};

std::unexpected<Error> refused(std::string_view doing, const std::string& path) {
  return fail(Code::ENVIRONMENT, cat("cannot ", doing, ' ', path, ": ", std::strerror(errno)),
              "look at the folder's rights and its disk");
}

Result<LockedKey> read(const std::string& path) {
  auto opened = open_private(path, O_RDONLY, ::geteuid());
  if (!opened && opened.error().code == Code::NOT_FOUND) {
    return fail(Code::NOT_FOUND, cat("there is no approval key at ", path),
                "`baton approvals init` makes one");
  }
  const Descriptor file = TRY(std::move(opened));
  struct stat found{};
  if (::fstat(file.number(), &found) != 0) return refused("examine", path);
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(Code::ENVIRONMENT, cat("the approval key ", path, " is open to other users"),
                cat("run: chmod 600 ", path));
  }
  auto key = LockedKey::parse(TRY(read_private(file, path, limits::approval_key_file_bytes_max)));
  if (key) return key;
  return fail(key.error().code,
              cat("the approval key ", path, " cannot be used: ", key.error().message),
              "restore it from a copy of your own");
}

Result<std::unique_ptr<ports::Sealer>> make_at(const std::string& path, std::string_view passphrase,
                                               const ScryptCost& cost, ports::Entropy& entropy) {
  SecretKey seed;
  entropy.fill(seed.bytes);
  const LockedKey locked = TRY(LockedKey::lock(seed, passphrase, cost, entropy));
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::error_code failed;
  if (!folder.empty() && std::filesystem::create_directories(folder, failed)) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  }
  if (!TRY(make_private(path, locked.text()))) {
    return fail(Code::INVALID_INPUT, cat("there is an approval key at ", path, " already"),
                "`baton approvals rotate` takes another in its place");
  }
  return std::make_unique<OpenKey>(locked.key(), seed);
}

}  // namespace

Result<std::string> LockedKeyFile::key() { return TRY(read(path_)).key(); }

Result<std::unique_ptr<ports::Sealer>> LockedKeyFile::unlock(std::string_view passphrase) {
  const auto exhausted = [] {
    return fail(Code::LIMIT_EXCEEDED,
                cat("the passphrase was wrong ", limits::passphrase_tries_max, " times"),
                "start the command again when you know it");
  };
  if (failed_tries_ >= limits::passphrase_tries_max) return exhausted();
  const LockedKey locked = TRY(read(path_));
  const auto seed = locked.unlock(passphrase);
  if (seed) return std::make_unique<OpenKey>(locked.key(), *seed);
  // After the last one no other would be tried, so none is asked for.
  if (++failed_tries_ == limits::passphrase_tries_max) return exhausted();
  return std::unexpected(seed.error());
}

Result<std::unique_ptr<ports::Sealer>> LockedKeyFile::make(std::string_view passphrase) {
  return make_at(path_, passphrase, cost_, entropy_);
}

Result<std::unique_ptr<ports::Sealer>> LockedKeyFile::prepare(std::string_view passphrase) {
  if (::unlink(next().c_str()) != 0 && errno != ENOENT) return refused("remove", next());
  return make_at(next(), passphrase, cost_, entropy_);
}

Result<std::optional<std::string>> LockedKeyFile::prepared() {
  const auto found = read(next());
  if (!found && found.error().code == Code::NOT_FOUND) return std::nullopt;
  return TRY(found).key();
}

Result<void> LockedKeyFile::take_prepared() {
  // The one before stays under its own name: other stores may know it alone.
  if (const auto before = key()) {
    constexpr std::size_t shown_digits = 16;
    const std::string name = cat(path_, ".before-", before->substr(0, shown_digits));
    if (std::rename(path_.c_str(), name.c_str()) != 0) return refused("move", path_);
  }
  if (std::rename(next().c_str(), path_.c_str()) != 0) return refused("replace", path_);
  return sync_folder_of(path_);
}

}  // namespace baton::adapters
