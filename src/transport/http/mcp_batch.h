#pragma once
// McpBatch: the requests of one POSTed batch (2025-03-26) and their answers, which go out as one
// array. Each request is a call of its own in the session, from before the first of them begins:
// cancelling one silences that one alone.
//
// Made on the io thread; run() on a worker. Cancelled from any thread.

#include <memory>
#include <string>
#include <vector>

#include "protocol/server.h"
#include "transport/http/mcp_call.h"
#include "transport/http/session.h"

namespace baton::transport {

class McpBatch {
 public:
  /// `whole` carries the answer; both are not null. The steps are taken in their order.
  McpBatch(std::shared_ptr<McpCall> whole, std::shared_ptr<Session> session, protocol::Batch batch);
  /// The ids are free again.
  ~McpBatch();
  McpBatch(const McpBatch&) = delete;
  McpBatch& operator=(const McpBatch&) = delete;

  /// Whether nothing in it asks for an answer.
  bool is_silent() const { return parts_.empty() && lines_.empty(); }

  /// Runs the requests one after another, because a batch is one request to us, and answers it.
  void run();

 private:
  class Part;

  void start(protocol::Work work);
  void add(std::string_view line);

  const std::shared_ptr<McpCall> whole_;
  const std::shared_ptr<Session> session_;
  std::vector<std::shared_ptr<Part>> parts_;
  std::string lines_;  // the answers so far, joined by commas
};

}  // namespace baton::transport
