#include "trial.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "full_store.h"
#include "verbs/store/verify.h"

namespace baton::audit {
namespace {

namespace fs = std::filesystem;
using Contents = std::map<std::string, std::vector<std::string>>;

Verdict verdict_of(const Result<verbs::VerifyReport>& report) {
  if (!report) return {false, report.error().message};
  return {report->ok(), report->ok() ? "ok" : report->problems.front()};
}

/// Snapshots only make loading shorter: one may be gone, and then paths are longer, but none may
/// be other than it was.
bool is_like_the_original(const Contents& contents) {
  const Contents& right = Original::get().rebuilt();
  if (contents == right) return true;
  const auto& snapshots = contents.at("snapshots");
  return snapshots.size() < right.at("snapshots").size() &&
         std::ranges::includes(right.at("snapshots"), snapshots);
}

}  // namespace

Folder::Folder() {
  // In memory where there is such a place: nothing here has to last, and syncs take long.
  const fs::path memory = "/dev/shm";
  const fs::path base = ::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
  std::string pattern = (base / "baton-audit-XXXXXX").string();
  ASSERT(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

Folder::~Folder() { fs::remove_all(path_); }

const Original& Original::get() {
  static const Original made;
  return made;
}

Original::Original() {
  make_full_store(folder_.db());
  const Folder copy;
  copy_to(copy);
  {
    const auto store = MUST(adapters::SqliteStore::open(copy.db().string()));
    MUST(store->rebuild());
  }
  Database database(copy.db());
  rebuilt_ = contents_of(database);
}

void Original::copy_to(const Folder& copy) const {
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    fs::copy_file(entry.path(), copy.path() / entry.path().filename());
  }
}

Verdict verify(const fs::path& db) {
  const auto store = adapters::SqliteStore::open(db.string());
  if (!store) return {false, cat("it does not open: ", store.error().message)};
  return verdict_of(verbs::verify(**store));
}

Trial::Trial(const Edit& edit) {
  Original::get().copy_to(folder_);
  made = make(edit, folder_.db());
}

void Trial::judge() {
  {
    const auto store = adapters::SqliteStore::open(folder_.db().string());
    if (!store) {
      before = after = {false, cat("it does not open: ", store.error().message)};
      return;
    }
    before = verdict_of(verbs::verify(**store));
    // One that cannot be rebuilt stays as it is.
    static_cast<void>((*store)->rebuild());
    after = verdict_of(verbs::verify(**store));
  }
  if (!after.is_sound) return;
  Database database(folder_.db());
  is_repaired = is_like_the_original(contents_of(database));
}

bool is_derived(std::string_view table) {
  constexpr std::string_view all[] = {"nodes",     "attempts",     "adopted",      "runs",
                                      "snapshots", "content_uses", "content_noted"};
  return std::ranges::find(all, table) != std::end(all);
}

}  // namespace baton::audit
