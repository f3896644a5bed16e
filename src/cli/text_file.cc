#include "cli/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::cli {
namespace {

/// `name` is the file's name as the user gave it, for errors.
Result<std::string> file_text(const std::filesystem::path& path, std::string_view name, int flags,
                              std::size_t bytes_max) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (descriptor < 0) {
    const Code code = errno == ENOENT || errno == ENOTDIR ? Code::NOT_FOUND : Code::ENVIRONMENT;
    return fail(code, cat("cannot open ", name, ": ", std::strerror(errno)));
  }
  auto text = read_text(descriptor, bytes_max);
  close(descriptor);
  if (!text) return fail(text.error().code, cat(name, ": ", text.error().message));
  return text;
}

}  // namespace

Result<std::string> input_text(const World& world, const std::string& name, std::size_t bytes_max) {
  if (name == "-") return read_text(world.input, bytes_max);
  return file_text(world.directory / name, name, 0, bytes_max);
}

Result<std::string> workflow_text(const std::filesystem::path& path) {
  // One byte more than a file may have, so that the reader says that it is too long. A pipe that
  // without a writer is not waited for.
  auto text = file_text(path, path.string(), O_NONBLOCK, limits::workflow_bytes_max + 1);
  if (!text && text.error().code == Code::LIMIT_EXCEEDED) {
    return std::string(limits::workflow_bytes_max + 1, ' ');
  }
  return text;
}

Result<void> write_new_file(const std::filesystem::path& path, std::string_view text) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return fail(Code::ENVIRONMENT, cat("cannot make ", path.string(), ": ", std::strerror(errno)));
  }
  const auto written = write_text(descriptor, text);
  close(descriptor);
  return written;
}

}  // namespace baton::cli
