#include "answer.h"

#include <array>

#include "base/text/text.h"
#include "facts.h"
#include "queries.h"

namespace baton::cases {
namespace {

/// The texts of the items of `list`: their member `key`, or the items themselves.
std::string texts_of(const json::Value* list, std::string_view key) {
  std::string text;
  for (const json::Value& item : items_of(list)) {
    const json::Value* holder = key.empty() ? &item : item.find(key);
    text += string_at(holder, "text");
  }
  return text;
}

/// The text of an error as fields, for a surface that sends no others.
json::Value error_fields(std::string_view text) {
  json::Object fields;
  const std::size_t colon = text.find(": ");
  if (colon == std::string_view::npos) return fields;
  fields.set("code", text.substr(0, colon));
  text.remove_prefix(colon + 2);
  const std::size_t retry = std::min(text.find("\nRetry: "), text.size());
  const std::size_t hint = std::min(text.find("\nHint: "), retry);
  fields.set("message", text.substr(0, hint));
  if (hint < retry) fields.set("hint", text.substr(hint + 7, retry - hint - 7));
  if (retry < text.size()) {
    fields.set("retry", json::Object{{"kind", text.substr(retry + 8)}});
  }
  return fields;
}

Shown shown_of(const json::Value& message) {
  if (const json::Value* error = message.find("error")) {
    return {*error, std::string(string_at(error, "message"))};
  }
  const json::Value* result = message.find("result");
  if (result == nullptr) return {};
  const json::Value* content = result->find("content");
  if (content == nullptr) {
    return {*result, cat(texts_of(result->find("messages"), "content"),
                         texts_of(result->find("contents"), ""))};
  }
  Shown shown = {json::Object(), texts_of(content, "")};
  if (const json::Value* structured = result->find("structuredContent")) {
    shown.root = *structured;
  } else if (is_true(result->find("isError"))) {
    shown.root = error_fields(shown.text);
  }
  return shown;
}

void say_error(Facts& facts) {
  facts.say("error ", word_of(facts.take("code")));
  facts.expect_told("message", facts.take("message"));
  facts.expect_told("hint", facts.take("hint"));
  const json::Value* retry = facts.take("retry");
  if (retry == nullptr) return;
  const json::Value* after = retry->find("retryAfterMs");
  const std::string kind = word_of(retry->find("kind"));
  if (kind != "retry_with_changes") {
    facts.say("retry ", kind, after == nullptr ? "" : cat(" ", word_of(after)));
  }
}

/// The ids of the workflows of a list, and the files that cannot be read.
void say_workflows(Facts& facts) {
  std::string ids;
  std::vector<std::string> broken;
  for (const json::Value& each : items_of(facts.take("workflows"))) {
    if (each.find("problem") != nullptr) {
      broken.emplace_back(string_at(&each, "path"));
      continue;
    }
    const json::Value* id = each.find("workflowId");
    ids += cat(ids.empty() ? " " : ", ", word_of(id == nullptr ? each.find("name") : id));
  }
  facts.say("workflows", ids);
  for (const std::string& path : broken) facts.say("broken ", path);
}

void say_candidates(Facts& facts) {
  for (const json::Value& each : items_of(facts.take("candidates"))) {
    std::string line = "candidate";
    for (const std::string_view key : {"runId", "sessionId", "workflowId", "stateToken"}) {
      line += cat(' ', word_of(each.find(key)));
    }
    line += is_true(each.find("isComplete")) ? " complete"
                                             : cat(" step ", word_of(each.find("pendingStepId")));
    for (const json::Value& why : items_of(each.find("whyMatched"))) {
      line += cat(' ', word_of(&why));
    }
    facts.say(line);
    facts.expect_told("candidates.stateToken", each.find("stateToken"));
  }
  facts.say("eligible ", word_of(facts.take("totalEligible")));
}

/// Answers to methods other than tools/call.
void say_method_result(Facts& facts) {
  facts.take("description");
  if (const json::Value* messages = facts.take("messages")) {
    std::string line = "messages";
    for (const json::Value& each : items_of(messages)) line += cat(' ', string_at(&each, "role"));
    facts.say(line);
  }
  for (const json::Value& each : items_of(facts.take("contents"))) {
    facts.say("content ", string_at(&each, "uri"), ' ', string_at(&each, "mimeType"));
  }
  if (const json::Value* completion = facts.take("completion")) {
    const json::Array& values = items_of(completion->find("values"));
    std::string line = "values";
    for (const json::Value& each : values) line += cat(' ', word_of(&each));
    if (word_of(completion->find("total")) != cat(values.size())) {
      line += cat(" of ", word_of(completion->find("total")));
    }
    facts.say(line, is_true(completion->find("hasMore")) ? " and more" : "");
  }
}

void say_tool_result(Facts& facts) {
  const json::Value& root = facts.root();
  const auto has = [&](std::string_view key) { return root.find(key) != nullptr; };
  if (const json::Value* run = facts.take("workflow_id")) say_run(facts, word_of(run), "");
  if (has("kind") && has("stateToken")) {
    say_rail_place(facts);
  } else if (has("checkpointNodeId")) {
    say_rail_checkpoint(facts);
  } else if (has("success") && has("step_id")) {
    say_atomic_completion(facts);
  } else if (has("step") && has("workflow_id")) {
    say_atomic_step(facts);
  } else if (has("workflows")) {
    say_workflows(facts);
  } else if (has("candidates")) {
    say_candidates(facts);
  }
  // The mode of a run is told in words; that of a listing is a field like any other.
  if (string_at(&facts.root(), "mode").starts_with("Mode ")) {
    facts.expect_told("mode", facts.take("mode"));
  }
  if (const json::Value* state = facts.take("state")) facts.say("state ", word_of(state));
  say_warnings(facts);
}

std::vector<std::string> facts_of(AnswerMemory& memory, const CallLine& asked, const Shown& shown,
                                  const json::Value& message) {
  Facts facts(memory, shown.root, shown.text);
  const json::Value* result = message.find("result");
  const bool is_error = result != nullptr && is_true(result->find("isError"));
  if (message.find("error") != nullptr) {
    facts.say("refused ", word_of(facts.take("code")));
    facts.take("message");
  } else if (is_error) {
    say_error(facts);
  } else if (asked.method == "tools/call") {
    say_tool_result(facts);
  } else {
    say_method_result(facts);
  }
  return facts.finish();
}

}  // namespace

Result<Answer> show_answer(AnswerMemory& memory, Names& names, const CallLine& asked,
                           const std::vector<std::string>& queries,
                           const std::vector<std::string>& lines) {
  Answer answer;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const json::Value notification = TRY(json::parse(lines[i]));
    answer.facts.push_back(cat("notified ", string_at(&notification, "method")));
  }
  if (lines.empty()) return fail(Code::NOT_FOUND, "the call got no answer");
  const json::Value message = TRY(json::parse(lines.back()));
  const Shown shown = shown_of(message);
  const std::string now =
      names.shorten(json::print(json::Array{shown.root, json::Value(shown.text)}));
  std::string& before = memory.answers[cat(asked.method, json::print(asked.params))];
  const std::vector<std::string> facts = facts_of(memory, asked, shown, message);
  if (now == before) {
    answer.facts.emplace_back("same answer as before");
  } else {
    for (const std::string& fact : facts) answer.facts.push_back(names.shorten_call(fact));
  }
  before = now;
  for (const std::string& query : queries) {
    std::vector<std::string> said = TRY(answer_query(shown, query, names));
    for (std::string& line : said) line = names.shorten_call(line);
    answer.queried.push_back(std::move(said));
  }
  return answer;
}

}  // namespace baton::cases
