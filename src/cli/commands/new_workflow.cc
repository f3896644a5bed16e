#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text/text.h"
#include "cli/verb.h"
#include "workflow/compiled.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

std::string starting_text(std::string_view id) {
  return cat("# What this workflow is for, in a sentence. Check it with: baton validate ", id, R"(
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
  const fs::path path = folder / cat(id, ".yaml");
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0 && errno == EEXIST) {
    return fail(Code::INVALID_INPUT, cat("there is already a file ", path.string(), " already"),
                "choose another name, or remove the file");
  }
  if (file < 0) {
    return fail(Code::ENVIRONMENT, cat("cannot make ", path.string(), ": ", std::strerror(errno)));
  }
  const auto written = write_bytes(file, starting_text(id));
  close(file);
  TRY(written);
  TRY(write_text(call.world.output, cat(".baton/workflows/", id, ".yaml\n")));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb new_verb = {
    .name = "new",
    .summary = "Write a small workflow to start from",
    .help = R"(Writes .baton/workflows/NAME.yaml, a workflow of three steps to edit. An
existing file is not changed.
)",
    .options = {},
    .operand = {"NAME", "The new workflow's id", true},
    .settings = {},
    .run = run_new_workflow};

}  // namespace baton::cli
