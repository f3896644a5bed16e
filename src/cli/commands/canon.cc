#include "base/core/sha256.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

constexpr Option canon_options[] = {
    {"--hash", "", "Print sha256: and the digest of the canonical text instead"}};

Result<Ending> run_canon(const VerbCall& call) {
  const std::string text = TRY(read_text(call.world.input, limits::message_bytes_max));
  const json::Value value = TRY(json::parse(text));
  const std::string canonical = TRY(json::canonical(value));
  if (call.arguments.has("--hash")) {
    TRY(write_text(call.world.output, cat("sha256:", sha256(canonical).hex(), '\n')));
  } else {
    TRY(write_data(call.world.output, call.world.output_is_terminal, cat(canonical, '\n')));
  }
  return ExitCode::ok;
}

}  // namespace

constinit const Verb canon_verb = {
    .name = "canon",
    .summary = "Print the canonical form of a JSON text, or its hash",
    .help = R"(Reads one JSON text from standard input and prints its canonical form by
RFC 8785, the form that Baton hashes, ending in a newline that is not part of
the hash. For text that is not JSON it prints the line and column and ends with
exit code 1; for a signed 64-bit integer that no double equals, the integer and
exit code 1. Other numbers, longer integers too, become the nearest double.
)",
    .options = canon_options,
    .operand = {},
    .settings = {},
    .run = run_canon};

}  // namespace baton::cli
