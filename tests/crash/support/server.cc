#include "support/server.h"

#include <fstream>

#include "base/text/text.h"

namespace baton::crash {
namespace {

namespace fs = std::filesystem;

std::string workflow_text() {
  json::Array steps;
  for (int i = 1; i <= workflow_steps; ++i) {
    steps.emplace_back(json::Object{{"id", cat("step-", i)}, {"prompt", cat("Do part ", i, '.')}});
  }
  return json::print(json::Object{{"id", workflow_id}, {"steps", std::move(steps)}});
}

Result<Answer> read_answer(const json::Value& message, std::string_view line) {
  Answer answer;
  const std::size_t at = line.find("\"result\":");
  const json::Value* result = message.find("result");
  if (result == nullptr || at == std::string_view::npos) {
    return fail(Code::INVALID_JSON, cat("not the answer to a call: ", line));
  }
  answer.result = line.substr(at);
  if (const json::Value* structured = result->find("structuredContent")) {
    answer.structured = *structured;
  }
  const json::Value* is_error = result->find("isError");
  if (is_error == nullptr || !*is_error->if_bool()) return answer;
  const json::Value* content = result->find("content");
  if (content == nullptr || !content->is_array() || content->if_array()->empty()) {
    return fail(Code::INVALID_JSON, cat("an error without text: ", line));
  }
  const json::Value* text = content->if_array()->front().find("text");
  answer.text = text != nullptr && text->is_string() ? *text->if_string() : std::string();
  answer.code = answer.text.substr(0, answer.text.find(':'));
  return answer;
}

}  // namespace

Result<Place> make_place(const fs::path& folder) {
  const Place place{folder, folder / "stderr"};
  std::error_code problem;
  fs::create_directories(place.workflows(), problem);
  std::ofstream file(place.workflows() / cat(workflow_id, ".json"));
  file << workflow_text();
  file.close();
  if (problem || !file) return fail(Code::ENVIRONMENT, cat("cannot write to ", folder.string()));
  return place;
}

Scratch::Scratch() {
  std::string pattern = (fs::temp_directory_path() / "baton-crash-XXXXXX").string();
  ASSERT(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

Scratch::~Scratch() {
  std::error_code ignored;
  if (!is_kept_) fs::remove_all(path_, ignored);
}

Call start_call() { return {"start_workflow", {{"workflowId", workflow_id}}}; }

Call advance_call(std::string_view ack, std::string_view notes) {
  return {"continue_workflow",
          {{"ackToken", ack}, {"output", json::Object{{"notesMarkdown", notes}}}}};
}

Call checkpoint_call(std::string_view checkpoint, std::string_view notes) {
  return {"checkpoint_workflow",
          {{"checkpointToken", checkpoint}, {"output", json::Object{{"notesMarkdown", notes}}}}};
}

Call look_call(std::string_view state) { return {"continue_workflow", {{"stateToken", state}}}; }

std::string Answer::field(std::string_view name) const {
  const json::Value* value = structured.find(name);
  if (value == nullptr && name == "ackToken") {
    // A checkpoint's answer names the ack in the next call only.
    const json::Value* next = structured.find("nextCall");
    const json::Value* arguments = next != nullptr ? next->find("arguments") : nullptr;
    value = arguments != nullptr ? arguments->find(name) : nullptr;
  }
  return value != nullptr && value->is_string() ? *value->if_string() : std::string();
}

Result<std::unique_ptr<Server>> Server::start(const ServerSetup& setup) {
  Command command;
  command.words = setup.wrapper;
  for (const std::string& word :
       {setup.binary, std::string("serve"), std::string("--db"), setup.place.db().string(),
        std::string("--workflows"), setup.place.workflows().string()}) {
    command.words.push_back(word);
  }
  command.words.insert(command.words.end(), setup.options.begin(), setup.options.end());
  command.environment = setup.environment;
  command.environment.push_back(cat("HOME=", setup.place.folder.string()));
  command.errors = setup.place.log;
  return std::make_unique<Server>(TRY(Child::start(command)));
}

std::optional<std::int64_t> Server::send(const Call& call) {
  const json::Object message{
      {"jsonrpc", "2.0"},
      {"id", ++last_id_},
      {"method", "tools/call"},
      {"params", json::Object{{"name", call.tool}, {"arguments", call.arguments}}}};
  if (!child_->write_line(json::print(message))) return std::nullopt;
  return last_id_;
}

Result<Server::Heard> Server::hear(int wait_ms) {
  const Child::Line line = child_->read_line(wait_ms);
  Heard heard;
  heard.heard = line.heard;
  if (line.heard != Child::Heard::line) return heard;
  const json::Value message = TRY(json::parse(line.text));
  const json::Value* id = message.find("id");
  if (id == nullptr || id->if_int() == nullptr) {
    return fail(Code::INVALID_JSON, cat("an answer without our id: ", line.text));
  }
  heard.id = *id->if_int();
  heard.answer = TRY(read_answer(message, line.text));
  return heard;
}

Result<Answer> Server::call(const Call& call) {
  const auto id = send(call);
  if (!id) return fail(Code::NOT_FOUND, cat("the server no longer reads: ", call.tool));
  Heard heard = TRY(hear(answer_wait_ms_max));
  if (heard.heard != Child::Heard::line) {
    return fail(
        Code::NOT_FOUND,
        cat(heard.heard == Child::Heard::end ? "the server ended: " : "no answer within a minute: ",
            json::print(call.arguments)));
  }
  if (heard.id != *id) return fail(Code::INVALID_JSON, "an answer to another call");
  return std::move(heard.answer);
}

Result<void> Server::end() {
  child_->close_input();
  for (;;) {
    const Child::Line line = child_->read_line(answer_wait_ms_max);
    if (line.heard == Child::Heard::end) break;
    if (line.heard == Child::Heard::nothing_yet) {
      return fail(Code::NOT_FOUND, "the server did not end with its input");
    }
  }
  const int status = child_->wait();
  if (status != 0) return fail(Code::NOT_FOUND, cat("the server ended with ", status));
  return {};
}

}  // namespace baton::crash
