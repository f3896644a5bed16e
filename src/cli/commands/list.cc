#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "verbs/workflow/find_workflow.h"

namespace baton::cli {
namespace {

constexpr Option list_options[] = {{"--json", "", "Print JSON, with paths and full hashes"}};
constexpr std::string_view list_settings[] = {"db", "workflows", "content_dir"};

constexpr std::size_t hash_digits_shown = 12;

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string as_json(const std::vector<verbs::ListedWorkflow>& entries) {
  json::Array list;
  for (const verbs::ListedWorkflow& entry : entries) {
    json::Object out{{"source", entry.source}, {"path", entry.path}};
    if (!entry.id.empty()) out.set("id", entry.id);
    if (!entry.problem.empty()) {
      out.set("problem", entry.problem);
    } else {
      out.set("name", entry.name);
      out.set("version", entry.version);
      out.set("kind", entry.kind);
      out.set("workflowHash", cat("sha256:", entry.hash));
      if (!entry.hidden_by.empty()) out.set("hiddenBy", entry.hidden_by);
    }
    list.emplace_back(std::move(out));
  }
  return json::print_pretty(json::Object{{"workflows", std::move(list)}}) + "\n";
}

Result<Ending> run_list(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  const auto entries = TRY(verbs::list_workflows(backend->workflows(), backend->aux()));
  if (call.arguments.has("--json")) {
    TRY(write_text(call.world.output, as_json(entries)));
    return ExitCode::ok;
  }
  Table table({"WORKFLOW", "KIND", "VERSION", "SOURCE", "HASH", "NAME"});
  std::string broken;
  for (const verbs::ListedWorkflow& entry : entries) {
    if (!entry.problem.empty()) {
      broken += cat("broken: ", printable_line(first_line(entry.problem)), '\n');
      continue;
    }
    if (!entry.id.starts_with(call.arguments.operand)) continue;
    const std::string source = cat(entry.source, entry.hidden_by.empty() ? "" : " (hidden)");
    table.add({entry.id, entry.kind, entry.version, source, entry.hash.substr(0, hash_digits_shown),
               entry.name});
  }
  const std::string out = table.empty() ? std::string("There are no workflows.\n") : table.text();
  TRY(write_text(call.world.output, out + broken));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb list_verb = {
    .name = "list",
    .summary = "List the workflows, where they come from and their hashes",
    .help = R"(Lists every workflow of every source: bundled, --workflows, the project's
.baton/workflows and .aromcp/workflows, the user's. A workflow that a higher
source hides is listed as hidden (--json names the hiding file); a broken file
with its first mistake.
)",
    .options = list_options,
    .operand = {"PREFIX", "Only workflows whose ids begin with this"},
    .settings = list_settings,
    .run = run_list};

}  // namespace baton::cli
