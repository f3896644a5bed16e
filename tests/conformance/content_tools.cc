// Tools whose results show each kind of content, and the schema that must be shown unchanged.

#include "base/text/text.h"
#include "conformance/fixtures.h"
#include "conformance/parts.h"
#include "protocol/testing/blocks.h"

namespace baton::conformance {
namespace {

using protocol::Call;
using protocol::ToolResult;

// Kept as the suite wants it; it compares the keywords one by one.
constexpr std::string_view schema_2020_12 = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
    }
  },
  "properties": {
    "name": {"type": "string"},
    "address": {"$ref": "#/$defs/address"},
    "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    "phone": {"type": "string"},
    "email": {"type": "string"}
  },
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false
})";

ToolResult blocks(std::vector<json::Object> content) { return {.content = std::move(content)}; }

json::Object embedded(std::string uri, std::string mime_type, std::string text) {
  return protocol::resource_content(
      protocol::text_contents(std::move(uri), std::move(mime_type), std::move(text)));
}

}  // namespace

std::vector<protocol::Tool> content_tools() {
  return {
      tool("test_simple_text", "Returns one line of text.",
           [](const Call&) { return text_result("This is a simple text response for testing."); }),
      tool("test_image_content", "Returns a picture.",
           [](const Call&) {
             return blocks({protocol::image_content(red_pixel_png, "image/png")});
           }),
      tool("test_audio_content", "Returns a sound.",
           [](const Call&) { return blocks({protocol::audio_content(silence_wav, "audio/wav")}); }),
      tool("test_embedded_resource", "Returns a resource inside the result.",
           [](const Call&) {
             return blocks({embedded("test://embedded-resource", "text/plain",
                                     "This is an embedded resource content.")});
           }),
      tool("test_multiple_content_types", "Returns text, a picture and a resource at once.",
           [](const Call&) {
             return blocks({protocol::text_content("Multiple content types test:"),
                            protocol::image_content(red_pixel_png, "image/png"),
                            embedded("test://mixed-content-resource", "application/json",
                                     R"({"test":"data","value":123})")});
           }),
      tool("test_error_handling", "Always fails, as a tool fails.",
           [](const Call&) {
             ToolResult failure =
                 text_result("This tool intentionally returns an error for testing");
             failure.is_error = true;
             return failure;
           }),
      tool_with("json_schema_2020_12_tool",
                "Has a schema with the keywords of JSON Schema 2020-12.", schema_2020_12,
                [](const Call& call) {
                  return text_result(cat("Contact for ", argument(call, "name")));
                }),
      tool_with(
          "test_header_parameter", "Has an argument that HTTP clients repeat as a header.",
          R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region",
                    "description":"Where to look."}}})",
          [](const Call& call) { return text_result(cat("Region: ", argument(call, "region"))); }),
  };
}

}  // namespace baton::conformance
