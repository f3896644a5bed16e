#include "base/text/text.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "verbs/run/history.h"
#include "verbs/run/set_preferences.h"

namespace baton::cli {
namespace {

constexpr std::string_view prefer_settings[] = {"db"};
constexpr std::string_view modes[] = {"guided", "full_auto_stop_on_user_deps",
                                      "full_auto_never_stop"};
constexpr std::string_view policies[] = {"conservative", "balanced", "aggressive"};
constexpr Option prefer_options[] = {
    {"--autonomy", "MODE", "How far it goes without the user", false, modes},
    {"--risk-policy", "POLICY", "What it lets pass", false, policies},
};

template <class Set>
Result<std::optional<Set>> chosen(const Arguments& arguments, std::string_view option) {
  const auto given = arguments.options.find(option);
  if (given == arguments.options.end()) return std::nullopt;
  const std::string& word = given->second.back();
  const auto found = run::from_name<Set>(word);
  if (found) return found;
  const auto near = nearest(word, run::names<Set>());
  return fail(Code::USAGE, cat(option, " does not take '", word, '\''),
              near ? cat("did you mean '", *near, "'?") : "see 'baton help prefer'");
}

Result<Ending> run_prefer(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  run::PreferencesDelta delta;
  delta.autonomy = TRY(chosen<run::Autonomy>(call.arguments, "--autonomy"));
  delta.risk_policy = TRY(chosen<run::RiskPolicy>(call.arguments, "--risk-policy"));
  if (!delta.autonomy && !delta.risk_policy) {
    return fail(Code::USAGE, "no preference was given", "give --autonomy or --risk-policy");
  }
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(named_run(engine->store, call.arguments.operand));
  const run::Preferences now =
      TRY(verbs::set_preferences(*engine, source_of(call.world), row, delta));
  TRY(write_text(call.world.output,
                 cat("From here on ", row.run.text(), " is ", run::name_of(now.autonomy), " and ",
                     run::name_of(now.risk_policy), ".\n")));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb prefer_verb = {
    .name = "prefer",
    .summary = "Set how far a run goes without the user",
    .help = R"(Changes the autonomy or the risk policy of a run from its latest node on. Its
agent sees the change at its next call, and the run's log says whether it was
made in a terminal. A raise is a decision: at a terminal it is `present`, from a
pipe no more than `claimed`, and 'gates.assurance' of your policy, also the one
recorded with the run, says what it needs. Where that is `sealed`, let the agent
ask with its next step and sign your approval with 'baton approve'. The default
of new runs is set by --autonomy and --risk-policy of 'baton serve'.
)",
    .options = prefer_options,
    .operand = run_operand,
    .settings = prefer_settings,
    .run = run_prefer};

}  // namespace baton::cli
