#include "verbs/workflow/find_workflow.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <system_error>
#include <thread>
#include <tuple>

#include "base/json/fields.h"
#include "base/text/text.h"
#include "engine/load/compile_workflow.h"
#include "workflow/read/other_kind.h"

namespace baton::verbs {
namespace {

using ports::WorkflowFile;
using workflow::NeedSource;

/// Compiling fewer takes less time than a thread does to start.
constexpr std::size_t files_per_thread = 16;

bool is_called(const WorkflowFile& file, std::string_view id) {
  const std::size_t slash = file.path.rfind('/');
  const std::string_view name = slash == std::string::npos
                                    ? std::string_view(file.path)
                                    : std::string_view(file.path).substr(slash + 1);
  return name.substr(0, name.rfind('.')) == id;
}

/// The first file that defines the workflow `id`. A file called like it that cannot be read is an
/// error: its author wants to know.
Result<std::optional<FoundWorkflow>> pick(ports::WorkflowSource& source,
                                          std::vector<WorkflowFile> files, std::string_view id) {
  for (WorkflowFile& file : files) {
    if (file.text.empty() && file.problem.empty()) source.read(file);
    // Most files are others: reading the id is cheaper than compiling.
    workflow::Diagnostics ignored;
    const auto document = workflow::load_document({file.path, file.text}, 0, ignored);
    const bool is_meant = document ? document->id == id : is_called(file, id);
    if (!is_meant) continue;
    auto compiled = TRY(engine::compile_workflow(source, file));
    if (compiled.compilation.has_errors()) {
      return std::unexpected(workflow::error_of(compiled.compilation));
    }
    return FoundWorkflow{std::move(file), std::move(compiled.compilation)};
  }
  return std::nullopt;
}

std::unexpected<Error> not_found(ports::WorkflowSource& source, std::string_view id) {
  std::vector<std::string> names;
  if (const auto listed = list_workflows(source, nullptr)) {
    for (const ListedWorkflow& entry : *listed) {
      if (entry.problem.empty()) names.push_back(entry.id);
    }
  }
  const std::string near = workflow::did_you_mean(id, names);
  std::string where;
  if (near.empty()) {
    for (const std::string& each : source.places()) where += cat(where.empty() ? "" : ", ", each);
  }
  return fail(Code::WORKFLOW_NOT_FOUND,
              cat("there is no workflow \"", id, '"', near.empty() ? "" : "; ", near,
                  where.empty() ? "" : cat("; looked in: ", where)),
              Move::list_workflows);
}

Result<FoundWorkflow> find(ports::WorkflowSource& source, std::string_view id) {
  if (!workflow::is_valid_name(id)) {
    return fail(Code::INVALID_INPUT,
                "a workflow's name has 1 to 128 letters, digits, '-', '_', ':' and '.' only",
                Move::list_workflows);
  }
  if (auto found = TRY(pick(source, TRY(source.named(id)), id))) return *std::move(found);
  if (auto found = TRY(pick(source, TRY(source.all()), id))) return *std::move(found);
  return not_found(source, id);
}

// --- listing ------------------------------------------------------------------------------------

ListedWorkflow listed(const workflow::Compilation& compilation) {
  ListedWorkflow out;
  out.id = compilation.id;
  if (compilation.has_errors()) {
    out.problem = workflow::error_of(compilation).message;
    return out;
  }
  const workflow::CompiledWorkflow& workflow = compilation.pinned->workflow;
  out.name = workflow.name;
  out.description = workflow.description;
  out.version = workflow.version;
  out.kind = workflow.is_routine() ? "routine" : "workflow";
  out.hash = compilation.pinned->hash.hex();
  out.tags = workflow.tags;
  return out;
}

std::string cache_key(const WorkflowFile& file) {
  return cat("compiled:", workflow::compiler_version, ':', file.stamp.inode, ':', file.stamp.bytes,
             ':', file.stamp.changed_ns, ':', file.path);
}

std::string encode(const ListedWorkflow& entry) {
  json::Array tags;
  for (const std::string& tag : entry.tags) tags.emplace_back(tag);
  return json::print(json::Object{{"id", entry.id},
                                  {"name", entry.name},
                                  {"description", entry.description},
                                  {"version", entry.version},
                                  {"kind", entry.kind},
                                  {"hash", entry.hash},
                                  {"tags", std::move(tags)},
                                  {"problem", entry.problem},
                                  {"is_other", entry.is_other}});
}

Result<ListedWorkflow> decode(const json::Value& value) {
  json::Fields fields(value, "cached workflow");
  ListedWorkflow out;
  out.id = TRY(fields.string("id"));
  out.name = TRY(fields.string("name"));
  out.description = TRY(fields.string("description"));
  out.version = TRY(fields.string("version"));
  out.kind = TRY(fields.string("kind"));
  out.hash = TRY(fields.string("hash"));
  out.tags = TRY(fields.strings("tags"));
  out.problem = TRY(fields.string("problem"));
  out.is_other = TRY(fields.boolean("is_other"));
  TRY(fields.done());
  return out;
}

std::optional<json::Value> parsed(std::optional<std::string> text) {
  auto value = text ? json::parse(*text) : json::parse("");
  return value ? std::optional(*std::move(value)) : std::nullopt;
}

std::string encode(const NeedSource& need) {
  json::Array others(need.other_names.begin(), need.other_names.end());
  return json::print(json::Object{{"asks", static_cast<std::int64_t>(need.kind)},
                                  {"name", need.name},
                                  {"from", need.from},
                                  {"others", std::move(others)}});
}

/// Nothing for what is not a need, or of a kind that this release does not have.
std::optional<NeedSource> need_from(const json::Value& value) {
  json::Fields fields(value, "need of a workflow");
  const auto kind = fields.integer("asks");
  auto name = fields.string("name");
  auto from = fields.string("from");
  auto others = fields.strings("others");
  constexpr auto last = static_cast<std::int64_t>(NeedSource::Kind::bindings);
  if (!kind || !name || !from || !others || *kind < 0 || *kind > last) return std::nullopt;
  return NeedSource{static_cast<NeedSource::Kind>(*kind), *std::move(name), *std::move(from),
                    *std::move(others)};
}

/// The way through one compilation: what the file says, and each answer that the compiler got. The
/// same text asks the same first question, and after the same answer the same second one, so that
/// what comes next at a place of the way never changes.
class Trail {
 public:
  explicit Trail(const WorkflowFile& file)
      : at_(sha256(
            cat(workflow::compiler_version, ':', file.source, ':', file.path, ':', file.text))) {}

