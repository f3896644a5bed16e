#include "transport/stdio/line_splitter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace baton::transport {
namespace {

constexpr std::string_view oversized = "<oversized>";

std::vector<std::string> lines_of(LineSplitter& splitter) {
  std::vector<std::string> out;
  while (const auto line = splitter.next()) {
    out.emplace_back(line->oversized ? oversized : line->text);
  }
  return out;
}

using Lines = std::vector<std::string>;

TEST(line_splitter, gives_whole_lines_only) {
  LineSplitter splitter(8);
  splitter.feed("one\ntw");
  EXPECT_EQ(lines_of(splitter), Lines{"one"});
  splitter.feed("o\n\nthree");
  EXPECT_EQ(lines_of(splitter), (Lines{"two", ""}));
}

TEST(line_splitter, takes_off_a_carriage_return) {
  LineSplitter splitter(8);
  splitter.feed("one\r\ntwo\r\r\n");
  EXPECT_EQ(lines_of(splitter), (Lines{"one", "two\r"}));
}

TEST(line_splitter, the_last_line_needs_no_line_feed) {
  LineSplitter splitter(8);
  splitter.feed("one\ntwo");
  splitter.end_input();
  EXPECT_EQ(lines_of(splitter), (Lines{"one", "two"}));
  EXPECT_EQ(splitter.buffered_bytes(), 0u);
}

TEST(line_splitter, the_limit_is_exact) {
  for (const char* end : {"\n", "\r\n"}) {
    LineSplitter splitter(4);
    splitter.feed(std::string("1234") + end + "12345" + end + "x\n");
    EXPECT_EQ(lines_of(splitter), (Lines{"1234", std::string(oversized), "x"}));
  }
}

TEST(line_splitter, an_oversized_line_is_told_once_and_not_kept) {
  LineSplitter splitter(4);
  for (int i = 0; i < 100; ++i) {
    splitter.feed("123456");
    EXPECT_TRUE(lines_of(splitter).empty());
    EXPECT_LE(splitter.buffered_bytes(), 6u);
  }
  splitter.feed("\nnext\n");
  EXPECT_EQ(lines_of(splitter), (Lines{std::string(oversized), "next"}));
}

TEST(line_splitter, an_oversized_line_may_end_with_the_input) {
  LineSplitter splitter(4);
  splitter.feed("1234567");
  EXPECT_TRUE(lines_of(splitter).empty());
  splitter.end_input();
  EXPECT_EQ(lines_of(splitter), Lines{std::string(oversized)});
}

RC_GTEST_PROP(line_splitter, the_lines_do_not_depend_on_the_pieces,
              (const std::vector<std::vector<bool>>& shape, bool ends)) {
  // Lines of 0 to a few bytes against a limit of 3, fed whole and in single bytes.
  std::string text;
  for (const auto& line : shape) text.append(line.size() % 7, 'x') += '\n';
  text += "xx";
  LineSplitter whole(3);
  LineSplitter pieces(3);
  whole.feed(text);
  Lines from_pieces;
  for (const char c : text) {
    pieces.feed({&c, 1});
    for (std::string& line : lines_of(pieces)) from_pieces.push_back(std::move(line));
  }
  if (ends) {
    whole.end_input();
    pieces.end_input();
    for (std::string& line : lines_of(pieces)) from_pieces.push_back(std::move(line));
  }
  RC_ASSERT(lines_of(whole) == from_pieces);
}

}  // namespace
}  // namespace baton::transport
