// subscriptions/listen of the modern era, logging/setLevel of the legacy one.

#include <algorithm>

#include "base/text/text.h"
#include "protocol/methods/methods.h"
#include "protocol/task_runner.h"

namespace baton::protocol {
namespace {

/// Whether so many subscriptions may be kept.
bool may_be_kept(const json::Array& strings) {
  std::size_t bytes = 0;
  for (const json::Value& each : strings) {
    if (const std::string* const text = each.if_string()) bytes += text->size();
  }
  return strings.size() <= limits::subscribed_uris_max &&
         bytes <= limits::subscribed_uris_bytes_max;
}

/// The strings of an array, or why there are none. Absent means none.
std::expected<std::set<std::string, std::less<>>, RpcError> strings(const json::Object& wanted,
                                                                    std::string_view key) {
  std::set<std::string, std::less<>> out;
  const json::Value* const given = wanted.find(key);
  if (given == nullptr) return out;
  const json::Array* const array = given->if_array();
  if (array != nullptr && may_be_kept(*array)) {
    for (const json::Value& each : *array) {
      if (const std::string* const text = each.if_string()) out.insert(*text);
    }
    if (std::ranges::all_of(*array, &json::Value::is_string)) return out;
  }
  return std::unexpected(invalid_params(cat(
      "params.notifications.", key, " must be an array of at most ", limits::subscribed_uris_max,
      " strings, with at most ", limits::subscribed_uris_bytes_max, " bytes together.")));
}

std::expected<bool, RpcError> flag(const json::Object& wanted, std::string_view key) {
  const json::Value* const given = wanted.find(key);
  if (given == nullptr) return false;
  if (const bool* const set = given->if_bool()) return *set;
  return std::unexpected(invalid_params(cat("params.notifications.", key, " must be a boolean.")));
}

/// What was asked for, as far as the server has it.
std::expected<ChangeFilter, RpcError> read_filter(const MethodRequest& request) {
  const Catalog& catalog = request.responder.catalog();
  const json::Value* const given = request.params.find("notifications");
  if (given == nullptr || !given->is_object()) {
    return std::unexpected(
        invalid_params("subscriptions/listen needs params.notifications, an object."));
  }
  const json::Object& wanted = *given->if_object();
  ChangeFilter filter;
  filter.principal = request.responder.context.principal;
  filter.tools = TRY(flag(wanted, "toolsListChanged")) && catalog.tools_change;
  filter.prompts = TRY(flag(wanted, "promptsListChanged")) && catalog.prompts_change;
  filter.resources = TRY(flag(wanted, "resourcesListChanged")) && catalog.resources_change;
  filter.uris = TRY(strings(wanted, "resourceSubscriptions"));
  if (!catalog.resources_subscribe) filter.uris.clear();
  for (const std::string& uri : filter.uris) {
    if (auto watch = watch_for(catalog, uri)) filter.watches.push_back(std::move(watch));
  }
  filter.tasks = TRY(strings(wanted, "taskIds"));
  if (!catalog.tasks || !knows_tasks(request.responder.context)) filter.tasks.clear();
  return filter;
}

json::Object to_json(const ChangeFilter& filter) {
  const auto list = [](const std::set<std::string, std::less<>>& texts) {
    json::Array out;
    for (const std::string& text : texts) out.emplace_back(text);
    return out;
  };
  json::Object out;
  if (filter.tools) out.append_new("toolsListChanged", true);
  if (filter.prompts) out.append_new("promptsListChanged", true);
  if (filter.resources) out.append_new("resourcesListChanged", true);
  if (!filter.uris.empty()) out.append_new("resourceSubscriptions", list(filter.uris));
  if (!filter.tasks.empty()) out.append_new("taskIds", list(filter.tasks));
  return out;
}

}  // namespace

SingleAction listen(MethodRequest& request) {
  auto filter = read_filter(request);
  if (!filter) return reply(request.responder.refuse(filter.error()));
  json::Object meta;
  meta.append_new(std::string(meta_key::subscription_id), protocol::to_json(request.responder.id));
  std::string acknowledged =
      encode_notification("notifications/subscriptions/acknowledged",
                          {{"_meta", meta}, {"notifications", to_json(*filter)}});
  std::string final = request.responder.answer(json::Object{{"_meta", std::move(meta)}}).line;
  return Listen{request.responder.id, std::move(*filter), std::move(acknowledged),
                std::move(final)};
}

SingleAction set_log_level(MethodRequest& request) {
  const json::Value* const given = request.params.find("level");
  const auto level =
      given != nullptr && given->is_string() ? log_level_from(*given->if_string()) : std::nullopt;
  if (!level) {
    return reply(request.responder.refuse(invalid_params(
        "logging/setLevel needs params.level: debug, info, notice, warning, error, critical, "
        "alert or emergency.")));
  }
  request.connection.log_level = *level;
  return reply(request.responder.answer(json::Object{}));
}

}  // namespace baton::protocol
