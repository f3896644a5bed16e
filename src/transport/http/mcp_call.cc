#include "transport/http/mcp_call.h"

#include <utility>

#include "base/text/text.h"

namespace baton::transport {

using protocol::RpcCode;
using protocol::RpcError;

namespace {

std::unexpected<RpcError> unreachable(std::string why) {
  return std::unexpected(RpcError{RpcCode::internal_error, std::move(why), {}});
}

}  // namespace

McpHttpCall::McpHttpCall(CallScheduler& scheduler, Key key, std::size_t bytes, Way way,
                         protocol::Work work)
    : ScheduledCall(scheduler, std::move(key), bytes),
      session_(std::move(way.session)),
      accepted_(way.accepted),
      work_(std::move(work)),
      begun_(std::chrono::steady_clock::now()),
      exchange_(std::move(way.exchange)) {}

bool McpHttpCall::open_stream() {
  if (state_ == State::streaming) return true;
  if (state_ == State::answered || !accepted_.stream) return false;
  state_ = State::streaming;
  if (session_) {
    stream_ = session_->open_stream(exchange_);
  } else {
    exchange_->start_stream(sse_head());
  }
  return true;
}

void McpHttpCall::deliver(std::string_view line) {
  if (session_) {
    session_->send(stream_, line);
  } else {
    exchange_->write(sse_event(line));
  }
}

void McpHttpCall::finish_stream() {
  if (session_) {
    session_->finish(stream_);
  } else {
    exchange_->finish();
  }
}

void McpHttpCall::send(std::string_view line) {
  const MutexLock lock(mutex_);
  if (!cancelled() && open_stream()) deliver(line);
}

std::expected<void, RpcError> McpHttpCall::tell(std::string line) {
  const MutexLock lock(mutex_);
  if (!session_ || !open_stream()) {
    return unreachable("The client has no open stream to be asked on.");
  }
  if (!session_->send(stream_, line)) return unreachable("The session has ended.");
  return {};
}

void McpHttpCall::close_stream() {
  const MutexLock lock(mutex_);
  if (session_ && open_stream()) session_->close_exchange(stream_);
}

void McpHttpCall::answer(protocol::WorkResult& outcome) {
  // Before the client has its answer, so that it can use the id again at once.
  scheduler().release(*this);
  respond(std::move(outcome.line), outcome.http_status);
}

void McpHttpCall::respond(std::string line, int http_status) {
  const MutexLock lock(mutex_);
  if (state_ == State::answered) return;
  // A cancelled call is answered by a stream without messages: its client must get no answer.
  const bool must_stream = !accepted_.json && http_status == 200;
  if ((cancelled() || must_stream) && state_ == State::waiting) {
    exchange_->start_stream(sse_head());
    if (!cancelled()) exchange_->write(sse_event(line));
    exchange_->finish();
  } else if (state_ == State::waiting) {
    exchange_->respond({http_status, {{"Content-Type", "application/json"}}, std::move(line)});
  } else {
    if (!cancelled()) deliver(line);
    finish_stream();
  }
  state_ = State::answered;
  exchange_ = nullptr;
}

bool McpHttpCall::become_stream_if_begun_before(std::chrono::steady_clock::time_point time) {
  const MutexLock lock(mutex_);
  if (begun_ > time) return false;
  if (!cancelled()) open_stream();
  return true;
}

bool McpHttpCall::is_answered() const {
  const MutexLock lock(mutex_);
  return state_ == State::answered;
}

// --- Batches ------------------------------------------------------------------------------------

/// One request, as its handler and the scheduler see it.
class McpBatch::Part final : public ScheduledCall {
 public:
  Part(McpBatch& whole, std::uint64_t client, protocol::Work given)
      : ScheduledCall(whole.scheduler(), {client, given.id}, 0),
        whole_(whole),
        work_(std::move(given)) {}

  bool cancelled() const override { return ScheduledCall::cancelled() || whole_.cancelled(); }
  void send(std::string_view line) override {
    if (!cancelled()) whole_.send(line);
  }
  void close_stream() override { whole_.close_stream(); }

  protocol::WorkResult run() override { return work_.run(*this); }

 private:
  void answer(protocol::WorkResult&) override {}
  std::expected<void, RpcError> tell(std::string line) override {
    return whole_.tell(std::move(line));
  }

  McpBatch& whole_;
  const protocol::Work work_;
};

McpBatch::McpBatch(CallScheduler& scheduler, std::size_t bytes, Way way, protocol::Batch batch)
    : McpHttpCall(scheduler, {scheduler.add_client(), {}}, bytes, way, {}) {
  const std::uint64_t client = way.session->client();
  for (protocol::SingleAction& action : batch.actions) {
    if (auto* const work = std::get_if<protocol::Work>(&action)) start(client, std::move(*work));
    if (auto* const reply = std::get_if<protocol::WireReply>(&action)) add(reply->line);
    if (auto* const cancel = std::get_if<protocol::Cancel>(&action)) {
      scheduler.cancel({client, cancel->id});
    }
    if (auto* const answered = std::get_if<protocol::Answered>(&action)) {
      scheduler.answered(client, std::move(answered->response));
    }
  }
}

McpBatch::~McpBatch() {
  for (const auto& part : parts_) scheduler().release(*part);
}

void McpBatch::start(std::uint64_t client, protocol::Work work) {
  auto part = std::make_shared<Part>(*this, client, std::move(work));
  if (scheduler().start_part(part)) {
    parts_.push_back(std::move(part));
  } else {
    add(protocol::encode_error(part->key().id, id_in_use()));
  }
}

void McpBatch::add(std::string_view line) {
  if (!line.empty()) lines_ += cat(lines_.empty() ? "" : ",", line);
}

protocol::WorkResult McpBatch::run() {
  std::vector<std::function<void(const protocol::CallHost&)>> rests;
  for (const auto& part : parts_) {
    protocol::WorkResult outcome;
    if (!part->cancelled()) outcome = part->run();
    scheduler().release(*part);
    if (!part->cancelled()) add(outcome.line);
    if (outcome.then) rests.push_back(std::move(outcome.then));
  }
  // An empty array is not an answer: when all were cancelled the client gets nothing.
  if (lines_.empty()) scheduler().cancel(*this);
  protocol::WorkResult all{.line = cat('[', lines_, ']')};
  if (!rests.empty()) {
    all.then = [rests = std::move(rests)](const protocol::CallHost& host) {
      for (const auto& rest : rests) rest(host);
    };
  }
  return all;
}

}  // namespace baton::transport
