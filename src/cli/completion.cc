#include "base/text.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

std::string join(std::span<const std::string_view> words) {
  std::string out;
  for (const std::string_view word : words) out += cat(out.empty() ? "" : " ", word);
  return out;
}

/// One line of the script's table: the verb, its flags, and those flags that take a path.
std::string verb_case(const Verb& verb, std::span<const std::string_view> all_verbs) {
  std::vector<std::string_view> words;
  for (const Option& option : options_of(verb)) words.push_back(option.name);
  if (verb.operand.name == "VERB") words.insert(words.end(), all_verbs.begin(), all_verbs.end());
  if (verb.operand.name == "SHELL") words.push_back("bash");
  return cat("    ", verb.name, ") words='", join(words), "' ;;\n");
}

std::string bash_script() {
  std::vector<std::string_view> names;
  for (const Verb* verb : verbs()) names.push_back(verb->name);
  std::string paths;
  std::string cases;
  for (const Verb* verb : verbs()) {
    cases += verb_case(*verb, names);
    for (const Option& option : options_of(*verb)) {
      if (option.value != "PATH" && option.value != "DIR") continue;
      if (!paths.contains(option.name)) paths += cat(paths.empty() ? "" : "|", option.name);
    }
  }
  std::string out = "# Completes baton in bash:  source <(baton completion bash)\n_baton() {\n";
  out += "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n";
  if (!paths.empty()) {
    out += cat("  case $before in\n    ", paths,
               ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n  esac\n");
  }
  out += cat("  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words='", join(names),
             " --version --help'\n  else\n    case ${COMP_WORDS[1]} in\n");
  out += cases;
  out += "    esac\n  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n";
  out += "complete -o default -F _baton baton\n";
  return out;
}

Result<Ending> run(const Call& call) {
  if (call.arguments.operand != "bash") {
    return fail(Code::USAGE, cat("there is no completion for '", call.arguments.operand, "'"),
                "the only shell is 'bash'");
  }
  TRY(write_text(call.world.output, bash_script()));
  return Exit::ok;
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
    .operand = {"SHELL", "bash", true},
    .settings = {},
    .run = run};

}  // namespace baton::cli
