// state_kill: kills the real server while runs with state and computed fields go on, and sees that
// the log folds to the state that the agent was shown, without any script being run again.
//
//   state_kill [--baton PATH] [--kills N] [--seed N]
//
// One client walks runs whose computed fields draw chance and time. Most calls are killed: before
// they can be decided, while they are, or when they are answered; the next server gets the same
// call again. The prompts show the whole state. At the end of a run every answer is asked for again
// and must have the same bytes, every node is shown again and must show the same, and its state,
// folded from the log by code that has no sandbox, must be the one that was shown.

#include <poll.h>

#include <cstdio>
#include <fstream>
#include <random>

#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "engine/load/load.h"
#include "run/log/token.h"
#include "support/options.h"
#include "support/server.h"
#include "verbs/store/verify.h"

namespace baton::crash {
namespace {

constexpr std::string_view outer = R"yaml(
id: stateful
default_state: {raw: {n: 0, log: [], ids: [], items: [3, 1, 2]}}
state_schema:
  raw: {n: integer, log: array, ids: array, items: array, steps_completed: array}
  computed:
    total: {from: raw.log, transform: "input.reduce((sum, each) => sum + each.length, 0)"
}
    sorted: {from: [raw.items, computed.total], transform: "[...input[0]].sort().concat(input[1])"}
    stamp: {from: raw.n, transform: "[input, Math.random(), Date.now()].join(' ')"}
steps:
  - id: each
    type: foreach
    items: "{{ sorted }}"
    body:
      - id: write
        prompt: "STATE {{ JSON.stringify(global) }} END"
        state_update: {path: raw.log, operation: append, value: "{{ result + n }}"}
      - id: note
        type: batch_state_update
        updates:
          - {path: raw.n, operation: increment}
          - {path: raw.ids, operation: append, value: "{{ uuid() }}"}
  - {id: inc, type: include_workflow, workflow: inner, inputs: {n: "{{ n }}"}}
  - id: more
    type: while
    condition: "{{ n < 9 }}"
    body:
      - {id: again, prompt: "STATE {{ JSON.stringify(global) }} END"}
      - {id: up, type: state_update, path: raw.n, operation: increment}
)yaml";

constexpr std::string_view inner = R"yaml(
id: inner
inputs: {n: {type: integer}}
default_state: {raw: {seen: "{{ inputs.n * 2 }}"}}
state_schema:
  raw: {seen: integer}
  computed: {square: {from: raw.seen, transform: input * input + Math.random()}}
steps:
  - id: ask
    prompt: "STATE {{ JSON.stringify(global) }} END"
    state_update: {path: raw.seen, value: 7}
  - {id: tell, type: state_update, path: global.n, operation: increment}
)yaml";

/// One answer, with its call.
struct Heard {
  Call call;
  std::string result;
  std::string state_token;
  std::string prompt;  // empty when the run was complete
};

class Walk {
 public:
  Walk(std::string binary, std::uint64_t seed) : binary_(std::move(binary)), random_(seed) {
    place_ = MUST(make_place(scratch_.path()));  // the scratch folder is ours
    std::ofstream(place_.workflows() / "stateful.yaml") << outer;
    std::ofstream(place_.workflows() / "inner.yaml") << inner;
  }

  Result<void> run(std::int64_t kills) {
    while (kills_ < kills) TRY(one_run());
    return {};
  }

  void keep() { scratch_.keep(); }
  std::string report(std::int64_t seed) const {
    return json::print(json::Object{{"test", "state_kill"},
                                    {"seed", seed},
                                    {"kills", kills_},
                                    {"answeredBefore", heard_after_kill_},
                                    {"runs", runs_},
                                    {"statesCompared", states_}});
  }

 private:
  static std::unexpected<Error> violated(std::string what) {
    return fail(Code::INTERNAL, std::move(what));
  }

  Result<void> one_run() {
    heard_.clear();
    Answer answer =
        TRY(ask({"start_workflow", {{"workflowId", "stateful"}, {"goal", cat("run ", runs_)}}}));
    for (std::string ack = answer.field("ackToken"); !ack.empty(); ack = answer.field("ackToken")) {
      answer = TRY(ask(advance_call(ack, cat("note ", heard_.size()))));
    }
    ++runs_;
    TRY(check_answers());
    TRY(server_->end());
    server_.reset();
    return check_log();
  }

