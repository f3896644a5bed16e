#include "adapters/trust/trust_list.h"

#include <algorithm>
#include <charconv>

#include "base/core/limits.h"
#include "base/json/fields.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::adapters {
namespace {

using ports::Project;
using ports::TrustedFile;
using ports::TrustedWorkflow;

constexpr std::int64_t version = 2;
/// Of releases that did not bind trust to a project.
constexpr std::int64_t unbound_version = 1;
constexpr std::string_view what = "the list of trusted workflows";

/// Numbers of the system have more digits than every reader of JSON keeps.
template <class Number>
Result<void> read_number(json::Fields& fields, std::string_view key, Number& out) {
  const std::string text = TRY(fields.string(key));
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out);
  if (read.ec != std::errc() || read.ptr != end) return fields.wrong(key, "a number as text");
  return {};
}

Result<Project> project_of(const json::Value& value) {
  json::Fields fields(value, what, Code::STORE_CORRUPT);
  Project out;
  out.path = TRY(fields.string("path"));
  TRY(read_number(fields, "device", out.device));
  TRY(read_number(fields, "inode", out.inode));
  TRY(read_number(fields, "made_ns", out.made_ns));
  TRY(fields.done());
  return out;
}

Result<TrustedFile> file_of(const json::Value& value) {
  json::Fields fields(value, what, Code::STORE_CORRUPT);
  TrustedFile out;
  out.path = TRY(fields.string("path"));
  out.digest = TRY(fields.sha256("sha256"));
  TRY(fields.done());
  return out;
}

Result<TrustedWorkflow> entry_of(const json::Value& value, std::int64_t of_version) {
  json::Fields fields(value, what, Code::STORE_CORRUPT);
  TrustedWorkflow out;
  out.hash = TRY(fields.sha256("hash"));
  out.id = TRY(fields.string("id"));
  out.since = {TRY(fields.integer("since"))};
  if (of_version > unbound_version && fields.has("project")) {
    out.project = TRY(project_of(*TRY(fields.any("project"))));
    for (const json::Value& each : *TRY(fields.array("files"))) {
      out.files.push_back(TRY(file_of(each)));
    }
  }
  TRY(fields.done());
  return out;
}

json::Value to_json(const TrustedWorkflow& workflow) {
  json::Object out{
      {"hash", workflow.hash.hex()}, {"id", workflow.id}, {"since", workflow.since.value}};
  if (!workflow.project) return out;
  const Project& project = *workflow.project;
  out.set("project", json::Object{{"path", project.path},
                                  {"device", cat(project.device)},
                                  {"inode", cat(project.inode)},
                                  {"made_ns", cat(project.made_ns)}});
  json::Array files;
  for (const TrustedFile& each : workflow.files) {
    files.push_back(json::Object{{"path", each.path}, {"sha256", each.digest.hex()}});
  }
  out.set("files", std::move(files));
  return out;
}

bool is_bound_to(const TrustedWorkflow& workflow, const Project& project) {
  return workflow.project && ports::is_same(*workflow.project, project);
}

/// The command with which the user says it again.
std::string again(const TrustedWorkflow& workflow, const Project& project) {
  return cat("review it and run `baton trust ", workflow.id, " --project ", project.path, '`');
}

}  // namespace

Result<TrustList> TrustList::parse(std::string_view text) {
  const auto value = json::parse(text, {.bytes_max = limits::trust_file_bytes_max});
  if (!value) return fail(Code::STORE_CORRUPT, cat(what, ": ", value.error().message));
  json::Fields fields(*value, what, Code::STORE_CORRUPT);
  const std::int64_t of_version = TRY(fields.integer("version"));
  if (of_version > version) {
    return fail(Code::STORE_NEWER, cat(what, " was written by a newer release"));
  }
  TrustList out;
  for (const json::Value& each : *TRY(fields.array("workflows"))) {
    TRY(out.add(TRY(entry_of(each, of_version))));
  }
  TRY(fields.done());
  return out;
}

std::string TrustList::print() const {
  json::Array workflows;
  for (const TrustedWorkflow& each : all_) workflows.push_back(to_json(each));
  return json::print_pretty(
             json::Object{{"version", version}, {"workflows", std::move(workflows)}}) +
         "\n";
}

bool TrustList::has(const Sha256& hash) const {
  return std::ranges::find(all_, hash, &TrustedWorkflow::hash) != all_.end();
}

const TrustedWorkflow* TrustList::find(const Sha256& hash, const Project& project) const {
  const auto found = std::ranges::find_if(all_, [&](const TrustedWorkflow& each) {
    return each.hash == hash && is_bound_to(each, project);
  });
  return found == all_.end() ? nullptr : &*found;
}

std::string TrustList::why_not(const Sha256& hash, const Project& project) const {
  const TrustedWorkflow* other = nullptr;
  for (const TrustedWorkflow& each : all_) {
    if (each.hash != hash) continue;
    // The nearest miss is what the user wonders about.
    const bool is_nearer = other == nullptr || (each.project && each.project->path == project.path);
    if (is_nearer) other = &each;
  }
  if (other == nullptr) return {};
  if (!other->project) {
    return cat("the workflow was trusted before trust was bound to a project; ",
               again(*other, project));
  }
  if (other->project->path == project.path) {
    return cat("the workflow was trusted for another folder that was at ", project.path, "; ",
               again(*other, project));
  }
  return cat("the workflow is trusted for ", other->project->path, " and not for ", project.path,
             "; ", again(*other, project));
}

Result<bool> TrustList::add(const TrustedWorkflow& workflow) {
  const bool is_text =
      !workflow.project || (utf8::is_valid(workflow.project->path) &&
                            std::ranges::all_of(workflow.files, [](const auto& each) {
                              return utf8::is_valid(each.path);
                            }));
  if (!is_text) return fail(Code::ENVIRONMENT, "a path that is not UTF-8 cannot be stored");
  const auto is_replaced = [&](const TrustedWorkflow& each) {
    return each.hash == workflow.hash &&
           (!each.project || !workflow.project || ports::is_same(*each.project, *workflow.project));
  };
  const auto same = std::ranges::find_if(all_, [&](const TrustedWorkflow& each) {
    return is_replaced(each) && each.files == workflow.files &&
           each.project.has_value() == workflow.project.has_value();
  });
  if (same != all_.end()) return false;
  std::erase_if(all_, is_replaced);
  if (all_.size() == limits::trusted_workflows_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat(limits::trusted_workflows_max, " workflows are trusted, which is the limit"),
                "revoke those that are not used any more: baton trust --list");
  }
  all_.push_back(workflow);
  return true;
}

bool TrustList::remove(const Sha256& hash) {
  return std::erase_if(all_, [&](const auto& each) { return each.hash == hash; }) > 0;
}

ports::TrustVerdict judged(const TrustList& list, const Sha256& hash, const Project& project,
                           const std::vector<TrustedFile>& files) {
  const TrustedWorkflow* known = list.find(hash, project);
  if (known == nullptr) return {false, list.why_not(hash, project)};
  for (const TrustedFile& each : files) {
    const auto seen = std::ranges::find(known->files, each.path, &TrustedFile::path);
    if (seen == known->files.end()) {
      return {false, cat(each.path,
                         ", which the command names, was not there when the workflow was "
                         "trusted; ",
                         again(*known, project))};
    }
    if (seen->digest != each.digest) {
      return {false, cat(each.path,
                         ", which the command names, has changed since the workflow was "
                         "trusted; ",
                         again(*known, project))};
    }
  }
  return {true};
}

}  // namespace baton::adapters
