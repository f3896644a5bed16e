#pragma once
// The real server behind its pipes, as an agent's client sees it: calls out, answers in, in any
// order. One thread.

#include <filesystem>
#include <map>
#include <memory>

#include "base/json/json.h"
#include "support/child.h"

namespace baton::lossy {

/// A tool and its arguments. Those are a value, because agents send texts where objects belong.
struct Call {
  std::string tool;
  json::Value arguments;
  bool operator==(const Call&) const = default;
};

/// What an agent is told: the text that every client shows, and the fields that some show too.
struct Told {
  bool is_error = false;
  std::string text;
  json::Object fields;
  bool operator==(const Told&) const = default;

  /// A text among the fields; empty when it is not there.
  std::string field(std::string_view name) const;
};

class Wire {
 public:
  /// Starts `binary` with a store and the workflows below `folder`.
  static Result<Wire> start(const std::string& binary, const std::filesystem::path& folder);
  explicit Wire(std::unique_ptr<crash::Child> child) : child_(std::move(child)) {}

  /// The id of the call.
  Result<std::int64_t> send(const Call& call);
  /// The answer to a call that was sent; others that come first are kept.
  Result<Told> hear(std::int64_t id);

  /// Closes the server's input and waits for its end.
  Result<void> end();

 private:
  std::unique_ptr<crash::Child> child_;
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, Told> heard_;
};

}  // namespace baton::lossy
