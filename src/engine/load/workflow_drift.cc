#include "engine/load/workflow_drift.h"

#include "base/text/text.h"
#include "engine/load/compile_workflow.h"

namespace baton::engine {
namespace {

/// The hash that the file compiles to, in hexadecimal; "broken" when it does not; empty when it is
/// another workflow's file.
std::string compiled_hash(ports::WorkflowSource& source, Caches& caches, ports::WorkflowFile file,
                          const std::string& workflow_id) {
  source.read(file);
  if (!file.problem.empty()) return {};
  const std::string key = cat(file.path, '\n', sha256(file.text).hex());
  if (const auto known = caches.compiled.find(key)) return *known;
  const auto compiled = compile_workflow(source, std::move(file));
  if (!compiled) return {};
  const workflow::Compilation& found = compiled->compilation;
  std::string hash;
  if (found.id == workflow_id) hash = found.has_errors() ? "broken" : found.pinned->hash.hex();
  // What it made of other files may change without its own text.
  if (!compiled->needed_others) caches.compiled.put(key, hash);
  return hash;
}

/// The warning by the first file that is of the workflow, empty when that has not changed; nothing
/// when none of the files is.
std::optional<std::optional<std::string>> compared(const ReadContext& reading,
                                                   std::vector<ports::WorkflowFile> files,
                                                   const std::string& workflow_id,
                                                   const Sha256& pinned) {
  for (ports::WorkflowFile& file : files) {
    const std::string path = file.path;
    const std::string hash =
        compiled_hash(*reading.workflows, reading.caches, std::move(file), workflow_id);
    if (hash.empty()) continue;
    if (hash == pinned.hex()) return std::optional<std::string>();
    return std::optional(
        cat(path, hash == "broken" ? " cannot be compiled now" : " has changed",
            "; this run continues with the version it started with. Start a new run to use the "
            "file as it is now."));
  }
  return std::nullopt;
}

/// A run of a plan is made of the plan and has no file: `plan-` and 16 digits of a hash.
bool is_without_file(std::string_view workflow_id) {
  constexpr std::string_view prefix = "plan-";
  if (!workflow_id.starts_with(prefix) || workflow_id.size() != prefix.size() + 16) return false;
  return workflow_id.find_first_not_of("0123456789abcdef", prefix.size()) == workflow_id.npos;
}

}  // namespace

std::optional<std::string> drift_warning(const ReadContext& reading, const std::string& workflow_id,
                                         const Sha256& pinned) {
  if (reading.workflows == nullptr) return std::nullopt;
  // A file may have any name: those that are called like the workflow are tried first.
  auto named = reading.workflows->named(workflow_id);
  if (!named) return std::nullopt;
  if (auto found = compared(reading, *std::move(named), workflow_id, pinned)) return *found;
  if (is_without_file(workflow_id)) return std::nullopt;
  auto all = reading.workflows->all();
  if (!all) return std::nullopt;
  if (auto found = compared(reading, *std::move(all), workflow_id, pinned)) return *found;
  return cat("no file of the workflow ", workflow_id,
             " that can be read was found; this run continues with the version it started with.");
}

}  // namespace baton::engine
