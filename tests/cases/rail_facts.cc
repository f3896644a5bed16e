// Facts of the answers that give a place in a run on the rail.

#include "facts.h"

namespace baton::cases {
namespace {

/// How many lines "- ..." the section on what is required has.
std::size_t requirement_count(std::string_view prompt) {
  constexpr std::string_view heading = "## Output requirements\n";
  const std::size_t start = prompt.find(heading);
  if (start == std::string_view::npos) return 0;
  prompt.remove_prefix(start + heading.size());
  prompt = prompt.substr(0, prompt.find("\n## "));
  std::size_t count = 0;
  for (std::size_t at = prompt.find("\n- "); at != std::string_view::npos;
       at = prompt.find("\n- ", at + 1)) {
    ++count;
  }
  return count;
}

/// " -> TOKENS", and a line for each token that the text does not show.
std::string tokens_of(Facts& facts) {
  std::string tokens;
  for (const std::string_view key : {"ackToken", "stateToken", "checkpointToken"}) {
    const json::Value* token = facts.take(key);
    if (token == nullptr) continue;
    tokens += cat(tokens.empty() ? " -> " : " ", word_of(token));
  }
  return tokens;
}

void say_step(Facts& facts, const json::Value& pending, const std::string& tokens) {
  facts.say("step ", string_at(&pending, "stepId"), tokens);
  facts.expect_told("pending.stepId", pending.find("stepId"));
  facts.expect_told("pending.title", pending.find("title"));
  facts.expect_told("pending.prompt", pending.find("prompt"));
  if (is_true(pending.find("requireConfirmation"))) facts.say("confirm");
  if (const json::Value* role = pending.find("agentRole")) facts.say("role ", word_of(role));
  const std::size_t required = requirement_count(string_at(&pending, "prompt"));
  if (required > 0) facts.say("requires ", required);
}

/// The step or the end, with its tokens, and the status where it is not the usual one.
void say_point(Facts& facts) {
  const bool is_blocked = string_at(&facts.root(), "kind") == "blocked";
  facts.take("kind");
  const std::string status = word_of(facts.take("status"));
  const std::string tokens = tokens_of(facts);
  const json::Value* pending = facts.take("pending");
  const bool is_complete = is_true(facts.take("isComplete"));
  if (pending != nullptr) {
    say_step(facts, *pending, tokens);
    if (status != (is_blocked ? "blocked" : "in_progress")) facts.say("status ", status);
  } else {
    facts.say(status == "complete" ? "complete" : cat("ended ", status), tokens);
  }
  if (is_complete != (pending == nullptr)) facts.say("isComplete ", is_complete ? "true" : "false");
  const std::string next = word_of(facts.take("nextIntent"));
  const std::string_view usual = pending == nullptr ? "complete" : "perform_pending_then_continue";
  if (next != usual) facts.say("next ", next);
  for (const std::string_view key : {"ackToken", "stateToken", "checkpointToken"}) {
    facts.expect_told(key, facts.root().find(key));
  }
}

/// What the next call should send beyond notes. The call itself is the usual one: its tool and its
/// token are shown only when they are not.
void say_next_call(Facts& facts) {
  const json::Value* retry = facts.take("retryAckToken");
  const json::Value* ack = facts.root().find("ackToken");
  if (retry != nullptr && (ack == nullptr || *retry != *ack)) facts.say("retry ", word_of(retry));
  const json::Value* call = facts.take("nextCall");
  if (call == nullptr) return;
  const json::Value* arguments = call->find("arguments");
  const json::Value* token = arguments == nullptr ? nullptr : arguments->find("ackToken");
  const json::Value* context = arguments == nullptr ? nullptr : arguments->find("context");
  const std::size_t usual_size = context == nullptr ? 2 : 3;
  const bool is_usual = string_at(call, "tool") == "continue_workflow" && token != nullptr &&
                        ack != nullptr && *token == *ack &&
                        arguments->if_object()->size() == usual_size;
  if (!is_usual) facts.say("call ", json::print(*call));
  const json::Value* output = arguments == nullptr ? nullptr : arguments->find("output");
  const std::string_view notes = string_at(output, "notesMarkdown");
  std::string sends;
  if (const std::size_t end = notes.find('\n'); end != std::string_view::npos) {
    sends += cat(" notes ", json::print(notes.substr(end + 1)));
  }
  for (const json::Value& artifact :
       items_of(output == nullptr ? nullptr : output->find("artifacts"))) {
    sends += cat(' ', string_at(&artifact, "kind"));
  }
  if (context != nullptr && context->is_object()) {
    for (const json::Member& each : *context->if_object()) sends += cat(" context.", each.key);
  }
  if (!sends.empty()) facts.say("send", sends);
}

void say_preferences(Facts& facts) {
  const json::Value* preferences = facts.take("preferences");
  const std::string mode =
      cat(string_at(preferences, "autonomy"), ' ', string_at(preferences, "riskPolicy"));
  if (mode != "guided conservative") facts.say("mode ", mode);
}

void say_gaps(Facts& facts) {
  const json::Array& gaps = items_of(facts.take("gaps"));
  for (const json::Value& gap : gaps) {
    std::string line = "gap";
    for (const std::string_view key : {"gapId", "severity", "category", "reason", "stepId"}) {
      line += cat(' ', string_at(&gap, key));
    }
    facts.say(line);
    facts.expect_told("gaps.summary", gap.find("summary"));
  }
  const json::Value* open = facts.take("openGaps");
  if (open != nullptr && word_of(open) != cat(gaps.size())) facts.say("openGaps ", word_of(open));
}

/// "$st2 $node1 step do", or "complete" in place of the step.
std::string point_of(const json::Value& point) {
  const json::Value* step = point.find("pendingStepId");
  return cat(string_at(&point, "stateToken"), ' ', string_at(&point, "nodeId"), ' ',
             is_true(point.find("isComplete")) ? "complete" : cat("step ", word_of(step)));
}

void say_raises(Facts& facts, const json::Value* raises) {
  for (const json::Value& raise : items_of(raises)) {
    const json::Value* change = raise.find("change");
    const json::Value* from = change == nullptr ? nullptr : change->find("from");
    facts.say("raised ", string_at(&raise, "autonomy"), ' ', string_at(&raise, "riskPolicy"),
              " from ", string_at(from, "autonomy"), ' ', string_at(from, "riskPolicy"), " by ",
              string_at(change, "by"), ' ', string_at(change, "how"), ' ',
              string_at(change, "tool"), " times ", word_of(raise.find("times")));
  }
}

void say_recovery(Facts& facts) {
  const json::Value* recovery = facts.take("recovery");
  if (recovery == nullptr) return;
  facts.say("recovery ", is_true(recovery->find("isTip")) ? "tip" : "behind");
  for (const json::Value& child : items_of(recovery->find("children"))) {
    facts.say("child ", point_of(child), ' ', string_at(&child, "kind"),
              is_true(child.find("isPreferred")) ? " preferred" : "");
    facts.expect_told("recovery.children.label", child.find("label"));
    facts.expect_told("recovery.children.stateToken", child.find("stateToken"));
  }
  const json::Value* omitted = recovery->find("childrenOmitted");
  if (omitted != nullptr && word_of(omitted) != "0") facts.say("omitted ", word_of(omitted));
  if (const json::Value* tip = recovery->find("preferredTip")) facts.say("latest ", point_of(*tip));
  say_raises(facts, recovery->find("raises"));
  say_recap(facts, recovery->find("recap"));
  for (const json::Member& member : *recovery->if_object()) {
    if (member.key == "functions" || member.key == "references" || member.key == "goal" ||
        member.key == "guidance") {
      facts.say("recovers ", member.key);
      facts.expect_told(cat("recovery.", member.key), &member.value);
    }
  }
}

void say_assessments(Facts& facts) {
  const json::Value* context = facts.take("stepContext");
  if (context == nullptr) return;
  for (const json::Value& each : items_of(context->find("assessments"))) {
    std::string line = cat("assessment ", string_at(&each, "assessment"));
    for (const json::Value& dimension : items_of(each.find("dimensions"))) {
      line += cat(' ', string_at(&dimension, "id"), '=', string_at(&dimension, "level"));
    }
    const std::size_t guidance = items_of(each.find("guidance")).size();
    if (guidance > 0) line += cat(" guidance ", guidance);
    facts.say(line);
  }
}

void say_capabilities(Facts& facts) {
  const json::Value* capabilities = facts.take("capabilities");
  if (capabilities == nullptr || !capabilities->is_object()) return;
  for (const json::Member& member : *capabilities->if_object()) {
    facts.say("capability ", member.key, ' ', string_at(&member.value, "status"), ' ',
              string_at(&member.value, "provenance"));
  }
}

}  // namespace

void say_rail_checkpoint(Facts& facts) {
  const json::Value* call = facts.take("nextCall");
  const json::Value* arguments = call == nullptr ? nullptr : call->find("arguments");
  facts.say("checkpoint ", word_of(facts.take("checkpointNodeId")), " -> ",
            string_at(arguments, "ackToken"), ' ', word_of(facts.take("stateToken")), ' ',
            word_of(facts.take("checkpointToken")));
}

void say_rail_place(Facts& facts) {
  say_blockers(facts);
  say_point(facts);
  const json::Value* session = facts.take("session");
  say_run(facts, string_at(session, "runId"), string_at(session, "sessionId"));
  say_preferences(facts);
  say_next_call(facts);
  say_gaps(facts);
  if (const json::Value* notice = facts.take("notice")) {
    const json::Value* token = notice->find("ackToken");
    if (token == nullptr) token = notice->find("checkpointToken");
    facts.say("notice -> ", word_of(token));
    facts.expect_told("notice.message", notice->find("message"));
    facts.expect_told("notice.ackToken", token);
  }
  say_assessments(facts);
  say_capabilities(facts);
  say_recovery(facts);
}

}  // namespace baton::cases
