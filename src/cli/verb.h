#pragma once
// A verb of the command line as data: what it is called, what it takes, what it says about itself
// and the function that does it. Help, completion and docs/cli.md are all made from this table.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "cli/world.h"

namespace baton::cli {

enum class ExitCode : int { ok = 0, no = 1, usage = 2, environment = 3 };

enum class Threads { all_ended, left_running };

/// How a command ended. The owner of the process must leave it by _exit when threads still run.
struct Ending {
  Ending(ExitCode code, Threads rest = Threads::all_ended) : exit(code), threads(rest) {}
  ExitCode exit;
  Threads threads;
};

/// What the composition root hands to the verbs.
struct Parts;

struct Option {
  std::string_view name;   // "--hash"
  std::string_view value;  // the placeholder of the value in help; empty when it takes none
  std::string_view help;
  bool repeats = false;
  std::span<const std::string_view> choices = {};  // the closed set its value is of; help lists it
};

struct Operand {
  std::string_view name;  // "CODE"; empty when the verb takes no operand
  std::string_view help;
  bool required = false;
  bool repeats = false;
  std::span<const std::string_view> choices = {};  // as with an option
};

/// What a command line gave: each option's values in order, "true" or "false" for one without.
struct Arguments {
  std::map<std::string, std::vector<std::string>, std::less<>> options;
  std::string operand;                // the first; empty when absent
  std::string second;                 // the operand after it, of verbs that take two
  std::vector<std::string> operands;  // all of them

  bool has(std::string_view option) const;
};

struct VerbCall {
  const World& world;
  const Parts& parts;
  const Arguments& arguments;
};

struct Verb {
  std::string_view name;
  std::string_view summary;  // one line, no full stop
  std::string_view help;     // paragraphs, wrapped by hand, ending in a newline
  std::span<const Option> options;
  Operand operand;
  std::span<const std::string_view> settings;  // names of settings whose flags it takes
  Result<Ending> (*run)(const VerbCall&);
  Operand second = {};  // after the first
};

/// Every verb, in the order help lists them.
std::span<const Verb* const> verbs();

const Verb* find_verb(std::string_view name);

/// The verb's own options, then the flags of its settings, then --help.
std::vector<Option> options_of(const Verb& verb);

extern const Verb approvals_verb;
extern const Verb approve_verb;
extern const Verb builtins_verb;
extern const Verb cancel_verb;
extern const Verb canon_verb;
extern const Verb completion_verb;
extern const Verb config_verb;
extern const Verb demo_verb;
extern const Verb effects_verb;
extern const Verb errors_verb;
extern const Verb eval_verb;
extern const Verb explain_verb;
extern const Verb export_verb;
extern const Verb gc_verb;
extern const Verb guide_verb;
extern const Verb help_verb;
extern const Verb import_verb;
extern const Verb inbox_verb;
extern const Verb inspect_verb;
extern const Verb keys_verb;
extern const Verb list_verb;
extern const Verb log_verb;
extern const Verb new_verb;
extern const Verb pause_verb;
extern const Verb plan_verb;
extern const Verb policy_verb;
extern const Verb prefer_verb;
extern const Verb rebuild_verb;
extern const Verb refuse_verb;
extern const Verb backup_verb;
extern const Verb restore_verb;
extern const Verb resume_verb;
extern const Verb salvage_verb;
extern const Verb revoke_verb;
extern const Verb runs_verb;
extern const Verb schema_verb;
extern const Verb serve_verb;
extern const Verb show_verb;
extern const Verb simulate_verb;
extern const Verb state_verb;
extern const Verb test_verb;
extern const Verb trace_verb;
extern const Verb trust_verb;
extern const Verb undo_verb;
extern const Verb validate_verb;
extern const Verb verify_verb;

}  // namespace baton::cli
