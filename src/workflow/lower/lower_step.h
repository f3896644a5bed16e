#pragma once
// Lowering of single steps. What is of one type alone is in steps/<type>_keys.cc, which uses this.

#include <initializer_list>
#include <set>
#include <string>

#include "workflow/check/diagnostic.h"
#include "workflow/compiled.h"
#include "workflow/read/node.h"

namespace baton::workflow {

/// A command that the workflow may run, for the decision about trust.
struct ShellUse {
  enum class By : std::uint8_t { server, agent };
  std::string step;
  std::string command;  // as the shell gets it, or the arguments, those that need it in quotes
  SourcePlace at;
  By by = By::server;
};

class StepLowering {
 public:
  StepLowering(Diagnostics& diagnostics, std::vector<ShellUse>& commands)
      : diagnostics_(diagnostics), commands_(commands) {}

  /// Moves the prompts out of the list.
  std::vector<Step> steps(SyntaxNode& list);

  /// {raw, state, computed, defaults} of a document, an include's frame or a task.
  json::Object state(const SyntaxNode& owner);

  /// {name: {type, default, required, description}}.
  json::Object inputs(const SyntaxNode& map);

  /// Lowers the steps under `key`, if there are any, into a block of that name.
  void block(SyntaxNode& node, std::string_view key, Step& out);

  /// Notes a command of the step: no value may be a program, or code that a program is given.
  void arguments(const Step& step, const SyntaxNode& argv, ShellUse::By by);
  /// The same for a command line; gives what its variables hold and the line with these.
  struct CommandLine {
    std::string command;
    json::Object env;
  };
  CommandLine command_line(const Step& step, const SyntaxNode& command, ShellUse::By by);

  /// The contracts and personas that the steps name.
  std::set<std::string> contracts;
  std::set<std::string> personas;

 private:
  Step step(SyntaxNode& node);
  void common(const SyntaxNode& node, Step& out);
  void confirmation(const SyntaxNode& rule, Step& out);
  void undo(const Step& step, const SyntaxNode& command);
  void unsafe(const SourcePlace& at, std::string message);

  Diagnostics& diagnostics_;
  std::vector<ShellUse>& commands_;
};

// What a key of a node has; nothing when there is no such key.
Boxed<std::string> text_at(const SyntaxNode& node, std::string_view key);
Boxed<std::vector<std::string>> texts_at(const SyntaxNode& node, std::string_view key);
Boxed<json::Value> value_at(const SyntaxNode& node, std::string_view key);
Boxed<json::Value> condition_at(const SyntaxNode& node, std::string_view key);
std::optional<std::int64_t> integer_at(const SyntaxNode& node, std::string_view key);
std::optional<bool> flag_at(const SyntaxNode& node, std::string_view key);

/// A name of a closed set. REQUIRES: the shapes let it through.
template <class T>
T named(std::string_view name) {
  const auto names = names_of(T());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<T>(i);
  }
  ASSERT(false);
}

/// A list as it is, an expression as {"js"}.
json::Value items_of(const SyntaxNode& node);

}  // namespace baton::workflow
