#include "run/log/bundle.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>

#include "base/text/text.h"
#include "run/decide/decide.h"
#include "run/testing/sample_run.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using testing::id_of;
using testing::small_run;

std::string code_of(std::string_view text) {
  const auto bundle = decode_bundle(text);
  return bundle ? "ok" : std::string(name_of(bundle.error().code));
}

/// New hashes, so that only the meaning of a commit is wrong.
Bundle chained(Bundle bundle) {
  Sha256 previous;
  for (Commit& commit : bundle.commits) {
    commit.previous = previous;
    commit.hash = commit_hash(commit);
    previous = commit.hash;
  }
  return bundle;
}

std::string code_with(const std::function<void(Bundle&)>& change) {
  Bundle bundle = small_run(300).bundle();
  change(bundle);
  return code_of(encode_bundle(chained(std::move(bundle))).value());
}

/// The same with the events of one commit changed.
std::string code_with_events(std::size_t commit,
                             const std::function<void(std::vector<Event>&)>& change) {
  return code_with([&](Bundle& bundle) {
    auto events = decode_events(bundle.commits[commit].body).value();
    change(events);
    bundle.commits[commit].body = encode_events(events).value();
  });
}

template <class E>
E& first(std::vector<Event>& events) {
  for (Event& event : events) {
    if (auto* found = std::get_if<E>(&event)) return *found;
  }
  throw std::logic_error("no such event");
}

/// The same with the text's own JSON changed.
std::string code_with_json(const std::function<void(Object&)>& change) {
  Value value = json::parse(encode_bundle(small_run().bundle()).value()).value();
  change(*value.if_object());
  return code_of(json::print(value));
}

TEST(bundle, is_read_back_from_its_text) {
  for (const std::size_t prompt_bytes : {10u, 300u}) {
    const Bundle bundle = small_run(prompt_bytes).bundle();
    const std::string text = encode_bundle(bundle).value();
    const Bundle back = decode_bundle(text).value();
    EXPECT_EQ(back, bundle);
    EXPECT_EQ(encode_bundle(back).value(), text);
    const bool has_prompt = std::ranges::any_of(
        bundle.blobs, [](const auto& blob) { return blob.second.contains(std::string(300, 'p')); });
    EXPECT_EQ(has_prompt, prompt_bytes == 300);
  }
}

TEST(bundle, holds_no_tokens) {
  const std::string text = encode_bundle(small_run(300).bundle()).value();
  for (const std::string_view prefix : {"\"st1", "\"ack1", "\"chk1", "\"step1"}) {
    EXPECT_EQ(text.find(prefix), std::string::npos) << prefix;
  }
}

// Enforces: G4
TEST(bundle, each_changed_character_is_refused_or_changes_nothing) {
  testing::SampleRun run(testing::sample_workflow(2, 260));
  run.attempt(run.command(1, AttemptKind::advance, 0));
  const Bundle bundle = run.bundle();
  const std::string text = encode_bundle(bundle).value();
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char other : {static_cast<char>(text[i] ^ 1), ' ', '0'}) {
      if (other == text[i]) continue;
      std::string changed = text;
      changed[i] = other;
      const auto decoded = decode_bundle(changed);
      if (!decoded) {
        ASSERT_TRUE(name_of(decoded.error().code).starts_with("BUNDLE_"))
            << i << ' ' << name_of(decoded.error().code);
        continue;
      }
      ++accepted;
      ASSERT_EQ(*decoded, bundle) << i;
    }
    std::string shorter = text;
    shorter.erase(i, 1);
    const auto decoded = decode_bundle(shorter);
    ASSERT_TRUE(!decoded || *decoded == bundle) << i;
  }
  EXPECT_EQ(accepted, 0u);
}

RC_GTEST_PROP(bundle, damage_never_gives_another_bundle, ()) {
  static const Bundle bundle = small_run().bundle();
  static const std::string text = MUST(encode_bundle(bundle));
  json::testing::ShrinkingChoices choose;
  const auto decoded = decode_bundle(json::testing::damaged(text, choose));
  if (decoded) RC_ASSERT(*decoded == bundle);
  if (!decoded) RC_ASSERT(name_of(decoded.error().code).starts_with("BUNDLE_"));
}

