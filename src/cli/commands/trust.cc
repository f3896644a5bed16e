#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "run/steps/workflow_commands.h"
#include "verbs/workflow/find_workflow.h"
#include "workflow/text/command_words.h"

namespace baton::cli {
namespace {

constexpr std::string_view trust_settings[] = {"db", "workflows", "content_dir"};
constexpr Option trust_options[] = {
    {"--list", "", "Show what is trusted"},
    {"--project", "DIR", "The folder to trust it for, instead of the current project"},
    {"--revoke", "",
     "Stop trusting NAME in every version and project; or a hash, as --list shows it"},
    {"--yes", "", "Do not ask; you have read the commands already"}};

/// A command as it is, every line of it, with nothing that could hide a part from the eye.
std::string shown(std::string_view command) {
  std::string out;
  for (;;) {
    const std::size_t end = command.find('\n');
    out += printable_line(command.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += "\n      ";
    command.remove_prefix(end + 1);
  }
}

std::string about(const verbs::FoundWorkflow& found) {
  const workflow::Pinned& pinned = *found.compilation.pinned;
  return cat("workflow: ", pinned.workflow.id, "  \"", printable_line(pinned.workflow.name),
             "\"\nfile:     ", printable_line(found.file.path),
             "\nhash:     sha256:", pinned.hash.hex(), '\n');
}

std::string commands_of(const workflow::Compilation& compilation) {
  std::string out;
  for (const workflow::ShellUse& use : compilation.commands) {
    if (use.by != workflow::ShellUse::By::server) continue;
    out += cat("  ", use.step, "\n      ", shown(use.command), '\n');
  }
  return out;
}

/// The files that the commands name, for the caller that digests them.
Result<std::vector<ports::NamedFiles>> named_files(const workflow::CompiledWorkflow& workflow) {
  std::vector<ports::NamedFiles> out;
  for (const run::WrittenCommand& each : run::written_commands(workflow)) {
    if (each.is_elsewhere) continue;  // where it runs is not known yet
    workflow::CommandWords named = workflow::file_words(each.argv);
    if (named.is_cut) {
      return fail(Code::LIMIT_EXCEEDED, cat("a command names more than ", limits::command_words_max,
                                            " files, too many to review"));
    }
    out.push_back({each.directory, std::move(named.words), std::move(named.programs)});
  }
  return out;
}

std::string files_of(const ports::Binding& binding) {
  if (binding.files.empty()) {
    return "\nThey name no file that exists now. If one appears, review and trust it again.\n";
  }
  std::string out = "\nThey name these files; if one changes, review and trust it again:\n";
  for (const ports::TrustedFile& each : binding.files) {
    out += cat("  ", each.digest.hex(), "  ", shown(each.path), '\n');
  }
  return out;
}

/// The folder that is meant: that of the option, else the current project.
std::string project_of(const VerbCall& call, const Config& config) {
  const auto found = call.arguments.options.find("--project");
  if (found == call.arguments.options.end()) return config.surroundings().project.string();
  return (call.world.directory / found->second.back()).lexically_normal().string();
}

Result<std::string> read_line(int descriptor) {
  std::string line;
  char c = '\0';
  while (line.size() < limits::nearest_word_bytes_max) {
    const ssize_t got = ::read(descriptor, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(Code::ENVIRONMENT, "the answer cannot be read");
    if (got == 0 || c == '\n') break;
    line += c;
  }
  return line;
}

/// Whether the user has said yes.
Result<bool> confirmed(const VerbCall& call) {
  if (call.arguments.has("--yes")) return true;
  if (!call.world.input_is_terminal) {
    return fail(Code::USAGE, "there is no terminal to ask on, so nothing was trusted",
                "read the commands above, then use --yes");
  }
  TRY(write_text(call.world.output, "\nTrust it? [y/N] "));
  const std::string answer = TRY(read_line(call.world.input));
  return answer == "y" || answer == "Y" || answer == "yes";
}

Result<Ending> trust(const VerbCall& call, const Config& config, Backend& backend) {
  const verbs::FoundWorkflow found =
      TRY(verbs::inspect_workflow(backend.workflows(), call.arguments.operand));
  const workflow::Pinned& pinned = *found.compilation.pinned;
  const std::string commands = commands_of(found.compilation);
  const Stream output = call.world.output;
  TRY(write_text(output, about(found)));
  if (commands.empty()) {
    TRY(write_text(output, "\nIt has no commands that Baton would run: nothing to trust.\n"));
    return ExitCode::ok;
  }
  const ports::Binding binding =
      TRY(backend.trust().look(project_of(call, config), TRY(named_files(pinned.workflow))));
  TRY(write_text(output, cat("project:  ", shown(binding.project.path),
                             "\n\nTrusted, Baton runs these in that project, as you and without "
                             "asking:\n",
                             commands, files_of(binding))));
  const ports::TrustedWorkflow wanted{pinned.hash, pinned.workflow.id, call.parts.clock->wall(),
                                      binding.project, binding.files};
  const auto trusted = TRY(backend.trust().list());
  const bool is_known = std::ranges::any_of(trusted, [&](const ports::TrustedWorkflow& each) {
    return each.hash == wanted.hash && each.project &&
           ports::is_same(*each.project, binding.project) && each.files == wanted.files;
  });
  if (is_known) {
    TRY(write_text(output, "\nIt is trusted already.\n"));
    return ExitCode::ok;
  }
  if (!TRY(confirmed(call))) {
    TRY(write_text(output, "Nothing was trusted.\n"));
    return ExitCode::no;
  }
  TRY(backend.trust().add(wanted));
  TRY(write_text(output,
                 cat("\nTrusted. To undo this: baton trust --revoke ", pinned.workflow.id, '\n')));
  return ExitCode::ok;
}

Result<Ending> list(const VerbCall& call, Backend& backend) {
  Table table({"WORKFLOW", "SINCE", "HASH", "FILES", "PROJECT"});
  for (const ports::TrustedWorkflow& each : TRY(backend.trust().list())) {
    table.add({each.id, to_rfc3339(each.since), cat("sha256:", each.hash.hex()),
               cat(each.files.size()),
               each.project ? shown(each.project->path) : "none: trust it again"});
  }
  TRY(write_text(call.world.output,
                 table.empty() ? "No workflow is trusted to run commands.\n" : table.text()));
  return ExitCode::ok;
}

std::optional<Sha256> hash_in(std::string_view text) {
  constexpr std::string_view prefix = "sha256:";
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return Sha256::from_hex(text);
}

Result<Ending> revoke(const VerbCall& call, Backend& backend) {
  const std::string& name = call.arguments.operand;
  const auto hash = hash_in(name);
  std::size_t count = 0;
  for (const ports::TrustedWorkflow& each : TRY(backend.trust().list())) {
    if (hash ? each.hash != *hash : each.id != name) continue;
    ++count;
    TRY(backend.trust().revoke(each.hash));  // in every project at once
  }
  if (count == 0) {
    return fail(Code::NOT_FOUND, cat("nothing of that name is trusted: ", name),
                "'baton trust --list' shows what is");
  }
  TRY(write_text(call.world.output, cat("No longer trusted: ", printable_line(name),
                                        count == 1 ? "" : cat(", ", count, " versions or projects"),
                                        ". Running servers notice at once.\n")));
  return ExitCode::ok;
}

Result<Ending> run_trust(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  const bool wants_name = !call.arguments.has("--list");
  if (call.arguments.operand.empty() == wants_name) {
    return fail(Code::USAGE,
                wants_name ? "which workflow? NAME is missing" : "--list takes no NAME",
                "see 'baton help trust'");
  }
  if (!wants_name) return list(call, *backend);
  return call.arguments.has("--revoke") ? revoke(call, *backend) : trust(call, config, *backend);
}

}  // namespace

constinit const Verb trust_verb = {
    .name = "trust",
    .summary = "Let a workflow run its commands on this machine",
    .help = R"(Shows the commands that Baton itself would run for a workflow, and asks. What is
trusted is bound to three things as they are now: the workflow by its hash; the
project by its folder, which is that of the current project, or DIR; and the
files of the project that the commands name (programs, scripts, settings) by
their content. When the workflow or anything it includes changes, in another
project, and when one of the files changes or appears, it must be trusted
again: run the same command once more. Commands that are not trusted go to the
agent, so that its client asks you, and evidence that needs a command is not
accepted. Other files that a command reads, such as a Makefile, are not checked.

The list is yours, not a project's: it is in your own data folder, readable
only by you, and applies to all stores. 'baton serve --allow-shell' trusts
every workflow instead.
)",
    .options = trust_options,
    .operand = {"NAME", "A workflow, as `baton list` shows it"},
    .settings = trust_settings,
    .run = run_trust};

}  // namespace baton::cli
