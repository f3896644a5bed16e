#pragma once
// Puts values into shell commands without ever splicing them: each `{{ ... }}` becomes an
// environment variable, quoted for its place, and the value travels in the
// environment. A place where no quoting is safe is a problem. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace baton::workflow {

struct ShellSlot {
  std::string variable;    // BATON_V1, BATON_V2, ...
  std::string expression;  // the slot as it was written, braces included
};

struct ShellProblem {
  std::size_t at = 0;  // offset in the command
  std::string message;
};

struct LoweredShell {
  std::string command;
  std::vector<ShellSlot> slots;
  std::vector<ShellProblem> problems;
};

LoweredShell lower_shell(std::string_view command);

}  // namespace baton::workflow
