#include "workflow/check/word_set.h"

#include <gtest/gtest.h>

#include <string>

namespace baton::workflow {
namespace {

TEST(word_set, contains_its_words_and_no_others) {
  constexpr WordSet words("steps", "body", "");
  static_assert(words.contains("steps") && words.contains("body") && words.contains(""));
  static_assert(!words.contains("step") && !words.contains("bodies"));
  // Of the same size, first and last letter: only comparing tells it apart.
  static_assert(!words.contains("shops"));
  for (int letter = 0; letter < 256; ++letter) {
    EXPECT_FALSE(words.contains(std::string(1, static_cast<char>(letter)))) << letter;
  }
}

}  // namespace
}  // namespace baton::workflow
