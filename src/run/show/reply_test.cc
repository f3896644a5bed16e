// Origin: 004-94

#include "run/show/reply.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "run/testing/event_generator.h"
#include "run/testing/reply_generator.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;

class MapBlobs final : public BlobReader {
 public:
  explicit MapBlobs(const std::vector<Content>& texts) {
    for (const Content& text : texts) texts_[text.hash] = text.data;
  }
  Result<std::string> blob(const Sha256& hash) override {
    const auto found = texts_.find(hash);
    if (found == texts_.end()) return fail(Code::STORE_CORRUPT, "missing");
    return found->second;
  }

 private:
  std::map<Sha256, std::string> texts_;
};

Reply sample(std::string prompt) {
  Reply reply;
  reply.session = testing::id_of<SessionId>(1);
  reply.run = testing::id_of<RunId>(2);
  reply.state = {TokenKind::state, testing::id_of<NodeId>(3), 0, 0, 0, 0};
  reply.ack = {TokenKind::ack, testing::id_of<NodeId>(3), 0, 4, 0, 0};
  reply.checkpoint = {TokenKind::checkpoint, testing::id_of<NodeId>(3), 0, 5, 0, 0};
  reply.pending = Pending{"a", "A", std::move(prompt), true, "role"};
  reply.checkpoint_node = testing::id_of<NodeId>(3);
  reply.warnings = {"mind the gap"};
  return reply;
}

// Enforces: G22
RC_GTEST_PROP(recorded_reply, comes_back_as_it_was, ()) {
  json::testing::ShrinkingChoices choose;
  const Reply reply = testing::any_reply(choose);
  std::vector<Content> blobs;
  const Value recorded = record_reply(reply, blobs);
  // Through the text, as the store keeps it.
  const Value stored = MUST(json::parse(MUST(json::canonical(recorded))));
  MapBlobs reader(blobs);
  RC_ASSERT(MUST(restore_reply(stored, reader)) == reply);

  std::multiset<Sha256> kept;
  for (const Content& blob : blobs) kept.insert(blob.hash);
  const auto named = blobs_of(stored);
  RC_ASSERT(std::multiset<Sha256>(named.begin(), named.end()) == kept);
}

// Enforces: G9
TEST(recorded_reply, strings_over_256_bytes_are_kept_by_hash) {
  std::vector<Content> blobs;
  const Value short_one = record_reply(sample(std::string(256, 'p')), blobs);
  EXPECT_TRUE(blobs.empty());
  EXPECT_TRUE(blobs_of(short_one).empty());
  EXPECT_EQ(*short_one.find("pending")->find("prompt"), Value(std::string(256, 'p')));

  const std::string longer(257, 'p');
  const Value long_one = record_reply(sample(longer), blobs);
  EXPECT_EQ(blobs, std::vector{Content(longer)});
  EXPECT_EQ(blobs_of(long_one), std::vector{sha256(longer)});
  EXPECT_EQ(*long_one.find("pending")->find("prompt"),
            Value(Object{{"$blob", sha256(longer).hex()}}));
}

TEST(recorded_reply, missing_text_is_an_error) {
  std::vector<Content> blobs;
  const Value recorded = record_reply(sample(std::string(300, 'p')), blobs);
  MapBlobs none({});
  EXPECT_EQ(restore_reply(recorded, none).error().code, Code::STORE_CORRUPT);
}

TEST(recorded_reply, other_shapes_are_corrupt) {
  std::vector<Content> blobs;
  const Object right = *record_reply(sample("p"), blobs).if_object();
  MapBlobs none({});
  const auto code = [&](const Value& value) {
    const auto reply = restore_reply(value, none);
    return reply ? "ok" : std::string(name_of(reply.error().code));
  };
  ASSERT_EQ(code(right), "ok");
  const std::set<std::string> optional = {"ack", "checkpoint", "pending", "checkpointNode",
                                          "warnings"};
  for (const json::Member& member : right) {
    Object without = right;
    without.erase(member.key);
    EXPECT_EQ(code(without), optional.contains(member.key) ? "ok" : "STORE_CORRUPT") << member.key;
    for (const Value& wrong : {Value(3), Value("x"), Value(Object{}), Value(json::Array{7})}) {
      Object changed = right;
      changed.set(member.key, wrong);
      EXPECT_EQ(code(changed), "STORE_CORRUPT") << member.key << ' ' << json::print(wrong);
    }
  }
  Object more = right;
  more.set("more", 1);
  EXPECT_EQ(code(more), "STORE_CORRUPT");
  for (const Value& prompt : {Value(Object{{"$blob", "short"}}), Value(Object{{"blob", "x"}}),
                              Value(Object{{"$blob", sha256("").hex()}, {"x", 1}})}) {
    Object pending = *right.find("pending")->if_object();
    pending.set("prompt", prompt);
    Object changed = right;
    changed.set("pending", pending);
    EXPECT_EQ(code(changed), "STORE_CORRUPT") << json::print(prompt);
  }
}

TEST(reply, is_complete_without_a_pending_step) {
  Reply reply = sample("p");
  EXPECT_FALSE(reply.is_complete());
  reply.pending.reset();
  EXPECT_TRUE(reply.is_complete());
}

}  // namespace
}  // namespace baton::run
