#include "wire.h"

#include "base/text/text.h"

namespace baton::lossy {
namespace {

/// Only a server that is stuck takes so long.
constexpr int answer_wait_ms_max = 60'000;

std::unexpected<Error> broken(std::string message) {
  return fail(Code::ENVIRONMENT, std::move(message));
}

Result<Told> read_answer(const json::Value& message) {
  Told told;
  if (const json::Value* error = message.find("error")) {
    told.is_error = true;
    told.text = *error->find("message")->if_string();
    return told;
  }
  const json::Value* result = message.find("result");
  const json::Value* content = result == nullptr ? nullptr : result->find("content");
  if (content == nullptr) return broken(cat("no answer to a call: ", json::print(message)));
  told.text = *content->if_array()->front().find("text")->if_string();
  told.is_error = result->find("isError") != nullptr;
  if (const json::Value* fields = result->find("structuredContent")) {
    told.fields = *fields->if_object();
  }
  return told;
}

}  // namespace

std::string Told::field(std::string_view name) const {
  const json::Value* value = fields.find(name);
  return value != nullptr && value->is_string() ? *value->if_string() : std::string();
}

Result<Wire> Wire::start(const std::string& binary, const std::filesystem::path& folder) {
  crash::Command command;
  command.words = {binary,         "serve",
                   "--db",         (folder / "runs.db").string(),
                   "--workflows",  (folder / "flows").string(),
                   "--allow-shell"};
  command.environment = {cat("HOME=", folder.string())};
  command.errors = folder / "stderr";
  return Wire(TRY(crash::Child::start(command)));
}

Result<std::int64_t> Wire::send(const Call& call) {
  const json::Object message{
      {"jsonrpc", "2.0"},
      {"id", ++last_id_},
      {"method", "tools/call"},
      {"params", json::Object{{"name", call.tool}, {"arguments", call.arguments}}}};
  if (!child_->write_line(json::print(message))) return broken("the server no longer reads");
  return last_id_;
}

Result<Told> Wire::hear(std::int64_t id) {
  while (!heard_.contains(id)) {
    const crash::Child::Line line = child_->read_line(answer_wait_ms_max);
    if (line.heard != crash::Child::Heard::line) return broken("the server does not answer");
    const json::Value message = TRY(json::parse(line.text));
    const json::Value* found = message.find("id");
    if (found == nullptr || found->if_int() == nullptr) {
      return broken(cat("an answer without an id: ", line.text));
    }
    heard_.emplace(*found->if_int(), TRY(read_answer(message)));
  }
  Told told = std::move(heard_.at(id));
  heard_.erase(id);
  return told;
}

Result<void> Wire::end() {
  child_->close_input();
  for (;;) {
    const crash::Child::Line line = child_->read_line(answer_wait_ms_max);
    if (line.heard == crash::Child::Heard::end) break;
    if (line.heard == crash::Child::Heard::nothing_yet) return broken("the server does not end");
  }
  const int status = child_->wait();
  if (status != 0) return broken(cat("the server ended with ", status));
  return {};
}

}  // namespace baton::lossy
