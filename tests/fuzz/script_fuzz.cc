// Links: adapters
// Scripts. The first byte chooses the form; the rest is a source, compiled and run with a deadline.
// After any script the next evaluation has its usual result; what checks clean does not
// fail by its syntax; and a result prints and reads back.

#include "adapters/script/quickjs_host.h"
#include "base/core/sha256.h"
#include "base/text/utf8.h"

namespace baton {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using state::Evaluation;
  using state::ScriptFault;
  // Hashed with before the host is made, the library is cleaned up after its threads.
  static const Sha256 first = sha256({});
  static_cast<void>(first);
  static adapters::QuickJsHost host({.evaluation_ms_max = 20});
  if (size == 0) return 0;
  const std::string source(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto form = data[0] % 2 == 0 ? state::ScriptForm::expression : state::ScriptForm::transform;
  const Evaluation batch[] = {
      {{source, form, {"input"}}, R"({"input":{"a":[1,"two",null]}})", {}},
      {{"[typeof polluted, input.a.length]", state::ScriptForm::expression, {"input"}},
       R"({"input":{"a":[1]}})",
       {}}};
  const auto problem = host.check({&batch[0].script, 1})[0];
  const auto results = host.evaluate(batch, {});
  state::ScriptResult honest = results[1];
  // On a machine that is busy elsewhere the deadline can come before the script had its turn.
  for (int i = 0; i < 10 && !honest && honest.error().fault == ScriptFault::time; ++i) {
    honest = host.evaluate({&batch[1], 1}, {})[0];
  }
  ASSERT(honest == state::ScriptResult(json::Array{"undefined", 1}));
  if (problem) {
    ASSERT(utf8::is_valid(problem->message));
    ASSERT(!results[0]);
    return 0;
  }
  if (!results[0]) {
    ASSERT(results[0].error().fault != ScriptFault::syntax);
    ASSERT(utf8::is_valid(results[0].error().message));
    return 0;
  }
  // It was read from JSON a moment ago.
  ASSERT(MUST(json::parse(json::print(*results[0]))) == *results[0]);
  return 0;
}

}  // namespace baton
