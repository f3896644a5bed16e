#include "run/steps/workflow_commands.h"

#include <algorithm>

#include "workflow/text/shell_lexer.h"

namespace baton::run {
namespace {

bool is_command(const json::Value& evidence) { return evidence.find("command") != nullptr; }

bool has_command(const workflow::Step& step) {
  if (step.as<workflow::ShellCommand>() != nullptr) return true;
  const auto* prompt = step.as<workflow::PromptStep>();
  const bool has_evidence = prompt != nullptr && prompt->evidence;
  if (has_evidence && std::ranges::any_of(*prompt->evidence, is_command)) return true;
  return std::ranges::any_of(step.blocks, [](const workflow::Block& block) {
    return std::ranges::any_of(block.steps, has_command);
  });
}

/// Tasks and on-failure steps are kept as JSON, so their commands are found in the JSON.
bool mentions_commands(const json::Value& value) {
  if (const json::Array* list = value.if_array()) {
    return std::ranges::any_of(*list, mentions_commands);
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return false;
  return std::ranges::any_of(*object, [](const json::Member& member) {
    return member.key == "command" || member.key == "argv" || mentions_commands(member.value);
  });
}

bool is_written(std::string_view text) { return !text.contains("{{"); }

std::string text_in(const json::Value& object, std::string_view key) {
  const json::Value* found = object.find(key);
  return found != nullptr && found->is_string() ? *found->if_string() : std::string();
}

/// Compiled workflows write every command in the same way, so that none is missed.
void collect(const json::Value& value, std::vector<WrittenCommand>& out) {
  if (const json::Array* list = value.if_array()) {
    for (const json::Value& each : *list) collect(each, out);
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return;
  for (const json::Member& member : *object) collect(member.value, out);
  if (text_in(value, "type") == workflow::name_of(workflow::StepKind::agent_shell_command)) return;
  WrittenCommand command;
  command.directory = text_in(value, "working_directory");
  command.is_elsewhere = !is_written(command.directory);
  if (const std::string undo = text_in(value, "undo"); !undo.empty()) {
    // As it is run: see undo_command().
    WrittenCommand undoing = command;
    undoing.argv = {"sh", "-c", workflow::lower_shell(undo).command};
    out.push_back(std::move(undoing));
  }
  if (const json::Value* argv = value.find("argv"); argv != nullptr && argv->if_array()) {
    for (const json::Value& each : *argv->if_array()) {
      if (each.is_string() && is_written(*each.if_string())) {
        command.argv.push_back(*each.if_string());
      }
    }
  } else if (const std::string line = text_in(value, "command"); !line.empty()) {
    command.argv = {"sh", "-c", line};
  }
  if (command.argv.empty()) return;
  out.push_back(std::move(command));
}

}  // namespace

std::vector<WrittenCommand> written_commands(const workflow::CompiledWorkflow& workflow) {
  std::vector<WrittenCommand> out;
  collect(workflow::to_json(workflow), out);
  return out;
}

std::vector<std::string> written_words(const std::vector<WrittenCommand>& commands,
                                       const std::vector<std::string>& argv) {
  std::vector<std::string> out;
  for (const std::string& word : argv) {
    const bool is_known = std::ranges::any_of(commands, [&](const WrittenCommand& each) {
      return std::ranges::find(each.argv, word) != each.argv.end();
    });
    if (is_known) out.push_back(word);
  }
  return out;
}

bool has_commands(const workflow::CompiledWorkflow& workflow) {
  if (std::ranges::any_of(workflow.steps, has_command)) return true;
  for (const std::string_view field : {"tasks", "error_handling"}) {
    const json::Value* value = workflow.declared.find(field);
    if (value != nullptr && mentions_commands(*value)) return true;
  }
  return false;
}

}  // namespace baton::run
