#pragma once
// A server with one of everything and a client's end to call it with, for the tests of this room.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/text/base64.h"
#include "base/text/text.h"
#include "protocol/server.h"
#include "protocol/testing/memory_task_book.h"

namespace baton::protocol {

/// Keeps states readable and checks nothing but their binding.
class PlainSealer final : public StateSealer {
 public:
  Result<std::string> seal(std::string_view bytes, std::string_view binding) override {
    return to_base64url(cat(binding, '\0', bytes));
  }
  Result<std::string> open(std::string_view text, std::string_view binding) override {
    const auto decoded = from_base64url(text);
    if (!decoded || !decoded->starts_with(cat(binding, '\0'))) {
      return fail(Code::INVALID_INPUT, "not sealed for this");
    }
    return decoded->substr(binding.size() + 1);
  }
};

/// The transport's end of a call: what was sent, and answers prepared for what is asked.
class FakeHost final : public CallHost {
 public:
  bool cancelled() const override { return stop; }
  void send(std::string_view line) override { sent.push_back(MUST(json::parse(line))); }
  std::expected<json::Value, RpcError> ask(std::string_view method, json::Object params) override {
    asked.push_back({std::string(method), std::move(params)});
    if (answers.empty()) return std::unexpected(RpcError{RpcCode::internal_error, "gone"});
    json::Value answer = answers.front();
    answers.erase(answers.begin());
    return answer;
  }
  void close_stream() override { ++closed; }

  bool stop = false;
  int closed = 0;
  std::vector<json::Value> sent;
  std::vector<InputRequest> asked;
  std::vector<json::Value> answers;
};

inline json::Object object(std::string_view text) { return *MUST(json::parse(text)).if_object(); }

inline Tool plain_tool(std::string name, ToolHandler handler) {
  return {.name = std::move(name),
          .title = "Title",
          .description = "Use it in tests.",
          .input_schema = MUST(json::parse(R"({"type":"object","properties":{}})")),
          .handler = std::move(handler)};
}

/// One client of one server.
class Client {
 public:
  explicit Client(Catalog catalog) : server({.version = "1"}, std::move(catalog)) {}

  /// The answer to a legacy request.
  json::Value legacy(std::string_view method, json::Object params = {}) {
    return run(encode_request(next(), method, std::move(params)));
  }

  /// The answer to a modern request.
  json::Value modern(std::string_view method, json::Object params = {}) {
    return run(encode_request(next(), method, with_meta(std::move(params))));
  }

  json::Object with_meta(json::Object params) const {
    json::Object meta;
    meta.append_new(std::string(meta_key::protocol_version), "2026-07-28");
    meta.append_new(std::string(meta_key::client_capabilities), capabilities);
    for (const auto& [key, value] : more_meta) meta.set(key, value);
    params.set("_meta", std::move(meta));
    return params;
  }

  /// The answer to a line, with the work done that it asks for; null when there is none.
  json::Value run(std::string_view line) {
    Action action = server.accept(line, connection);
    if (WireReply* const reply = std::get_if<WireReply>(&action)) {
      status = reply->http_status;
      return MUST(json::parse(reply->line));
    }
    Work* const work = std::get_if<Work>(&action);
    if (work == nullptr) return {};
    WorkResult outcome = work->run(host);
    status = outcome.http_status;
    if (outcome.then) rest.push_back(std::move(outcome.then));
    return MUST(json::parse(outcome.line));
  }

  /// Continues the call that became a task.
  void continue_task() {
    while (!rest.empty()) {
      const auto next_one = std::move(rest.front());
      rest.erase(rest.begin());
      next_one(host);
    }
  }

  void initialize(std::string_view version, json::Object theirs = {}) {
    legacy("initialize", {{"protocolVersion", version}, {"capabilities", std::move(theirs)}});
  }

  RequestId next() { return ++id_; }

  Server server;
  ClientState connection;
  FakeHost host;
  json::Object capabilities;
  json::Object more_meta;
  int status = 0;  // for HTTP, of the last answer
  std::vector<std::function<void(const CallHost&)>> rest;

 private:
  std::int64_t id_ = 0;
};

/// The value below `path`, or null.
inline json::Value at(const json::Value& value, std::initializer_list<std::string_view> path) {
  const json::Value* found = &value;
  for (const std::string_view key : path) {
    found = found->find(key);
    if (found == nullptr) return {};
  }
  return *found;
}

inline json::Value code_of(const json::Value& answer) { return at(answer, {"error", "code"}); }

}  // namespace baton::protocol
