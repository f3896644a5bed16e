#include "state/tree.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/testing/json_generator.h"
#include "base/text/text.h"
#include "state/path.h"

namespace baton::state {
namespace {

using json::Array;
using json::Object;
using json::Value;
using Segments = std::vector<std::string>;

Tree tree(std::string_view text) { return Tree::from(MUST(json::parse(text))); }

Tree numbers(std::int64_t count) {
  Array out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(i);
  return Tree::from(out);
}

Tree with(const Tree& tree, const Segments& segments, const Value& value) {
  return MUST(tree.with(segments, Tree::from(value)));
}

/// What with() means, said on plain JSON.
void set_plain(Value& at, std::span<const std::string> segments, const Value& value) {
  if (segments.empty()) {
    at = value;
    return;
  }
  if (Array* list = at.if_array()) {
    const std::size_t position = *position_of(segments[0]);
    if (position == list->size()) list->emplace_back();
    set_plain((*list)[position], segments.subspan(1), value);
    return;
  }
  if (at.is_null()) at = Object();
  Object& object = *at.if_object();
  if (!object.contains(segments[0])) object.set(segments[0], nullptr);
  set_plain(*object.find(segments[0]), segments.subspan(1), value);
}

/// With JavaScript's numbers.
Value exact(const Value& value) {
  if (const std::int64_t* integer = value.if_int()) return static_cast<double>(*integer);
  if (const Array* list = value.if_array()) {
    Array out;
    for (const Value& each : *list) out.push_back(exact(each));
    return out;
  }
  const Object* object = value.if_object();
  if (object == nullptr) return value;
  Object out;
  for (const auto& [name, member] : *object) out.append_new(name, exact(member));
  return out;
}

RC_GTEST_PROP(tree, any_value_comes_back_equal, ()) {
  json::testing::ShrinkingChoices choose;
  const Value value = exact(json::testing::any_value(choose));
  const Tree made = Tree::from(value);
  RC_ASSERT(made.to_json() == value);
  RC_ASSERT(Tree::from(made.to_json()) == made);
}

RC_GTEST_PROP(tree, its_text_is_that_of_its_value_and_as_long_as_it_says, ()) {
  json::testing::ShrinkingChoices choose;
  const Tree made = Tree::from(json::testing::any_value(choose));
  RC_ASSERT(made.print() == json::print(made.to_json()));
  RC_ASSERT(made.print().size() == made.bytes());
}

RC_GTEST_PROP(tree, it_comes_back_equal_from_canonical_text, ()) {
  json::testing::ShrinkingChoices choose;
  const Tree made = Tree::from(json::testing::any_value(choose));
  const std::string logged = MUST(json::canonical(made.to_json()));
  RC_ASSERT(Tree::from(MUST(json::parse(logged))) == made);
}

RC_GTEST_PROP(tree, members_are_in_the_order_of_canonical_text, ()) {
  json::testing::ShrinkingChoices choose;
  Object object;
  for (int i = 0; i < 40; ++i) object.set(json::testing::any_string(choose), i);
  RC_ASSERT(Tree::from(object).print() == MUST(json::canonical(object)));
}

RC_GTEST_PROP(tree, a_chain_of_writes_is_the_same_chain_on_plain_json, ()) {
  Value plain = Object();
  Tree changed = Tree::object();
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100));
  for (const int step : steps) {
    Segments segments;
    const Tree* at = &changed;
    // Down a way that is there, or can be made.
    for (int depth = *rc::gen::inRange(1, 4); depth > 0; --depth) {
      if (at != nullptr && at->is_list()) {
        const auto size = static_cast<int>(at->size());
        segments.push_back(cat(*rc::gen::inRange(0, size + 1)));
      } else if (at == nullptr || at->is_object() || at->is_null()) {
        segments.push_back(cat('k', *rc::gen::inRange(0, 60)));
      } else {
        break;
      }
      at = changed.find(std::span<const std::string>(segments));
    }
    if (segments.empty()) continue;
    const Value value = step % 3 == 0 ? Value(Array{step}) : step % 3 == 1 ? Value(Object()) : step;
    set_plain(plain, segments, value);
    changed = with(changed, segments, value);
    RC_ASSERT(changed.to_json() == plain);
    RC_ASSERT(changed == Tree::from(plain));
    RC_ASSERT(changed.print().size() == changed.bytes());
    RC_ASSERT(changed.depth() == Tree::from(plain).depth());
  }
}

RC_GTEST_PROP(tree, members_come_and_go_like_those_of_a_map, ()) {
  std::map<std::string, int> plain;
  Tree changed = Tree::object();
  const auto steps = *rc::gen::container<std::vector<int>>(400, rc::gen::inRange(0, 300));
  for (const int step : steps) {
    const std::string key = cat(step / 2);
    if (step % 2 == 0) {
      plain[key] = step;
      changed = changed.with_member(key, Tree::from(step));
    } else {
      plain.erase(key);
      changed = changed.without_member(key);
    }
    RC_ASSERT(changed.size() == plain.size());
  }
  std::size_t at = 0;
  for (const auto& [key, value] : plain) {
    RC_ASSERT(changed.key_at(at) == key);
    RC_ASSERT(*changed.at(at++)->if_int() == value);
  }
}

