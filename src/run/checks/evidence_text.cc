// Evidence to and from JSON.

#include <algorithm>
#include <array>

#include "base/core/limits.h"
#include "base/json/fields.h"
#include "base/text/base64.h"
#include "base/text/text.h"
#include "run/checks/evidence.h"

namespace baton::run {
namespace {

using json::Fields;
using json::Object;
using json::Value;

constexpr std::array<std::string_view, 5> look_kinds = {"file", "commit", "command", "workspace",
                                                        "repository"};
constexpr std::array<std::string_view, 11> seen_kinds = {
    "nothing", "file",   "folder",    "link",         "other",  "commit",
    "ended",   "no_end", "untrusted", "no_workspace", "assumed"};

template <class Kind, std::size_t N>
std::optional<Kind> kind_in(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

template <std::size_t N, class Kind>
std::string_view name_in(const std::array<std::string_view, N>& names, Kind kind) {
  return names[static_cast<std::size_t>(kind)];
}

constexpr std::string_view what = "evidence";

Result<Requirement> command_of(const Value& value) {
  Fields fields(value, what);
  CommandPasses out;
  out.argv = TRY(fields.strings("argv"));
  if (out.argv.empty() || out.argv.front().empty()) return fields.wrong("argv", "a program");
  if (fields.has("exit")) out.exit = TRY(fields.integer("exit"));
  TRY(fields.done());
  return out;
}

Result<Requirement> artifact_of(const Value& value) {
  Fields fields(value, what);
  ArtifactGiven out;
  out.type = TRY(fields.string("type"));
  if (fields.has("min_bytes")) out.min_bytes = TRY(fields.integer("min_bytes"));
  if (fields.has("schema")) out.schema = *TRY(fields.any("schema"));
  TRY(fields.done());
  return out;
}

Result<Requirement> contains_of(const Value& value) {
  Fields fields(value, what);
  FileContains out;
  out.path = TRY(fields.string("path"));
  out.pattern = TRY(fields.string("pattern"));
  TRY(fields.done());
  return out;
}

Result<Requirement> requirement_of(const Value& value) {
  Fields fields(value, what);
  if (fields.has("file_contains")) return contains_of(*TRY(fields.any("file_contains")));
  if (fields.has("command")) return command_of(*TRY(fields.any("command")));
  if (fields.has("artifact")) return artifact_of(*TRY(fields.any("artifact")));
  if (fields.has("state")) return StateHolds{TRY(fields.string("state"))};
  if (fields.has("file_changed")) return FileChanged{TRY(fields.string("file_changed"))};
  if (fields.has("git_commit_exists")) {
    const Value* commit = TRY(fields.any("git_commit_exists"));
    if (const bool* is_any = commit->if_bool(); is_any != nullptr && *is_any) return CommitExists{};
    // A missing value became an empty text: it must not mean any commit.
    if (commit->is_string()) {
      const std::string& text = *commit->if_string();
      return CommitExists{text.empty() ? "(none)" : text};
    }
    return fields.wrong("git_commit_exists", "a commit or true");
  }
  return FileExists{TRY(fields.string("file_exists"))};
}

Value to_json(const CommitSet& set) {
  return Object{{"idBytes", set.id_bytes},
                {"named", to_base64(set.named)},
                {"others", to_base64(set.others)}};
}

Result<std::string> ids_in(Fields& fields, std::string_view key, std::int64_t id_bytes) {
  auto ids = from_base64(TRY(fields.string(key)));
  if (!ids || static_cast<std::int64_t>(ids->size()) % id_bytes != 0) {
    return fields.wrong(key, "digests of commits");
  }
  return *std::move(ids);
}

Result<CommitSet> commit_set_from_json(const Value& value) {
  Fields fields(value, what, Code::STORE_CORRUPT);
  CommitSet out;
  out.id_bytes = TRY(fields.integer("idBytes"));
  if (out.id_bytes != 20 && out.id_bytes != 32) return fields.wrong("idBytes", "20 or 32");
  out.named = TRY(ids_in(fields, "named", out.id_bytes));
  out.others = TRY(ids_in(fields, "others", out.id_bytes));
  TRY(fields.done());
  return out;
}

Value to_json(const BaselineEntry& trace) {
  Object out{{"look", name_in(look_kinds, trace.kind)},
             {"what", trace.what},
             {"seen", name_in(seen_kinds, trace.seen.kind)}};
  if (trace.seen.kind == ProbeResult::Kind::file) out.set("bytes", trace.seen.bytes);
  if (trace.seen.digest) out.set("sha256", trace.seen.digest->hex());
  if (!trace.seen.commit.empty()) out.set("commit", trace.seen.commit);
  json::Array tips;
  for (const std::string& each : trace.seen.tips) tips.emplace_back(each);
  if (!tips.empty()) out.set("tips", std::move(tips));
  if (trace.seen.known) out.set("known", to_json(*trace.seen.known));
  if (!trace.seen.place.empty()) out.set("place", trace.seen.place);
  if (trace.seen.alternates) out.set("alternates", trace.seen.alternates->hex());
  if (trace.seen.shallow) out.set("shallow", trace.seen.shallow->hex());
  if (!trace.seen.said.empty()) out.set("said", trace.seen.said);
  return out;
}

Result<BaselineEntry> trace_from_json(const Value& value) {
  Fields fields(value, what, Code::STORE_CORRUPT);
  BaselineEntry out;
  const auto look = kind_in<Probe::Kind>(look_kinds, TRY(fields.string("look")));
  const auto seen = kind_in<ProbeResult::Kind>(seen_kinds, TRY(fields.string("seen")));
  if (!look || !seen) return fields.wrong("seen", "one of its kinds");
  out.kind = *look;
  out.seen.kind = *seen;
  out.what = TRY(fields.string("what"));
  if (fields.has("bytes")) out.seen.bytes = TRY(fields.integer("bytes"));
  if (fields.has("sha256")) out.seen.digest = TRY(fields.sha256("sha256"));
  if (fields.has("commit")) out.seen.commit = TRY(fields.string("commit"));
  if (fields.has("tips")) out.seen.tips = TRY(fields.strings("tips"));
  if (fields.has("known")) {
    out.seen.known = TRY(commit_set_from_json(*TRY(fields.any("known"))));
  }
  if (fields.has("place")) out.seen.place = TRY(fields.string("place"));
  if (fields.has("alternates")) out.seen.alternates = TRY(fields.sha256("alternates"));
  if (fields.has("shallow")) out.seen.shallow = TRY(fields.sha256("shallow"));
  if (fields.has("said")) out.seen.said = TRY(fields.string("said"));
  TRY(fields.done());
  return out;
}

}  // namespace

Result<std::vector<Requirement>> read_evidence(const json::Value& evidence) {
  const json::Array* list = evidence.if_array();
  if (list == nullptr) return fail(Code::INVALID_INPUT, "evidence is not a list");
  if (list->size() > limits::evidence_per_step_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("a step has ", list->size(), " pieces of evidence; at most ",
                    limits::evidence_per_step_max, " are checked"));
  }
  std::vector<Requirement> out;
  for (const Value& each : *list) out.push_back(TRY(requirement_of(each)));
  return out;
}

bool is_newer_than_format_1(const Baseline& baseline) {
  return std::ranges::any_of(baseline, [](const BaselineEntry& each) {
    const bool is_new_kind =
        each.kind == Probe::Kind::workspace || each.kind == Probe::Kind::repository;
    const ProbeResult& seen = each.seen;
    return is_new_kind || seen.known || !seen.place.empty() || seen.alternates || seen.shallow ||
           !seen.said.empty();
  });
}

json::Array to_json(const Baseline& baseline) {
  json::Array out;
  for (const BaselineEntry& each : baseline) out.push_back(to_json(each));
  return out;
}

Result<Baseline> baseline_from(const json::Array& list) {
  Baseline out;
  for (const Value& each : list) out.push_back(TRY(trace_from_json(each)));
  return out;
}

bool is_evidence(const Value& requirements) { return read_evidence(requirements).has_value(); }

}  // namespace baton::run
