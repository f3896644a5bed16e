// What compiling costs beside a bare scan of the same bytes by libyaml, what listing a thousand
// files costs cold and warm, and what a compiled workflow takes in memory.
//
//   compile_bench FOLDER BINARY [--long]

#include <malloc.h>
#include <yaml.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "adapters/files/workflow_files.h"
#include "adapters/store/sqlite/aux_store.h"
#include "base/text/text.h"
#include "bench.h"
#include "verbs/workflow/find_workflow.h"
#include "workflow/compile.h"
#include "workflow/testing/compile_alone.h"

namespace baton::bench {
namespace {

constexpr std::size_t large_steps = 1'000;
constexpr std::size_t files = 1'000;

/// A workflow as authors write them: prompts, a condition here and there, some expressions.
std::string workflow_text(std::string_view id, std::size_t steps) {
  std::string out = cat("id: ", id, "\ntitle: Bench\nversion: \"1.0.0\"\nsteps:\n");
  for (std::size_t i = 0; i < steps; ++i) {
    out += cat("  - id: step-", i, "\n    title: Step ", i, "\n    prompt: |\n");
    for (std::size_t line = 0; line < 4; ++line) {
      out += cat("      ", filler(60, i + line), "\n");
    }
    if (i % 4 == 1) out += "    runCondition: {var: ready, equals: true}\n";
    if (i % 4 == 2) out += "    guidance: [\"On {{ subject.name }}\", \"In small steps\"]\n";
    if (i % 4 == 3) out += "    tags: [a, b]\n    requireConfirmation: true\n";
  }
  return out;
}

std::size_t scan(const std::string& text) {
  yaml_parser_t parser;
  yaml_parser_initialize(&parser);
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()),
                               text.size());
  std::size_t events = 0;
  for (bool ended = false; !ended; ++events) {
    yaml_event_t event;
    if (yaml_parser_parse(&parser, &event) != 1) break;
    ended = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  return events;
}

std::size_t heap_bytes() { return mallinfo2().uordblks; }

void measure_one(Report& report, std::size_t rounds) {
  const std::string text = workflow_text("large", large_steps);
  std::vector<double> ratios;
  std::size_t events = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    const double bare = measure(1, [&] { events += scan(text); }).total;
    const double whole = measure(1, [&] {
                           const auto compilation = workflow::compile_alone({"large.yaml", text});
                           ASSERT(!compilation.has_errors());
                         }).total;
    ratios.push_back(whole / bare);
  }
  ASSERT(events > 0);
  const double ratio = median(ratios);
  report.add("compile 1,000 steps / bare libyaml scan", ratio, "x", "<= 2.5 x", ratio <= 2.5);
  const std::size_t before = heap_bytes();
  const auto pinned = workflow::compile_alone({"large.yaml", text}).pinned;
  const double taken = static_cast<double>(heap_bytes() - before);
  report.note("memory of a compiled workflow / its file", taken / static_cast<double>(text.size()),
              "x");
}

void measure_list(Report& report, const std::filesystem::path& folder, std::size_t rounds) {
  const std::filesystem::path flows = folder / "flows";
  std::filesystem::create_directories(flows);
  for (std::size_t i = 0; i < files; ++i) {
    const std::string id = cat("flow-", i);
    std::ofstream(flows / (id + ".yaml")) << workflow_text(id, 8);
  }
  adapters::WorkflowFiles source({{"extra", flows.string(), true}});
  std::vector<double> cold;
  for (std::size_t i = 0; i < rounds; ++i) {
    const double bare = measure(1, [&] {
                          for (ports::WorkflowFile& file : MUST(source.all())) {
                            source.read(file);
                            ASSERT(scan(file.text) > 0);
                          }
                        }).total;
    const double whole = measure(1, [&] {
                           ASSERT(MUST(verbs::list_workflows(source, nullptr)).size() == files);
                         }).total;
    cold.push_back(whole / bare);
  }
  report.add("list 1,000 files cold / reading and scanning them", median(cold), "x", "<= 1.5 x",
             median(cold) <= 1.5);
  const auto aux = adapters::SqliteAux::open((folder / "bench.db").string());
  ASSERT(MUST(verbs::list_workflows(source, aux.get())).size() == files);
  const double warm = measure(rounds, [&] {
                        ASSERT(MUST(verbs::list_workflows(source, aux.get())).size() == files);
                      }).p50;
  report.add("list 1,000 files warm", warm / 1'000, "ms", "< 50 ms", warm < 50'000);
}

/// Workflows without files, like those that come with Baton, each of which includes another one.
void measure_bundled(Report& report, const std::filesystem::path& folder, std::size_t rounds) {
  constexpr std::size_t bundled = 20;
  std::vector<std::string> names;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < bundled; ++i) {
    const std::string id = cat("baton.flow-", i);
    names.push_back(cat("workflows/", id, ".yaml"));
    texts.push_back(workflow_text(id, 8));
    if (i > 0) texts.back() += "  - {id: more, type: include, workflow: baton.flow-0}\n";
  }
  std::vector<adapters::BundledText> both;
  for (std::size_t i = 0; i < bundled; ++i) both.push_back({names[i], texts[i]});
  adapters::WorkflowFiles source({}, std::move(both));
  const double cold = measure(rounds, [&] {
                        ASSERT(MUST(verbs::list_workflows(source, nullptr)).size() == bundled);
                      }).p50;
  const auto aux = adapters::SqliteAux::open((folder / "bundled.db").string());
  ASSERT(MUST(verbs::list_workflows(source, aux.get())).size() == bundled);
  const double warm = measure(rounds, [&] {
                        ASSERT(MUST(verbs::list_workflows(source, aux.get())).size() == bundled);
                      }).p50;
  const double ratio = warm / cold;
  report.add("list bundled workflows again / compiling them", ratio, "x", "<= 0.5 x", ratio <= 0.5);
}

int run(const std::filesystem::path& folder, bool is_long) {
  Report report;
  const std::size_t rounds = is_long ? 21 : 5;
  measure_one(report, rounds);
  measure_list(report, folder, rounds);
  measure_bundled(report, folder, rounds);
  return report.finish(folder.string());
}

}  // namespace
}  // namespace baton::bench

int main(int count, char** words) {
  if (count < 3) return 2;
  return baton::bench::run(words[1], count > 3 && std::string_view(words[3]) == "--long");
}
