#include "run/process.h"

#include <algorithm>
#include <array>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/command_output.h"

namespace baton::run {
namespace {

using json::Fields;
using json::Object;
using json::Value;

constexpr std::array<std::string_view, 7> ends = {
    "exited", "signalled", "timed_out", "stopped", "not_found", "not_started", "unknown"};

}  // namespace

std::string_view name_of(ProcessEnd end) { return ends[static_cast<std::size_t>(end)]; }

ProcessFinished noted(const ProcessIntended& intended, const ProcessReport& report) {
  const ProcessResult& result = report.result;
  constexpr std::size_t most = limits::process_noted_bytes_max;
  ProcessFinished out;
  out.run = intended.run;
  out.intended = intended.node;
  out.problem = utf8::truncate(report.problem, most);
  out.end = result.end;
  out.code = result.code;
  out.output_bytes = static_cast<std::int64_t>(result.output.size());
  out.output_cut = result.output_cut;
  out.output = utf8::truncate(visible(std::string_view(result.output).substr(0, most)), most);
  const std::size_t from = result.errors.size() - std::min(most, result.errors.size());
  out.errors = utf8::truncate(visible(std::string_view(result.errors).substr(from)), most);
  return out;
}

Object fact_fields(const ProcessIntended& fact) {
  json::Array argv;
  for (const std::string& each : fact.argv) argv.emplace_back(each);
  Object out{{"step", fact.step},
             {"argv", std::move(argv)},
             {"timeoutMs", fact.timeout_ms},
             {"runner", fact.runner}};
  if (fact.tries != 0) out.set("tries", fact.tries);
  if (fact.delay_ms != 0) out.set("delayMs", fact.delay_ms);
  if (!fact.directory.empty()) out.set("directory", fact.directory);
  Object environment;
  for (const auto& [name, value] : fact.environment) environment.set(name, value);
  if (!environment.empty()) out.set("environment", std::move(environment));
  return out;
}

Result<void> read_fact(Fields& f, ProcessIntended& fact) {
  fact.step = TRY(f.string("step"));
  fact.argv = TRY(f.strings("argv"));
  if (fact.argv.empty()) return f.wrong("argv", "a program");
  fact.timeout_ms = TRY(f.integer("timeoutMs"));
  fact.runner = TRY(f.string("runner"));
  if (f.has("tries")) fact.tries = TRY(f.integer("tries"));
  if (f.has("delayMs")) fact.delay_ms = TRY(f.integer("delayMs"));
  if (f.has("directory")) fact.directory = TRY(f.string("directory"));
  if (!f.has("environment")) return {};
  for (const json::Member& each : *TRY(f.object("environment"))) {
    if (!each.value.is_string()) return f.wrong("environment", "texts");
    fact.environment.emplace(each.key, *each.value.if_string());
  }
  return {};
}

Object fact_fields(const ProcessFinished& fact) {
  Object out{{"intended", fact.intended.text()}, {"end", name_of(fact.end)}};
  if (fact.code != 0) out.set("code", fact.code);
  if (!fact.problem.empty()) out.set("problem", fact.problem);
  if (fact.output_bytes != 0) out.set("outputBytes", fact.output_bytes);
  if (fact.output_cut) out.set("outputCut", true);
  if (!fact.output.empty()) out.set("output", fact.output);
  if (!fact.errors.empty()) out.set("errors", fact.errors);
  return out;
}

Result<void> read_fact(Fields& f, ProcessFinished& fact) {
  fact.intended = TRY(f.id<NodeId>("intended"));
  const std::string end = TRY(f.string("end"));
  const auto found = std::ranges::find(ends, end);
  if (found == ends.end()) return f.wrong("end", "a known name");
  fact.end = static_cast<ProcessEnd>(found - ends.begin());
  if (f.has("code")) fact.code = TRY(f.integer("code"));
  if (f.has("problem")) fact.problem = TRY(f.string("problem"));
  if (f.has("outputBytes")) fact.output_bytes = TRY(f.integer("outputBytes"));
  if (f.has("outputCut")) fact.output_cut = TRY(f.boolean("outputCut"));
  if (f.has("output")) fact.output = TRY(f.string("output"));
  if (f.has("errors")) fact.errors = TRY(f.string("errors"));
  return {};
}

}  // namespace baton::run