  std::string key() const { return cat("trail:", at_.hex()); }
  void answered(const Sha256& answer) { at_ = sha256(cat(at_.hex(), ':', answer.hex())); }

 private:
  Sha256 at_;
};

/// A file that was not read is read, so that its text can be compared.
WorkflowFile with_text(ports::WorkflowSource& source, WorkflowFile file) {
  if (!file.is_read && file.text.empty() && file.problem.empty()) source.read(file);
  return file;
}

/// What is known of a file by its text and by all that it needs, as they are now.
std::optional<ListedWorkflow> remembered_by_text(ports::WorkflowSource& source,
                                                 const WorkflowFile& file, ports::AuxStore& cache) {
  if (!file.problem.empty()) return std::nullopt;
  Trail trail(file);
  for (std::size_t asked = 0; asked <= limits::workflow_sources_max; ++asked) {
    const auto next = parsed(cache.remembered(trail.key()));
    if (!next) return std::nullopt;
    const auto need = need_from(*next);
    if (!need) {
      auto entry = decode(*next);
      return entry ? std::optional(*std::move(entry)) : std::nullopt;
    }
    const auto texts = engine::fetch(source, *need);
    if (!texts) return std::nullopt;
    trail.answered(engine::digest_of(*texts));
  }
  return std::nullopt;
}

/// What is known of a file that has not changed since.
std::optional<ListedWorkflow> remembered(const WorkflowFile& file, ports::AuxStore* cache) {
  if (cache == nullptr || file.stamp.inode == 0) return std::nullopt;
  const auto value = parsed(cache->remembered(cache_key(file)));
  if (!value) return std::nullopt;
  auto entry = decode(*value);
  return entry ? std::optional(*std::move(entry)) : std::nullopt;
}

Result<ListedWorkflow> find_out(ports::WorkflowSource& source, WorkflowFile file,
                                ports::AuxStore* cache) {
  file = with_text(source, std::move(file));
  if (cache != nullptr) {
    if (auto known = remembered_by_text(source, file, *cache)) return *std::move(known);
  }
  const engine::CompiledFile compiled = TRY(engine::compile_workflow(source, file));
  ListedWorkflow entry = listed(compiled.compilation);
  const workflow::Sources& sources = compiled.compilation.findings.sources;
  if (!entry.problem.empty() && !sources.empty()) {
    entry.is_other = !workflow::other_kind(sources.front()).empty();
  }
  if (cache == nullptr || !file.problem.empty()) return entry;
  if (file.stamp.inode != 0 && !compiled.needed_others) {
    cache->remember(cache_key(file), encode(entry));
    return entry;
  }
  Trail trail(file);
  for (const engine::Asked& each : compiled.asked) {
    cache->remember(trail.key(), encode(each.need));
    trail.answered(each.answer);
  }
  cache->remember(trail.key(), encode(entry));
  return entry;
}

/// Calls `work` once with each number below `count`, on up to as many threads as there are cores.
void on_all_cores(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const std::size_t useful =
      std::min<std::size_t>(std::thread::hardware_concurrency(), count / files_per_thread);
  std::vector<std::jthread> helpers;
  helpers.reserve(useful);
  try {
    while (helpers.size() + 1 < useful) helpers.emplace_back(run);
  } catch (const std::system_error&) {
    // No more threads to be had: those there are do all of it.
  }
  run();
}

/// What there is to say of each file, in their order.
Result<std::vector<ListedWorkflow>> entries_of(ports::WorkflowSource& source,
                                               const std::vector<WorkflowFile>& files,
                                               ports::AuxStore* cache) {
  std::vector<Result<ListedWorkflow>> found(files.size());
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (auto entry = remembered(files[i], cache))
      found[i] = *std::move(entry);
    else
      unknown.push_back(i);
  }
  on_all_cores(unknown.size(), [&](std::size_t i) {
    found[unknown[i]] = find_out(source, files[unknown[i]], cache);
  });
  std::vector<ListedWorkflow> out;
  out.reserve(found.size());
  for (Result<ListedWorkflow>& each : found) out.push_back(TRY(std::move(each)));
  return out;
}

}  // namespace

