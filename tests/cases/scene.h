#pragma once
// Scene: what the commands of one case share: a scratch directory that goes with it, the
// environment they see, the names of volatile text, and the mode. One thread at a time.

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "answer.h"
#include "case_file.h"
#include "names.h"
#include "program.h"

namespace baton::cases {

enum class Mode { inprocess, binary };

class Scene {
 public:
  /// `binary` is what <<baton>> stands for, `fixtures` the server of tests/conformance; they must
  /// exist in binary mode only.
  Scene(Mode mode, std::filesystem::path binary, std::filesystem::path fixtures = {});
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  Mode mode() const { return mode_; }
  const std::filesystem::path& directory() const { return directory_; }
  Names& names() { return names_; }
  AnswerMemory& answers() { return answers_; }

  /// Nothing is inherited from the runner but HOME, which is a folder of the scratch directory.
  std::map<std::string, std::string, std::less<>>& environment() { return environment_; }

  /// Writes a file below the scratch directory, with its folders.
  Result<void> write_file(std::string_view path, std::string_view content);

  /// Starts a program in this scene's mode.
  Result<std::unique_ptr<Program>> start(Which which, std::vector<std::string> words,
                                         Descriptor input, Descriptor output, Descriptor errors);

 private:
  Mode mode_;
  std::filesystem::path binary_;
  std::filesystem::path fixtures_;
  std::filesystem::path directory_;
  std::map<std::string, std::string, std::less<>> environment_;
  Names names_;
  AnswerMemory answers_;
  std::shared_ptr<MemoryMachine> machine_ = std::make_shared<MemoryMachine>();
};

/// What a directive does with its command. Names in `rest` and `input` are expanded already; those
/// in `sends` are not, since they may come from an answer within the same exchange.
using Directive = Result<Outcome> (*)(Scene& scene, const Command& command);

/// By the first word of a command.
const std::map<std::string_view, Directive>& directives();

Result<Outcome> run_canon(Scene& scene, const Command& command);
Result<Outcome> run_baton(Scene& scene, const Command& command);
Result<Outcome> run_serve(Scene& scene, const Command& command);
Result<Outcome> run_fixtures(Scene& scene, const Command& command);
Result<Outcome> run_http(Scene& scene, const Command& command);
Result<Outcome> run_http_fixtures(Scene& scene, const Command& command);
Result<Outcome> run_log(Scene& scene, const Command& command);
Result<Outcome> run_verify(Scene& scene, const Command& command);

}  // namespace baton::cases
