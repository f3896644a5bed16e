#include "run/agent_steps.h"

#include <span>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "run/prompt_values.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using workflow::CompiledWorkflow;
using workflow::Step;
using workflow::StepKind;

std::int64_t& index_of(Cursor& cursor) {
  return cursor.frames.empty() ? cursor.position : cursor.frames.back().index;
}

/// The message that `cursor` is at and those that are delivered with it.
std::span<const Step> messages_at(const CompiledWorkflow& workflow, const Cursor& cursor) {
  const Step* first = step_at(workflow, cursor);
  if (first == nullptr || first->kind != StepKind::user_message) return {};
  const std::vector<Step>& block = *levels_of(workflow, cursor).back().steps;
  const Step* end = block.data() + block.size();
  const Step* last = first + 1;
  while (last != end && last->kind == StepKind::user_message &&
         !last->fields.contains("runCondition")) {
    ++last;
  }
  return {first, last};
}

std::string text_in(const Value& value) {
  return value.is_string() ? *value.if_string() : json::print(value);
}

/// A word that a shell reads as just this text.
std::string in_quotes(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += R"('\'')";
    } else {
      out += c;
    }
  }
  return out += '\'';
}

std::string duration_text(std::int64_t ms) {
  if (ms % 1'000 != 0) return cat(ms, " ms");
  return ms == 1'000 ? "1 second" : cat(ms / 1'000, " seconds");
}

std::string fenced(std::string_view language, std::string_view text) {
  // A fence that the text cannot end.
  std::string fence = "```";
  while (text.contains(fence)) fence += '`';
  return cat(fence, language, '\n', text, text.ends_with('\n') ? "" : "\n", fence);
}

class Description {
 public:
  Description(const CompiledWorkflow& workflow, const Step& step, const NodeState& state,
              Scripts& scripts)
      : workflow_(workflow),
        step_(step),
        state_(state),
        scope_(scope_at(workflow, state)),
        scripts_(scripts) {}

  Result<AgentStep> run() {
    switch (step_.kind) {
      case StepKind::user_message: message(); break;
      case StepKind::user_input: TRY(input()); break;
      case StepKind::mcp_call: TRY(call()); break;
      case StepKind::apply_hints: TRY(hints()); break;
      case StepKind::wait_step: wait(); break;
      case StepKind::parallel_foreach: break;  // run/task_prompt.h shows its tasks
      default: TRY(command()); break;
    }
    if (!replacements_.empty()) {
      out_.definition.set("variable_replacements", std::move(replacements_));
      out_.definition.set("original_expression", std::move(expression_));
    }
    return std::move(out_);
  }

 private:
  const Value* field(std::string_view key) const { return step_.fields.find(key); }

  void set(std::string_view key, Value value) { out_.definition.set(key, std::move(value)); }

  /// Records what the expressions of a template show, so that a reader can trace a value.
  void note(const Value& value) {
    if (const json::Array* list = value.if_array()) {
      for (const Value& each : *list) note(each);
    } else if (const Object* object = value.if_object()) {
      for (const json::Member& each : *object) note(each.value);
    } else if (const std::string* text = value.if_string()) {
      for (const workflow::Expression& each : workflow::scan_expressions(*text).expressions) {
        const std::string_view slot =
            std::string_view(*text).substr(each.begin, each.end - each.begin);
        if (expression_.empty()) expression_ = each.code;
        replacements_.set(slot, with_values(slot, scope_, scripts_));
      }
    }
  }

  /// A text for people.
  std::string shown(std::string_view key) {
    const Value* found = field(key);
    if (found == nullptr || !found->is_string()) return {};
    note(*found);
    return with_values(*found->if_string(), scope_, scripts_);
  }

  /// A value that is used as it is.
  Result<Value> exact(std::string_view key, const Value& value) {
    note(value);
    auto filled = scripts_.filled(key, value, scope_);
    if (filled) return filled;
    Error error = std::move(filled).error();
    error.message = cat('"', key, "\" of the step \"", step_.id, "\": ", error.message,
                        "; nothing was recorded");
    return std::unexpected(std::move(error));
  }

