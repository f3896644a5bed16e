// Random calls against a small model of what a run is: a tree of nodes, each attempt with one
// outcome. After each call the store, what its log folds to, and the model say the same.
// Origin: 004-2, 004-17

#include <gtest/gtest.h>
#include <cstdlib>

#include <random>
#include <set>

#include "base/text/text.h"
#include "support/world.h"
#include "verbs/run/revoke.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using run::AttemptKind;
using run::TokenKind;
using surface::SignedReply;

constexpr std::size_t steps = 4;

struct ModelNode {
  int run = 0;
  int parent = -1;
  std::size_t position = 0;
  std::string settled;
  json::Object context;
  run::Preferences preferences;
  std::uint16_t settled_advances = 0;
  std::uint16_t settled_checkpoints = 0;
  int left = -1;  // of a node whose attempt said that it is on a fork: the tip of the branch left
  NodeId id;
};

struct SeenToken {
  TokenKind kind = TokenKind::state;
  int node = 0;
  std::uint16_t count = 0;
  std::string text;
};

struct Outcome {
  SignedReply reply;
  Sha256 input;
};

std::string step_name(std::size_t position) {
  return position < steps ? std::string(1, static_cast<char>('a' + position)) : std::string();
}

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed, bool with_faults)
      : random_(seed), with_faults_(with_faults), world_(seed, steps, seed % 2 == 0 ? 10 : 400) {}

  void run(int commands) {
    for (int i = 0; i < commands && !::testing::Test::HasFatalFailure(); ++i) {
      one_command();
      if (::testing::Test::HasFatalFailure()) return;
      check_node(static_cast<int>(pick(nodes_.size())));
    }
    check_everything();
  }

  std::map<std::string, int> shapes;  // how often each sort of thing happened

 private:
  std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random_() % below); }

  void one_command() {
    if (pick(3) == 0) {
      constexpr std::int64_t decade = 10LL * 365 * 86'400'000;
      world_.manual_clock.set_wall({static_cast<std::int64_t>(pick(2 * decade))});
    }
    const std::size_t choice = nodes_.empty() ? 0 : pick(20);
    if (choice == 0) return start();
    if (choice == 1) return revoke();
    if (choice < 5) return rehydrate();
    return attempt(choice < 9 ? TokenKind::checkpoint : TokenKind::ack);
  }

  /// Calls until it succeeds or is refused for a reason of its own; only the last try is safe from
  /// faults. Each try is made by another process half of the time.
  template <class Call>
  auto insist(Call call) {
    using Fault = adapters::FaultyStore::Fault;
    for (int tries = 0; with_faults_ && tries < 3; ++tries) {
      using enum adapters::FaultyStore::Kind;
      using enum adapters::FaultyStore::Call;
      constexpr Fault faults[] = {{refuse, Code::STORE_FAILED},
                                  {refuse, Code::STORE_FULL},
                                  {commit_then_error, Code::STORE_FAILED},
                                  {commit_then_error, Code::STORE_BUSY},
                                  {head_moved, Code::STORE_FAILED}};
      adapters::FaultyStore faulty(world_.store);
      faulty.inject(append, 1, faults[pick(5)]);
      if (pick(4) == 0) {
        faulty.inject(read, 1 + static_cast<std::int64_t>(pick(12)), {refuse, Code::STORE_FAILED});
      }
      world_.port = &faulty;
      engine::Caches cold;
      engine::Engine engine = pick(2) == 0 ? world_.engine() : world_.engine(cold);
      auto result = call(engine);
      world_.port = &world_.store;
      if (result || !name_of(result.error().code).starts_with("STORE_")) return result;
      ++shapes["failed"];
    }
    engine::Caches cold;
    engine::Engine engine = pick(2) == 0 ? world_.engine() : world_.engine(cold);
    return call(engine);
  }

  json::Object any_context() {
    json::Object out;
    if (pick(2) == 0) return out;
    out.set(cat("k", pick(3)), pick(4) == 0 ? json::Value() : json::Value(cat("v", pick(100))));
    return out;
  }

  run::PreferencesDelta any_preferences() {
    run::PreferencesDelta delta;
    if (pick(4) == 0) delta.autonomy = static_cast<run::Autonomy>(pick(3));
    if (pick(4) == 0) delta.risk_policy = static_cast<run::RiskPolicy>(pick(3));
    return delta;
  }

  static void apply(ModelNode& node, const json::Object& context,
                    const run::PreferencesDelta& delta) {
    for (const json::Member& member : context) {
      if (member.value.is_null()) {
        node.context.erase(member.key);
      } else {
        node.context.set(member.key, member.value);
      }
    }
    if (delta.autonomy) node.preferences.autonomy = *delta.autonomy;
    if (delta.risk_policy) node.preferences.risk_policy = *delta.risk_policy;
  }

  void start() {
    ++shapes["start"];
    const json::Object context = any_context();
    const auto delta = any_preferences();
    const auto reply = insist([&](engine::Engine& engine) {
      return surface::start(engine, world_.principal, {"demo", "", context, delta});
    });
    ASSERT_TRUE(reply) << reply.error().message;
    ModelNode node;
    node.run = static_cast<int>(runs_.size());
    apply(node, context, delta);
    runs_.push_back({reply->reply.run, false});
    add(std::move(node), *reply);
  }

  void revoke() {
    ++shapes["revoke"];
    auto& [id, revoked] = runs_[pick(runs_.size())];
    const auto row = world_.store.run(id).value();
    ASSERT_TRUE(row);
    const auto done = insist([&](engine::Engine& engine) { return verbs::revoke(engine, *row); });
    ASSERT_TRUE(done) << done.error().message;
    revoked = true;
  }

  void rehydrate() {
    ++shapes["rehydrate"];
    const SeenToken token = pick_token(TokenKind::state);
    const run::CommitNo before = world_.last_commit();
    const auto reply = insist([&](engine::Engine& engine) {
      return surface::rehydrate(engine.reading(), world_.principal, token.text);
    });
    ASSERT_EQ(world_.last_commit(), before);
    const ModelNode& node = model(token.node);
    if (runs_[static_cast<std::size_t>(node.run)].second) {
      ASSERT_EQ(code_of(reply), "TOKEN_REVOKED");
      return;
    }
    ASSERT_TRUE(reply) << reply.error().message;
    expect_shows(*reply, token.node, node.settled_advances, node.settled_checkpoints);
    see(*reply, token.node);
  }

  void attempt(TokenKind kind) {
    if (!has_token(kind)) return;
    const SeenToken token = pick_token(kind);
    run::StepInput input = notes_of(cat("output ", pick(3)));
    input.context = any_context();
    input.preferences = any_preferences();
    if (input.preferences != run::PreferencesDelta()) {
      // The user's word, which a raise needs.
      input.artifacts.push_back(json::Object{{"kind", "baton.confirmation"}, {"words", "go on"}});
    }
    const Sha256 hash = run::input_hash(input).value();
    surface::AttemptRequest request{token.text, std::nullopt, input};
    if (pick(4) == 0) request.other = run::OtherInput::notice;
    const auto reply = insist([&](engine::Engine& engine) {
      return kind == TokenKind::ack ? surface::advance(engine, world_.principal, request)
                                    : surface::checkpoint(engine, world_.principal, request);
    });
    ModelNode& node = model(token.node);
    if (runs_[static_cast<std::size_t>(node.run)].second) {
      ASSERT_EQ(code_of(reply), "TOKEN_REVOKED");
      return;
    }
    ASSERT_TRUE(reply) << reply.error().message;
    const bool forks = kind == TokenKind::ack && request.other == run::OtherInput::fork;
    if (const Outcome* found = outcome_for(token, hash, forks)) {
      return expect_replay(*reply, *found, hash, token);
    }
    std::uint16_t& settled =
        kind == TokenKind::ack ? node.settled_advances : node.settled_checkpoints;
    if (!forks) {
      ASSERT_EQ(token.count, settled) << "a token that no reply had";
    }
    if (token.count < settled) ++shapes["another output"];
    outcomes_.emplace(std::tuple(token.node, kind, settled), Outcome{*reply, hash});
    record(token, input, *reply, settled++);
  }

  /// What answers a call: the attempt of its token or, where another input forks, the first one at
  /// the same step that had this input.
  const Outcome* outcome_for(const SeenToken& token, const Sha256& hash, bool forks) const {
    const auto at = [&](std::uint16_t count) {
      const auto found = outcomes_.find(std::tuple(token.node, token.kind, count));
      return found == outcomes_.end() ? nullptr : &found->second;
    };
    const Outcome* own = at(token.count);
    if (own != nullptr && (!forks || own->input == hash)) return own;
    if (!forks) return nullptr;
    for (std::uint16_t count = 0; const Outcome* each = at(count); ++count) {
      if (each->input == hash) return each;
    }
    return nullptr;
  }

  void expect_replay(SignedReply reply, const Outcome& outcome, const Sha256& input,
                     const SeenToken& token) {
    ++shapes[input == outcome.input ? "replay" : "replay with another output"];
    ASSERT_EQ(reply.notice.has_value(), input != outcome.input);
    if (reply.notice) {
      const ModelNode& node = model(token.node);
      see_token(token.kind, token.node,
                token.kind == TokenKind::ack ? node.settled_advances : node.settled_checkpoints,
                reply.notice->ack_token);
      reply.notice.reset();
    }
    ASSERT_TRUE(same(reply, outcome.reply));
  }

  /// Where the new node belongs, by the design's rule and without the engine's code. `count` is the
  /// number of attempts at its place before.
  void record(const SeenToken& token, const run::StepInput& input, const SignedReply& reply,
              std::uint16_t count) {
    const bool is_checkpoint = token.kind == TokenKind::checkpoint;
    const std::string step = is_checkpoint ? "" : step_name(model(token.node).position);
    bool in_the_way = false;
    int tip = token.node;
    const int newest = newest_below(token.node);
    const int first = newest_child(token.node);
    for (int next = first; next >= 0; next = newest_child(tip)) {
      tip = next;
      const std::string& settled = model(tip).settled;
      in_the_way = in_the_way || (is_checkpoint ? !settled.empty() : settled == step);
    }
    // A later attempt joins only where the run has continued.
    const bool is_next = !is_checkpoint && count > 0 && first >= 0;
    in_the_way = in_the_way || (is_next && tip != newest);
    const int parent = in_the_way ? token.node : tip;
    ++shapes[in_the_way ? "fork" : parent == token.node ? "on the node" : "rebased"];
    ModelNode node = model(parent);
    node.parent = parent;
    node.settled = step;
    if (!is_checkpoint) ++node.position;
    node.settled_advances = node.settled_checkpoints = 0;
    node.left = in_the_way ? newest : is_next ? model(first).left : -1;
    apply(node, input.context, input.preferences);
    if (node.position == steps) ++shapes["complete"];
    add(std::move(node), reply);
  }

  /// The newest node below this one, or itself.
  int newest_below(int node) const {
    for (int i = static_cast<int>(nodes_.size()) - 1; i > node; --i) {
      int at = i;
      while (at > node) at = nodes_[static_cast<std::size_t>(at)].parent;
      if (at == node) return i;
    }
    return node;
  }

  int newest_child(int parent) const {
    for (int i = static_cast<int>(nodes_.size()) - 1; i > parent; --i) {
      if (nodes_[static_cast<std::size_t>(i)].parent == parent) return i;
    }
    return -1;
  }

  void add(ModelNode node, const SignedReply& reply) {
    node.id = reply.reply.state.node;
    nodes_.push_back(std::move(node));
    const int index = static_cast<int>(nodes_.size()) - 1;
    expect_shows(reply, index, 0, 0);
    see(reply, index);
    expect_left(reply, model(index).left);
    check_node(index);
  }

  /// A fork says what it leaves behind, with a token that leads there.
  void expect_left(const SignedReply& reply, int left) {
    ASSERT_EQ(reply.reply.left.has_value(), left >= 0);
    if (left < 0) return;
    ++shapes["told of a fork"];
    ASSERT_EQ(reply.reply.left->tip.node, model(left).id);
    see_token(TokenKind::state, left, 0, reply.left_token);
  }

  void expect_shows(const SignedReply& reply, int index, std::uint16_t advances,
                    std::uint16_t checkpoints) {
    const ModelNode& node = model(index);
    ASSERT_EQ(reply.reply.state.node, node.id);
    ASSERT_EQ(reply.reply.preferences, node.preferences);
    ASSERT_EQ(reply.reply.is_complete(), node.position == steps);
    ASSERT_EQ(reply.ack_token.has_value(), node.position < steps);
    if (reply.reply.is_complete()) return;
    ASSERT_EQ(reply.reply.pending->step_id, step_name(node.position));
    ASSERT_EQ(reply.reply.ack->count, advances);
    ASSERT_EQ(reply.reply.checkpoint->count, checkpoints);
  }

  void see(const SignedReply& reply, int node) {
    see_token(TokenKind::state, node, 0, reply.state_token);
    if (!reply.ack_token) return;
    see_token(TokenKind::ack, node, reply.reply.ack->count, *reply.ack_token);
    see_token(TokenKind::checkpoint, node, reply.reply.checkpoint->count, *reply.checkpoint_token);
  }

  /// The same claim has the same text, and no two claims share one.
  void see_token(TokenKind kind, int node, std::uint16_t count, const std::string& text) {
    const auto [place, is_new] = texts_.emplace(std::tuple(kind, node, count), text);
    ASSERT_EQ(place->second, text);
    if (!is_new) return;
    ASSERT_TRUE(all_texts_.insert(text).second);
    tokens_[kind].push_back({kind, node, count, text});
  }

  bool has_token(TokenKind kind) const { return tokens_.contains(kind); }
  SeenToken pick_token(TokenKind kind) {
    const auto& list = tokens_.at(kind);
    return list[pick(list.size())];
  }

  ModelNode& model(int index) { return nodes_[static_cast<std::size_t>(index)]; }

  void check_node(int index) {
    const ModelNode& node = model(index);
    const auto state = world_.cold_state(node.id);
    ASSERT_TRUE(state) << state.error().message;
    ASSERT_EQ(*state->context, node.context);
    ASSERT_EQ(state->preferences, node.preferences);
    ASSERT_EQ(state->cursor.position, static_cast<std::int64_t>(node.position));
    ASSERT_EQ(state->run, runs_[static_cast<std::size_t>(node.run)].first);
    const auto row = world_.store.node_by_id(node.id).value();
    ASSERT_EQ(row->parent.has_value(), node.parent >= 0);
    if (row->parent) {
      ASSERT_EQ(world_.store.node(*row->parent).value()->id, model(node.parent).id);
    }
  }

  void check_everything() {
    const auto folded = world_.folded_states();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      check_node(static_cast<int>(i));
      ASSERT_EQ(folded.at(nodes_[i].id), world_.cold_state(nodes_[i].id).value());
    }
    std::set<std::pair<NodeId, run::AttemptKey>> attempts;
    for (const run::Commit& commit : world_.whole_log()) {
      const auto index = run::index_of(run::decode_events(commit.body).value());
      for (const auto& attempt : index.attempts) {
        ASSERT_TRUE(attempts.emplace(attempt.node, attempt.key).second) << "two outcomes";
      }
    }
    ASSERT_EQ(attempts.size(), outcomes_.size());
    const auto report = verbs::verify(world_.store).value();
    ASSERT_TRUE(report.ok()) << report.problems.front();
  }

  std::mt19937_64 random_;
  bool with_faults_;
  World world_;
  std::vector<ModelNode> nodes_;
  std::vector<std::pair<RunId, bool>> runs_;  // and whether its tokens were revoked
  std::map<TokenKind, std::vector<SeenToken>> tokens_;
  std::map<std::tuple<TokenKind, int, std::uint16_t>, std::string> texts_;
  std::set<std::string> all_texts_;
  std::map<std::tuple<int, TokenKind, std::uint16_t>, Outcome> outcomes_;
};

