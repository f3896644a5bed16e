#include "engine.h"

#include "base/text/text.h"
#include "bench.h"
#include "engine/record.h"

namespace baton::bench {

Outputs::Outputs() {
  constexpr std::size_t count = 64;
  for (std::size_t salt = 0; salt < count; ++salt) {
    run::StepInput output;
    output.notes = filler(notes_bytes, salt);
    output.artifacts = {
        json::Object{{"kind", "report"}, {"text", filler(artifact_bytes, salt + count)}}};
    all_.push_back(std::move(output));
  }
}

BenchEngine::BenchEngine(const std::string& path) {
  const adapters::KeyFile keys(path + ".keys");
  // A benchmark that cannot open its store has nothing to measure.
  MUST(keys.create_if_missing(entropy_));
  store_ = MUST(adapters::SqliteStore::open(path));
  signer_ = MUST(adapters::CryptoSigner::open(keys));
  forget();
}

void BenchEngine::forget() {
  engine_.reset();
  checked_.reset();
  caches_ = std::make_unique<engine::Caches>();
  checked_ = std::make_unique<engine::CheckedStore>(*store_, *caches_);
  engine_ = std::make_unique<engine::Engine>(*checked_, workflows_, *signer_, clock_, entropy_,
                                             ids_, *caches_);
}

surface::SignedReply BenchEngine::start(std::size_t steps, std::size_t prompt_size) {
  workflow::CompiledWorkflow workflow;
  workflow.id = "bench";
  for (std::size_t i = 0; i < steps; ++i) {
    workflow.steps.push_back(
        workflow::prompt_step(cat("s", i), cat("Step ", i), filler(prompt_size, i)));
  }
  return start(std::move(workflow));
}

surface::SignedReply BenchEngine::start(workflow::CompiledWorkflow workflow,
                                        ports::ScriptHost* scripts) {
  engine_->scripts = scripts;
  const engine::ReadContext reading = engine_->reading();
  const workflow::Pinned pinned = MUST(workflow::pin(std::move(workflow)));
  const auto schemas = MUST(run::Schemas::of(pinned.workflow));
  run::Decider decider =
      run::Decider::start({.workflow = &pinned,
                           .schemas = schemas.get(),
                           .goal = {},
                           .context = {},
                           .preferences = {},
                           .minting = MUST(engine::current_token_settings(reading))});
  run::Decided decided =
      MUST(engine::decide(*engine_, decider, engine::Permit(*engine_, pinned, {}), {pinned.hash}));
  decided.commit.workflow.emplace(pinned.hash, pinned.text);
  auto recorded = MUST(engine::record(*engine_, std::move(decided), run::Seq{0}));
  caches_->workflows.put(pinned.hash.hex(), pinned);
  return MUST(
      surface::sign(reading, {}, {.reply = std::move(recorded->reply), .node = recorded->node}));
}

surface::SignedReply BenchEngine::advance(const surface::SignedReply& at, run::StepInput output) {
  return MUST(surface::advance(*engine_, {}, {*at.ack_token, std::nullopt, std::move(output)}));
}

std::string commit_body(BenchEngine& bench) {
  auto& store = bench.store();
  const auto last = MUST(store.last_commit());
  return MUST(store.commit(last))->body;
}

}  // namespace baton::bench
