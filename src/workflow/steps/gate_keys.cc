#include "workflow/steps/gate_keys.h"

#include "base/core/gate_limits.h"
#include "base/text/text.h"
#include "workflow/check/gate_carriers.h"
#include "workflow/steps/checks.h"

namespace baton::workflow {
namespace {

void check_life(const SyntaxNode& life, StepChecks& checks) {
  const auto minutes = gate_minutes(life);
  if (!minutes) {
    checks.wrong(Code::WORKFLOW_WRONG_VALUE, life.at,
                 cat('"', life.text, "\" is not a time that a gate can wait"),
                 "write a whole number with m, h or d, for example expires: 24h");
  } else if (*minutes > limits::gate_expires_minutes_max) {
    checks.wrong(Code::WORKFLOW_WRONG_VALUE, life.at,
                 cat("a gate waits at most ", limits::gate_expires_minutes_max, " minutes"),
                 "write 365d or less, or remove \"expires\": then it waits without an end");
  }
}

void check_bytes(const SyntaxNode* text, std::size_t most, StepChecks& checks) {
  if (text == nullptr || text->text.size() <= most) return;
  checks.wrong(Code::WORKFLOW_WRONG_VALUE, text->at,
               cat('"', text->key, "\" of a gate has ", text->text.size(), " bytes; at most ", most,
                   " are shown"),
               "write less, and name a file that holds the rest");
}

void check_gate(const SyntaxNode& gate, StepChecks& checks) {
  const std::string_view assurance = gate.text_of("assurance");
  if (assurance == "identified") {
    checks.wrong(Code::WORKFLOW_WRONG_VALUE, gate.find("assurance")->at,
                 "\"identified\" is reserved until callers have names of their own",
                 "write claimed, asked, present or sealed");
  }
  const SyntaxNode* count = gate.find("count");
  if (count != nullptr && count->integer > limits::gate_count_max) {
    checks.wrong(Code::WORKFLOW_WRONG_VALUE, count->at,
                 cat("a gate takes at most ", limits::gate_count_max, " approvals"),
                 cat("write count: ", limits::gate_count_max, " or less"));
  } else if (count != nullptr && count->integer > 1 && assurance != "sealed") {
    checks.wrong(Code::WORKFLOW_WRONG_VALUE, count->at,
                 cat("nothing tells ", count->integer,
                     " people apart below \"sealed\": all local callers are one"),
                 "write assurance: sealed beside it, so that each signs with a key of their own, "
                 "or remove \"count\"");
  }
  if (const SyntaxNode* life = gate.find("expires")) check_life(*life, checks);
  check_bytes(gate.find("prompt"), limits::gate_question_bytes_max, checks);
  check_bytes(gate.find("who"), limits::gate_who_bytes_max, checks);
}

bool is_server_command(const SyntaxNode& step) {
  return step.text_of("type") == "shell_command" && step.text_of("execution_context") != "client";
}

/// Keys that mean something only where there is an effect that the server knows of.
void check_effect(const SyntaxNode& step, StepChecks& checks) {
  const bool is_servers = is_server_command(step);
  const bool is_denied = step.has("effect") && !step.is_true("effect");
  for (const std::string_view key : {"undo", "despite_gaps"}) {
    const SyntaxNode* found = step.find(key);
    if (found == nullptr || is_servers) continue;
    checks.wrong(
        Code::WORKFLOW_WRONG_VALUE, found->key_at,
        cat("the agent runs this command, and \"", key, "\" is for commands that the server runs"),
        step.text_of("type") == "shell_command"
            ? cat("remove \"", key, "\", or \"execution_context\"")
            : cat("remove \"", key, "\", or write type: shell_command"));
  }
  for (const std::string_view key : {"on_fork", "undo", "despite_gaps"}) {
    const SyntaxNode* found = step.find(key);
    if (found == nullptr) continue;
    if (is_denied) {
      checks.wrong(Code::WORKFLOW_WRONG_VALUE, found->key_at,
                   cat("\"effect: false\" says that the step changes nothing outside, so \"", key,
                       "\" has no meaning"),
                   cat("remove \"", key, "\", or write effect: true"));
    } else if (key == "on_fork" && !is_servers && !step.is_true("effect")) {
      checks.wrong(Code::WORKFLOW_WRONG_VALUE, found->key_at,
                   "\"on_fork\" says what becomes of an effect, and this step says of none",
                   "write effect: true beside it, or remove \"on_fork\"");
    }
  }
}

}  // namespace

void check_gate_keys(const SyntaxNode& step, StepChecks& checks) {
  const SyntaxNode* gate = step.find("gate");
  if (gate != nullptr && gate->is_object()) check_gate(*gate, checks);
  check_effect(step, checks);
  if (!step.is_true("waivable")) return;
  const SyntaxNode* evidence = step.find("evidence");
  if (evidence != nullptr && !evidence->children.empty()) return;
  checks.wrong(Code::WORKFLOW_WRONG_VALUE, step.find("waivable")->key_at,
               "\"waivable\" is about the evidence of a step, and this one requires none",
               "add \"evidence\", or remove \"waivable\"");
}

}  // namespace baton::workflow
