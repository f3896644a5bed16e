#pragma once
// The real server as a child process, spoken to line by line.

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"

namespace baton::bench {

class StdioClient {
 public:
  explicit StdioClient(std::vector<std::string> command);
  ~StdioClient();
  StdioClient(const StdioClient&) = delete;
  StdioClient& operator=(const StdioClient&) = delete;

  /// Calls a tool and waits for its structured result.
  json::Object call(std::string_view tool, json::Object arguments);

  // The same in pieces, for who measures the middle one.
  std::string line_of(std::string_view tool, json::Object arguments);
  std::string exchange(const std::string& line);
  static json::Object result_of(const std::string& answer);

  pid_t pid() const { return pid_; }

 private:
  std::string read_line();

  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string buffer_;
  std::int64_t id_ = 0;
};

}  // namespace baton::bench
