#include "support/world.h"

#include "base/text/text.h"
#include "engine/load/load.h"

namespace baton::testing {

std::string demo_workflow(std::size_t steps, std::size_t prompt_bytes) {
  json::Array list;
  for (std::size_t i = 0; i < steps; ++i) {
    const std::string id = i < 26 ? std::string(1, static_cast<char>('a' + i)) : cat("s", i);
    list.emplace_back(json::Object{{"id", id},
                                   {"title", cat("Step ", id)},
                                   {"prompt", cat(std::string(prompt_bytes, 'p'), " of ", id)},
                                   {"requireConfirmation", false}});
  }
  return json::print(json::Object{{"id", "demo"}, {"steps", std::move(list)}});
}

Result<std::vector<ports::WorkflowFile>> ListedWorkflows::named(std::string_view name) {
  ++calls;
  std::vector<ports::WorkflowFile> out;
  for (const ports::WorkflowFile& file : files) {
    if (file.path.ends_with(cat('/', name, ".json"))) out.push_back(file);
  }
  return out;
}

World::World(std::uint64_t seed, std::size_t steps, std::size_t prompt_bytes)
    : entropy(seed), signer(entropy) {
  workflows.files.push_back({"project", "flows/demo.json", demo_workflow(steps, prompt_bytes), {}});
}

Result<surface::SignedReply> World::start(json::Object context, run::PreferencesDelta delta) {
  engine::Engine with = engine();
  return surface::start(with, principal, {"demo", "try it", std::move(context), delta});
}

run::StepInput notes_of(std::string notes) {
  run::StepInput input;
  input.notes = std::move(notes);
  return input;
}

Result<surface::SignedReply> World::advance(const std::string& ack, const std::string& notes,
                                            json::Object context, run::PreferencesDelta delta) {
  engine::Engine with = engine();
  run::StepInput input = notes_of(notes);
  input.context = std::move(context);
  input.preferences = delta;
  if (delta != run::PreferencesDelta()) {
    // The user's word, which a raise needs.
    input.artifacts.push_back(json::Object{{"kind", "baton.confirmation"}, {"words", "go on"}});
  }
  return surface::advance(with, principal, {ack, std::nullopt, std::move(input)});
}

Result<surface::SignedReply> World::checkpoint(const std::string& token, const std::string& notes) {
  engine::Engine with = engine();
  return surface::checkpoint(with, principal, {token, std::nullopt, notes_of(notes)});
}

Result<surface::SignedReply> World::rehydrate(const std::string& state_token) {
  return surface::rehydrate(engine().reading(), principal, state_token);
}

void World::purge(const SessionId& session) {
  const run::Seq head = MUST(store.head(session)).seq;
  ASSERT(std::holds_alternative<ports::Purged>(MUST(store.purge(session, head, morning))));
}

Result<run::NodeState> World::cold_state(const NodeId& node) {
  engine::Caches cold;
  const engine::LoadContext loading{store, cold};
  return *TRY(engine::load_state(loading, TRY(engine::load_node(loading, node))));
}

std::vector<run::Commit> World::whole_log() {
  std::vector<run::Commit> out;
  while (true) {
    const run::CommitNo after = out.empty() ? run::CommitNo{} : out.back().no;
    auto page = MUST(store.store_log(after, limits::log_page_commits));
    if (page.empty()) return out;
    std::ranges::move(page, std::back_inserter(out));
  }
}

std::map<NodeId, run::NodeState> World::folded_states() {
  std::map<NodeId, run::NodeState> states;
  for (const run::Commit& commit : whole_log()) {
    const auto events = MUST(run::decode_events(commit.body));
    const run::CommitIndex index = run::index_of(events);
    for (const run::NodeOutline& node : index.nodes) {
      run::NodeState state;
      state.session = commit.session;
      if (node.parent) state = states.at(*node.parent);
      states[node.id] = MUST(run::fold(state, events));
    }
  }
  return states;
}

bool same(const surface::SignedReply& one, const surface::SignedReply& other) {
  return one.reply == other.reply && one.state_token == other.state_token &&
         one.ack_token == other.ack_token && one.checkpoint_token == other.checkpoint_token &&
         one.notice == other.notice && one.left_token == other.left_token;
}

}  // namespace baton::testing
