#include "scene.h"

#include <cstdlib>
#include <fstream>

#include "base/json/json.h"
#include "base/text/text.h"
#include "surface/atomic/words.h"
#include "surface/rail/words.h"

namespace baton::cases {

Scene::Scene(Mode mode, std::filesystem::path binary, std::filesystem::path fixtures)
    : mode_(mode), binary_(std::move(binary)), fixtures_(std::move(fixtures)) {
  std::string pattern = (std::filesystem::temp_directory_path() / "baton-case-XXXXXX").string();
  ASSERT(mkdtemp(pattern.data()) != nullptr);
  directory_ = std::filesystem::canonical(pattern);
  environment_["HOME"] = (directory_ / "home").string();
  std::filesystem::create_directory(directory_ / "home");
  names_.define("dir", directory_.string());
  names_.define("baton", binary_.string());
  const auto define_text = [this](const std::string& name, std::string_view text) {
    std::string quoted;
    json::append_quoted(quoted, text);
    names_.define(name, quoted.substr(1, quoted.size() - 2));
  };
  define_text("instructions", surface::rail::instructions());
  define_text("atomic", surface::atomic::instructions());
}

Scene::~Scene() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

Result<void> Scene::write_file(std::string_view path, std::string_view content) {
  const std::filesystem::path target = directory_ / path;
  std::error_code problem;
  std::filesystem::create_directories(target.parent_path(), problem);
  std::ofstream file(target, std::ios::binary);
  file << content;
  file.close();
  if (!file) return fail(Code::ENVIRONMENT, cat("cannot write ", target.string()));
  return {};
}

Result<std::unique_ptr<Program>> Scene::start(Which which, std::vector<std::string> words,
                                              Descriptor input, Descriptor output,
                                              Descriptor errors) {
  // Its first word is its store.
  if (which == Which::fixtures) words.insert(words.begin(), (directory_ / "fixtures.db").string());
  ProgramStart start{which,
                     std::move(words),
                     environment_,
                     directory_,
                     which == Which::baton ? binary_ : fixtures_,
                     std::move(input),
                     std::move(output),
                     std::move(errors),
                     machine_};
  if (mode_ == Mode::binary) return start_binary(std::move(start));
  return start_inprocess(std::move(start));
}

const std::map<std::string_view, Directive>& directives() {
  static const std::map<std::string_view, Directive> table = {{"baton", run_baton},
                                                              {"canon", run_canon},
                                                              {"fixtures", run_fixtures},
                                                              {"http", run_http},
                                                              {"http_fixtures", run_http_fixtures},
                                                              {"log", run_log},
                                                              {"serve", run_serve},
                                                              {"verify", run_verify}};
  return table;
}

/// Each line of the input is one JSON text; its canonical form, or why it has none, comes out.
Result<Outcome> run_canon(Scene&, const Command& command) {
  Outcome outcome;
  std::string_view rest = command.input;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const Result<json::Value> value = json::parse(rest.substr(0, end));
    const Result<std::string> text =
        value ? json::canonical(*value) : std::unexpected(value.error());
    outcome.output +=
        text ? cat(*text, '\n')
             : cat("error: ", name_of(text.error().code), ": ", text.error().message, '\n');
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return outcome;
}

Result<Outcome> run_baton(Scene& scene, const Command& command) {
  std::vector<std::string> words = TRY(words_of(command.rest));
  const Descriptor output = memory_file("");
  const Descriptor errors = memory_file("");
  auto program = TRY(scene.start(Which::baton, std::move(words), memory_file(command.input),
                                 output.duplicate(), errors.duplicate()));
  Outcome outcome;
  outcome.exit = TRY(program->wait());
  outcome.output = content_of(output);
  outcome.errors = content_of(errors);
  return outcome;
}

}  // namespace baton::cases
