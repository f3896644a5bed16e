#include "base/text/text.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

constexpr std::string_view shells[] = {"bash"};

std::string join(std::span<const std::string_view> words) {
  std::string out;
  for (const std::string_view word : words) out += cat(out.empty() ? "" : " ", word);
  return out;
}

/// The placeholder of a value that is a file or a folder.
bool is_path(std::string_view value) {
  return value == "PATH" || value == "DIR" || value == "FILE";
}

/// Lines of the script's table, by verb and the flag before the word: what its value can be. Where
/// neither words nor files are known nothing is offered, least of all a flag.
std::string value_cases(const Verb& verb) {
  std::string out;
  for (const Option& option : options_of(verb)) {
    if (option.value.empty()) continue;
    out += cat("    '", verb.name, ' ', option.name, "') value=1",
               is_path(option.value) ? " files=1" : "",
               option.choices.empty() ? "" : cat(" words='", join(option.choices), "'"), " ;;\n");
  }
  return out;
}

/// One line of the script's table: the verb's flags, the words that its operand can be, and whether
/// an operand can be a file.
std::string verb_case(const Verb& verb, std::span<const std::string_view> all_verbs) {
  std::vector<std::string_view> flags;
  for (const Option& option : options_of(verb)) flags.push_back(option.name);
  const auto words = verb.operand.name == "VERB" ? all_verbs : verb.operand.choices;
  // Most actions of a plan read a file.
  const bool files = is_path(verb.operand.name) || verb.name == plan_verb.name;
  return cat("    ", verb.name, ") flags='", join(flags), "'",
             words.empty() ? "" : cat(" words='", join(words), "'"), files ? " files=1" : "",
             " ;;\n");
}

// bash splits `--flag=value` at the '='. What is offered is read by lines, so that a name with a
// space stays one word; with -o filenames bash quotes it, and puts a slash behind a folder. That
// fails only where nothing is being completed, as in a test.
constexpr std::string_view script_begin =
    R"(# Completes baton in bash:  source <(baton completion bash)
_baton() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]-}
  local flags= words= files= value=
  if [ "$word" = = ]; then word=
  elif [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  case "$verb $before" in
)";
constexpr std::string_view script_end = R"(    esac
    if [ "$COMP_CWORD" -gt 2 ]; then
      case " $words " in *" ${COMP_WORDS[2]} "*) words= ;; esac
    fi
  fi
  if [ -z "$value" ]; then
    case $word in
      -*) words=$flags ;;
      *) if [ -z "$words$files" ]; then words=$flags; fi ;;
    esac
  fi
  COMPREPLY=()
  if [ -n "$words" ]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  elif [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null || :
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _baton baton
)";

std::string bash_script() {
  std::vector<std::string_view> names;
  for (const Verb* verb : verbs()) names.push_back(verb->name);
  std::string out(script_begin);
  for (const Verb* verb : verbs()) out += value_cases(*verb);
  out += cat("  esac\n  if [ -n \"$value\" ]; then :\n  elif [ \"$COMP_CWORD\" -eq 1 ]; then\n",
             "    words='", join(names), "' flags='--version --help'\n",
             "  else\n    case $verb in\n");
  for (const Verb* verb : verbs()) out += verb_case(*verb, names);
  return out + std::string(script_end);
}

Result<Ending> run_completion(const VerbCall& call) {
  if (call.arguments.operand != "bash") {
    return fail(Code::USAGE, cat("there is no completion for '", call.arguments.operand, "'"),
                "the only shell is 'bash'");
  }
  TRY(write_text(call.world.output, bash_script()));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb completion_verb = {
    .name = "completion",
    .summary = "Print a completion script for a shell",
    .help = R"(Prints a script that teaches SHELL the verbs and flags. For bash, put this into
~/.bashrc:

    source <(baton completion bash)
)",
    .options = {},
    .operand = {"SHELL", "Which shell", true, false, shells},
    .settings = {},
    .run = run_completion};

}  // namespace baton::cli
