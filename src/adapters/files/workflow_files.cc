#include "adapters/files/workflow_files.h"

#include <algorithm>
#include <array>

#include "adapters/files/folder.h"
#include "base/text/text.h"
#include "workflow/show/scenario.h"

namespace baton::adapters {
namespace {

using ports::WorkflowFile;

constexpr std::array<std::string_view, 4> endings = {".yaml", ".yml", ".json", ".md"};
constexpr std::array<std::string_view, 1> note_endings = {".md"};
/// Folders inside a folder of workflows, such as routines/, are looked into.
constexpr std::size_t folders_deep = 2;
/// Files beside workflows that are not workflows.
constexpr std::array<std::string_view, 5> other_files = {"README.md", "schema.json", "package.json",
                                                         "bindings.json", "CHANGELOG.md"};

/// Folders whose Markdown files are personas and rules.
constexpr std::array<std::string_view, 2> note_folders = {"agents", "rules"};

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view parent_of(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Of a name below a folder of workflows.
bool is_other(std::string_view name) {
  if (std::ranges::find(other_files, file_name(name)) != other_files.end()) return true;
  if (workflow::is_scenario_file(name)) return true;
  // Midex keeps its drafts so.
  if (name.ends_with(".md") && file_name(name).starts_with('_')) return true;
  const std::string_view folder = file_name(parent_of(name));
  return name.ends_with(".md") && std::ranges::find(note_folders, folder) != note_folders.end();
}

/// A checkout that holds a folder of workflows is taken for that folder.
Result<std::optional<Folder>> open_workflows(WorkflowFolder& folder) {
  const std::string inner = cat(folder.path, "/workflows");
  auto opened = TRY(Folder::open(inner, false, folder.root));
  if (opened) {
    folder.path = inner;
    return opened;
  }
  return Folder::open(folder.path, folder.must_exist, folder.root);
}

/// A folder of a project that cannot be used, as a file that cannot be read: the project must not
/// keep its user from all other workflows.
WorkflowFile unusable(const WorkflowFolder& folder, std::string problem) {
  return {folder.source, folder.path, {}, std::move(problem), {}, true};
}

WorkflowFile file_in(const WorkflowFolder& folder, const std::string& name,
                     const ports::FileStamp& stamp) {
  return {folder.source, cat(folder.path, '/', name), {}, {}, stamp};
}

void fill(WorkflowFile& file, const Folder& folder, const std::string& name) {
  file.is_read = true;
  auto text = folder.text(name);
  if (!text)
    file.problem = text.error().message;
  else if (!*text)
    file.problem = "the file was removed";
  else
    file.text = **std::move(text);
}

}  // namespace

WorkflowFiles::WorkflowFiles(std::vector<WorkflowFolder> folders, std::vector<BundledText> bundled)
    : folders_(std::move(folders)), bundled_(std::move(bundled)) {}

std::vector<WorkflowFile> WorkflowFiles::bundled(std::string_view folder,
                                                 std::string_view name) const {
  std::vector<WorkflowFile> out;
  for (const BundledText& each : bundled_) {
    if (!each.name.starts_with(folder)) continue;
    const std::string_view file = each.name.substr(folder.size() + 1);
    const std::string_view stem = file.substr(0, file.rfind('.'));
    if (!name.empty() && stem != name) continue;
    out.push_back({"bundled", cat("bundled/", each.name), {}, {}, {0, each.text.size(), 0}});
  }
  return out;
}

Result<std::vector<WorkflowFile>> WorkflowFiles::all() {
  std::vector<WorkflowFile> files = bundled("workflows", "");
  for (WorkflowFolder folder : folders_) {
    const auto opened = open_workflows(folder);
    if (!opened && folder.root.empty()) return std::unexpected(opened.error());
    if (!opened) files.push_back(unusable(folder, opened.error().message));
    if (!opened || !*opened) continue;
    for (const std::string& name : TRY((*opened)->names(endings, folders_deep))) {
      if (is_other(name)) continue;
      if (const auto stamp = (*opened)->stamp(name)) {
        files.push_back(file_in(folder, name, *stamp));
      }
    }
  }
  return files;
}

Result<std::vector<WorkflowFile>> WorkflowFiles::named(std::string_view name) {
  std::vector<WorkflowFile> files = bundled("workflows", name);
  for (WorkflowFolder folder : folders_) {
    const auto opened = open_workflows(folder);
    if (!opened && folder.root.empty()) return std::unexpected(opened.error());
    if (!opened || !*opened) continue;
    for (const std::string_view ending : endings) {
      const std::string file = cat(name, ending);
      if (const auto stamp = (*opened)->stamp(file)) {
        files.push_back(file_in(folder, file, *stamp));
      }
    }
  }
  return files;
}

std::vector<std::string> WorkflowFiles::places() {
  std::vector<std::string> out;
  for (const WorkflowFolder& each : folders_) out.push_back(each.path);
  return out;
}

void WorkflowFiles::read(WorkflowFile& file) {
  if (file.source == "bundled") {
    for (const BundledText& each : bundled_) {
      if (file.path == cat("bundled/", each.name)) file.text = each.text;
    }
    return;
  }
  for (const WorkflowFolder& folder : folders_) {
    // By its path, which all() and named() made, so that nothing has to be looked for again.
    std::string place = cat(folder.path, "/workflows");
    if (!file.path.starts_with(cat(place, '/'))) place = folder.path;
    if (!file.path.starts_with(cat(place, '/'))) continue;
    const auto opened = Folder::open(place, false, folder.root);
    if (!opened || !*opened) continue;
    fill(file, **opened, file.path.substr(place.size() + 1));
    return;
  }
  file.problem = "no folder of workflows holds it";
}

/// The root of the folder that a file is in; nothing when it is in none.
std::optional<std::string> WorkflowFiles::root_around(std::string_view from) const {
  for (const WorkflowFolder& folder : folders_) {
    if (from.starts_with(cat(folder.path, '/'))) return folder.root;
  }
  return std::nullopt;
}

Result<std::vector<WorkflowFile>> WorkflowFiles::notes(std::string_view kind, std::string_view name,
                                                       std::string_view from) const {
  std::vector<WorkflowFolder> places;
  // A file outside every source brings what is beside its folder.
  if (!from.starts_with("bundled/")) {
    // The user named such a file, and not what is beside it.
    const auto root = root_around(from);
    for (const std::string_view around : {parent_of(parent_of(from)), parent_of(from)}) {
      places.push_back(
          {"beside", cat(around, '/', kind), false, root.value_or(std::string(around))});
    }
  }
  for (WorkflowFolder folder : folders_) {
    const bool is_linked = !open_workflows(folder) && !folder.root.empty();
    const std::string around(parent_of(folder.path));
    // What is beside the root folder does not belong to the project.
    if (around.starts_with(folder.root)) {
      places.push_back({folder.source, cat(around, '/', kind), false, folder.root});
    }
    // Of a folder that is a link nothing is read, and all() lists it with its reason.
    if (is_linked) continue;
    places.push_back({folder.source, cat(folder.path, '/', kind), false, folder.root});
  }
  std::vector<WorkflowFile> out;
  std::vector<std::string> seen;
  for (const WorkflowFolder& each : places) {
    const std::string& place = each.path;
    if (std::ranges::find(seen, place) != seen.end()) continue;
    seen.push_back(place);
    const auto opened = TRY(Folder::open(place, false, each.root));
    if (!opened) continue;
    for (const std::string& file : TRY(opened->names(note_endings, 0))) {
      if (!name.empty() && file != cat(name, ".md")) continue;
      WorkflowFile found{each.source, cat(place, '/', file), {}, {}, {}};
      fill(found, *opened, file);
      out.push_back(std::move(found));
    }
  }
  for (WorkflowFile& each : bundled(kind, name)) {
    for (const BundledText& text : bundled_) {
      if (each.path == cat("bundled/", text.name)) each.text = text.text;
    }
    out.push_back(std::move(each));
  }
  return out;
}

std::vector<WorkflowFile> WorkflowFiles::beside(const ports::WantedText& wanted) const {
  // Opening beneath a folder refuses these too; asking whether they exist would not.
  if (wanted.name.starts_with('/') || wanted.name.find("..") != std::string::npos) return {};
  // A file may import what is beneath its own folder, at any depth.
  const std::string own(parent_of(wanted.from));
  const std::string root = root_around(wanted.from).value_or(own);
  std::vector<std::string> places = {own};
  for (WorkflowFolder folder : folders_) {
    if (!open_workflows(folder)) continue;
    if (wanted.from.starts_with(cat(folder.path, '/')) && folder.path != own) {
      places.push_back(folder.path);
    }
  }
  for (const std::string& place : places) {
    const auto opened = Folder::open(place, false, root);
    if (!opened || !*opened || !(*opened)->stamp(wanted.name)) continue;
    WorkflowFile found{"beside", cat(place, '/', wanted.name), {}, {}, {}};
    fill(found, **opened, wanted.name);
    return {std::move(found)};
  }
  return {};
}

std::vector<WorkflowFile> WorkflowFiles::bindings() const {
  for (WorkflowFolder folder : folders_) {
    if (folder.source != "project" || !open_workflows(folder)) continue;
    const std::string place(parent_of(folder.path));
    const auto opened = Folder::open(place, false, folder.root);
    if (!opened || !*opened || !(*opened)->stamp("bindings.json")) continue;
    WorkflowFile found{"project", cat(place, "/bindings.json"), {}, {}, {}};
    fill(found, **opened, "bindings.json");
    return {std::move(found)};
  }
  return {};
}

Result<std::vector<WorkflowFile>> WorkflowFiles::find(const ports::WantedText& wanted) {
  using Kind = ports::WantedText::Kind;
  switch (wanted.kind) {
    case Kind::persona: return notes("agents", wanted.name, wanted.from);
    case Kind::rules: return notes("rules", "", wanted.from);
    case Kind::beside: return beside(wanted);
    case Kind::bindings: break;
  }
  return bindings();
}

}  // namespace baton::adapters
