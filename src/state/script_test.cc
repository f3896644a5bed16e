#include "state/script.h"

#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::state {
namespace {

TEST(script, names_are_identifiers_but_not_keywords) {
  for (const std::string_view name : {"a", "_", "$", "a1", "camelCase", "größe", "of", "async"}) {
    EXPECT_TRUE(is_script_name(name)) << name;
  }
  for (const std::string_view name :
       {"", "1a", "a-b", "a b", "a.b", "a\n", "class", "arguments", "yield", "implements", "this",
        "undefined", "let", "await", "\"", "a}"}) {
    EXPECT_FALSE(is_script_name(name)) << name;
  }
}

TEST(script, an_error_shows_the_place_and_its_line) {
  const ScriptProblem problem{ScriptFault::syntax, "unexpected token", "fix it", 2, 5};
  const Error error = error_of(problem, "const a = 1;\n  retrun a;\n");
  EXPECT_EQ(error.code, Code::SCRIPT_SYNTAX);
  EXPECT_EQ(error.message, "unexpected token at line 2, column 5, in `retrun a;`");
  EXPECT_EQ(error.next.text(), "fix it");
}

TEST(script, an_error_without_a_place_shows_the_first_line) {
  const Error error = error_of({ScriptFault::not_json, "the result is NaN", {}, 0, 0}, "0 / 0\n");
  EXPECT_EQ(error.code, Code::SCRIPT_NOT_JSON);
  EXPECT_EQ(error.message, "the result is NaN, in `0 / 0`");
}

TEST(script, a_line_is_shown_whole_or_cut) {
  const std::string fits(limits::script_shown_bytes_max, 'x');
  const ScriptProblem problem{ScriptFault::thrown, "no", {}, 1, 1};
  EXPECT_EQ(error_of(problem, fits).message, cat("no at line 1, column 1, in `", fits, '`'));
  EXPECT_EQ(error_of(problem, fits + "yz").message,
            cat("no at line 1, column 1, in `", fits, "...`"));
}

TEST(script, every_fault_has_its_code) {
  const auto code = [](ScriptFault fault) { return error_of({fault, "", {}, 0, 0}, "").code; };
  EXPECT_EQ(code(ScriptFault::thrown), Code::SCRIPT_FAILED);
  EXPECT_EQ(code(ScriptFault::inexact), Code::NUMBER_INEXACT);
  EXPECT_EQ(code(ScriptFault::time), Code::SCRIPT_LIMIT);
  EXPECT_EQ(code(ScriptFault::memory), Code::SCRIPT_LIMIT);
  EXPECT_EQ(code(ScriptFault::stack), Code::SCRIPT_LIMIT);
  EXPECT_EQ(code(ScriptFault::size), Code::SCRIPT_LIMIT);
  EXPECT_EQ(code(ScriptFault::unavailable), Code::ENVIRONMENT);
}

}  // namespace
}  // namespace baton::state
