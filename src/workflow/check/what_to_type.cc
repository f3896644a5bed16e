#include "workflow/check/what_to_type.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/text/text.h"

namespace baton::workflow {
namespace {

struct Advice {
  std::string_view word;
  std::string_view where;  // a part of what has the key; empty: anywhere
  std::string_view text;
};

constexpr Advice keys[] = {
    {"otherwise", "conditional", "write else: and the steps below it"},
    {"elif", "conditional", "write else: with a conditional step below it"},
    {"else_if", "conditional", "write else: with a conditional step below it"},
    {"elseif", "conditional", "write else: with a conditional step below it"},
    {"if", "conditional", "write condition: for what decides"},
    {"when", "conditional", "write condition: for what decides"},
    {"steps", "conditional", "write then: and the steps below it"},
    {"run", "shell", "write command:, or argv: with a list"},
    {"cmd", "shell", "write command:, or argv: with a list"},
    {"script", "shell", "write command:, or argv: with a list"},
    {"args", "shell", "write argv: with the program and its arguments in one list"},
    {"cwd", "shell", "write working_directory:"},
    {"env", "shell", "write values into the command as {{ name }}"},
    {"prompt", "user_message", "write message: for what is shown"},
    {"text", "user_message", "write message: for what is shown"},
    {"message", "user_input", "write prompt: for the question"},
    {"question", "user_input", "write prompt: for the question"},
    {"options", "user_input", "write choices: with a list"},
    {"tool", "a method", "write method: for the tool"},
    {"arguments", "a method", "write params: for the tool's arguments"},
    {"retry_count", "mcp_call",
     "on_error: retry tries it again as often as config.max_retries says"},
    {"retries", "", "write retry_count: beside on_error: retry"},
    {"max_retries", "shell", "write retry_count: beside on_error: retry"},
    {"until", "while", "write condition: with what must hold for another round"},
    {"items", "while", "a loop over items has the type foreach"},
    {"max", "", "write maxIterations: for the most rounds"},
    {"limit", "", "write maxIterations: for the most rounds"},
    {"for", "foreach", "write items: for the list"},
    {"list", "foreach", "write items: for the list"},
    {"do", "", "write body: and the steps of a round below it"},
    {"task", "parallel_foreach", "write sub_agent_task: with the name of a task"},
    {"set", "state_update", "write path: and value:"},
    {"key", "state_update", "write path:, as in raw.count"},
    {"name", "step", "write id: for its name, title: for what people read"},
    {"depends_on", "", "write dependencies: with a list of steps"},
    {"needs", "", "write dependencies: with a list of steps"},
    {"timeout_sec", "", "write timeout_seconds:"},
};

constexpr Advice types[] = {
    {"if", "", "write type: conditional"},
    {"switch", "", "write conditional steps, one in the else of another"},
    {"for", "", "write type: foreach, with items"},
    {"for_each", "", "write type: foreach, with items"},
    {"repeat", "", "write type: while, or type: loop with a count"},
    {"shell", "", "write type: shell_command"},
    {"bash", "", "write type: shell_command"},
    {"command", "", "write type: shell_command"},
    {"run", "", "write type: shell_command"},
    {"script", "", "write type: shell_command"},
    {"tool", "", "write type: mcp_call"},
    {"tool_call", "", "write type: mcp_call"},
    {"message", "", "write type: user_message"},
    {"input", "", "write type: user_input"},
    {"ask", "", "write type: user_input"},
    {"set", "", "write type: state_update"},
    {"subagent", "", "write type: parallel_foreach, with a sub_agent_task"},
    {"sub_agent", "", "write type: parallel_foreach, with a sub_agent_task"},
    {"include", "", "write type: include_workflow"},
    {"call", "", "write type: include_workflow, or type: mcp_call for a tool"},
    {"wait", "", "write type: wait_step"},
    {"sleep", "", "write type: wait_step"},
    {"llm", "", "leave the type out and write prompt:"},
    {"task", "", "leave the type out and write prompt:"},
    {"approval", "", "leave the type out and write gate: true"},
    {"gate", "", "leave the type out and write gate: true"},
};

constexpr Advice values[] = {
    {"on_error", "", "write on_error: retry, with retry_count: and retry_delay: beside it"},
    {"steps", "", "begin each step with a dash: - id: first"},
    {"validationCriteria", "", "write a list of rules: [{type: contains, value: OK}]"},
    {"outputContract", "",
     "write outputContract: {contractRef: NAME}; `baton builtins` lists them"},
    {"evidence", "", "write a list: [{file_exists: path}]"},
    {"prompt", "", "put the lines below `prompt: |`"},
    {"choices", "", "write a list: [yes, no]"},
    {"command", "", "write argv: for a program and its arguments as a list"},
    {"inputs", "", "write each below it by its name: topic: {type: string}"},
};

constexpr Advice words[] = {{"and", "", "write && for and"},
                            {"or", "", "write || for or"},
                            {"not", "", "write ! for not"},
                            {"None", "", "write null"},
                            {"True", "", "write true"},
                            {"False", "", "write false"},
                            {"len", "", "write .length behind the list"}};

std::string_view advice_on(std::span<const Advice> table, std::string_view word,
                           std::string_view where = {}) {
  const auto found = std::ranges::find_if(
      table, [&](const Advice& each) { return each.word == word && where.contains(each.where); });
  return found == table.end() ? std::string_view() : found->text;
}

}  // namespace

std::string instead_of_key(std::string_view key, std::string_view what) {
  const std::string_view known = advice_on(keys, key, what);
  if (!known.empty()) return std::string(known);
  constexpr std::string_view article = "a ";
  constexpr std::string_view noun = " step";
  if (!what.starts_with(article) || !what.ends_with(noun)) return {};
  const std::string_view type =
      what.substr(article.size(), what.size() - article.size() - noun.size());
  return cat("`baton builtins ", type, "` shows its keys");
}

std::string_view instead_of_type(std::string_view type) { return advice_on(types, type); }
std::string_view instead_of_value(std::string_view key) { return advice_on(values, key); }
std::string_view instead_of_word(std::string_view word) { return advice_on(words, word); }

}  // namespace baton::workflow
