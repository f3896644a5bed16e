#pragma once
// A command: the server runs a shell_command when it is trusted, the agent an agent_shell_command.

#include <span>
#include <string>
#include <vector>

#include "base/core/boxed.h"
#include "base/json/json.h"

namespace baton::workflow {

struct StepType;

struct ShellCommand {
  Boxed<std::string> working_directory;
  Boxed<std::string> reason;  // why the agent runs it
  Boxed<std::string> sandbox;
  std::string output_format = "text";
  std::vector<std::string> argv = {};  // empty: `command` is for a shell
  Boxed<json::Object> env = {};        // what the variables of `command` hold, as expressions
  Boxed<std::string> command = {};
  bool operator==(const ShellCommand&) const = default;

  static std::span<const StepType> spellings();
  static void members(auto& io, auto& self) {
    io("working_directory", self.working_directory);
    io("reason", self.reason);
    io("sandbox", self.sandbox);
    io("output_format", self.output_format);
    io.when_filled("argv", self.argv);
    io("env", self.env);
    io("command", self.command);
  }
};

/// The same, always run by the agent.
struct AgentShellCommand : ShellCommand {
  bool operator==(const AgentShellCommand&) const = default;
  static std::span<const StepType> spellings();
};

}  // namespace baton::workflow
