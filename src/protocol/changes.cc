#include "protocol/changes.h"

#include "base/core/overloaded.h"

namespace baton::protocol {
namespace {

std::string_view method_of(const Change& change) {
  return std::visit(
      Overloaded{
          [](const ToolsChanged&) -> std::string_view {
            return "notifications/tools/list_changed";
          },
          [](const PromptsChanged&) -> std::string_view {
            return "notifications/prompts/list_changed";
          },
          [](const ResourcesChanged&) -> std::string_view {
            return "notifications/resources/list_changed";
          },
          [](const ResourceUpdated&) -> std::string_view {
            return "notifications/resources/updated";
          },
          [](const TaskChanged&) -> std::string_view { return "notifications/tasks"; },
      },
      change);
}

json::Object params_of(const Change& change) {
  if (const auto* const updated = std::get_if<ResourceUpdated>(&change)) {
    return {{"uri", updated->uri}};
  }
  if (const auto* const changed = std::get_if<TaskChanged>(&change)) return to_json(changed->task);
  return {};
}

bool wants(const ChangeFilter& filter, const Change& change) {
  return std::visit(
      Overloaded{
          [&](const ToolsChanged&) { return filter.tools; },
          [&](const PromptsChanged&) { return filter.prompts; },
          [&](const ResourcesChanged&) { return filter.resources; },
          [&](const ResourceUpdated& updated) { return filter.uris.contains(updated.uri); },
          [&](const TaskChanged& changed) {
            return changed.task.principal == filter.principal &&
                   filter.tasks.contains(changed.task.id);
          },
      },
      change);
}

}  // namespace

std::optional<std::string> notification_for(const Change& change, const ChangeFilter& filter,
                                            const RequestId& id) {
  if (!wants(filter, change)) return std::nullopt;
  json::Object params = params_of(change);
  json::Object meta;
  meta.append_new(std::string(meta_key::subscription_id), to_json(id));
  params.set("_meta", std::move(meta));
  return encode_notification(method_of(change), std::move(params));
}

std::optional<std::string> notification_for(const Change& change, const ClientState& connection) {
  if (!connection.initialized || std::holds_alternative<TaskChanged>(change)) return std::nullopt;
  const auto* const updated = std::get_if<ResourceUpdated>(&change);
  if (updated != nullptr && !connection.subscribed_uris.contains(updated->uri)) {
    return std::nullopt;
  }
  return encode_notification(method_of(change), params_of(change));
}

}  // namespace baton::protocol
