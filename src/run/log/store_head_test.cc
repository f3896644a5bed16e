#include "run/log/store_head.h"

#include <gtest/gtest.h>

#include "base/text/text.h"

namespace baton::run {
namespace {

Commit commit(std::int64_t no, std::string_view body) {
  Commit out;
  out.no = {no};
  out.hash = sha256(body);
  return out;
}

StoreHead head_of(std::initializer_list<Commit> commits) {
  StoreHead head = StoreHead::empty();
  for (const Commit& each : commits) head.take(each);
  return head;
}

TEST(store_head, names_every_commit_and_its_place) {
  const StoreHead whole = head_of({commit(1, "a"), commit(2, "b"), commit(3, "c")});
  EXPECT_EQ(whole.commit.value, 3);
  EXPECT_NE(whole.digest, head_of({commit(1, "a"), commit(3, "c")}).digest);
  EXPECT_NE(whole.digest, head_of({commit(1, "b"), commit(2, "a"), commit(3, "c")}).digest);
  EXPECT_NE(whole.digest, head_of({commit(1, "a"), commit(2, "x"), commit(3, "c")}).digest);
  EXPECT_NE(whole.digest, head_of({commit(1, "a"), commit(2, "b"), commit(4, "c")}).digest);
}

TEST(store_head, is_one_line_that_reads_back) {
  StoreHead head = head_of({commit(7, "a")});
  head.removed_sessions = 2;
  const std::string text = head.text();
  EXPECT_TRUE(text.starts_with("head1:7:2:"));
  EXPECT_EQ(StoreHead::parse(text), head);
  EXPECT_EQ(StoreHead::parse(StoreHead::empty().text()), StoreHead::empty());
}

TEST(store_head, anything_else_is_none) {
  const std::string digest = sha256("").hex();
  EXPECT_TRUE(StoreHead::parse(cat("head1:1:0:", digest)));
  for (const std::string& text :
       {std::string(), cat("head2:1:0:", digest), cat("head1:1:", digest),
        cat("head1:-1:0:", digest), cat("head1:1:-1:", digest), cat("head1:x:0:", digest),
        cat("head1:1:0:", digest, ":"), cat("head1:1:0:", digest, " "),
        cat("head1:1:0:", digest.substr(1))}) {
    EXPECT_FALSE(StoreHead::parse(text)) << text;
  }
}

}  // namespace
}  // namespace baton::run
