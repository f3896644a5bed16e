#include "adapters/vcs/plan_file.h"

#include <unistd.h>

#include "adapters/vcs/text_file.h"
#include "base/limits.h"
#include "base/text.h"

namespace baton::adapters {

Result<ports::Description> PlanFile::read() {
  auto file = TRY(read_file(path_, limits::plan_bytes_ceiling));
  return ports::Description{.place = "the file .baton/plan.md",
                            .owner = cat("file ", path_.string()),
                            .text = file ? std::move(file->text) : std::string()};
}

Result<ports::Replaced> PlanFile::replace(const ports::Description& expected,
                                          std::string_view text) {
  std::error_code problem;
  std::filesystem::create_directories(path_.parent_path(), problem);
  if (problem) {
    return fail(Code::ENVIRONMENT,
                cat("cannot create ", path_.parent_path().string(), ": ", problem.message()));
  }
  const FileLock lock = TRY(FileLock::take(path_.parent_path() / "plan.lock"));
  const auto before = TRY(read_file(path_, limits::plan_bytes_ceiling));
  if ((before ? before->text : std::string()) != expected.text) {
    return ports::Replaced::changed_meanwhile;
  }
  const std::filesystem::path made =
      TRY(write_beside(path_, {std::string(text), before ? before->mode : mode_t{0644}}));
  if (const auto moved = move_durably(made, path_); !moved) {
    ::unlink(made.c_str());
    return std::unexpected(moved.error());
  }
  return ports::Replaced::yes;
}

}  // namespace baton::adapters
