#pragma once
// BatchReply: collects the answers to one batch and sends them as one array when all are there. Any
// thread.

#include <mutex>
#include <string>
#include <string_view>

#include "transport/stdio/output.h"

namespace baton::transport {

class BatchReply {
 public:
  /// `output` must outlive this. `expected` answers or drops complete it.
  BatchReply(Output& output, std::size_t expected) : output_(output), missing_(expected) {}

  void give(std::string_view line);
  void drop();

 private:
  // REQUIRES: mutex_ is held.
  void count_down();

  Output& output_;
  std::mutex mutex_;
  std::size_t missing_;
  std::string lines_;  // joined by commas
};

}  // namespace baton::transport
