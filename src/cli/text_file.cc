#include "cli/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/limits.h"
#include "base/text.h"
#include "cli/world.h"

namespace baton::cli {

Result<std::string> workflow_text(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return fail(Code::ENVIRONMENT, cat("cannot open ", path.string(), ": ", std::strerror(errno)));
  }
  // One byte more than a file may have, so that the reader says that it is too long.
  auto text = read_text(descriptor, limits::workflow_bytes_max + 1);
  close(descriptor);
  if (!text && text.error().code == Code::LIMIT_EXCEEDED) {
    return std::string(limits::workflow_bytes_max + 1, ' ');
  }
  return text;
}

}  // namespace baton::cli
