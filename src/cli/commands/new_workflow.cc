#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text/text.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "verbs/workflow/find_workflow.h"
#include "workflow/check/json_schema.h"
#include "workflow/compiled.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

constexpr Option new_options[] = {{"--from", "ID", "Copy this workflow, bundled ones too"}};
constexpr std::string_view new_settings[] = {"workflows", "content_dir"};

/// Where an editor finds the language, seen from a workflow of the project.
constexpr std::string_view schema_line =
    "# yaml-language-server: $schema=../workflow.schema.json\n";

std::string starting_text(std::string_view id) {
  return cat(schema_line,
             "# What this workflow is for, in a sentence. Check it with: baton validate ", id, R"(
baton: 1
id: )",
             id, R"(
title: A workflow to start from
description: Say here when an agent should choose it, and what comes out.
version: "0.1.0"
tags: [example]

steps:
  - id: understand
    title: Understand the task
    prompt: |
      Read what the task is about before changing anything. Write down in the notes: what is asked,
      what you found, and what is still unclear.

  - id: do
    title: Do the work
    promptBlocks:
      goal: Do what the task asks, and nothing else.
      constraints:
        - Keep the change as small as the task allows.
      verify:
        - The tests that cover the change pass.

  - id: report
    title: Report
    requireConfirmation: true
    prompt: |
      Say what was done, how it was checked, and what is left. The user confirms it.
)");
}

/// A file that must not be there yet.
Result<void> write_new(const fs::path& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0 && errno == EEXIST) {
    return fail(Code::INVALID_INPUT, cat("there is a file ", path.string(), " already"),
                "choose another name, or remove the file");
  }
  if (file < 0) {
    return fail(Code::ENVIRONMENT, cat("cannot make ", path.string(), ": ", std::strerror(errno)));
  }
  auto written = write_bytes(file, text);
  close(file);
  return written;
}

struct NewFile {
  std::string ending;
  std::string text;
};

/// Whether a line of a file says its id: `id: baton.release`, `"name": "x",`.
bool says_id(std::string_view line, std::string_view id) {
  line = trimmed(line);
  for (const std::string_view key : {"id", "\"id\"", "name", "\"name\""}) {
    if (!line.starts_with(key)) continue;
    const std::string_view rest = trimmed(line.substr(key.size()));
    if (!rest.starts_with(':')) continue;
    std::string_view value = trimmed(rest.substr(1));
    if (value.ends_with(',')) value.remove_suffix(1);
    const bool is_quoted = value.size() > 1 && (value.front() == '"' || value.front() == '\'');
    if (is_quoted) value = value.substr(1, value.size() - 2);
    if (value == id) return true;
  }
  return false;
}

/// The file of a workflow under another id.
Result<NewFile> copy_of(const VerbCall& call, const std::string& from, const std::string& id) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  const ports::WorkflowFile file = TRY(verbs::find_workflow_file(backend->workflows(), from));
  NewFile out{fs::path(file.path).extension().string(), {}};
  const bool is_yaml = out.ending == ".yaml" || out.ending == ".yml";
  if (is_yaml && !file.text.contains("yaml-language-server")) out.text = schema_line;
  bool is_renamed = false;
  if (out.ending == ".json") {
    // A file of any layout: the first member that says it.
    for (const std::string_view key : {"\"id\"", "\"name\""}) {
      const std::size_t at = file.text.find(key);
      const std::size_t value = file.text.find(cat('"', from, '"'), std::min(at, file.text.size()));
      if (at == std::string::npos || value == std::string::npos) continue;
      const std::string_view between =
          std::string_view(file.text).substr(at + key.size(), value - at - key.size());
      if (trimmed(between) != ":") continue;
      out.text = cat(file.text.substr(0, value + 1), id, file.text.substr(value + 1 + from.size()));
      return out;
    }
  }
  for (std::string_view rest = file.text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    if (is_renamed || !says_id(line, from)) {
      out.text += line;
      continue;
    }
    const std::size_t at = line.find(from, line.find(':'));
    out.text += cat(line.substr(0, at), id, line.substr(at + from.size()));
    is_renamed = true;
  }
  if (is_renamed) return out;
  return fail(Code::INVALID_INPUT, cat(file.path, " does not say its id on a line of its own"),
              "copy the file and change its id");
}

Result<Ending> run_new_workflow(const VerbCall& call) {
  const std::string& id = call.arguments.operand;
  if (!workflow::is_valid_name(id) || id.starts_with("baton.")) {
    return fail(Code::USAGE, cat("'", id, "' is not a valid workflow name"),
                "letters, digits, '-', '_', ':' and '.' only; not beginning with baton.");
  }
  const fs::path folder = call.world.directory / ".baton/workflows";
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) {
    return fail(Code::ENVIRONMENT, cat("cannot make ", folder.string(), ": ", problem.message()));
  }
  const auto from = option_of(call.arguments, "--from");
  const NewFile made = from ? TRY(copy_of(call, *from, id)) : NewFile{".yaml", starting_text(id)};
  TRY(write_new(folder / cat(id, made.ending), made.text));
  TRY(write_text(call.world.output, cat(".baton/workflows/", id, made.ending, '\n')));
  const fs::path schema = call.world.directory / ".baton/workflow.schema.json";
  if (made.text.starts_with(schema_line) && !fs::exists(schema, problem)) {
    TRY(write_new(schema, json::print_pretty(workflow::language_schema()) + "\n"));
    TRY(write_text(call.world.output, ".baton/workflow.schema.json\n"));
  }
  return ExitCode::ok;
}

}  // namespace

constinit const Verb new_verb = {
    .name = "new",
    .summary = "Write a small workflow to start from",
    .help = R"(Writes .baton/workflows/NAME.yaml, a workflow of three steps to edit, or with
--from a copy of another one. Beside it, .baton/workflow.schema.json lets an
editor complete and check the keys. An existing file is not changed.
)",
    .options = new_options,
    .operand = {"NAME", "The new workflow's id", true},
    .settings = new_settings,
    .run = run_new_workflow};

}  // namespace baton::cli
