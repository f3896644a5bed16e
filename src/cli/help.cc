#include "cli/help.h"

#include <algorithm>

#include "base/text/text.h"
#include "cli/config/config.h"
#include "cli/table.h"

namespace baton::cli {
namespace {

struct ExitMeaning {
  ExitCode code;
  std::string_view meaning;
};

constexpr ExitMeaning exit_meanings[] = {
    {ExitCode::ok, "success"},
    {ExitCode::no, "no: the input is bad, or nothing has that name"},
    {ExitCode::usage, "the command line cannot be understood"},
    {ExitCode::environment, "the machine or its configuration prevents it"}};

std::string spelling(const Option& option) {
  return option.value.empty() ? std::string(option.name) : cat(option.name, ' ', option.value);
}

std::string usage(const Verb& verb) {
  std::string line = cat("baton ", verb.name, " [options]");
  for (const Operand& operand : {verb.operand, verb.second}) {
    if (operand.name.empty()) continue;
    line += cat(' ', operand.required ? "" : "[", operand.name, operand.repeats ? "..." : "",
                operand.required ? "" : "]");
  }
  return line;
}

struct Row {
  std::string left;
  std::string right;
};

/// Two columns, the second aligned.
std::string columns(std::span<const Row> rows) {
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.left.size());
  std::string out;
  for (const Row& row : rows) {
    out += cat("  ", row.left, std::string(width - row.left.size() + 2, ' '), row.right, '\n');
  }
  return out;
}

std::string meaning(std::string_view help, std::span<const std::string_view> choices) {
  return choices.empty() ? std::string(help) : cat(help, ": ", one_of(choices));
}

std::vector<Row> option_rows(const Verb& verb) {
  std::vector<Row> rows;
  for (const Operand& operand : {verb.operand, verb.second}) {
    if (operand.name.empty()) continue;
    rows.push_back({std::string(operand.name), meaning(operand.help, operand.choices)});
  }
  for (const Option& option : options_of(verb)) {
    rows.push_back({spelling(option), meaning(option.help, option.choices)});
  }
  return rows;
}

std::string cell(std::string_view spelling) {
  return spelling.empty() ? std::string("none") : cat('`', spelling, '`');
}

std::string settings_table() {
  std::string out = "\n## Settings\n\n`baton help config` says which of them takes precedence.\n\n";
  out += "| Name in files | Flag | Variable | Project may set it | Default | Meaning |\n";
  out += "|---|---|---|---|---|---|\n";
  for (const Setting& setting : settings()) {
    const std::string_view fallback = setting.type == SettingType::store
                                          ? "`$XDG_DATA_HOME/baton/baton.db`"
                                      : setting.fallback.empty() ? "none"
                                                                 : setting.fallback;
    out += cat("| `", setting.name, "` | ", cell(setting.flag), " | ", cell(setting.variable),
               " | ", project_may(setting), " | ", fallback, " | ",
               meaning(setting.help, choices_of(setting)), " |\n");
  }
  return out;
}

std::string reference_of(const Verb& verb) {
  std::string out =
      cat("\n## baton ", verb.name, "\n\n```\n", usage(verb), "\n```\n\n", verb.help, "\n");
  out += "| Option | Meaning |\n|---|---|\n";
  for (const Row& row : option_rows(verb)) out += cat("| `", row.left, "` | ", row.right, " |\n");
  return out;
}

constexpr Option options[] = {{"--markdown", "", "Print the reference of every verb as Markdown"}};

Result<Ending> run(const VerbCall& call) {
  std::string text;
  if (call.arguments.has("--markdown")) {
    text = reference();
  } else if (call.arguments.operand.empty()) {
    text = overview();
  } else if (const Verb* verb = find_verb(call.arguments.operand)) {
    text = help_of(*verb);
  } else {
    return std::unexpected(no_such_verb(call.arguments.operand));
  }
  TRY(write_text(call.world.output, text));
  return ExitCode::ok;
}

}  // namespace

std::string overview() {
  std::string out =
      "Baton gives an agent one step of a workflow at a time, and never loses one.\n\n";
  out += "baton VERB [options]\n\nVerbs:\n";
  std::vector<Row> rows;
  for (const Verb* verb : verbs())
    rows.push_back({std::string(verb->name), std::string(verb->summary)});
  out += columns(rows);
  out += "\n'baton help VERB' describes one; 'baton --version' prints the release.\n";
  out += "\nExit codes:\n";
  rows.clear();
  for (const ExitMeaning& exit : exit_meanings) {
    rows.push_back({cat(static_cast<int>(exit.code)), std::string(exit.meaning)});
  }
  return out + columns(rows);
}

std::string help_of(const Verb& verb) {
  return cat(usage(verb), "\n\n", verb.help, "\nOptions:\n", columns(option_rows(verb)));
}

std::string reference() {
  std::string out = "# The command line\n\n";
  out += "This page is what `baton help --markdown` prints.\n\n";
  out += "| Verb | What it does |\n|---|---|\n";
  for (const Verb* verb : verbs()) {
    out += cat("| [`", verb->name, "`](#baton-", verb->name, ") | ", verb->summary, " |\n");
  }
  out += "\nErrors go to standard error as `baton: message`, with the error code in brackets and\n";
  out +=
      "often a line `hint:` that says what to do. Colours appear on a terminal only, and never\n";
  out += "when `NO_COLOR` is set.\n\n";
  out +=
      "What is printed is safe for a terminal: control characters, bidi and invisible characters\n";
  out +=
      "of files, notes and names are shown as JSON escapes them, such as `\\u001b` or `\\u202e`, "
      "and\n";
  out += "a byte that is not UTF-8 as `\\ufffd`. JSON keeps its value. `export`, `canon` and\n";
  out += "`plan format` write exact bytes, unless to a terminal.\n\n";
  out += "| Exit code | Meaning |\n|---|---|\n";
  for (const ExitMeaning& exit : exit_meanings) {
    out += cat("| ", static_cast<int>(exit.code), " | ", exit.meaning, " |\n");
  }
  for (const Verb* verb : verbs()) out += reference_of(*verb);
  return out + settings_table();
}

Error no_such_verb(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Verb* verb : verbs()) names.push_back(verb->name);
  const auto near = nearest(name, names);
  return Error::make(Code::USAGE, cat("there is no verb '", name, "'"),
                     near ? cat("did you mean '", *near, "'?") : "'baton help' lists them");
}

constinit const Verb help_verb = {
    .name = "help",
    .summary = "Show what a verb does and its options",
    .help = R"(Without VERB, lists the verbs and the exit codes. 'baton VERB --help' says the
same as 'baton help VERB'.
)",
    .options = options,
    .operand = {"VERB", "A verb"},
    .settings = {},
    .run = run};

}  // namespace baton::cli
