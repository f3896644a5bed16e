#pragma once
// Lowering of single steps. Only lower.cc includes this.

#include "workflow/lower.h"

namespace baton::workflow {

class StepLowering {
 public:
  StepLowering(Diagnostics& diagnostics, std::vector<ShellUse>& commands)
      : diagnostics_(diagnostics), commands_(commands) {}

  /// Moves the prompts out of the list.
  std::vector<Step> steps(Node& list);

  /// {raw, state, computed, defaults} of a document, an include's frame or a task.
  json::Object state(const Node& owner);

  /// {name: {type, default, required, description}}.
  json::Object inputs(const Node& map);

 private:
  Step step(Node& node);
  void common(const Node& node, Step& out);
  void prompt(Node& node, Step& out);
  void user(const Node& node, Step& out);
  void shell(const Node& node, Step& out);
  void check_arguments(const Node& argv);
  void unsafe(const Place& at, std::string message);
  void control(const Node& node, Step& out, std::string_view type);
  void loop(Node& node, Step& out);
  void parallel(Node& node, Step& out);
  void include(Node& node, Step& out);
  void confirmation(const Node& rule, Step& out);
  void block(Node& node, std::string_view key, Step& out);
  void copy(const Node& node, Step& out, std::initializer_list<std::string_view> keys);

  Diagnostics& diagnostics_;
  std::vector<ShellUse>& commands_;
};

}  // namespace baton::workflow
