#include "workflow/check/json_schema.h"

#include <gtest/gtest.h>

#include "base/schema/schema.h"
#include "base/text/text.h"

namespace baton::workflow {
namespace {

using json::Value;

/// The keys below `properties` anywhere in a schema that say nothing about themselves.
void undescribed(const Value& schema, const std::string& where, std::vector<std::string>& out) {
  if (const json::Array* list = schema.if_array()) {
    for (const Value& each : *list) undescribed(each, where, out);
    return;
  }
  const json::Object* object = schema.if_object();
  if (object == nullptr) return;
  for (const json::Member& member : *object) {
    if (member.key == "properties") {
      for (const json::Member& key : *member.value.if_object()) {
        const bool is_choice = key.value.find("const") != nullptr;  // the type that a case is for
        const Value* said = key.value.find("description");
        const bool is_said = said != nullptr && !said->if_string()->empty();
        if (!is_choice && !is_said) out.push_back(cat(where, '.', key.key));
      }
    }
    undescribed(member.value, cat(where, '/', member.key), out);
  }
}

TEST(json_schema, every_key_says_what_it_is_for) {
  for (const Value& schema : {language_schema(), scenario_schema()}) {
    std::vector<std::string> missing;
    undescribed(schema, "", missing);
    for (const std::string& each : missing) ADD_FAILURE() << each;
  }
}

TEST(json_schema, what_every_file_needs_is_required) {
  const auto language = schema::Schema::compile(language_schema(), {}).value();
  EXPECT_FALSE(language.accepts(json::parse(R"({"steps":[{"prompt":"p"}]})").value()));
  EXPECT_FALSE(language.accepts(json::parse(R"({"id":"x"})").value()));
  EXPECT_FALSE(language.accepts(json::parse(R"({"id":"x","steps":[{"id":"a"}]})").value()));
  EXPECT_FALSE(language.accepts(
      json::parse(R"({"id":"x","steps":[{"type":"foreach","body":[{"prompt":"p"}]}]})").value()));
}

TEST(json_schema, scenarios_have_one_too) {
  const auto scenarios = schema::Schema::compile(scenario_schema(), {}).value();
  const auto fits = scenarios.check(
      json::parse(R"({"workflow":"x","scenarios":[{"name":"n","steps":["a",{"step":"b",)"
                  R"("notes":"t","blocked":"GATE_WAITING"}]}]})")
          .value());
  EXPECT_TRUE(fits) << fits.error().message;
  EXPECT_FALSE(scenarios.accepts(json::parse(R"({"scenarios":[{"name":"n"}]})").value()));
  EXPECT_FALSE(
      scenarios.accepts(json::parse(R"({"workflow":"x","scenarios":[{"nam":"n"}]})").value()));
}

}  // namespace
}  // namespace baton::workflow
