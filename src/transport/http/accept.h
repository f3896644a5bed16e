#pragma once
// What a client takes, by its Accept headers. Pure; any thread.

#include "transport/http/message.h"

namespace baton::transport {

/// The two forms an answer may have.
struct Accepted {
  bool json = true;
  bool stream = true;
};

/// A client that says nothing takes everything. The most specific range that covers a form decides,
/// and the quality 0 means that it is not taken.
Accepted accepted_by(const HttpRequest& request);

}  // namespace baton::transport
