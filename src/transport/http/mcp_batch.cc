#include "transport/http/mcp_batch.h"

#include <atomic>
#include <utility>

#include "base/text/text.h"

namespace baton::transport {

/// One request, as its handler and who cancels it see it.
class McpBatch::Part final : public protocol::CallHost, public Cancellable {
 public:
  Part(McpBatch& batch, protocol::Work given)
      : work(std::move(given)), whole_(batch.whole_), session_(batch.session_) {}

  bool cancelled() const override { return unwanted_.load() || whole_->cancelled(); }
  void send(std::string_view line) override {
    if (!cancelled()) whole_->send(line);
  }
  std::expected<json::Value, protocol::RpcError> ask(std::string_view method,
                                                     json::Object params) override {
    return whole_->ask_for(*this, method, std::move(params));
  }
  void close_stream() override { whole_->close_stream(); }

  void cancel() override {
    unwanted_.store(true);
    session_->wake();
  }

  const protocol::Work work;
  bool is_open = true;  // its id is in use; the worker's alone

 private:
  const std::shared_ptr<McpCall> whole_;
  const std::shared_ptr<Session> session_;
  std::atomic<bool> unwanted_ = false;
};

McpBatch::McpBatch(std::shared_ptr<McpCall> whole, std::shared_ptr<Session> session,
                   protocol::Batch batch)
    : whole_(std::move(whole)), session_(std::move(session)) {
  for (protocol::SingleStep& step : batch.steps) {
    if (auto* const work = std::get_if<protocol::Work>(&step)) start(std::move(*work));
    if (auto* const reply = std::get_if<protocol::Reply>(&step)) add(reply->line);
    if (auto* const cancel = std::get_if<protocol::Cancel>(&step)) {
      session_->cancel_call(cancel->id);
    }
    if (auto* const answered = std::get_if<protocol::Answered>(&step)) {
      session_->answered(std::move(answered->response));
    }
  }
}

McpBatch::~McpBatch() {
  for (const auto& part : parts_) {
    if (part->is_open) session_->end_call(part->work.id);
  }
}

void McpBatch::start(protocol::Work work) {
  auto part = std::make_shared<Part>(*this, std::move(work));
  if (session_->begin_call(part->work.id, part)) {
    parts_.push_back(std::move(part));
  } else {
    add(protocol::encode_error(part->work.id, id_in_use()));
  }
}

void McpBatch::add(std::string_view line) {
  if (!line.empty()) lines_ += cat(lines_.empty() ? "" : ",", line);
}

void McpBatch::run() {
  std::vector<std::function<void(const protocol::CallHost&)>> rests;
  for (const auto& part : parts_) {
    protocol::Outcome outcome;
    if (!part->cancelled()) outcome = part->work.run(*part);
    part->is_open = false;
    session_->end_call(part->work.id);
    if (!part->cancelled()) add(outcome.line);
    if (outcome.then) rests.push_back(std::move(outcome.then));
  }
  // An empty array is not an answer: when all were cancelled the client gets nothing.
  if (lines_.empty()) whole_->cancel();
  protocol::Outcome all{.line = cat('[', lines_, ']')};
  if (!rests.empty()) {
    all.then = [&rests](const protocol::CallHost& host) {
      for (const auto& rest : rests) rest(host);
    };
  }
  whole_->conclude(std::move(all));
}

}  // namespace baton::transport
