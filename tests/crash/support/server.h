#pragma once
// The real server over its standard streams, and the calls of the rail. One thread at a time.

#include "base/json/json.h"
#include "support/child.h"

namespace baton::crash {

/// Longer than any honest answer takes on a loaded machine; only a failing harness waits for it.
inline constexpr int answer_wait_ms_max = 60'000;

/// A folder with a store and a workflow in it.
struct Place {
  std::filesystem::path folder;
  std::filesystem::path log;  // the servers' standard error

  std::filesystem::path db() const { return folder / "runs.db"; }
  std::filesystem::path wal() const { return folder / "runs.db-wal"; }
  std::filesystem::path workflows() const { return folder / "flows"; }
};

inline constexpr std::string_view workflow_id = "many-steps";
inline constexpr int workflow_steps = 40;

/// Makes the folder and its workflow.
Result<Place> make_place(const std::filesystem::path& folder);

/// A fresh folder of its own below the system's folder for such things, removed with its owner
/// unless keep() was called.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void keep() { is_kept_ = true; }

 private:
  std::filesystem::path path_;
  bool is_kept_ = false;
};

struct Call {
  std::string tool;
  json::Object arguments;
};

Call start_call();
Call advance_call(std::string_view ack, std::string_view notes);
Call checkpoint_call(std::string_view checkpoint, std::string_view notes);
Call look_call(std::string_view state);

struct Answer {
  std::string result;      // the bytes after "result": in the line
  json::Value structured;  // structuredContent; null in an error
  std::string code;        // of an error, else empty
  std::string text;        // of an error, else empty

  bool is_error() const { return !code.empty(); }
  /// A token or other text of the structured content; empty when it is not there.
  std::string field(std::string_view name) const;
};

struct ServerSetup {
  std::string binary;
  Place place;
  std::vector<std::string> wrapper;       // words before the server's own, such as a tracer's
  std::vector<std::string> environment;   // besides HOME and PATH
  std::vector<std::string> options = {};  // of `baton serve`, besides the place
};

class Server {
 public:
  static Result<std::unique_ptr<Server>> start(const ServerSetup& setup);
  explicit Server(std::unique_ptr<Child> child) : child_(std::move(child)) {}

  /// Sends a call and gives its id; nothing when the server no longer reads.
  std::optional<std::int64_t> send(const Call& call);

  struct Heard {
    Child::Heard heard = Child::Heard::nothing_yet;
    std::int64_t id = 0;
    Answer answer;
  };
  /// An error when the line is not an answer.
  Result<Heard> hear(int wait_ms);

  /// One call and its answer. REQUIRES: no other call is out.
  Result<Answer> call(const Call& call);

  /// Closes its input and waits for its end.
  Result<void> end();

  Child& child() { return *child_; }

 private:
  std::unique_ptr<Child> child_;
  std::int64_t last_id_ = 0;
};

}  // namespace baton::crash
