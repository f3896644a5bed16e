#pragma once
// Resources as data: what resources/list and resources/templates/list show and the functions that
// resources/read runs. The ResourceTable checks them once and finds them by URI.
//
// A ResourceTable is immutable after make(); any thread may read it. Handlers run on worker
// threads, many at once.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/result.h"
#include "base/json/json.h"
#include "protocol/call.h"
#include "protocol/features/completion.h"
#include "protocol/features/content.h"
#include "protocol/features/uri_template.h"

namespace baton::protocol {

/// As text_contents() makes them; never empty.
struct ResourceResult {
  std::vector<json::Object> contents;
  std::int64_t ttl_ms = 0;  // how long a modern client may keep it
};

using ResourceAnswer = std::variant<ResourceResult, NeedInput, RpcError>;
using ResourceHandler = std::function<ResourceAnswer(const Call&)>;

/// The refusal of an unknown URI; its code depends on the caller's revision.
RpcError resource_not_found(std::string_view uri);

/// What a list shows of a resource or, with a template in place of the URI, of a template.
struct ResourceInfo {
  std::string uri = {};
  std::string name = {};
  std::string title = {};
  std::string description = {};
  std::string mime_type = {};
  std::optional<std::int64_t> size = {};  // bytes before base64
  Annotations annotations = {};
  std::vector<Icon> icons = {};
};

struct Resource {
  ResourceInfo info;
  ResourceHandler read;
};

struct ResourceTemplate {
  ResourceInfo info;     // `uri` is a template by RFC 6570, simple expansions only
  ResourceHandler read;  // finds the variables in Call::arguments
  std::map<std::string, Completer, std::less<>> complete = {};  // by variable
};

struct CheckedTemplate {
  ResourceTemplate entry;
  UriTemplate pattern;
};

/// Resources that come and go: those after the URI `after` (empty: from the start), at most
/// `count`, in the order of their URIs. Runs on a worker thread.
using ResourceLister = std::function<Result<std::vector<ResourceInfo>>(
    std::string_view principal, std::string_view after, std::size_t count)>;

class ResourceTable {
 public:
  ResourceTable() = default;

  /// Fails on a URI without a scheme, one that is given twice, a template that cannot be matched, a
  /// missing name, description or handler. `lister` may be empty; what it lists is read through the
  /// templates.
  static Result<ResourceTable> make(std::vector<Resource> resources,
                                    std::vector<ResourceTemplate> templates, ResourceLister lister);

  bool empty() const { return resources_.empty() && templates_.empty() && !lister_; }
  const std::vector<Resource>& resources() const { return resources_; }
  const std::vector<CheckedTemplate>& templates() const { return templates_; }
  const ResourceLister& lister() const { return lister_; }

  struct Found {
    const ResourceHandler* read = nullptr;
    json::Object variables = {};
  };
  /// A listed resource first, then the first template that fits; nothing when neither does.
  std::optional<Found> find(std::string_view uri) const;

 private:
  std::vector<Resource> resources_;
  std::vector<CheckedTemplate> templates_;
  ResourceLister lister_;
};

}  // namespace baton::protocol
