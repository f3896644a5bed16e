#pragma once
// The real program in a folder with a home of its own and projects beside it.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "base/text/text.h"
#include "support/server.h"

namespace baton::security {

namespace fs = std::filesystem;

inline void write_file(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string text_of(const fs::path& path) {
  std::string out;
  std::getline(std::ifstream(path), out, '\0');
  return out;
}

class ProjectWorld : public ::testing::Test {
 protected:
  ProjectWorld() {
    fs::create_directory(home());
    fs::create_directory(project());
  }

  fs::path home() const { return scratch_.path() / "home"; }
  fs::path project() const { return scratch_.path() / "project"; }
  fs::path errors() const { return scratch_.path() / "errors"; }

  void configure(std::string_view text) { write_file(home() / ".config/baton/config.yaml", text); }

  std::unique_ptr<crash::Child> start(const fs::path& folder, std::vector<std::string> words,
                                      const std::vector<std::string>& environment = {}) {
    crash::Command command;
    command.words = {"env", "-C", folder.string(), std::getenv("BATON_BINARY")};
    command.words.insert(command.words.end(), words.begin(), words.end());
    command.environment = environment;
    command.environment.push_back(cat("HOME=", home().string()));
    command.errors = errors();
    return MUST(crash::Child::start(command));
  }

  /// What a command of the program prints.
  std::string run(const fs::path& folder, std::vector<std::string> words) {
    const auto child = start(folder, std::move(words));
    child->close_input();
    std::string out;
    for (;;) {
      const crash::Child::Line line = child->read_line(crash::answer_wait_ms_max);
      if (line.heard != crash::Child::Heard::line) return out;
      out += line.text + '\n';
    }
  }

  /// In that folder, until the next one.
  crash::Server& serve(const fs::path& folder, std::vector<std::string> options = {},
                       const std::vector<std::string>& environment = {}) {
    if (server_ != nullptr) {
      EXPECT_TRUE(server_->end());
    }
    options.insert(options.begin(), {"serve", "--db", (scratch_.path() / "runs.db").string()});
    server_ = std::make_unique<crash::Server>(start(folder, std::move(options), environment));
    return *server_;
  }

  crash::Answer start_run(std::string_view workflow, const fs::path& workspace,
                          const json::Object& context = {}) {
    return MUST(server_->call(
        {"start_workflow",
         {{"workflowId", workflow}, {"workspacePath", workspace.string()}, {"context", context}}}));
  }

  crash::Scratch scratch_;
  std::unique_ptr<crash::Server> server_;
};

}  // namespace baton::security
