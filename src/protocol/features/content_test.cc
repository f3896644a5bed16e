#include "protocol/features/content.h"

#include <gtest/gtest.h>

#include "protocol/testing/blocks.h"
#include "protocol/testing/fixture.h"

namespace baton::protocol {
namespace {

TEST(content, an_old_client_gets_text_for_what_it_does_not_know) {
  const json::Object audio = audio_content("AA==", "audio/wav");
  EXPECT_EQ(fit_content(audio, Version::v2024_11_05), text_content("[audio, audio/wav]"));
  EXPECT_EQ(fit_content(audio, Version::v2025_03_26), audio);
  const json::Object link = resource_link("x://a", "a", "", "text/plain");
  EXPECT_EQ(fit_content(link, Version::v2025_03_26), text_content("a: x://a"));
  EXPECT_EQ(fit_content(link, Version::v2025_06_18), link);
}

TEST(content, icons_and_annotations_leave_out_what_is_not_there) {
  EXPECT_EQ(json::print(to_json(std::vector<Icon>{{.src = "data:,"}})), R"([{"src":"data:,"}])");
  EXPECT_EQ(
      json::print(to_json(std::vector<Icon>{
          {.src = "https://x", .mime_type = "image/png", .sizes = {"48x48"}, .theme = "dark"}})),
      R"([{"src":"https://x","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}])");
  const Annotations all{.audience = {"user"}, .priority = 0.5, .last_modified = "2026-01-01"};
  EXPECT_EQ(json::print(to_json(all, Version::v2025_06_18)),
            R"({"audience":["user"],"priority":0.5,"lastModified":"2026-01-01"})");
  EXPECT_EQ(json::print(to_json(all, Version::v2025_03_26)),
            R"({"audience":["user"],"priority":0.5})");
}

TEST(content, tools_show_icons_to_those_who_know_them) {
  Tool tool = plain_tool("t", [](const Call&) -> ToolAnswer {
    return ToolResult{.text = "first", .content = {image_content("AA==", "image/png")}};
  });
  tool.icons = {{.src = "data:,"}};
  Catalog all;
  all.tools = MUST(ToolTable::make({std::move(tool)}));
  Client client(std::move(all));
  const auto icons = [&](std::string_view version) {
    client.initialize(version);
    return at(at(client.legacy("tools/list"), {"result", "tools"}).if_array()->at(0), {"icons"});
  };
  EXPECT_TRUE(icons("2025-06-18").is_null());
  EXPECT_FALSE(icons("2025-11-25").is_null());
  const json::Value content =
      at(client.legacy("tools/call", {{"name", "t"}}), {"result", "content"});
  EXPECT_EQ(
      json::print(content),
      R"([{"type":"text","text":"first"},{"type":"image","data":"AA==","mimeType":"image/png"}])");
}

}  // namespace
}  // namespace baton::protocol
