#pragma once
// Where workflow files come from, and what workflows name beside themselves. Any thread, and
// several at once.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace baton::ports {

/// Changes whenever the file does, as far as a file system tells.
struct FileStamp {
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

struct WorkflowFile {
  std::string source;   // "bundled", "extra", "project", "user"
  std::string path;     // as shown to people; its ending says the format
  std::string text;     // empty until it is read
  std::string problem;  // why it could not be read; empty when it could
  FileStamp stamp = {};
  bool is_read = false;  // also when its text is empty
};

/// What a workflow names.
struct WantedText {
  enum class Kind : std::uint8_t {
    persona,   // agents/<name>.md of any source
    rules,     // rules/*.md of every source
    beside,    // <name> beneath the folder of the file `from`
    bindings,  // the project's bindings.json
  };
  Kind kind = Kind::persona;
  std::string name;
  std::string from;  // a path of a WorkflowFile
};

class WorkflowSource {
 public:
  virtual ~WorkflowSource() = default;

  /// Every file of every source, highest source first, by name within one. Nothing is read.
  virtual Result<std::vector<WorkflowFile>> all() = 0;

  /// The files that are called like this workflow, highest source first: cheap to ask for, and
  /// usually the answer. Only all() knows a file of another name. Nothing is read.
  virtual Result<std::vector<WorkflowFile>> named(std::string_view name) = 0;

  /// Where files are looked for, highest source first, as shown to people.
  virtual std::vector<std::string> places() { return {}; }

  /// Fills in the text, or the problem.
  virtual void read(WorkflowFile& file) = 0;

  /// The texts of that name, highest source first; none when there are none.
  virtual Result<std::vector<WorkflowFile>> find(const WantedText& wanted) = 0;
};

}  // namespace baton::ports
