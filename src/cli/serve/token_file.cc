#include "cli/serve/token_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "cli/config/places.h"
#include "cli/world.h"

namespace baton::cli {
namespace {

std::unexpected<Error> refused(std::string_view what, const std::string& path) {
  return fail(Code::ENVIRONMENT, cat("cannot ", what, " the token file ", path, ": ",
                                     std::generic_category().message(errno)));
}

bool is_fit(std::string_view secret) {
  return secret.size() >= limits::http_secret_chars_min &&
         std::ranges::all_of(secret, [](char c) { return c > ' ' && c < '\x7f'; });
}

Result<HttpSecret> read_secret(int descriptor, const std::string& path) {
  struct stat info{};
  if (fstat(descriptor, &info) != 0) return refused("examine", path);
  if (!S_ISREG(info.st_mode)) {
    return fail(Code::ENVIRONMENT, cat("the token file ", path, " is not a regular file"));
  }
  if (info.st_uid != geteuid()) {
    return fail(Code::ENVIRONMENT, cat("the token file ", path, " belongs to another user"),
                "move it away and let the server make one, or name a file of your own with "
                "--token-file");
  }
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(Code::ENVIRONMENT,
                cat("the token file ", path, " can be read by other users than its owner"),
                cat("chmod 600 ", path,
                    "; if others may have read it, remove it instead and let "
                    "the server make a new one"));
  }
  const std::string text = TRY(read_text(descriptor, limits::http_secret_bytes_max));
  const auto secret = std::string_view(text).substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (!is_fit(secret)) {
    return fail(Code::ENVIRONMENT,
                cat("the token file ", path, " must hold one word of at least ",
                    limits::http_secret_chars_min, " visible ASCII characters"),
                "remove it and let the server create one");
  }
  return HttpSecret{std::string(secret)};
}

/// False when another process made the file first.
Result<bool> make_file(const std::string& path, const std::string& secret) {
  TRY(make_store_folder(path));
  std::string scratch = cat(path, ".XXXXXX");
  const int descriptor = mkostemp(scratch.data(), O_CLOEXEC);  // 0600
  if (descriptor < 0) return refused("make", path);
  const Result<void> written = write_bytes(descriptor, cat(secret, '\n'));
  const bool synced = fsync(descriptor) == 0;
  close(descriptor);
  const bool linked = written && synced && link(scratch.c_str(), path.c_str()) == 0;
  const int problem = errno;
  unlink(scratch.c_str());
  if (!written) return std::unexpected(written.error());
  if (linked) return true;
  errno = problem;
  if (synced && problem == EEXIST) return false;
  return refused("make", path);
}

}  // namespace

Result<HttpSecret> open_token_file(const std::string& path, TokenPlace place,
                                   ports::Entropy& entropy) {
  std::array<std::uint8_t, 32> bytes{};
  entropy.fill(bytes);
  std::string fresh = to_hex(bytes);
  // A second time when another process makes it in between.
  for (int tries = 0; tries < 2; ++tries) {
    const int link = place == TokenPlace::beside_the_store ? O_NOFOLLOW : 0;
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | link);
    if (descriptor >= 0) {
      Result<HttpSecret> secret = read_secret(descriptor, path);
      close(descriptor);
      return secret;
    }
    if (errno == ELOOP) {
      return fail(Code::ENVIRONMENT, cat("the token file ", path, " is a symbolic link"),
                  "move it away and let the server make one, or name the file that it leads to "
                  "with --token-file");
    }
    if (errno != ENOENT) return refused("open", path);
    if (TRY(make_file(path, fresh))) return HttpSecret{std::move(fresh), true};
  }
  return refused("open", path);
}

}  // namespace baton::cli
