// Laws of bundles over random runs: what is carried elsewhere is the same run.
// Origin: 004-15

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/text.h"
#include "run/log/bundle.h"
#include "support/world.h"
#include "verbs/store/export_bundle.h"
#include "verbs/store/import_bundle.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using surface::SignedReply;

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

/// A run of this has every kind of event: loops of two kinds, a step under a condition, attempts
/// that are blocked or leave gaps.
constexpr std::string_view rich = R"({"id": "demo", "steps": [
  {"id": "plan", "prompt": "Plan."},
  {"id": "each", "type": "loop", "loop": {"type": "forEach", "items": "list", "maxIterations": 5},
   "body": [{"id": "do", "prompt": "Do."}]},
  {"id": "find", "type": "loop", "loop": {"type": "while", "maxIterations": 3,
     "conditionSource": {"kind": "artifact_contract", "contractRef": "loop_control"}},
   "body": [{"id": "try", "prompt": "Try."}]},
  {"id": "maybe", "prompt": "Maybe.", "runCondition": {"var": "k", "gt": 3}},
  {"id": "end", "prompt": "End."}]})";

json::Array any_artifacts() {
  const auto control = [](std::string_view decision) {
    return json::Object{{"kind", "baton.loop_control"}, {"decision", decision}};
  };
  switch (*rc::gen::inRange(0, 6)) {
    case 0: return {control("continue")};
    case 1: return {control("stop"), json::Object{{"kind", "x.note"}, {"deep", json::Array{1, 2}}}};
    case 2:
      return {json::Object{{"kind", "baton.divergence"},
                           {"reason", "efficiency_skip"},
                           {"summary", "It was done already."}}};
    case 3:
      return {json::Object{{"kind", "baton.capability_observation"},
                           {"capability", "web_browsing"},
                           {"status", "available"},
                           {"provenance", "probe_step"}}};
    default: return {};
  }
}

Result<SignedReply> attempt(World& world, const std::string& ack, json::Array artifacts) {
  run::StepInput input = notes_of(any_notes());
  input.artifacts = std::move(artifacts);
  input.context = any_context();
  input.preferences = any_preferences();
  engine::Engine engine = world.engine();
  return surface::advance(engine, world.principal, {ack, std::nullopt, std::move(input)});
}

/// A run with forks, checkpoints, contexts, preferences and, of a rich workflow, all the rest.
SignedReply any_run(World& world) {
  if (*rc::gen::arbitrary<bool>()) world.workflows.files.front().text = rich;
  json::Object context = any_context();
  context.set("list", json::Array{"a", "b"});
  std::vector<SignedReply> points = {world.start(std::move(context), any_preferences()).value()};
  const int acts = *rc::gen::inRange(0, 30);
  for (int act = 0; act < acts; ++act) {
    const bool is_latest = *rc::gen::inRange(0, 3) != 0;
    const auto at =
        is_latest ? points.size() - 1 : *rc::gen::inRange<std::size_t>(0, points.size());
    const SignedReply back = world.rehydrate(points[at].state_token).value();
    if (!back.ack_token) continue;
    // What is refused, such as one round too many, has changed nothing.
    const auto reply = *rc::gen::inRange(0, 5) == 0
                           ? world.checkpoint(*back.checkpoint_token, any_notes())
                           : attempt(world, *back.ack_token, any_artifacts());
    if (reply) points.push_back(*reply);
  }
  return points.front();
}

std::string exported(World& world, const SessionId& session) {
  return verbs::export_bundle(world.store, session).value();
}

std::string state_token(World& world, run::NodeNo no) {
  const run::NodeRow row = *world.store.node(no).value();
  return surface::sign_claim(world.engine().reading(), world.principal,
                             {run::TokenKind::state, row.id, 0, 0, 0, 0}, row)
      .value();
}

RC_GTEST_PROP(bundle_laws, export_import_export_is_identical, ()) {
  World here(1, 6, *rc::gen::element<std::size_t>(10, 400));
  const SignedReply first = any_run(here);
  const std::string text = exported(here, first.reply.session);
  World there(2);
  engine::Engine engine = there.engine();
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
  engine::Engine engine = world.engine();
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
  engine::Engine engine = there.engine();
  RC_ASSERT(verbs::import_bundle(engine, exported(here, first.reply.session)).has_value());
  // The file is not there: only what was carried over counts.
  there.workflows.files.clear();
  SignedReply one =
      here.rehydrate(state_token(here, here.store.run(first.reply.run).value()->tip)).value();
  SignedReply other =
      there.rehydrate(state_token(there, there.store.run(first.reply.run).value()->tip)).value();
  const json::Array stop = {json::Object{{"kind", "baton.loop_control"}, {"decision", "stop"}}};
  for (int steps = 0; steps < 50; ++steps) {
    RC_ASSERT(one.reply.pending == other.reply.pending);
    RC_ASSERT(one.reply.preferences == other.reply.preferences);
    RC_ASSERT(one.reply.gaps == other.reply.gaps);
    RC_ASSERT(one.reply.status == other.reply.status);
    if (!one.ack_token) break;
    const bool is_in_loop = one.reply.pending->step_id.starts_with("find@");
    run::StepInput input = notes_of("on");
    if (is_in_loop) input.artifacts = stop;
    engine::Engine here_engine = here.engine();
    engine::Engine there_engine = there.engine();
    one = surface::advance(here_engine, {}, {*one.ack_token, std::nullopt, input}).value();
    other = surface::advance(there_engine, {}, {*other.ack_token, std::nullopt, input}).value();
  }
  RC_ASSERT(one.reply.is_complete() && other.reply.is_complete());
}

}  // namespace
}  // namespace baton::testing
