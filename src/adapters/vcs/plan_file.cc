#include "adapters/vcs/plan_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "adapters/files/beneath.h"
#include "adapters/vcs/text_file.h"
#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

namespace fs = std::filesystem;

/// A name in an open folder, even if another folder is at its path by now.
fs::path in(const Descriptor& folder, std::string_view name) {
  return cat("/proc/self/fd/", folder.number(), '/', name);
}

/// Such names say nothing to people.
template <class Value>
Result<Value> told(Result<Value> result, const Descriptor& folder, const fs::path& shown) {
  if (result) return result;
  Error error = std::move(result).error();
  const std::string hidden = in(folder, "").string();
  std::string& text = error.message;
  for (std::size_t at = text.find(hidden); at != std::string::npos; at = text.find(hidden)) {
    text.replace(at, hidden.size(), shown.string() + '/');
  }
  return std::unexpected(std::move(error));
}

}  // namespace

Result<Descriptor> PlanFile::folder() const {
  const Descriptor around(::open(directory_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  Descriptor opened;
  if (around.is_open()) {
    opened = open_beneath(around.number(), ".baton", O_RDONLY | O_DIRECTORY);
  }
  if (opened.is_open() || errno == ENOENT) return opened;
  const fs::path shown = path().parent_path();
  if (errno == ELOOP) {
    return fail(Code::ENVIRONMENT,
                cat(shown.string(), " is a symbolic link, and links of a project are not followed"),
                "make it a folder");
  }
  return fail(Code::ENVIRONMENT, cat("cannot open ", shown.string(), ": ", std::strerror(errno)));
}

Result<ports::Description> PlanFile::read() {
  ports::Description out{
      .place = "the file .baton/plan.md", .owner = cat("file ", path().string()), .text = {}};
  const Descriptor folder = TRY(this->folder());
  if (!folder.is_open()) return out;
  auto file = TRY(told(read_file(in(folder, "plan.md"), limits::plan_bytes_ceiling, Links::refused),
                       folder, path().parent_path()));
  if (file) out.text = std::move(file->text);
  return out;
}

Result<ports::Replaced> PlanFile::replace(const ports::Description& expected,
                                          std::string_view text) {
  const fs::path shown = path().parent_path();
  if (::mkdir(shown.c_str(), 0777) != 0 && errno != EEXIST) {
    return fail(Code::ENVIRONMENT,
                cat("cannot create ", shown.string(), ": ", std::strerror(errno)));
  }
  const Descriptor folder = TRY(this->folder());
  if (!folder.is_open()) return fail(Code::ENVIRONMENT, cat(shown.string(), " is gone"));
  const fs::path file = in(folder, "plan.md");
  const FileLock lock = TRY(told(FileLock::take(in(folder, "plan.lock")), folder, shown));
  const auto before =
      TRY(told(read_file(file, limits::plan_bytes_ceiling, Links::refused), folder, shown));
  if ((before ? before->text : std::string()) != expected.text) {
    return ports::Replaced::changed_meanwhile;
  }
  const FileText content{std::string(text), before ? before->mode : mode_t{0644}};
  const fs::path made = TRY(told(write_beside(file, content), folder, shown));
  if (auto moved = told(move_durably(made, file), folder, shown); !moved) {
    ::unlink(made.c_str());
    return std::unexpected(std::move(moved).error());
  }
  return ports::Replaced::yes;
}

}  // namespace baton::adapters