TEST(tree, a_changed_copy_leaves_the_first_as_it_was_and_shares_the_rest) {
  const Tree before = tree(R"({"a":{"x":1},"b":{"y":[1,2]}})");
  const Tree after = with(before, {"a", "x"}, 2);
  EXPECT_EQ(before.print(), R"({"a":{"x":1},"b":{"y":[1,2]}})");
  EXPECT_EQ(after.print(), R"({"a":{"x":2},"b":{"y":[1,2]}})");
  EXPECT_EQ(before.find("b")->find("y")->at(0), after.find("b")->find("y")->at(0));
}

TEST(tree, a_list_of_100000_elements_shares_all_but_the_way_to_a_change) {
  const Tree before = numbers(100'000);
  const Tree after = before.with_element(50'000, Tree::from("new"));
  std::size_t shared = 0;
  for (std::size_t at = 0; at < before.size(); ++at) {
    if (before.at(at) == after.at(at)) ++shared;
  }
  EXPECT_GE(shared, before.size() - 32);
  const Tree longer = before.with_element(100'000, Tree::from(7));
  EXPECT_EQ(longer.size(), 100'001u);
  EXPECT_EQ(longer.at(99'000), before.at(99'000));
}

TEST(tree, an_object_of_100000_members_shares_all_but_the_way_to_a_change) {
  Object plain;
  for (int i = 0; i < 100'000; ++i) plain.append_new(cat("key ", i), i);
  const Tree before = Tree::from(plain);
  const Tree after = before.with_member("key 777", Tree::from("new"));
  std::size_t shared = 0;
  for (std::size_t at = 0; at < before.size(); ++at) {
    if (before.at(at) == after.at(at)) ++shared;
  }
  EXPECT_GE(shared, before.size() - 32);
  EXPECT_EQ(*after.find("key 777")->if_string(), "new");
}

TEST(tree, a_double_that_equals_an_integer_is_that_integer) {
  EXPECT_EQ(Tree::from(2.0).type(), json::Type::integer);
  EXPECT_EQ(Tree::from(-0.0), Tree::from(0));
  EXPECT_EQ(Tree::from(1e20).type(), json::Type::number);
  EXPECT_EQ(Tree::from(0.5).type(), json::Type::number);
}

TEST(tree, the_way_makes_objects_and_null_counts_as_missing) {
  EXPECT_EQ(with(Tree::object(), {"a", "b", "c"}, 1).print(), R"({"a":{"b":{"c":1}}})");
  EXPECT_EQ(with(tree(R"({"a":null})"), {"a", "b"}, 1).print(), R"({"a":{"b":1}})");
}

TEST(tree, the_position_behind_the_last_element_adds_one) {
  EXPECT_EQ(with(tree("[1,2]"), {"2"}, 3).print(), "[1,2,3]");
  EXPECT_EQ(with(tree("[]"), {"0", "a"}, 3).print(), R"([{"a":3}])");
}

TEST(tree, a_way_through_a_text_or_past_the_end_of_a_list_is_refused) {
  const auto through = tree(R"({"a":"text"})").with(Segments{"a", "b"}, Tree());
  ASSERT_FALSE(through);
  EXPECT_EQ(through.error().code, Code::STATE_BAD_PATH);
  EXPECT_NE(through.error().message.find("of type string"), std::string::npos);
  EXPECT_EQ(tree("[1]").with(Segments{"2"}, Tree()).error().code, Code::STATE_BAD_PATH);
  EXPECT_EQ(tree("[1]").with(Segments{"x"}, Tree()).error().code, Code::STATE_BAD_PATH);
  EXPECT_EQ(tree("[1]").with(Segments{"01"}, Tree()).error().code, Code::STATE_BAD_PATH);
}

TEST(tree, what_is_not_there_is_not_found) {
  const Tree made = tree(R"({"a":[{"b":1}]})");
  EXPECT_EQ(made.get(Segments{"a", "0", "b"}), Tree::from(1));
  EXPECT_EQ(made.get(Segments{}), made);
  EXPECT_EQ(made.get(Segments{"a", "1"}), std::nullopt);
  EXPECT_EQ(made.get(Segments{"a", "b"}), std::nullopt);
  EXPECT_EQ(made.get(Segments{"a", "0", "b", "c"}), std::nullopt);
  EXPECT_EQ(made.at(1), nullptr);
}

TEST(tree, depth_counts_lists_and_objects) {
  EXPECT_EQ(tree("1").depth(), 0u);
  EXPECT_EQ(tree("[]").depth(), 1u);
  EXPECT_EQ(tree(R"({"a":[1,[2]],"b":0})").depth(), 3u);
}

TEST(tree, lists_that_grew_differently_are_equal_when_their_elements_are) {
  Tree grown = Tree::list();
  for (int i = 999; i >= 0; --i) grown = grown.with_element(grown.size(), Tree::from(999 - i));
  EXPECT_EQ(grown, numbers(1000));
  EXPECT_NE(grown.with_element(500, Tree::from(-1)), numbers(1000));
}

}  // namespace
}  // namespace baton::state