  Result<Value> exact(std::string_view key) {
    const Value* found = field(key);
    return found == nullptr ? Result<Value>(Value()) : exact(key, *found);
  }

  void message() {
    json::Array messages;
    std::string all;
    const std::span<const Step> steps = messages_at(workflow_, state_.cursor);
    for (const Step& each : steps) {
      const std::string* text = each.fields.find("message")->if_string();
      note(*text);
      std::string rendered = with_values(*text, scope_, scripts_);
      while (rendered.ends_with('\n')) rendered.pop_back();
      all += cat(all.empty() ? "" : "\n\n", rendered);
      Object entry{{"message", std::move(rendered)}};
      for (const std::string_view key : {"format", "message_type"}) {
        if (const Value* found = each.fields.find(key)) entry.set(key, *found);
      }
      messages.push_back(std::move(entry));
    }
    out_.words = cat(steps.size() == 1 ? "Show the user this message, word for word"
                                       : "Show the user these messages, word for word",
                     ":\n\n", all);
    set("message", std::move(all));
    set("messages", std::move(messages));
  }

  Result<void> input() {
    const auto rules = TRY(with_answer_rules(step_, scope_, scripts_));
    for (const std::string_view key : {"choices", "default", "validation"}) {
      if (const Value* found = field(key)) note(*found);
    }
    const std::string question = shown("message");
    const std::string instructions = shown("instructions");
    set("prompt", question);
    if (!instructions.empty()) set("instructions", instructions);
    for (const std::string_view key :
         {"input_type", "choices", "default", "validation", "max_retries", "timeout_ms"}) {
      if (const Value* found = rules->fields.find(key)) set(key, *found);
    }
    const bool is_alone = state_.preferences.autonomy == Autonomy::full_auto_never_stop;
    out_.words = is_alone ? "In this mode the user is not asked. Answer this question only "
                            "with what the user said before"
                          : "Ask the user this and wait for the answer; do not answer it yourself";
    out_.words += cat(":\n\n", question);
    if (!instructions.empty()) out_.words += cat("\n\n", instructions);
    return {};
  }

  Result<void> call() {
    const std::string tool = text_in(TRY(exact("tool")));
    const Value params = TRY(exact("parameters"));
    out_.words = cat("Call the MCP tool `", tool, "` with these arguments:\n\n",
                     fenced("json", json::print(params)));
    set("method", tool);
    set("params", params);
    limit("Time limit: ");
    return {};
  }

  Result<void> hints() {
    const std::string file = text_in(TRY(exact("file")));
    const Value list = TRY(exact("hints"));
    out_.words =
        cat("Apply these hints to the file `", file, "`:\n\n", fenced("json", json::print(list)));
    set("file", file);
    set("hints", list);
    return {};
  }

  void wait() {
    const std::string message = shown("message");
    out_.words = message.empty() ? "There is nothing to do yet." : message;
    if (!message.empty()) set("message", message);
    if (const Value* ms = field("timeout_ms"); ms != nullptr && ms->if_int() != nullptr) {
      set("retry_after_ms", *ms);
      out_.words += cat("\n\nWait ", duration_text(*ms->if_int()), ", then continue.");
    } else {
      out_.words += "\n\nContinue when it is time.";
    }
  }

