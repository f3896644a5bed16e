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

}  // namespace

std::optional<std::string> drift_warning(const ReadContext& reading, const std::string& workflow_id,
                                         const Sha256& pinned) {
  if (reading.workflows == nullptr) return std::nullopt;
  auto files = reading.workflows->named(workflow_id);
  if (!files) return std::nullopt;
  for (ports::WorkflowFile& file : *files) {
    const std::string path = file.path;
    const std::string hash =
        compiled_hash(*reading.workflows, reading.caches, std::move(file), workflow_id);
    if (hash.empty()) continue;
    if (hash == pinned.hex()) return std::nullopt;
    return cat(path, hash == "broken" ? " cannot be compiled now" : " has changed",
               "; this run continues with the version it started with. Start a new run to use the "
               "file as it is now.");
  }
  return std::nullopt;
}

}  // namespace baton::engine
