// Laws of bundles over random runs: what is carried elsewhere is the same run.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "run/bundle.h"
#include "support/world.h"
#include "verbs/export_bundle.h"
#include "verbs/import_bundle.h"
#include "verbs/verify.h"

namespace baton::testing {
namespace {

using verbs::SignedReply;

std::string any_notes() {
  return *rc::gen::element<std::string>("", "done", "naïve — ✓ 日本", std::string(300, 'n'),
                                        std::string(5'000, 'x'), "a\nb\r\n\t\"c\"\\");
}

run::PreferencesDelta any_preferences() {
  run::PreferencesDelta delta;
  if (*rc::gen::inRange(0, 4) == 0)
    delta.autonomy = static_cast<run::Autonomy>(*rc::gen::inRange(0, 3));
  if (*rc::gen::inRange(0, 4) == 0) {
    delta.risk_policy = static_cast<run::RiskPolicy>(*rc::gen::inRange(0, 3));
  }
  return delta;
}

json::Object any_context() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0: return {{"k", *rc::gen::inRange(0, 9)}};
    case 1: return {{"k", nullptr}, {"deep", json::Object{{"list", json::Array{1, "x", nullptr}}}}};
    default: return {};
  }
}

/// A run with forks, checkpoints, replays, contexts and preferences.
SignedReply any_run(World& world) {
  std::vector<SignedReply> points = {world.start(any_context(), any_preferences()).value()};
  const int acts = *rc::gen::inRange(0, 30);
  for (int act = 0; act < acts; ++act) {
    const auto at = *rc::gen::inRange<std::size_t>(0, points.size());
    const SignedReply back = world.rehydrate(points[at].state_token).value();
    if (!back.ack_token) continue;
    if (*rc::gen::inRange(0, 4) == 0) {
      points.push_back(world.checkpoint(*back.checkpoint_token, any_notes()).value());
    } else {
      points.push_back(
          world.advance(*back.ack_token, any_notes(), any_context(), any_preferences()).value());
    }
  }
  return points.front();
}

std::string exported(World& world, const SessionId& session) {
  return verbs::export_bundle(world.store, session).value();
}

std::string state_token(World& world, run::NodeNo no) {
  const run::NodeRow row = *world.store.node(no).value();
  return verbs::sign_claim(world.engine().reading(), world.principal,
                           {run::TokenKind::state, row.id, 0, 0, 0, 0}, row)
      .value();
}

RC_GTEST_PROP(bundle_laws, export_import_export_is_identical, ()) {
  World here(1, 6, *rc::gen::element<std::size_t>(10, 400));
  const SignedReply first = any_run(here);
  const std::string text = exported(here, first.reply.session);
  World there(2);
  verbs::Engine engine = there.engine();
  const auto imported = verbs::import_bundle(engine, text).value();
  RC_ASSERT(!imported.renamed);
  RC_ASSERT(exported(there, imported.session) == text);
  RC_ASSERT(verbs::verify(there.store).value().ok());
}

/// The names that turn `to` back into `from`; both list theirs in the same order.
run::Renaming renaming(const run::Bundle& to, const run::Bundle& from) {
  run::Renaming names;
  names.sessions[to.session] = from.session;
  const run::BundleIds old_ids = run::ids_in(to).value();
  const run::BundleIds new_ids = run::ids_in(from).value();
  for (std::size_t i = 0; i < old_ids.runs.size(); ++i) {
    names.runs[old_ids.runs[i]] = new_ids.runs.at(i);
  }
  for (std::size_t i = 0; i < old_ids.nodes.size(); ++i) {
    names.nodes[old_ids.nodes[i]] = new_ids.nodes.at(i);
  }
  return names;
}

RC_GTEST_PROP(bundle_laws, a_copy_beside_the_original_differs_in_its_ids_alone, ()) {
  World world(1, 6, 300);
  const SignedReply first = any_run(world);
  const std::string text = exported(world, first.reply.session);
  verbs::Engine engine = world.engine();
  const auto imported = verbs::import_bundle(engine, text).value();
  RC_ASSERT(imported.renamed);
  const run::Bundle original = run::decode_bundle(text).value();
  const run::Bundle copy = run::decode_bundle(exported(world, imported.session)).value();
  const run::Bundle back = run::rename(copy, renaming(copy, original)).value();
  RC_ASSERT(run::encode_bundle(back).value() == text);
}

RC_GTEST_PROP(bundle_laws, an_imported_run_goes_on_by_the_same_steps, ()) {
  World here(1, 6, 50);
  const SignedReply first = any_run(here);
  World there(2);
  verbs::Engine engine = there.engine();
  RC_ASSERT(verbs::import_bundle(engine, exported(here, first.reply.session)).has_value());
  // The file is not there: only what was carried over counts.
  there.workflows.files.clear();
  SignedReply one =
      here.rehydrate(state_token(here, here.store.run(first.reply.run).value()->tip)).value();
  SignedReply other =
      there.rehydrate(state_token(there, there.store.run(first.reply.run).value()->tip)).value();
  for (int steps = 0; steps < 50; ++steps) {
    RC_ASSERT(one.reply.pending == other.reply.pending);
    RC_ASSERT(one.reply.preferences == other.reply.preferences);
    if (!one.ack_token) break;
    one = here.advance(*one.ack_token, "on").value();
    other = there.advance(*other.ack_token, "on").value();
  }
  RC_ASSERT(one.reply.is_complete() && other.reply.is_complete());
}

}  // namespace
}  // namespace baton::testing