  Result<void> command() {
    std::string text;
    if (const Value* argv = field("argv")) {
      const Value words = TRY(exact("argv", *argv));
      for (const Value& each : *words.if_array()) {
        text += cat(text.empty() ? "" : " ", in_quotes(TRY(argument(each))));
      }
      set("argv", words);
    } else {
      const Value values = TRY(exact("env"));
      if (const Object* slots = values.if_object()) {
        for (const json::Member& each : *slots) {
          text += cat("export ", each.key, '=', in_quotes(TRY(argument(each.value))), '\n');
        }
      }
      text += text_in(*field("command"));
    }
    set("command", text);
    std::string where;
    if (field("working_directory") != nullptr) {
      const std::string directory = text_in(TRY(exact("working_directory")));
      set("working_directory", directory);
      where = cat(" in `", directory, '`');
    }
    if (const Value* format = field("output_format")) set("output_format", *format);
    // What the server has begun is not to be run as a matter of course.
    const bool was_begun = state_.ran != nullptr;
    out_.words =
        cat(was_begun ? "The command" : "Run this command", where,
            was_begun ? ":\n\n" : ", with your own tools and only once:\n\n", fenced("sh", text));
    limit("Stop it after ");
    std::string reason = shown("reason");
    if (reason.empty() && step_.kind == StepKind::shell_command && !was_begun) {
      reason =
          cat("Baton does not run this workflow's commands itself until the user runs `baton "
              "trust ",
              workflow_.id, "`.");
    }
    if (!reason.empty()) {
      out_.words += cat("\n\nWhy you must run it: ", reason);
      set("reason", reason);
    }
    return {};
  }

  Result<std::string> argument(const Value& value) {
    std::string text = text_in(value);
    if (!text.contains('\0')) return text;
    return fail(Code::INVALID_INPUT,
                cat("a value for the command of the step \"", step_.id,
                    "\" has a NUL character, which a command cannot take; nothing was recorded"),
                "send a context or a result without NUL characters");
  }

  void limit(std::string_view words) {
    const Value* ms = field("timeout_ms");
    if (ms == nullptr || ms->if_int() == nullptr) return;
    set("timeout_ms", *ms);
    out_.words += cat("\n\n", words, duration_text(*ms->if_int()), '.');
  }

  const CompiledWorkflow& workflow_;
  const Step& step_;
  const NodeState& state_;
  const Scope scope_;
  Scripts& scripts_;
  AgentStep out_;
  Object replacements_;
  std::string expression_;
};

}  // namespace

bool is_for_agent(StepKind kind) {
  switch (kind) {
    case StepKind::prompt:
    case StepKind::user_message:
    case StepKind::user_input:
    case StepKind::mcp_call:
    case StepKind::shell_command:
    case StepKind::agent_shell_command:
    case StepKind::apply_hints:
    case StepKind::wait_step: return true;
    default: return false;
  }
}

Result<AgentStep> describe_agent_step(const CompiledWorkflow& workflow, const Step& step,
                                      const NodeState& state, Scripts& scripts) {
  return Description(workflow, step, state, scripts).run();
}

Result<std::optional<Step>> with_answer_rules(const Step& step, const Scope& scope,
                                              Scripts& scripts) {
  if (step.kind != StepKind::user_input) return std::nullopt;
  Step out = step;
  for (const std::string_view key : {"choices", "default", "validation"}) {
    const Value* found = step.fields.find(key);
    if (found == nullptr) continue;
    auto filled = scripts.filled(key, *found, scope);
    if (!filled) {
      Error error = std::move(filled).error();
      error.message = cat('"', key, "\" of the step \"", step.id, "\": ", error.message,
                          "; nothing was recorded");
      return std::unexpected(std::move(error));
    }
    out.fields.set(key, *std::move(filled));
  }
  return out;
}

std::vector<std::string> keys_passed_with(const CompiledWorkflow& workflow, const Cursor& cursor) {
  std::vector<std::string> out;
  Cursor at = cursor;
  for (std::size_t left = messages_at(workflow, cursor).size(); left > 1; --left) {
    ++index_of(at);
    out.push_back(key_at(workflow, at));
  }
  return out;
}

void pass_messages(const CompiledWorkflow& workflow, Cursor& cursor) {
  const std::size_t count = messages_at(workflow, cursor).size();
  if (count > 1) index_of(cursor) += static_cast<std::int64_t>(count - 1);
}

}  // namespace baton::run
