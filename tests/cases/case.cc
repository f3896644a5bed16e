#include "case.h"

#include "base/text/text.h"
#include "diff.h"

namespace baton::cases {
namespace {

std::string_view argument_of(const Entry& entry) {
  const std::string_view head = entry.head;
  return head.substr(head.find(' ') + 1);
}

Result<void> set_variable(Scene& scene, const Entry& entry) {
  const std::string_view pair = argument_of(entry);
  const std::size_t equals = pair.find('=');
  if (equals == std::string_view::npos) {
    return fail(Code::INVALID_INPUT, "an env line reads: env NAME=value");
  }
  const std::string value = TRY(scene.names().expand(pair.substr(equals + 1)));
  scene.environment()[std::string(pair.substr(0, equals))] = value;
  return {};
}

Result<std::vector<std::string>> run_command(Scene& scene, const Entry& entry) {
  Command command = command_of(entry);
  const auto directive = directives().find(command.name);
  if (directive == directives().end()) {
    std::vector<std::string_view> names;
    for (const auto& [name, function] : directives()) names.push_back(name);
    const auto near = nearest(command.name, names);
    return fail(Code::INVALID_INPUT, cat("there is no directive '", command.name, "'",
                                         near ? cat("; did you mean '", *near, "'?") : ""));
  }
  command.rest = TRY(scene.names().expand(command.rest));
  command.input = TRY(scene.names().expand(command.input));
  Outcome outcome = TRY(directive->second(scene, command));
  for (const Capture& capture : command.captures) {
    TRY(scene.names().capture(capture, cat(outcome.output, outcome.errors)));
  }
  outcome.output = scene.names().shorten(outcome.output);
  outcome.errors = scene.names().shorten(outcome.errors);
  return expected_body(entry, outcome);
}

/// Returns the line of the first raw message of a case, or 0 for a case without one.
std::size_t raw_message_line(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    for (std::size_t i = 0; i < entry.body.size(); ++i) {
      if (entry.body[i].starts_with("-->")) return entry.line + 1 + i;
    }
  }
  return 0;
}

/// Does what the entry says and leaves in it what came out.
Result<void> perform(Scene& scene, Entry& entry) {
  switch (entry.kind) {
    case EntryKind::prose:
    case EntryKind::only: return {};
    case EntryKind::env: return set_variable(scene, entry);
    case EntryKind::file: return scene.write_file(argument_of(entry), file_content(entry));
    case EntryKind::command: entry.body = TRY(run_command(scene, entry)); return {};
  }
  return {};
}

}  // namespace

Report run_case(const std::string& path, std::string_view text, Scene& scene) {
  Report report;
  Result<std::vector<Entry>> entries = parse_case(text);
  if (!entries) return {Verdict::failed, cat(path, ':', entries.error().message, '\n'), "", true};
  const std::size_t raw = path.contains("protocol/") ? 0 : raw_message_line(*entries);
  if (raw != 0) {
    return {Verdict::failed,
            cat(path, ':', raw, ": raw messages belong below protocol/; write a call here\n"), "",
            true};
  }
  const std::string_view mode = scene.mode() == Mode::binary ? "binary" : "inprocess";
  for (Entry& entry : *entries) {
    if (entry.kind == EntryKind::only && argument_of(entry) != mode) {
      return {Verdict::skipped, "", std::string(text), false};
    }
    const std::vector<std::string> before = entry.body;
    const Result<void> performed = perform(scene, entry);
    std::string difference = unified_diff(before, entry.body, entry.line + 1);
    if (performed && difference.empty()) continue;
    report.verdict = Verdict::failed;
    report.text += cat(path, ':', entry.line, ": ", entry.head, '\n');
    if (!performed) {
      report.broken = true;
      report.text += cat("  ", performed.error().message, '\n');
    }
    report.text += difference;
  }
  report.rebaselined = print_case(*entries);
  return report;
}

}  // namespace baton::cases
