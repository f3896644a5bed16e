#include "transport/stdio/stdio_client.h"

#include "base/core/limits.h"

namespace baton::transport {

StdioClient::StdioClient(Output& output, std::string principal) : output_(output) {
  connection_.principal = std::move(principal);
}

protocol::Action StdioClient::accept(const protocol::Server& server, std::string_view text) {
  const MutexLock lock(mutex_);
  return server.accept(text, connection_);
}

StdioClient::Start StdioClient::listen(protocol::Listen listen) {
  const MutexLock lock(mutex_);
  if (listens_.contains(listen.id)) return Start::id_in_use;
  if (listens_.size() >= limits::listens_max) return Start::too_many;
  // Under the lock, so that no notification comes before the acknowledgement.
  output_.write_line(std::move(listen.acknowledged), nullptr);
  const protocol::RequestId id = listen.id;
  listens_.emplace(id, std::move(listen));
  return Start::started;
}

bool StdioClient::listens(const protocol::RequestId& id) {
  const MutexLock lock(mutex_);
  return listens_.contains(id);
}

void StdioClient::cancel(const protocol::RequestId& id) {
  const MutexLock lock(mutex_);
  listens_.erase(id);
}

void StdioClient::tell(const protocol::Change& change) {
  const MutexLock lock(mutex_);
  if (auto line = protocol::notification_for(change, connection_)) {
    output_.write_line(std::move(*line), nullptr);
  }
  for (const auto& [id, listen] : listens_) {
    if (auto line = protocol::notification_for(change, listen.filter, id)) {
      output_.write_line(std::move(*line), nullptr);
    }
  }
}

void StdioClient::dismiss() {
  const MutexLock lock(mutex_);
  for (auto& [id, listen] : listens_) output_.write_line(std::move(listen.final), nullptr);
  listens_.clear();
}

}  // namespace baton::transport