Result<workflow::Pinned> find_workflow(ports::WorkflowSource& source, std::string_view id) {
  return *std::move(TRY(find(source, id)).compilation.pinned);
}

Result<FoundWorkflow> inspect_workflow(ports::WorkflowSource& source, std::string_view id) {
  return find(source, id);
}

Result<WorkflowFile> find_workflow_file(ports::WorkflowSource& source, std::string_view id) {
  return TRY(find(source, id)).file;
}

Result<std::vector<ListedWorkflow>> list_workflows(ports::WorkflowSource& source,
                                                   ports::AuxStore* cache) {
  const std::vector<WorkflowFile> files = TRY(source.all());
  std::vector<ListedWorkflow> out = TRY(entries_of(source, files, cache));
  std::map<std::string, std::string> first;  // id -> path
  for (std::size_t i = 0; i < files.size(); ++i) {
    ListedWorkflow& entry = out[i];
    entry.source = files[i].source;
    entry.path = files[i].path;
    if (!entry.problem.empty()) continue;
    // A higher source hides a lower one's workflow of the same name.
    const auto [place, is_first] = first.emplace(entry.id, entry.path);
    if (!is_first) entry.hidden_by = place->second;
  }
  std::erase_if(out, [](const ListedWorkflow& entry) { return entry.is_other; });
  std::ranges::stable_sort(out, {}, [](const ListedWorkflow& entry) {
    if (!entry.problem.empty()) return std::tuple(true, std::string(), false, entry.path);
    const std::size_t dot = entry.id.find('.');
    const std::string space = dot == std::string::npos ? std::string() : entry.id.substr(0, dot);
    return std::tuple(false, space, entry.kind == "routine", entry.id);
  });
  return out;
}

}  // namespace baton::verbs