TEST(bundle, text_that_is_not_a_bundle_has_an_invalid_format) {
  for (const std::string_view text :
       {"", "{", "[]", "{}", R"({"kind":"baton_bundle"})", R"({"kind":"other","v":1})", "\xFF"}) {
    EXPECT_EQ(code_of(text), "BUNDLE_INVALID_FORMAT") << text;
  }
  const Value value = json::parse(encode_bundle(small_run().bundle()).value()).value();
  for (const json::Member& member : *value.if_object()) {
    EXPECT_EQ(code_with_json([&](Object& o) { o.erase(member.key); }), "BUNDLE_INVALID_FORMAT");
    EXPECT_EQ(code_with_json([&](Object& o) { o.set(member.key, true); }), "BUNDLE_INVALID_FORMAT");
  }
  EXPECT_EQ(code_with_json([](Object& o) { o.set("more", 1); }), "BUNDLE_INVALID_FORMAT");
  EXPECT_EQ(code_with_json([](Object& o) { o.set("commits", json::Array{}); }),
            "BUNDLE_INTEGRITY_FAILED");
  Bundle empty;
  empty.session = id_of<SessionId>(1);
  EXPECT_EQ(code_of(encode_bundle(empty).value()), "BUNDLE_INVALID_FORMAT");
}

// Enforces: G9
TEST(bundle, size_is_bounded) {
  Bundle bundle = testing::SampleRun().bundle();
  const std::string blob(1, 'b');
  bundle.blobs[sha256(blob)] = blob;
  const std::size_t around = encode_bundle(bundle).value().size() - 1;
  const auto encoded = [&](std::size_t bytes) {
    std::string filler(bytes - around, 'b');
    bundle.blobs.clear();
    const Sha256 hash = sha256(filler);
    bundle.blobs[hash] = std::move(filler);
    return encode_bundle(bundle);
  };
  EXPECT_EQ(encoded(limits::bundle_bytes_max).value().size(), limits::bundle_bytes_max);
  EXPECT_EQ(encoded(limits::bundle_bytes_max + 1).error().code, Code::LIMIT_EXCEEDED);
}

TEST(bundle, has_the_second_version_when_0_1_0_does_not_read_its_workflow) {
  const auto version = [](const testing::SampleRun& run) {
    const std::string text = encode_bundle(run.bundle()).value();
    EXPECT_EQ(encode_bundle(MUST(decode_bundle(text))).value(), text);
    return *json::parse(text)->find("v")->if_int();
  };
  EXPECT_EQ(version(testing::SampleRun()), 1);
  workflow::CompiledWorkflow newer = testing::sample_workflow().workflow;
  newer.steps.back().effect = true;
  EXPECT_EQ(version(testing::SampleRun(MUST(workflow::pin(newer)))), 2);
}

TEST(bundle, other_versions_are_not_supported) {
  EXPECT_EQ(code_with_json([](Object& o) { o.set("v", 3); }), "BUNDLE_UNSUPPORTED_VERSION");
  EXPECT_EQ(code_with_json([](Object& o) { o.set("v", 0); }), "BUNDLE_UNSUPPORTED_VERSION");
}

// Enforces: G4
TEST(bundle, what_does_not_fit_its_digest_fails_integrity) {
  const auto commit = [](Object& o, std::size_t i) -> Object& {
    return *o.find("commits")->if_array()->at(i).if_object();
  };
  EXPECT_EQ(code_with_json([&](Object& o) { commit(o, 1).set("at_ms", 5); }),
            "BUNDLE_INTEGRITY_FAILED");
  EXPECT_EQ(code_with_json([&](Object& o) { commit(o, 1).set("hash", sha256("x").hex()); }),
            "BUNDLE_INTEGRITY_FAILED");
  EXPECT_EQ(code_with_json([&](Object& o) { o.find("manifest")->if_array()->pop_back(); }),
            "BUNDLE_INTEGRITY_FAILED");
  // A new manifest, but the old chain.
  Bundle bundle = small_run().bundle();
  bundle.commits[1].at.value += 1;
  EXPECT_EQ(code_of(encode_bundle(bundle).value()), "BUNDLE_INTEGRITY_FAILED");
  bundle = small_run().bundle();
  bundle.commits[2].previous = sha256("x");
  bundle.commits[2].hash = commit_hash(bundle.commits[2]);
  EXPECT_EQ(code_of(encode_bundle(bundle).value()), "BUNDLE_INTEGRITY_FAILED");
}