/// A number that `./dev sim` gives, or what the tests use.
std::uint64_t given(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? static_cast<std::uint64_t>(parse_int(text).value()) : otherwise;
}

std::map<std::string, int> simulate(std::uint64_t seeds, int commands, bool with_faults) {
  std::map<std::string, int> shapes;
  const std::uint64_t first = given("BATON_SIM_SEED", 0);
  seeds = given("BATON_SIM_SEEDS", seeds);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Simulation simulation(seed, with_faults);
    simulation.run(commands);
    for (const auto& [shape, count] : simulation.shapes) shapes[shape] += count;
    if (::testing::Test::HasFatalFailure()) break;
  }
  return shapes;
}

void expect_shapes(const std::map<std::string, int>& shapes, std::set<std::string> wanted) {
  for (const std::string& shape : wanted) {
    EXPECT_TRUE(shapes.contains(shape)) << "never happened: " << shape;
  }
}

const std::set<std::string> all_shapes = {
    "start",         "revoke",      "rehydrate", "replay",   "replay with another output",
    "fork",          "on the node", "rebased",   "complete", "another output",
    "told of a fork"};

// Enforces: G22, G5, G6, G11
TEST(model, store_log_and_model_agree_after_any_calls) {
  expect_shapes(simulate(120, 60, false), all_shapes);
}

// Enforces: G2, G22, G5
TEST(model, faults_of_the_store_lose_nothing_and_record_nothing_twice) {
  std::set<std::string> wanted = all_shapes;
  wanted.insert("failed");
  expect_shapes(simulate(120, 40, true), wanted);
}

}  // namespace
}  // namespace baton::testing
