#include "cli/app.h"

#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/words.h"

namespace baton::cli {
namespace {

Result<Ending> dispatch(const World& world, const Parts& parts) {
  const std::vector<std::string>& words = world.arguments;
  if (words.empty()) {
    TRY(write_text(world.errors, overview()));
    return ExitCode::usage;
  }
  const std::string& first = words[0];
  if (first == "--version" || first == "--help" || first == "-h") {
    TRY(write_text(world.output,
                   first == "--version" ? cat("baton ", BATON_VERSION, '\n') : overview()));
    return ExitCode::ok;
  }
  if (first.starts_with('-')) {
    constexpr std::string_view flags[] = {"--version", "--help"};
    const auto near = nearest(first, flags);
    return fail(Code::USAGE, cat("baton has no flag '", first, "'"),
                near ? cat("did you mean '", *near, "'?") : "put flags after the verb");
  }
  const Verb* verb = find_verb(first);
  if (verb == nullptr) return std::unexpected(no_such_verb(first));
  const Arguments arguments = TRY(parse_arguments(*verb, std::span(words).subspan(1)));
  if (arguments.has("--help")) {
    TRY(write_text(world.output, help_of(*verb)));
    return ExitCode::ok;
  }
  return verb->run({world, parts, arguments});
}

bool wants_colours(const World& world) {
  return world.errors_are_terminal && world.variable("NO_COLOR").empty() &&
         world.variable("TERM") != "dumb";
}

/// A text of an error where it is shown: further lines are indented, so that none of them looks
/// like a line of the program's own.
std::string in_place(const Error& error, std::string_view text) {
  // Both echo what was typed. What is said in several lines is about a file.
  if (error.code == Code::USAGE || error.code == Code::NOT_FOUND) return printable_line(text);
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

}  // namespace

ExitCode exit_of(Code code) {
  switch (code) {
    case Code::USAGE: return ExitCode::usage;
    case Code::CONFIG_INVALID:
    case Code::ENVIRONMENT:
    case Code::INTERNAL:
    case Code::STORE_BUSY:
    case Code::STORE_CORRUPT:
    case Code::STORE_FAILED:
    case Code::STORE_FULL:
    case Code::STORE_NEWER:
    case Code::STORE_READ_ONLY: return ExitCode::environment;
    default: return ExitCode::no;
  }
}

std::vector<Painted> error_text(const Error& error) {
  std::vector<Painted> out = {{"baton:", Colour::red}, {cat(' ', in_place(error, error.message))}};
  if (error.code != Code::USAGE) {
    out.push_back({" "});
    out.push_back({cat('[', name_of(error.code), ']'), Colour::dim});
  }
  out.push_back({"\n"});
  if (error.next.empty()) return out;
  out.push_back({"hint:", Colour::dim});
  out.push_back({cat(' ', in_place(error, say(error.next)), '\n')});
  return out;
}

Ending run(const World& world, const Parts& parts) {
  const Result<Ending> done = dispatch(world, parts);
  if (done) return *done;
  // When even this cannot be written, the exit code still says it.
  (void)write_painted(world.errors, error_text(done.error()), wants_colours(world));
  return exit_of(done.error().code);
}

}  // namespace baton::cli