TEST(bundle, snapshots_must_be_what_the_log_says) {
  EXPECT_EQ(code_with([](Bundle&) {}), "ok");
  EXPECT_EQ(code_with([](Bundle& b) { b.snapshots.clear(); }), "ok");
  EXPECT_EQ(code_with([](Bundle& b) {
              NodeState state = read_snapshot(b.snapshots.begin()->second).value();
              state.cursor.position = 0;
              b.snapshots.begin()->second = write_snapshot(state).value();
            }),
            "BUNDLE_INTEGRITY_FAILED");
  EXPECT_EQ(code_with([](Bundle& b) {
              NodeState state = read_snapshot(b.snapshots.begin()->second).value();
              state.node = id_of<NodeId>(99);
              b.snapshots[state.node] = write_snapshot(state).value();
            }),
            "BUNDLE_INTEGRITY_FAILED");
}

TEST(bundle, texts_that_commits_refer_to_must_be_there) {
  EXPECT_EQ(code_with([](Bundle& b) { b.blobs.clear(); }), "BUNDLE_MISSING_SNAPSHOT");
  EXPECT_EQ(code_with([](Bundle& b) { b.workflows.clear(); }), "BUNDLE_MISSING_PINNED_WORKFLOW");
}

TEST(bundle, order_of_commits_and_manifest_is_checked) {
  EXPECT_EQ(code_with([](Bundle& b) { std::swap(b.commits[1], b.commits[2]); }),
            "BUNDLE_EVENT_ORDER_INVALID");
  EXPECT_EQ(code_with([](Bundle& b) { b.commits.erase(b.commits.begin() + 1); }),
            "BUNDLE_EVENT_ORDER_INVALID");
  // A gap that the numbers do not show: the second node's parent is gone.
  EXPECT_EQ(code_with([](Bundle& b) {
              b.commits.erase(b.commits.begin() + 1);
              for (std::size_t i = 1; i < b.commits.size(); ++i) --b.commits[i].seq.value;
            }),
            "BUNDLE_EVENT_ORDER_INVALID");
  EXPECT_EQ(code_with_json([](Object& o) {
              json::Array& lines = *o.find("manifest")->if_array();
              std::swap(lines[0], lines[1]);
            }),
            "BUNDLE_MANIFEST_ORDER_INVALID");
}

TEST(bundle, commit_must_be_as_this_release_writes_it) {
  EXPECT_EQ(code_with([](Bundle& b) { b.commits[0].body = R"({"events":[],"v":3})"; }),
            "BUNDLE_INVALID_FORMAT");
  EXPECT_EQ(code_with([](Bundle& b) { b.commits[0].body = R"({"events":[3],"v":1})"; }),
            "BUNDLE_INVALID_FORMAT");
  EXPECT_EQ(code_with([](Bundle& b) { b.commits[4].body = R"({"events":[],"v":1})"; }),
            "BUNDLE_INVALID_FORMAT");
  EXPECT_EQ(code_with([](Bundle& b) { b.commits[4].dedupe_key = ""; }), "BUNDLE_INVALID_FORMAT");
  EXPECT_EQ(code_with([](Bundle& b) { b.commits[2].dedupe_key = "start"; }),
            "BUNDLE_EVENT_ORDER_INVALID");
  EXPECT_EQ(code_with([](Bundle& b) { b.commits[2].dedupe_key = "other"; }),
            "BUNDLE_INVALID_FORMAT");
  // The second node of a commit would get no snapshot and no name of its own.
  EXPECT_EQ(
      code_with_events(
          1,
          [](auto& events) {
            events.push_back(NodeCreated{
                id_of<RunId>(1), id_of<NodeId>(77), id_of<NodeId>(2), NodeKind::step, 0, {}, ""});
          }),
      "BUNDLE_INVALID_FORMAT");
}

