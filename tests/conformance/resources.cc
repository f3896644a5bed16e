// The resources of the suite, and their list.

#include "base/text/text.h"
#include "conformance/fixtures.h"
#include "conformance/parts.h"
#include "protocol/testing/blocks.h"

namespace baton::conformance {
namespace {

using protocol::Call;
using protocol::ResourceResult;

protocol::ResourceHandler text(std::string mime_type, std::string content) {
  return [mime_type, content](const Call& call) {
    return ResourceResult{{protocol::text_contents(call.uri, mime_type, content)}};
  };
}

}  // namespace

std::vector<protocol::Resource> resources() {
  return {
      {{.uri = "test://static-text",
        .name = "static-text",
        .title = "A text",
        .description = "A text that never changes.",
        .mime_type = "text/plain"},
       text("text/plain", "This is the content of the static text resource.")},
      {{.uri = "test://static-binary",
        .name = "static-binary",
        .title = "A picture",
        .description = "A picture of one red pixel.",
        .mime_type = "image/png"},
       [](const Call& call) {
         return ResourceResult{{protocol::blob_contents(call.uri, "image/png", red_pixel_png)}};
       }},
      {{.uri = "test://watched-resource",
        .name = "watched-resource",
        .title = "A watched text",
        .description = "A text that clients subscribe to.",
        .mime_type = "text/plain"},
       text("text/plain", "This is the content of the watched resource.")},
  };
}

std::vector<protocol::ResourceTemplate> resource_templates() {
  return {{{.uri = "test://template/{id}/data",
            .name = "template-data",
            .title = "Data by id",
            .description = "A small document for every id.",
            .mime_type = "application/json"},
           [](const Call& call) {
             const std::string id = argument(call, "id");
             const json::Object data{
                 {"id", id}, {"templateTest", true}, {"data", cat("Data for ID: ", id)}};
             return ResourceResult{
                 {protocol::text_contents(call.uri, "application/json", json::print(data))}};
           },
           {{"id", protocol::complete_from({"123", "124", "200"})}}},
          {{.uri = "test://numbered/{number}",
            .name = "numbered",
            .title = "A number",
            .description = "One of many small texts.",
            .mime_type = "text/plain"},
           [](const Call& call) {
             return ResourceResult{
                 {protocol::text_contents(call.uri, "text/plain", argument(call, "number"))}};
           }}};
}

protocol::ResourceLister numbered_resources() {
  return [](std::string_view, std::string_view after,
            std::size_t count) -> Result<std::vector<protocol::ResourceInfo>> {
    constexpr int first = 100;
    constexpr int last = 349;
    std::vector<protocol::ResourceInfo> found;
    for (int number = first; number <= last && found.size() < count; ++number) {
      std::string uri = cat("test://numbered/", number);
      if (uri <= after) continue;
      found.push_back({.uri = std::move(uri),
                       .name = cat("numbered-", number),
                       .description = "One of many small texts.",
                       .mime_type = "text/plain"});
    }
    return found;
  };
}

}  // namespace baton::conformance
