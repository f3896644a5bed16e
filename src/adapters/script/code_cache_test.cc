#include "adapters/script/code_cache.h"

#include <gtest/gtest.h>

#include "base/text/text.h"

namespace baton::adapters {
namespace {

Sha256 key(int number) { return sha256(cat(number)); }

TEST(code_cache, what_was_put_is_found_and_keeps_its_first_value) {
  CodeCache cache(2, 100);
  EXPECT_EQ(cache.find(key(1)), nullptr);
  cache.put(key(1), "one");
  EXPECT_EQ(**cache.find(key(1)), "one");
  EXPECT_EQ(**cache.put(key(1), "another"), "one");
}

TEST(code_cache, the_least_recently_used_goes_first) {
  CodeCache cache(2, 100);
  cache.put(key(1), "one");
  cache.put(key(2), "two");
  cache.find(key(1));
  cache.put(key(3), "three");
  EXPECT_NE(cache.find(key(1)), nullptr);
  EXPECT_EQ(cache.find(key(2)), nullptr);
  EXPECT_NE(cache.find(key(3)), nullptr);
}

TEST(code_cache, bytes_are_bounded_too) {
  CodeCache cache(10, 100);
  cache.put(key(1), std::string(60, 'a'));
  cache.put(key(2), std::string(40, 'b'));
  EXPECT_NE(cache.find(key(1)), nullptr);
  cache.put(key(3), "c");
  EXPECT_EQ(cache.find(key(2)), nullptr);
  EXPECT_NE(cache.find(key(1)), nullptr);
  cache.put(key(4), std::string(1000, 'd'));
  EXPECT_NE(cache.find(key(4)), nullptr);
  EXPECT_EQ(cache.find(key(1)), nullptr);
}

TEST(code_cache, all_that_decides_is_in_the_key) {
  using state::ScriptForm;
  const Sha256 base = key_of({"a", ScriptForm::expression, {"b"}});
  EXPECT_EQ(base, key_of({"a", ScriptForm::expression, {"b"}}));
  EXPECT_NE(base, key_of({"a", ScriptForm::transform, {"b"}}));
  EXPECT_NE(base, key_of({"b", ScriptForm::expression, {"b"}}));
  EXPECT_NE(key_of({"a", ScriptForm::expression, {"b", "c"}}),
            key_of({"a", ScriptForm::expression, {"b 1 c"}}));
}

}  // namespace
}  // namespace baton::adapters
