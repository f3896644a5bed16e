#include "state/scope.h"

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "state/testing/schemas.h"
#include "workflow/text/expression.h"

namespace baton::state {
namespace {

using testing::frame;
using testing::object;
using testing::schema;
using testing::tree;

const std::string declared =
    R"({"raw": {"files": "array", "name": "string", "config": "object", "unset": "any"},
        "state": {"version": "string"},
        "computed": [{"name": "count", "from": ["raw.files"], "list": false,
                      "transform": "input.length", "on_error": "ignore"}]})";
const std::string tiers =
    R"({"raw":{"files":["a","b"],"name":"häß𝄞","config":{"deep":{"x":1},"none":null}},)"
    R"("state":{"version":"1"},"computed":{"count":2},"inputs":{"branch":"main"}})";

struct Place {
  StateSchema schema = testing::schema(declared, R"({"branch": {"type": "string"}})");
  Frame frame = testing::frame(tiers);
  Frame root = testing::frame(R"({"raw":{"name":"root"}})");
  json::Object context = object(R"({"goal":"win","a.b":1})");
  Scope scope{schema, frame, &root, &context};
};

std::string shown(const Lookup& found) {
  switch (found.found) {
    case Found::value: return found.value->print();
    case Found::undefined: return "undefined";
    case Found::unknown: return "unknown";
    case Found::not_native: return "not native";
    case Found::broken: return cat("broken at ", found.segments);
  }
  return "";
}

std::string find(const Scope& scope, std::string_view code) {
  const auto path = workflow::plain_path(code);
  return path ? shown(scope.find(*path)) : "no path";
}

TEST(scope, names_of_the_frame_are_found_bare_and_in_their_views) {
  const Place place;
  EXPECT_EQ(find(place.scope, "files"), R"(["a","b"])");
  EXPECT_EQ(find(place.scope, "config.deep.x"), "1");
  EXPECT_EQ(find(place.scope, "count"), "2");
  EXPECT_EQ(find(place.scope, "this.count"), "2");
  EXPECT_EQ(find(place.scope, "raw.name"), R"("häß𝄞")");
  EXPECT_EQ(find(place.scope, "state.version"), R"("1")");
  EXPECT_EQ(find(place.scope, "computed"), R"({"count":2})");
  EXPECT_EQ(find(place.scope, "inputs.branch"), R"("main")");
  EXPECT_EQ(find(place.scope, "branch"), R"("main")");
  EXPECT_EQ(find(place.scope, "raw.branch"), R"("main")");
  EXPECT_EQ(find(place.scope, "global.name"), R"("root")");
  EXPECT_EQ(find(place.scope, "goal"), R"("win")");
}

TEST(scope, lengths_are_those_of_javascript) {
  const Place place;
  EXPECT_EQ(find(place.scope, "files.length"), "2");
  EXPECT_EQ(find(place.scope, "name.length"), "5");
  EXPECT_EQ(find(place.scope, "config.length"), "undefined");
}

TEST(scope, what_is_declared_and_not_set_is_undefined_and_what_is_not_declared_is_unknown) {
  const Place place;
  EXPECT_EQ(find(place.scope, "unset"), "undefined");
  EXPECT_EQ(find(place.scope, "config.no"), "undefined");
  EXPECT_EQ(find(place.scope, "this.nothing"), "undefined");
  EXPECT_EQ(find(place.scope, "unset.more"), "broken at 1");
  EXPECT_EQ(find(place.scope, "config.none.more.still"), "broken at 2");
  EXPECT_EQ(find(place.scope, "flies"), "unknown");
  EXPECT_EQ(place.scope.nearest_to("flies"), "did you mean 'files'?");
}

TEST(scope, methods_and_what_is_inherited_is_left_to_javascript) {
  const Place place;
  for (const std::string_view code : {"files.map", "name.trim", "count.toFixed", "config.toString",
                                      "this.constructor", "Math.PI", "now"}) {
    EXPECT_EQ(find(place.scope, code), "not native") << code;
  }
}

TEST(scope, a_variable_hides_other_values_of_its_name) {
  const Place place;
  const Scope inside = place.scope.with("files", tree("7")).with("raw", tree("8"));
  EXPECT_EQ(find(inside, "files"), "7");
  EXPECT_EQ(find(inside, "raw"), "8");
  EXPECT_EQ(find(inside.with("files", std::nullopt), "files"), "undefined");
  EXPECT_EQ(find(place.scope, "files"), R"(["a","b"])");
}

TEST(scope, without_a_state_names_come_from_the_context) {
  const json::Object context = object(R"({"goal":"win","steps":[1]})");
  const Scope scope(&context);
  EXPECT_EQ(find(scope, "goal"), R"("win")");
  EXPECT_EQ(find(scope, "inputs.goal"), R"("win")");
  EXPECT_EQ(find(scope, "steps.length"), "1");
  EXPECT_EQ(find(scope, "other"), "undefined");
  EXPECT_EQ(find(scope, "this"), "undefined");
  EXPECT_EQ(find(Scope(), "goal"), "undefined");
}

std::string evaluation(const Scope& scope, std::string_view code) {
  const Evaluation made = scope.evaluation(code, ScriptForm::expression, {});
  std::string out;
  for (const std::string& each : made.script.names) out += cat(each, ' ');
  return out + made.scope;
}

TEST(scope, a_script_gets_the_names_it_uses_and_no_others) {
  const Place place;
  EXPECT_EQ(evaluation(place.scope, "files.length + unset"), R"(files unset {"files":["a","b"]})");
  EXPECT_EQ(evaluation(place.scope, "raw.name + this.count + inputs.branch"),
            R"(inputs raw {"inputs":{"branch":"main"},"raw":{"name":"häß𝄞"},"this":{"count":2}})");
  EXPECT_EQ(evaluation(place.scope, "Object.keys(computed)"),
            R"(computed {"computed":{"count":2}})");
  EXPECT_EQ(evaluation(place.scope, "`${goal}` + item"), R"(goal {"goal":"win"})");
  EXPECT_EQ(evaluation(place.scope, "1"), "{}");
}

TEST(scope, without_a_state_an_unset_name_is_undefined) {
  const json::Object context;
  EXPECT_EQ(evaluation(Scope(&context), "missing ?? Math.max(1)"), "missing {}");
}

TEST(scope, the_nearest_of_a_names_that_is_not_declared_is_the_hint) {
  const Place place;
  EXPECT_EQ(place.scope.hint_for("files.map(f => f + verson)"), "did you mean 'version'?");
  EXPECT_EQ(place.scope.hint_for("files.map(f => f)"), "");
}

}  // namespace
}  // namespace baton::state
