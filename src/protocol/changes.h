#pragma once
// Changes that clients may want to hear of, and who is told what: a modern client hears what its
// subscriptions/listen asked for, a legacy one every list change and the resources it subscribed.
//
// Values only; no owner, any thread.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "protocol/message.h"
#include "protocol/tasks.h"
#include "protocol/version.h"

namespace baton::protocol {

struct ToolsChanged {};
struct PromptsChanged {};
struct ResourcesChanged {};
struct ResourceUpdated {
  std::string uri;
};
struct TaskChanged {
  McpTask task;
};

using Change =
    std::variant<ToolsChanged, PromptsChanged, ResourcesChanged, ResourceUpdated, TaskChanged>;

/// What one subscriptions/listen asked for and was granted.
struct ChangeFilter {
  std::string principal = "local";
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::set<std::string, std::less<>> uris = {};
  std::set<std::string, std::less<>> tasks = {};
  std::vector<std::shared_ptr<void>> watches = {};  // as ClientState::watches
};

/// The line for a listener, or nothing. `id` is that of its subscriptions/listen request.
std::optional<std::string> notification_for(const Change& change, const ChangeFilter& filter,
                                            const RequestId& id);

/// The line for a legacy client, or nothing: not before it has shaken hands.
std::optional<std::string> notification_for(const Change& change, const ClientState& connection);

}  // namespace baton::protocol
