#pragma once
// Workflow files in folders, and those inside the binary. A file is opened beneath its folder and
// never through a link, so a name cannot lead out of it. Nothing is read before it is asked for.
// Any thread.

#include <string>
#include <vector>

#include "ports/workflow_source.h"

namespace baton::adapters {

struct WorkflowFolder {
  std::string source;  // "extra", "project", "user"
  std::string path;
  bool must_exist = false;  // else a missing folder is an empty one
  /// The project that it is part of: nothing that is a link from there on is followed. Empty for a
  /// folder that the user named.
  std::string root = {};
};

/// A text that is part of the program: "workflows/baton.x.yaml", "agents/x.md", "rules/x.md".
struct BundledText {
  std::string_view name;
  std::string_view text;
};

class WorkflowFiles final : public ports::WorkflowSource {
 public:
  /// `folders`: highest first, below the bundled ones.
  explicit WorkflowFiles(std::vector<WorkflowFolder> folders,
                         std::vector<BundledText> bundled = {});

  Result<std::vector<ports::WorkflowFile>> all() override;
  Result<std::vector<ports::WorkflowFile>> named(std::string_view name) override;
  std::vector<std::string> places() override;
  void read(ports::WorkflowFile& file) override;
  Result<std::vector<ports::WorkflowFile>> find(const ports::WantedText& wanted) override;

 private:
  std::vector<ports::WorkflowFile> bundled(std::string_view folder, std::string_view name) const;
  Result<std::vector<ports::WorkflowFile>> notes(std::string_view folder, std::string_view name,
                                                 std::string_view from) const;
  std::vector<ports::WorkflowFile> beside(const ports::WantedText& wanted) const;
  std::vector<ports::WorkflowFile> bindings() const;
  std::optional<std::string> root_around(std::string_view from) const;

  std::vector<WorkflowFolder> folders_;
  std::vector<BundledText> bundled_;
};

}  // namespace baton::adapters
