#pragma once
// The state of the git repository of a folder: one `git rev-parse`, which runs nothing that the
// repository's settings name and writes nothing. Any thread.

#include "adapters/vcs/command.h"
#include "ports/version_control.h"

namespace baton::adapters {

class GitRepositories final : public ports::RepositoryReader {
 public:
  explicit GitRepositories(Environment environment) : environment_(std::move(environment)) {}

  ports::RepositoryState look(const std::string& folder) override;
  bool has_file(const std::string& folder, std::string_view path) override;

 private:
  const Environment environment_;
};

}  // namespace baton::adapters
