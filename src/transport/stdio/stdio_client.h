#pragma once
// StdioClient: the one client of a stdio server as a listener: what it settled by initialize and
// what it listens to. Any thread may tell it of a change; everything else is the reader's.

#include <map>
#include <string>

#include "base/core/thread_safety.h"
#include "protocol/server.h"
#include "transport/stdio/output.h"

namespace baton::transport {

class StdioClient {
 public:
  /// `output` must outlive this.
  StdioClient(Output& output, std::string principal);

  protocol::Action accept(const protocol::Server& server, std::string_view text);

  enum class Start : std::uint8_t { started, id_in_use, too_many };
  Start listen(protocol::Listen listen);

  bool listens(const protocol::RequestId& id);

  /// After this nothing is sent for `id`.
  void cancel(const protocol::RequestId& id);

  void tell(const protocol::Change& change);

  /// The server ends: answers everything that is listened to.
  void dismiss();

 private:
  Output& output_;
  Mutex mutex_;
  protocol::ClientState connection_ GUARDED_BY(mutex_);
  std::map<protocol::RequestId, protocol::Listen> listens_ GUARDED_BY(mutex_);
};

}  // namespace baton::transport
