#include "command.h"

#include <cstdlib>

#include "base/text/text.h"
#include "support/server.h"

namespace baton::audit {

std::string baton_binary() {
  const char* binary = std::getenv("BATON_BINARY");
  ASSERT(binary != nullptr);
  return binary;
}

Ended run_baton(const std::string& verb, const std::filesystem::path& db) {
  const auto child = MUST(crash::Child::start(
      {{baton_binary(), verb, "--db", db.string()}, {}, cat(db.string(), ".errors")}));
  child->close_input();
  Ended ended;
  for (;;) {
    const auto line = child->read_line(crash::answer_wait_ms_max);
    if (line.heard != crash::Child::Heard::line) break;
    ended.output += cat(line.text, '\n');
  }
  ended.code = child->wait();
  return ended;
}

}  // namespace baton::audit