TEST(bundle, pinned_workflow_must_be_one) {
  EXPECT_EQ(code_with([](Bundle& b) {
              auto events = decode_events(b.commits[0].body).value();
              const std::string text = R"({"id":3})";
              b.workflows = {{sha256(text), text}};
              first<RunStarted>(events).workflow_hash = sha256(text);
              b.commits[0].body = encode_events(events).value();
            }),
            "BUNDLE_INVALID_FORMAT");
}

TEST(bundle, artifacts_must_fit_their_hashes) {
  EXPECT_EQ(code_with_events(2,
                             [](auto& events) {
                               for (Event& event : events) {
                                 auto* output = std::get_if<NodeOutputAppended>(&event);
                                 if (output == nullptr) continue;
                                 if (auto* a = std::get_if<Artifact>(&output->payload)) {
                                   a->content = "other";
                                 }
                               }
                             }),
            "BUNDLE_INTEGRITY_FAILED");
}

TEST(bundle, ids_from_elsewhere_are_refused) {
  const NodeId stranger = id_of<NodeId>(99);
  const RunId other = id_of<RunId>(99);
  const std::string order = "BUNDLE_EVENT_ORDER_INVALID";
  const auto with = [](std::size_t commit, auto change) {
    return code_with_events(commit, change);
  };
  EXPECT_EQ(with(1, [&](auto& e) { first<EdgeCreated>(e).from = stranger; }), order);
  EXPECT_EQ(with(1, [&](auto& e) { first<EdgeCreated>(e).to = stranger; }), order);
  EXPECT_EQ(with(1, [&](auto& e) { first<EdgeCreated>(e).run = other; }), order);
  EXPECT_EQ(with(1, [&](auto& e) { first<AdvanceRecorded>(e).node = stranger; }), order);
  EXPECT_EQ(with(1, [&](auto& e) { first<AdvanceRecorded>(e).to = stranger; }), order);
  EXPECT_EQ(with(1, [&](auto& e) { first<AdvanceRecorded>(e).run = other; }), order);
  EXPECT_EQ(with(1, [&](auto& e) { first<NodeOutputAppended>(e).node = stranger; }), order);
  EXPECT_EQ(with(4, [&](auto& e) { first<TokensRevoked>(e).run = other; }), order);
  EXPECT_EQ(with(1,
                 [&](auto& e) {
                   e.push_back(RunStarted{id_of<RunId>(1), "demo",
                                          testing::sample_workflow(3, 300).hash, ""});
                 }),
            order);
  // A node made twice, and one that belongs to no run.
  EXPECT_EQ(with(3, [&](auto& e) { first<NodeCreated>(e).node = id_of<NodeId>(1); }), order);
  EXPECT_EQ(with(2, [&](auto& e) { first<ContextSet>(e).node = stranger; }),
            "BUNDLE_INVALID_FORMAT");
}

TEST(bundle, recorded_replies_must_be_of_their_own_run_and_node) {
  const auto with = [](auto change) {
    return code_with_events(1, [&](std::vector<Event>& events) {
      auto& record = first<AdvanceRecorded>(events);
      change(*record.reply.if_object());
    });
  };
  EXPECT_EQ(with([](Object&) {}), "ok");
  const std::string malformed = "BUNDLE_INVALID_FORMAT";
  EXPECT_EQ(with([](Object& o) { o.set("session", id_of<SessionId>(9).text()); }), malformed);
  EXPECT_EQ(with([](Object& o) { o.set("run", id_of<RunId>(9).text()); }), malformed);
  EXPECT_EQ(with([](Object& o) { o.set("checkpointNode", id_of<NodeId>(9).text()); }), malformed);
  EXPECT_EQ(with([](Object& o) { o.erase("state"); }), malformed);
  for (const std::string_view claim : {"state", "ack", "checkpoint"}) {
    EXPECT_EQ(
        with([&](Object& o) { o.find(claim)->if_object()->set("node", id_of<NodeId>(1).text()); }),
        malformed);
  }
}

}  // namespace
}  // namespace baton::run
