#include "run/graph/workflow_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/testing/play.h"
#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using ::testing::AllOf;
using ::testing::HasSubstr;

const workflow::Pinned& sample() {
  static const auto pinned = testing::yaml_workflow(R"(
id: x
inputs:
  bug: {type: string, required: true, description: What goes wrong}
  where: {type: string, default: not known}
  tries: {type: integer, default: 3}
  ratio: {type: number, required: false}
  deep: {type: boolean, required: false}
  files: {type: array, required: false}
  more: {type: object, required: false}
steps: [{id: a, prompt: p}]
)");
  return pinned;
}

std::string message_of(const Object& given) {
  const auto result = with_inputs(sample().workflow, given);
  return result ? "ok" : result.error().message;
}

TEST(with_inputs, defaults_replace_missing_inputs) {
  EXPECT_EQ(with_inputs(sample().workflow, {{"bug", "b"}, {"other", 1}}).value(),
            (Object{{"bug", "b"}, {"other", 1}, {"where", "not known"}, {"tries", 3}}));
  EXPECT_EQ(
      with_inputs(sample().workflow, {{"bug", "b"}, {"where", nullptr}, {"tries", 5}}).value(),
      (Object{{"bug", "b"}, {"where", "not known"}, {"tries", 5}}));
}

TEST(with_inputs, every_problem_is_named_at_once) {
  EXPECT_THAT(message_of({{"where", 3}, {"tries", 1.5}, {"deep", "yes"}}),
              AllOf(HasSubstr("\"bug\" is missing (string: What goes wrong)"),
                    HasSubstr("\"where\": expected string, got integer"),
                    HasSubstr("\"tries\": expected integer, got number"),
                    HasSubstr("\"deep\": expected boolean, got string")));
}

TEST(with_inputs, each_type_takes_its_own) {
  const auto with = [](std::string_view name, Value value) {
    return message_of({{"bug", "b"}, {std::string(name), std::move(value)}}) == "ok";
  };
  EXPECT_TRUE(with("tries", 3.0));
  EXPECT_TRUE(with("ratio", 3) && with("ratio", 0.5));
  EXPECT_TRUE(with("deep", false) && with("files", json::Array{}) && with("more", Object{}));
  EXPECT_FALSE(with("ratio", "3"));
  EXPECT_FALSE(with("files", Object{}));
  EXPECT_FALSE(with("more", json::Array{}));
  EXPECT_FALSE(with("bug", true));
}

TEST(with_inputs, workflow_without_any_takes_what_it_gets) {
  const auto plain = testing::yaml_workflow("{id: x, steps: [{id: a, prompt: p}]}");
  EXPECT_EQ(with_inputs(plain.workflow, {{"k", 1}}).value(), (Object{{"k", 1}}));
}

TEST(with_evaluated_defaults, each_sees_what_was_given_and_the_defaults_before_it) {
  const Object declared = *MUST(json::parse(R"({
    "a": {"default": "one"}, "b": {"default": ["{{ inputs.a }}", "{{ c }}"]},
    "c": {"default": 9}, "d": {"default": "{{ b | json }}!"}})"))
                               .if_object();
  const auto evaluated = [&](const Object& given) {
    return testing::ask_until_known(testing::no_script, [&](state::ScriptAnswers& answers) {
      Scripts scripts(answers, {});
      return with_evaluated_defaults(declared, given, scripts);
    });
  };
  EXPECT_EQ(evaluated({{"c", 3}}).value(),
            (Object{{"c", 3}, {"a", "one"}, {"b", json::Array{"one", 3}}, {"d", R"(["one",3]!)"}}));
  EXPECT_EQ(evaluated({{"b", 1}, {"c", nullptr}}).value().find("d")->if_string()[0], "1!");
  const auto undefined = evaluated({});
  ASSERT_FALSE(undefined);  // c comes after b
  EXPECT_THAT(undefined.error().message, HasSubstr("the default of the input \"b\": "));
}

}  // namespace
}  // namespace baton::run
