#include "adapters/evidence/file_evidence.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "adapters/files/beneath.h"
#include "adapters/files/place.h"
#include "base/core/limits.h"

namespace baton::adapters {
namespace {

using run::Probe;
using run::ProbeResult;

ProbeResult seen(ProbeResult::Kind kind) {
  ProbeResult out;
  out.kind = kind;
  return out;
}

ProbeResult unopened(int problem) {
  if (problem == ENOENT || problem == ENOTDIR) return seen(ProbeResult::Kind::nothing);
  if (problem == ELOOP) return seen(ProbeResult::Kind::link);
  return seen(ProbeResult::Kind::other);
}

/// Reads the file as far as it is compared. A file that cannot be read whole has neither digest nor
/// text.
void read_into(ProbeResult& out, const Descriptor& file, bool with_text) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash(EVP_MD_CTX_new(),
                                                                     &EVP_MD_CTX_free);
  if (EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr) != 1) return;
  std::string text;
  std::size_t bytes = 0;
  char piece[65'536];
  while (bytes <= limits::evidence_hashed_bytes_max) {
    const ssize_t got = ::read(file.number(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;
    if (got == 0) break;
    const auto size = static_cast<std::size_t>(got);
    bytes += size;
    if (EVP_DigestUpdate(hash.get(), piece, size) != 1) return;
    if (with_text && bytes <= limits::evidence_file_bytes_max) text.append(piece, size);
  }
  if (bytes > limits::evidence_hashed_bytes_max) return;
  Sha256 digest;
  if (EVP_DigestFinal_ex(hash.get(), digest.bytes.data(), nullptr) != 1) return;
  out.bytes = static_cast<std::int64_t>(bytes);
  out.digest = digest;
  if (with_text && bytes <= limits::evidence_file_bytes_max) out.text = std::move(text);
}

}  // namespace

WorkspaceFolder::WorkspaceFolder(const std::string& path)
    : path_(path), folder_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!folder_.is_open()) problem_ = errno;
}

ProbeResult WorkspaceFolder::itself() const {
  if (!folder_.is_open()) return unopened(problem_);
  ProbeResult out = seen(ProbeResult::Kind::folder);
  out.place = place_of(folder_.number()).value_or("");
  return out;
}

bool WorkspaceFolder::is_in_place() const {
  return !folder_.is_open() || place_of(path_) == place_of(folder_.number());
}

ProbeResult WorkspaceFolder::file(const Probe& look) const {
  if (!folder_.is_open()) return unopened(problem_);
  const Descriptor opened = open_beneath(folder_.number(), look.what, O_RDONLY);
  if (!opened.is_open()) return unopened(errno);
  struct stat status{};
  if (::fstat(opened.number(), &status) != 0) return seen(ProbeResult::Kind::other);
  if (S_ISDIR(status.st_mode)) return seen(ProbeResult::Kind::folder);
  if (!S_ISREG(status.st_mode)) return seen(ProbeResult::Kind::other);
  ProbeResult out = seen(ProbeResult::Kind::file);
  out.bytes = status.st_size;
  if (out.bytes <= static_cast<std::int64_t>(limits::evidence_hashed_bytes_max)) {
    read_into(out, opened, look.with_text);
  }
  return out;
}

}  // namespace baton::adapters
