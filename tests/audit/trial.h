#pragma once
// An edit on a copy of a full store, and what `verify` says of it before and after a rebuild.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "edits.h"

namespace baton::audit {

/// A folder of its own for a store.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path db() const { return path_ / "store.db"; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Made once: a full store, and what its tables hold after a rebuild.
class Original {
 public:
  static const Original& get();

  void copy_to(const Folder& copy) const;
  std::filesystem::path db() const { return folder_.db(); }
  const std::map<std::string, std::vector<std::string>>& rebuilt() const { return rebuilt_; }

 private:
  Original();

  Folder folder_;
  std::map<std::string, std::vector<std::string>> rebuilt_;
};

struct Verdict {
  bool is_sound = false;
  std::string text;  // "ok", or the first problem
};

/// Of the store at `db`, in this process.
Verdict verify(const std::filesystem::path& db);

class Trial {
 public:
  /// Makes the edit.
  explicit Trial(const Edit& edit);

  /// Says what `verify` finds, before and after a rebuild.
  void judge();

  const Folder& folder() const { return folder_; }

  Made made = Made::refused;
  Verdict before;
  Verdict after;
  bool is_repaired = false;  // sound after the rebuild, and it holds what it held before the edit

 private:
  Folder folder_;
};

/// Whether a table follows from the log: then an edit is found, and a rebuild makes it right again.
/// Any other one, also one that is new tomorrow, is part of the log: an edit stays found.
bool is_derived(std::string_view table);

}  // namespace baton::audit
