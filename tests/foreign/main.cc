// workflow_player [FOLDER]: plays every workflow of a folder, or the bundled ones, in the three
// autonomy modes, each in a store of its own in memory. Exit code 1 when one does not load, begin
// or end. `--warnings` also prints what the compiler warns of.

#include <cstdio>
#include <filesystem>

#include "adapters/crypto/memory_signer.h"
#include "adapters/evidence/assumed_evidence.h"
#include "adapters/files/workflow_files.h"
#include "adapters/os/repeatable.h"
#include "adapters/script/quickjs_host.h"
#include "adapters/store/memory/memory_store.h"
#include "base/text/text.h"
#include "engine/load/compile_workflow.h"
#include "player.h"
#include "run/log/types.h"
#include "verbs/workflow/check_scripts.h"
#include "verbs/workflow/check_start.h"
#include "verbs/workflow/find_workflow.h"
#include "workflow/bundled.h"

namespace baton {
namespace {

struct Scratch {
  explicit Scratch(ports::WorkflowSource& source, ports::ScriptHost& scripts)
      : engine(checked, source, signer, clock, entropy, ids, caches) {
    engine.scripts = &scripts;
    engine.evidence = &evidence;
  }
  adapters::AssumedEvidence evidence;
  adapters::FixedEntropy entropy{1};
  adapters::ManualClock clock{WallMs{1'700'000'000'000}};
  adapters::MemoryStore store;
  adapters::MemorySigner signer{entropy};
  engine::IdSource ids{clock, entropy};
  engine::Caches caches;
  engine::CheckedStore checked{store, caches};
  engine::Engine engine;
};

void say(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
}

/// What the compiler says of the file; false when it has errors.
bool check(ports::WorkflowSource& source, ports::ScriptHost& scripts, ports::WorkflowFile file,
           bool shows_warnings) {
  const std::string path = file.path;
  auto compiled = engine::compile_workflow(source, std::move(file));
  if (!compiled) {
    say(cat(path, ": ", compiled.error().message));
    return false;
  }
  workflow::Compilation& compilation = compiled->compilation;
  verbs::check_scripts(scripts, compilation);
  verbs::check_start(scripts, compilation);
  for (const workflow::Diagnostic& each : compilation.findings.diagnostics) {
    if (each.severity == workflow::Severity::warning && !shows_warnings) continue;
    say(workflow::short_text_of(each, compilation.findings.sources));
  }
  return !compilation.has_errors();
}

int play(const std::vector<adapters::WorkflowFolder>& folders, bool shows_warnings) {
  std::vector<adapters::BundledText> bundled;
  for (const EmbeddedText& each : workflow::bundled_texts()) {
    bundled.push_back({each.name, each.text});
  }
  adapters::WorkflowFiles files(folders, bundled);
  adapters::QuickJsHost scripts;
  auto listed = verbs::list_workflows(files, nullptr);
  if (!listed) {
    say(listed.error().message);
    return 1;
  }
  int played = 0, wrong = 0;
  for (const verbs::ListedWorkflow& entry : *listed) {
    const bool is_wanted = folders.empty() == (entry.source == "bundled");
    if (!is_wanted || !entry.hidden_by.empty()) continue;
    ++played;
    ports::WorkflowFile file{.source = entry.source, .path = entry.path, .text = {}, .problem = {}};
    if (!check(files, scripts, std::move(file), shows_warnings)) {
      ++wrong;
      say(cat("WRONG ", entry.path, ": it does not load"));
      continue;
    }
    for (const std::string_view mode :
         {"guided", "full_auto_stop_on_user_deps", "full_auto_never_stop"}) {
      Scratch scratch(files, scripts);
      const auto out =
          testing::play_to_end(scratch.engine, entry.id, *run::from_name<run::Autonomy>(mode));
      std::string last;
      for (const std::string& each : out.last) last += cat(' ', each);
      if (!out.problem.empty()) ++wrong;
      say(cat(out.problem.empty() ? "ok    " : "WRONG ", entry.id, ' ', mode, ": ", out.status,
              ", ", out.steps, " steps",
              out.problem.empty() ? "" : cat("; ", out.problem, ";", last)));
    }
  }
  say(cat(played, " workflows, ", wrong, " wrong"));
  return wrong == 0 && played > 0 ? 0 : 1;
}

}  // namespace
}  // namespace baton

int main(int argc, char** argv) {
  std::vector<baton::adapters::WorkflowFolder> folders;
  bool shows_warnings = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--warnings") {
      shows_warnings = true;
    } else {
      folders.push_back({"extra", std::filesystem::absolute(argument).string(), true});
    }
  }
  return baton::play(folders, shows_warnings);
}
