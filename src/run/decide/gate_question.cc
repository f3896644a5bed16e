#include "run/decide/gate_question.h"

#include <algorithm>

#include "base/core/gate_limits.h"
#include "base/core/sha256.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/walk/scope.h"

namespace baton::run {
namespace {

/// A word of a command so that two of them cannot be taken for one.
std::string word_text(const std::string& word) {
  const bool is_plain = !word.empty() && word.find_first_of(" \t\r\n\"'\\") == std::string::npos;
  return is_plain ? word : json::print(json::Value(word));
}

/// What a shell is given is shown as it is written; it is the last word.
std::string command_text(const ProcessIntended& intended) {
  const bool is_shell =
      intended.argv.size() == 3 && intended.argv[0] == "sh" && intended.argv[1] == "-c";
  if (is_shell) return cat("sh -c ", intended.argv[2]);
  std::string out;
  for (const std::string& each : intended.argv) out += cat(out.empty() ? "" : " ", word_text(each));
  return out;
}

}  // namespace

std::string beginning_of(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  const std::string_view kept = utf8::prefix(text, bytes_max);
  return cat(kept, " [", text.size() - kept.size(), " more bytes are not shown; the whole of ",
             text.size(), " bytes has the SHA-256 ", sha256(text).hex(), ']');
}

std::string command_lines(const ProcessIntended& intended) {
  std::string out =
      cat("\nCommand: ", beginning_of(command_text(intended), limits::gate_command_bytes_max));
  std::size_t room = limits::gate_values_bytes_max;
  std::size_t left = 0;
  for (const auto& [name, value] : intended.environment) {
    const std::string line =
        cat("\nValue: ", name, " = ",
            beginning_of(json::print(json::Value(value)), limits::gate_value_bytes_max));
    if (line.size() > room) {
      ++left;
      continue;
    }
    room -= line.size();
    out += line;
  }
  if (left > 0) out += cat("\nNot shown: ", left, " more values");
  if (!intended.directory.empty()) {
    out += cat("\nFolder: ", beginning_of(intended.directory, limits::gate_value_bytes_max));
  }
  return out;
}

std::string place_lines(const workflow::CompiledWorkflow& workflow, const NodeState& state) {
  std::string out;
  if (state.task) out += cat("\nTask: ", state.task->task);
  const json::Object variables = loop_variables(workflow, state.cursor);
  if (const json::Value* item = variables.find("item"); item != nullptr && !item->is_null()) {
    out += cat("\nItem: ", beginning_of(json::print(*item), limits::gate_value_bytes_max));
  }
  return out;
}

}  // namespace baton::run
