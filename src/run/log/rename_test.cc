#include <gtest/gtest.h>

#include "run/log/bundle.h"
#include "run/testing/sample_run.h"

namespace baton::run {
namespace {

using testing::id_of;
using testing::small_run;

/// Every id gets the one `shift` further on.
Renaming shifted(const Bundle& bundle, std::size_t shift) {
  const auto last = [](const IdBytes& bytes) { return std::size_t{bytes[15]}; };
  const BundleIds ids = ids_in(bundle).value();
  Renaming names;
  names.sessions[bundle.session] = id_of<SessionId>(last(bundle.session.bytes) + shift);
  for (const RunId& run : ids.runs) names.runs[run] = id_of<RunId>(last(run.bytes) + shift);
  for (const NodeId& node : ids.nodes) names.nodes[node] = id_of<NodeId>(last(node.bytes) + shift);
  return names;
}

std::map<NodeId, NodeState> states_of(const Bundle& bundle) {
  std::map<NodeId, NodeState> states;
  for (const Commit& commit : bundle.commits) {
    const auto events = decode_events(commit.body).value();
    const CommitIndex index = index_of(events);
    for (const NodeOutline& node : index.nodes) {
      NodeState state;
      state.session = bundle.session;
      if (node.parent) state = states.at(*node.parent);
      states[node.id] = fold(state, events).value();
    }
  }
  return states;
}

TEST(rename, ids_are_all_found) {
  const BundleIds ids = ids_in(small_run().bundle()).value();
  EXPECT_EQ(ids.runs, std::vector{id_of<RunId>(1)});
  EXPECT_EQ(ids.nodes,
            (std::vector{id_of<NodeId>(1), id_of<NodeId>(2), id_of<NodeId>(3), id_of<NodeId>(4)}));
}

TEST(rename, to_the_same_names_changes_nothing) {
  const Bundle bundle = small_run(300).bundle();
  EXPECT_EQ(rename(bundle, shifted(bundle, 0)).value(), bundle);
}

TEST(rename, gives_a_whole_bundle_without_the_old_names) {
  const Bundle bundle = small_run(300).bundle();
  const Bundle renamed = rename(bundle, shifted(bundle, 100)).value();
  const std::string text = encode_bundle(renamed).value();
  EXPECT_EQ(decode_bundle(text).value(), renamed);
  EXPECT_EQ(text.find(bundle.session.text()), std::string::npos);
  const BundleIds ids = ids_in(bundle).value();
  for (const RunId& run : ids.runs) EXPECT_EQ(text.find(run.text()), std::string::npos);
  for (const NodeId& node : ids.nodes) EXPECT_EQ(text.find(node.text()), std::string::npos);
}

TEST(rename, fold_of_the_renamed_is_the_renamed_fold) {
  const Bundle bundle = small_run(300).bundle();
  const Renaming names = shifted(bundle, 100);
  const auto renamed = states_of(rename(bundle, names).value());
  for (auto [node, state] : states_of(bundle)) {
    state.session = names.sessions.at(state.session);
    state.run = names.runs.at(state.run);
    state.node = names.nodes.at(state.node);
    EXPECT_EQ(renamed.at(state.node), state);
  }
}

TEST(rename, back_again_gives_the_same_bundle) {
  const Bundle bundle = small_run(300).bundle();
  const Bundle renamed = rename(bundle, shifted(bundle, 100)).value();
  Renaming back;
  const Renaming names = shifted(bundle, 100);
  for (const auto& [from, to] : names.sessions) back.sessions[to] = from;
  for (const auto& [from, to] : names.runs) back.runs[to] = from;
  for (const auto& [from, to] : names.nodes) back.nodes[to] = from;
  EXPECT_EQ(rename(renamed, back).value(), bundle);
}

TEST(rename, an_id_without_a_new_name_is_refused) {
  const Bundle bundle = small_run(300).bundle();
  const auto refused = [&](const Renaming& names) {
    const auto renamed = rename(bundle, names);
    return renamed ? "ok" : std::string(name_of(renamed.error().code));
  };
  Renaming names = shifted(bundle, 100);
  EXPECT_EQ(refused(names), "ok");
  names.nodes.erase(id_of<NodeId>(3));
  EXPECT_EQ(refused(names), "BUNDLE_INVALID_FORMAT");
  names = shifted(bundle, 100);
  names.runs.clear();
  EXPECT_EQ(refused(names), "BUNDLE_INVALID_FORMAT");
}

}  // namespace
}  // namespace baton::run
