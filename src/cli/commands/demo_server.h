#pragma once
// DemoServer: this very program as a server in a process of its own, spoken to as a client does: a
// line out, a line in. Killed with its owner. One thread.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "cli/world.h"

namespace baton::cli {

class DemoServer {
 public:
  /// Starts `baton serve` on a store in `folder`, which is also where it runs.
  static Result<DemoServer> start(const World& world, const std::filesystem::path& folder);
  DemoServer(DemoServer&& other) noexcept;
  DemoServer& operator=(DemoServer&& other) noexcept;
  ~DemoServer();

  /// Calls a tool and waits. What the tool refuses comes as {"error": text}; ENVIRONMENT when the
  /// server is gone.
  Result<json::Object> call(std::string_view tool, const json::Object& arguments);

  /// The two halves of a call, to let something happen between them.
  Result<void> send(std::string_view tool, const json::Object& arguments);
  Result<json::Object> receive();

  /// SIGKILL: no chance to tidy up.
  void kill();

 private:
  DemoServer(pid_t pid, int to, int from) : pid_(pid), to_(to), from_(from) {}

  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::int64_t id_ = 0;
  std::string buffer_;
};

}  // namespace baton::cli
