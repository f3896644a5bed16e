#pragma once
// ChangeWatch: tells subscribers of a resource what other processes did to it. While a client is
// subscribed, one thread sleeps until the store grows, looks at what came, and publishes the URIs
// of what changed; a server without subscribers has no such thread. Any thread.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/parts.h"
#include "protocol/changes.h"

namespace baton::cli {

/// The URIs whose resources a commit changes.
using ChangedUris = std::function<std::vector<std::string>(const std::vector<run::Event>&)>;

class ChangeWatch {
 public:
  using Publish = std::function<void(const protocol::Change&)>;

  /// `uris`: those that are watched. `publish` must not call the watch.
  ChangeWatch(std::shared_ptr<Backend> backend, std::vector<std::string> uris, ChangedUris changed,
              Publish publish);
  /// Ends the thread. What watch() gave may live on.
  ~ChangeWatch();
  ChangeWatch(const ChangeWatch&) = delete;
  ChangeWatch& operator=(const ChangeWatch&) = delete;

  /// Watches for as long as the result lives; null for a URI that is not watched. What comes after
  /// this call is told.
  std::shared_ptr<void> watch(std::string_view uri);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace baton::cli
