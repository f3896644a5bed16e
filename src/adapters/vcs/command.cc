#include "adapters/vcs/command.h"

#include <cstring>

#include "adapters/process/run_process.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::adapters {
namespace {

std::unexpected<Error> failed(const VcsCommand& command, std::string_view why) {
  return fail(Code::COMMAND_FAILED, cat("'", command.words.front(), "' ", why));
}

}  // namespace

Result<CommandResult> run_command(const VcsCommand& command) {
  using ports::ProcessEnd;
  ports::ProcessResult result = run_process({.argv = command.words,
                                             .directory = command.directory.string(),
                                             .environment = command.environment,
                                             .input = command.input,
                                             .output_bytes_max = command.output_bytes_max,
                                             .errors_bytes_max = limits::command_errors_bytes_max,
                                             .when_full = ports::WhenFull::stop,
                                             .ms_max = command.ms_max});
  if (result.output_cut && !command.may_cut) {
    return failed(command, cat("wrote more than ", command.output_bytes_max, " bytes"));
  }
  CommandResult out{0, std::move(result.output), std::move(result.errors), result.output_cut};
  switch (result.end) {
    case ProcessEnd::exited: out.exit = result.code; return out;
    case ProcessEnd::signalled: out.exit = 128 + result.code; return out;
    case ProcessEnd::stopped: return out;  // it was cut
    case ProcessEnd::timed_out:
      return failed(command, cat("took longer than ", command.ms_max, " ms"));
    case ProcessEnd::not_found:
      return fail(Code::COMMAND_FAILED, cat("'", command.words.front(), "' is not on the PATH"),
                  "install it, or start Baton with a PATH that has it");
    case ProcessEnd::not_started:
      return failed(command, cat("cannot be started: ", std::strerror(result.code)));
    case ProcessEnd::unknown: break;
  }
  return failed(command, "ended in an unknown way");
}

std::unexpected<Error> nonzero_exit(const VcsCommand& command, const CommandResult& result) {
  std::string said;
  for (const char c : result.errors) {
    if (c == '\n' && !said.empty()) said += ' ';
    if (c >= ' ' || c < 0) said += c;
  }
  while (said.ends_with(' ')) said.pop_back();
  if (!utf8::is_valid(said)) said = "(not UTF-8)";
  std::string line;
  for (const std::string& word : command.words) {
    if (line.size() + word.size() > limits::schema_shown_bytes_max) {
      line += " ...";
      break;
    }
    line += cat(line.empty() ? "" : " ", word);
  }
  return fail(Code::COMMAND_NONZERO_EXIT,
              cat("'", line, "' ended with ", result.exit, said.empty() ? "" : ": ", said));
}

}  // namespace baton::adapters