  /// The answer to a call, sent as often as it takes.
  Result<Answer> ask(const Call& call) {
    for (;;) {
      if (server_ == nullptr) TRY(begin_life());
      if (!server_->send(call)) return violated("the server stopped reading before it was killed");
      const bool is_killed = random_() % 4 != 0;
      if (is_killed) kill_soon();
      const Server::Heard heard = TRY(server_->hear(answer_wait_ms_max));
      if (is_killed) {
        server_->child().wait();
        server_.reset();
      }
      if (heard.heard != Child::Heard::line) {
        if (is_killed) continue;
        return violated("the server ended before it was killed");
      }
      if (heard.answer.is_error()) return violated(heard.answer.text);
      if (is_killed) ++heard_after_kill_;
      note(call, heard.answer);
      return heard.answer;
    }
  }

  /// A server that has answered, so that a kill meets the call and not the start.
  Result<void> begin_life() {
    server_ = TRY(Server::start({binary_, place_, {}, {}}));
    TRY(server_->call({"list_workflows", {}}));
    return {};
  }

  /// At a moment before the answer, or when it comes.
  void kill_soon() {
    pollfd answer{server_->child().out(), POLLIN, 0};
    const timespec room{0, static_cast<long>(random_() % 12'000'000)};
    ppoll(&answer, 1, &room, nullptr);
    server_->child().kill();
    ++kills_;
  }

  void note(const Call& call, const Answer& answer) {
    const json::Value* pending = answer.structured.find("pending");
    const json::Value* prompt = pending == nullptr ? nullptr : pending->find("prompt");
    heard_.push_back({call, answer.result, answer.field("stateToken"),
                      prompt == nullptr ? std::string() : *prompt->if_string()});
  }

  // Enforces: G22, G6
  Result<void> check_answers() {
    if (server_ == nullptr) TRY(begin_life());
    for (const Heard& each : heard_) {
      const Answer shown = TRY(server_->call(look_call(each.state_token)));
      const json::Value* pending = shown.structured.find("pending");
      if (!each.prompt.empty() && *pending->find("prompt")->if_string() != each.prompt) {
        return violated(cat("a node shows another prompt than before: ", each.prompt));
      }
      if (each.call.tool == "start_workflow") continue;
      const Answer again = TRY(server_->call(each.call));
      if (again.result != each.result) return violated("the same call was answered otherwise");
    }
    return {};
  }

  // Enforces: G6
  Result<void> check_log() {
    const auto store = TRY(adapters::SqliteStore::open(place_.db().string(), {}));
    const verbs::VerifyReport verified = TRY(verbs::verify(*store));
    if (!verified.problems.empty()) return violated(verified.problems.front());
    engine::Caches caches;
    for (const Heard& each : heard_) {
      if (each.prompt.empty()) continue;
      const run::UnverifiedToken token = TRY(run::decode_token(each.state_token));
      const engine::LoadContext loading{*store, caches};
      const auto state =
          TRY(engine::load_state(loading, TRY(engine::load_node(loading, token.node))));
      const json::Value folded = state::flattened(state->states->at("")).to_json();
      const std::size_t begin = each.prompt.find('{');
      const std::size_t end = each.prompt.find(" END");
      const json::Value shown = TRY(json::parse(each.prompt.substr(begin, end - begin)));
      if (TRY(json::canonical(shown)) != TRY(json::canonical(folded))) {
        return violated(cat("shown: ", json::print(shown), "; folded: ", json::print(folded)));
      }
      ++states_;
    }
    return {};
  }

  Scratch scratch_;
  Place place_;
  const std::string binary_;
  std::mt19937_64 random_;
  std::unique_ptr<Server> server_;
  std::vector<Heard> heard_;  // of this run
  std::int64_t kills_ = 0;
  std::int64_t heard_after_kill_ = 0;
  std::int64_t runs_ = 0;
  std::int64_t states_ = 0;
};

int run_all(const std::string& binary, std::int64_t kills, std::int64_t seed) {
  Walk walk(binary, static_cast<std::uint64_t>(seed));
  const auto done = walk.run(kills);
  std::puts(walk.report(seed).c_str());
  if (done) return 0;
  walk.keep();
  std::fprintf(stderr, "state_kill: %s\nagain: state_kill --kills %lld --seed %lld --baton %s\n",
               done.error().message.c_str(), static_cast<long long>(kills),
               static_cast<long long>(seed), binary.c_str());
  return 1;
}

}  // namespace
}  // namespace baton::crash

int main(int argc, char** argv) {
  const auto options = baton::crash::Options::read(argc, argv, {"baton", "kills", "seed"});
  if (!options) return 2;
  return baton::crash::run_all(baton::crash::baton_binary(*options), options->number("kills", 100),
                               options->number("seed", 1));
}
