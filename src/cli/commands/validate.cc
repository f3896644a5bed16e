#include <algorithm>

#include "base/text/text.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "engine/load/compile_workflow.h"
#include "verbs/workflow/check_scripts.h"
#include "verbs/workflow/check_start.h"
#include "verbs/workflow/find_workflow.h"
#include "workflow/read/other_kind.h"
#include "workflow/read/read.h"
#include "workflow/show/scenario.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view forms[] = {"text", "json", "sarif", "github"};
constexpr Option validate_options[] = {
    {"--format", "FORM", "How to print it, as text when left out", false, forms}};
constexpr std::string_view validate_settings[] = {"db", "workflows", "content_dir"};

/// Whether a file of a folder is taken for a workflow: personas and rules are Markdown too.
bool is_workflow(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string folder = path.parent_path().filename().string();
  if (!workflow::format_of(name) || name == "README.md") return false;
  if (workflow::is_scenario_file(name)) return false;
  if (name.ends_with(".md") && name.starts_with('_')) return false;
  return !(name.ends_with(".md") && (folder == "agents" || folder == "rules"));
}

Result<ports::WorkflowFile> file_at(const fs::path& path) {
  std::string text = TRY(workflow_text(path));
  return ports::WorkflowFile{"file", path.lexically_normal().string(), std::move(text), {}, {},
                             true};
}

/// What is kept beside workflows in a folder is no broken workflow.
void leave_out_others(std::vector<ports::WorkflowFile>& files) {
  std::erase_if(files, [](const ports::WorkflowFile& file) {
    return file.problem.empty() && !workflow::other_kind({file.path, file.text}).empty();
  });
}

/// No link is followed, so that a folder shows nothing that is not its own.
Result<std::vector<ports::WorkflowFile>> files_in(const fs::path& folder) {
  std::vector<ports::WorkflowFile> out;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
    if (!is_workflow(entry.path())) continue;
    const std::string name = entry.path().lexically_normal().string();
    if (entry.is_symlink(ignored))
      out.push_back({"file", name, {}, "links are not followed", {}, true});
    else if (entry.is_regular_file(ignored))
      out.push_back(TRY(file_at(entry.path())));
  }
  std::ranges::sort(out, {}, &ports::WorkflowFile::path);
  leave_out_others(out);
  return out;
}

/// The files that an operand stands for: itself, those of a folder, or the one of a workflow.
Result<std::vector<ports::WorkflowFile>> files_of(const VerbCall& call, const std::string& operand,
                                                  ports::WorkflowSource& source) {
  const fs::path path = call.world.directory / operand;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return files_in(path);
  const bool is_path = operand.find('/') != std::string::npos || workflow::format_of(operand);
  if (is_path || fs::exists(path, ignored)) return std::vector{TRY(file_at(path))};
  auto named = TRY(source.named(operand));
  if (named.empty()) named.push_back(TRY(verbs::find_workflow_file(source, operand)));
  named.resize(1);
  return named;
}

/// Files below the current folder are shown relative to it.
void shorten_names(workflow::Sources& sources, const fs::path& directory) {
  const std::string prefix = directory.string() + "/";
  for (workflow::SourceText& source : sources) {
    if (source.name.starts_with(prefix)) source.name.erase(0, prefix.size());
  }
}

Result<Ending> run_validate(const VerbCall& call) {
  workflow::DiagnosticForm form = workflow::DiagnosticForm::text;
  if (const auto found = call.arguments.options.find("--format");
      found != call.arguments.options.end()) {
    const auto named = workflow::diagnostic_form(found->second.back());
    if (!named) {
      return fail(Code::USAGE, cat("there is no format '", found->second.back(), "'"),
                  cat("use ", workflow::either_of(workflow::diagnostic_form_names())));
    }
    form = *named;
  }
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  std::vector<workflow::Findings> all;
  std::size_t broken = 0;
  for (const std::string& operand : call.arguments.operands) {
    for (ports::WorkflowFile& file : TRY(files_of(call, operand, backend->workflows()))) {
      auto compiled = TRY(engine::compile_workflow(backend->workflows(), std::move(file)));
      verbs::check_scripts(*call.parts.scripts, compiled.compilation);
      verbs::check_start(*call.parts.scripts, compiled.compilation);
      if (compiled.compilation.has_errors()) ++broken;
      all.push_back(std::move(compiled.compilation.findings));
      shorten_names(all.back().sources, call.world.directory);
    }
  }
  std::string out = workflow::print(all, form);
  if (form == workflow::DiagnosticForm::text) {
    out += cat(all.size(), all.size() == 1 ? " file, " : " files, ", broken, " with errors\n");
  }
  TRY(write_text(call.world.output, out));
  return broken == 0 ? ExitCode::ok : ExitCode::no;
}

}  // namespace

constinit const Verb validate_verb = {
    .name = "validate",
    .summary = "Check workflow files and show every mistake",
    .help = R"(Compiles each file, every file of a folder, or the workflow with that name, and
shows all mistakes with file, line, column, the line itself and what to do.
Exit code 0 when there are no errors, else 1; warnings do not count.
--format sarif is for code scanners, github for annotations in its checks.
)",
    .options = validate_options,
    .operand = {"FILE", "A file, a folder or the name of a workflow; several may be given", true,
                true},
    .settings = validate_settings,
    .run = run_validate};

}  // namespace baton::cli
