#include "adapters/files/workflow_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "adapters/files/descriptor.h"
#include "base/limits.h"
#include "base/text.h"

namespace baton::adapters {
namespace {

std::unexpected<Error> failed(std::string_view what, std::string_view path) {
  return fail(Code::ENVIRONMENT, cat("cannot ", what, ' ', path, ": ", std::strerror(errno)));
}

/// A folder that may be missing.
Result<Descriptor> open_folder(const WorkflowFolder& folder) {
  Descriptor opened(::open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open() || (!folder.must_exist && errno == ENOENT)) return opened;
  return failed("open the workflow folder", folder.path);
}

/// The names of the workflow files in a folder, sorted.
Result<std::vector<std::string>> names_in(const Descriptor& folder, const std::string& path) {
  std::vector<std::string> names;
  const int own = ::openat(folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) return failed("read the workflow folder", path);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(own), &::closedir);
  if (listing == nullptr) {
    ::close(own);
    return failed("read the workflow folder", path);
  }
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name.starts_with('.') || !name.ends_with(".json")) continue;
    names.emplace_back(name);
    if (names.size() > limits::workflow_files_max) {
      return fail(Code::LIMIT_EXCEEDED, cat("the workflow folder ", path, " has more than ",
                                            limits::workflow_files_max, " files"));
    }
  }
  std::ranges::sort(names);
  return names;
}

/// The text of a file, or nothing when there is none of that name. One byte more than a workflow
/// may have is read, so that the reader of workflows can say that it is too long.
Result<std::optional<std::string>> text_of(const Descriptor& folder, const std::string& name) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const Descriptor file(
      static_cast<int>(::syscall(SYS_openat2, folder.number(), name.c_str(), &how, sizeof how)));
  if (!file.is_open()) {
    if (errno == ENOENT) return std::nullopt;
    return failed("open the workflow file", name);
  }
  std::string text(limits::workflow_bytes_max + 1, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = ::read(file.number(), text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read the workflow file", name);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return text;
}

/// A file that cannot be opened is listed with that as its text's problem: unreadable JSON.
ports::WorkflowFile file_of(const WorkflowFolder& folder, const Descriptor& opened,
                            const std::string& name) {
  ports::WorkflowFile file{folder.source, folder.path + "/" + name, {}, {}};
  auto text = text_of(opened, name);
  if (text && *text) {
    file.text = **std::move(text);
  } else if (!text) {
    file.problem = text.error().message;
  }
  return file;
}

}  // namespace

Result<std::vector<ports::WorkflowFile>> WorkflowFiles::all() {
  std::vector<ports::WorkflowFile> files;
  for (const WorkflowFolder& folder : folders_) {
    const Descriptor opened = TRY(open_folder(folder));
    if (!opened.is_open()) continue;
    for (const std::string& name : TRY(names_in(opened, folder.path))) {
      files.push_back(file_of(folder, opened, name));
    }
  }
  return files;
}

Result<std::vector<ports::WorkflowFile>> WorkflowFiles::named(std::string_view name) {
  std::vector<ports::WorkflowFile> files;
  for (const WorkflowFolder& folder : folders_) {
    const Descriptor opened = TRY(open_folder(folder));
    if (!opened.is_open()) continue;
    const std::string file_name = cat(name, ".json");
    ports::WorkflowFile file = file_of(folder, opened, file_name);
    if (file.text.empty() && file.problem.empty()) continue;
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace baton::adapters
