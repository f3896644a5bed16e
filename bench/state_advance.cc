#include "state_advance.h"

#include <filesystem>

#include "base/text/text.h"
#include "engine.h"
#include "raw_store.h"

namespace baton::bench {
namespace {

constexpr std::size_t rounds = 5;
constexpr std::size_t samples = 500;
constexpr std::size_t steps = 1'000;

/// Each prompt is followed by a step that writes the state; `computed` fields read what it writes.
workflow::CompiledWorkflow writing(std::size_t computed) {
  using json::Array;
  using json::Object;
  workflow::CompiledWorkflow out;
  out.id = "writing";
  Array fields;
  for (std::size_t i = 0; i < computed; ++i) {
    fields.push_back(Object{{"name", cat("c", i)},
                            {"from", Array{"raw.count"}},
                            {"list", false},
                            {"transform", cat("input * ", i + 2)},
                            {"on_error", "propagate"}});
  }
  out.declared.set("state",
                   Object{{"raw", Object{{"count", "integer"}, {"by", "object"}}},
                          {"computed", std::move(fields)},
                          {"defaults", Object{{"raw", Object{{"count", 0}, {"by", Object()}}}}}});
  for (std::size_t i = 0; i < steps; ++i) {
    out.steps.push_back(
        workflow::prompt_step(cat("s", i), cat("Step ", i), filler(prompt_bytes, i)));
    workflow::Step update = workflow::prompt_step(cat("u", i), "Update", "");
    update.body = workflow::StateUpdate();
    update.updates = Array{
        Object{{"path", "raw.count"}, {"operation", "increment"}, {"value", 1}},
        Object{{"path", cat("raw.by.k", i % 100)}, {"operation", "set"}, {"value", "{{ count }}"}}};
    out.steps.push_back(std::move(update));
  }
  return out;
}

}  // namespace

void add_advance_figures(Report& report, ports::ScriptHost& host, const std::string& folder) {
  const std::filesystem::path dir(folder);
  for (const std::size_t computed : {std::size_t{0}, std::size_t{1}}) {
    BenchEngine bench((dir / cat("state", computed, ".db")).string());
    RawStore raw((dir / cat("state_raw", computed, ".db")).string());
    surface::SignedReply at = bench.start(writing(computed), &host);
    Outputs outputs;
    const auto step = [&] {
      if (!at.ack_token) at = bench.start(writing(computed), &host);
      at = bench.advance(at, outputs.next());
    };
    step();
    const std::string body = commit_body(bench);
    std::vector<double> ratios;
    double advance_us = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
      const Spread of_raw = measure(samples, [&] { raw.commit(body); });
      const Spread of_advance = measure(samples, step);
      ratios.push_back(of_advance.p50 / of_raw.p50);
      advance_us = of_advance.p50;
    }
    const std::string what = cat("advance that writes the state, ", computed, " computed fields");
    report.add(cat(what, ", p50 / raw p50"), median(ratios), "x", "<= 2.5", median(ratios) <= 2.5);
    report.note(cat(what, ", p50"), advance_us, "us");
  }
}

}  // namespace baton::bench
