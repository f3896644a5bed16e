#include <algorithm>
#include <optional>
#include <set>

#include "base/core/approval_limits.h"
#include "base/json/json.h"
#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/approval_keys.h"
#include "cli/config/load.h"
#include "cli/config/signed_policy.h"
#include "cli/parts.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "engine/load/approvals.h"
#include "engine/load/find_run.h"
#include "engine/load/load.h"
#include "run/policy/step_policy.h"
#include "verbs/store/approvals.h"
#include "verbs/workflow/find_workflow.h"

namespace baton::cli {
namespace {

using run::Policy;
using run::PolicySetting;

constexpr Option policy_options[] = {
    {"--for", "RUN|WORKFLOW", "Show what counts there too: at its steps, and what was recorded"},
    {"--json", "", "Print a JSON object instead of lines"},
    {"--sign", "", "Sign your policy.yaml with your approval key, for this store"},
    approval_key_option,
    passphrase_option};
constexpr std::string_view policy_settings[] = {"db", "workflows", "content_dir", "allow_shell",
                                                "policy"};

/// A step whose own word changes what counts.
struct AtStep {
  std::string step;
  PolicySetting setting;
  std::string value;
};

/// What is shown: the policy, and of a run or a workflow what differs.
struct Shown {
  const Config& config;
  std::vector<PolicyWord> words;  // all that is said
  bool has_key = false;           // the store has one: what was signed counts
  Policy policy = {};             // where the client can ask its user
  Policy otherwise = {};          // where it cannot
  std::vector<AtStep> steps = {};
  std::optional<NodeId> node = {};  // of a run, its latest
  std::vector<run::PolicyEntry> recorded = {};
};

bool is_said(const Policy& policy, const PolicyWord& word) {
  return run::sources_of(policy, word.setting).front() != run::PolicySource::fallback &&
         std::ranges::count(run::sources_of(policy, word.setting), word.source) > 0;
}

std::vector<PolicySetting> all_settings() {
  std::vector<PolicySetting> out;
  for (const std::string_view name : run::names<PolicySetting>()) {
    out.push_back(*run::from_name<PolicySetting>(name));
  }
  return out;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& each : texts) out += cat(out.empty() ? "" : ", ", each);
  return out;
}

// --- as lines ---

std::string default_text(const Shown& shown, PolicySetting setting) {
  const std::string here = run::value_text(shown.policy, setting);
  const std::string elsewhere = run::value_text(shown.otherwise, setting);
  if (here != elsewhere) {
    return cat("default; ", elsewhere, " where the client shows no forms");
  }
  const bool is_ceiling = setting == PolicySetting::autonomy || setting == PolicySetting::risk;
  return is_ceiling ? "default: no ceiling" : "default";
}

std::string lines_of(const Shown& shown, PolicySetting setting) {
  std::vector<std::string> counts;
  std::string others;
  for (const PolicyWord& word : shown.words) {
    if (word.setting != setting) continue;
    if (is_said(shown.policy, word)) {
      counts.push_back(printable_line(word.origin));
    } else {
      others += cat("#   ", printable_line(word.origin), " says ", word.value,
                    ", which does not count: what counts is stricter\n");
    }
  }
  return cat(run::name_of(setting), ": ", run::value_text(shown.policy, setting), "  # ",
             counts.empty() ? default_text(shown, setting) : joined(counts), '\n', others);
}

std::string as_lines(const Shown& shown) {
  std::string out;
  for (const PolicySetting setting : all_settings()) out += lines_of(shown, setting);
  const std::filesystem::path& file = shown.config.surroundings().policy;
  out += file.empty()
             ? "# no policy file: the system does not say where your home is\n"
             : cat("# only your own policy file may loosen: ", printable_line(file.string()), '\n');
  if (shown.has_key) out += "# and only as it was signed: the store has an approval key\n";
  if (!shown.steps.empty()) out += "\nAt steps that say something of themselves:\n";
  for (const AtStep& each : shown.steps) {
    out += cat("  ", printable_line(each.step), "  ", run::name_of(each.setting), ": ", each.value,
               '\n');
  }
  if (!shown.node) return out;
  out += cat("\nRecorded at ", shown.node->text(), ":\n");
  if (shown.recorded.empty()) out += "  the defaults\n";
  for (const run::PolicyEntry& each : shown.recorded) {
    out += cat("  ", each.setting, ": ", each.value, "  # ", joined(each.sources), '\n');
  }
  return out;
}

// --- as JSON ---

json::Array texts(const std::vector<std::string>& values) {
  json::Array out;
  for (const std::string& value : values) out.emplace_back(value);
  return out;
}

std::string_view source_name(const PolicyWord& word) {
  return word.is_unsigned ? "unsigned_policy" : run::name_of(word.source);
}

json::Object object_of(const Shown& shown, PolicySetting setting) {
  json::Array sources;
  for (const run::PolicySource each : run::sources_of(shown.policy, setting)) {
    std::set<std::string_view> names;
    for (const PolicyWord& word : shown.words) {
      const bool is_its = word.setting == setting && word.source == each;
      if (is_its && is_said(shown.policy, word)) names.insert(source_name(word));
    }
    if (names.empty()) names.insert(run::name_of(each));
    for (const std::string_view name : names) sources.emplace_back(name);
  }
  json::Object out{{"value", run::value_text(shown.policy, setting)},
                   {"sources", std::move(sources)}};
  const std::string otherwise = run::value_text(shown.otherwise, setting);
  if (otherwise != run::value_text(shown.policy, setting)) out.set("withoutForms", otherwise);
  json::Array said;
  for (const PolicyWord& word : shown.words) {
    if (word.setting != setting) continue;
    said.emplace_back(json::Object{{"source", source_name(word)},
                                   {"origin", word.origin},
                                   {"value", word.value},
                                   {"counts", is_said(shown.policy, word)}});
  }
  out.set("said", std::move(said));
  return out;
}

std::string as_json(const Shown& shown) {
  json::Object settings;
  for (const PolicySetting each : all_settings()) {
    settings.set(run::name_of(each), object_of(shown, each));
  }
  json::Object out{{"policyFile", shown.config.surroundings().policy.string()},
                   {"settings", std::move(settings)}};
  if (shown.has_key) out.set("countsAsSigned", true);
  json::Array steps;
  for (const AtStep& each : shown.steps) {
    steps.emplace_back(json::Object{
        {"step", each.step}, {"setting", run::name_of(each.setting)}, {"value", each.value}});
  }
  if (!steps.empty()) out.set("steps", std::move(steps));
  if (shown.node) {
    json::Array entries;
    for (const run::PolicyEntry& each : shown.recorded) {
      entries.emplace_back(json::Object{
          {"setting", each.setting}, {"value", each.value}, {"sources", texts(each.sources)}});
    }
    out.set("recorded",
            json::Object{{"node", shown.node->text()}, {"entries", std::move(entries)}});
  }
  return json::print_pretty(out) + '\n';
}

// --- of a run or a workflow ---

void add_steps(const std::vector<workflow::Step>& steps, Shown& shown) {
  for (const workflow::Step& step : steps) {
    const Policy here = run::policy_at(shown.policy, step);
    const run::PolicyStatement word = run::word_of(step);
    if (word.on_fork) {
      shown.steps.push_back(
          {step.id, PolicySetting::on_fork, run::value_text(here, PolicySetting::on_fork)});
    }
    if (word.assurance) {
      shown.steps.push_back(
          {step.id, PolicySetting::assurance, run::value_text(here, PolicySetting::assurance)});
    }
    for (const workflow::Block& block : step.blocks) add_steps(block.steps, shown);
  }
}

void add_steps(const workflow::CompiledWorkflow& workflow, Shown& shown) {
  add_steps(workflow.steps, shown);
  add_steps(workflow.on_failure, shown);
  for (const auto& [name, blocks] : workflow.tasks) {
    for (const workflow::Block& block : blocks) add_steps(block.steps, shown);
  }
}

bool names_run(std::string_view text) {
  return text.starts_with("run_") || text.starts_with("sess_");
}

Result<void> add_run(Backend& backend, const std::string& id, Shown& shown) {
  engine::Engine* engine = TRY(backend.existing());
  const engine::ReadContext reading = engine->reading();
  const run::RunRow row = TRY(engine::find_run(reading.store, id));
  const run::NodeRow tip = TRY(engine::load_node(reading, row.tip));
  const auto state = TRY(engine::load_state(reading, tip));
  add_steps(TRY(engine::load_workflow(reading, state->workflow_hash))->workflow, shown);
  shown.node = tip.id;
  shown.recorded = state->known().policy;
  return {};
}

/// What counts in the store, where there is one.
Result<Shown> in_store(const Config& config, Backend& backend) {
  Shown out{.config = config, .words = config.policy_words()};
  const auto engine = backend.existing();
  if (engine) {
    const auto known = TRY(engine::approvals_of((*engine)->reading(), (*engine)->signatures));
    out.has_key = !known.keys.first().empty();
    if (out.has_key) {
      const std::string text = known.policy ? known.policy->text : std::string();
      out.words = TRY(words_in_force(config.policy_words(), text));
    }
  } else if (engine.error().code != Code::NOT_FOUND && engine.error().code != Code::ENVIRONMENT) {
    return std::unexpected(engine.error());
  }
  const run::OwnerPolicy policy(statements_of(out.words));
  out.policy = policy.of(true);
  out.otherwise = policy.of(false);
  return out;
}

Result<Ending> sign(const VerbCall& call, const Config& config) {
  const std::string path = config.surroundings().policy.string();
  if (path.empty()) {
    return fail(Code::ENVIRONMENT, "the system does not say where your policy file is");
  }
  std::string text = TRY(input_text(call.world, path, limits::policy_text_bytes_max));
  TRY(check_policy_text(text, path));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const PassphraseReader reader = TRY(PassphraseReader::of(call));
  const auto file = TRY(open_approval_key(call, config));
  TRY(finish_rotation(*engine, *file));
  const auto sealer = TRY(unlock(reader, *file, call.world));
  const std::int64_t number = TRY(verbs::sign_policy(*engine, *sealer, std::move(text)));
  TRY(write_text(
      call.world.output,
      cat("Policy ", number, " of this store is signed: ", path,
          "\nIt counts until you sign another; running servers take it at their next call.\n")));
  return ExitCode::ok;
}

Result<Ending> run_policy(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  if (call.arguments.has("--sign")) return sign(call, config);
  const auto backend = call.parts.open_backend(config);
  Shown shown = TRY(in_store(config, *backend));
  if (const auto given = call.arguments.options.find("--for");
      given != call.arguments.options.end()) {
    const std::string& name = given->second.back();
    if (names_run(name)) {
      TRY(add_run(*backend, name, shown));
    } else {
      add_steps(TRY(verbs::find_workflow(backend->workflows(), name)).workflow, shown);
    }
  }
  TRY(write_text(call.world.output,
                 call.arguments.has("--json") ? as_json(shown) : as_lines(shown)));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb policy_verb = {
    .name = "policy",
    .summary = "Show what runs may do without you, and who says so",
    .help = R"(Prints each setting of the policy with the value that counts, where it is said,
and what else is said of it and does not count:

  ceiling.autonomy   guided, full_auto_stop_on_user_deps, full_auto_never_stop
  ceiling.risk       conservative, balanced, aggressive
  evidence.waivable  never, author
  effects.on_fork    ask, reuse, repeat
  commands           never, trusted, all
  gates.assurance    claimed, asked, present, sealed

The strictest of all that is said counts, and a default where nothing is said.
These can say something: policy.yaml in ~/.config/baton of your account, which
neither HOME nor XDG_CONFIG_HOME moves; config.yaml of the user; config.yaml of
the project; --policy and BATON_POLICY; --allow-shell; and a step of itself
(on_fork, gate.assurance). Only your policy.yaml may be looser than a default,
a step in what concerns itself, and --allow-shell in commands.

A server reads the files when it starts, and what is signed at each call. What
counted for an act of a run is recorded with it; --for RUN shows the latest, and
baton log all of it.

Where the store has an approval key (`baton approvals`), only the policy that
was signed last may be looser than a default: --sign signs your policy.yaml as
it is. A file that is missing, changed or signed by another key can then only
tighten.
)",
    .options = policy_options,
    .operand = {},
    .settings = policy_settings,
    .run = run_policy};

}  // namespace baton::cli
