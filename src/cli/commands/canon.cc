#include "base/core/sha256.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

constexpr Option options[] = {
    {"--hash", "", "Print sha256: and the digest of the canonical text instead"}};

Result<Ending> run(const Call& call) {
  const std::string text = TRY(read_text(call.world.input, limits::message_bytes_max));
  const json::Value value = TRY(json::parse(text));
  const std::string canonical = TRY(json::canonical(value));
  if (call.arguments.has("--hash")) {
    TRY(write_text(call.world.output, cat("sha256:", sha256(canonical).hex(), '\n')));
  } else {
    TRY(write_data(call.world.output, call.world.output_is_terminal, cat(canonical, '\n')));
  }
  return Exit::ok;
}

}  // namespace

constinit const Verb canon_verb = {
    .name = "canon",
    .summary = "Print the canonical form of a JSON text, or its hash",
    .help = R"(Reads one JSON text from standard input and prints its canonical form by
RFC 8785, the form that Baton hashes, ending in a newline that is not part of
the hash. Text that is not JSON is answered with exit code 1 and the line and
column, an integer of 64 bits with a sign that no double equals with exit code 1
and the integer. Other numbers, longer integers too, become the nearest double.
)",
    .options = options,
    .operand = {},
    .settings = {},
    .run = run};

}  // namespace baton::cli
