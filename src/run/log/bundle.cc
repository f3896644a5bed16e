#include "run/log/bundle.h"

#include "base/json/fields.h"
#include "base/text/text.h"
#include "run/log/bundle_check.h"

namespace baton::run {
namespace {

using json::Array;
using json::Fields;
using json::Object;
using json::Value;

constexpr std::int64_t bundle_version = 1;
constexpr json::ReadLimits bundle_bounds{limits::bundle_bytes_max, limits::commit_depth_max + 8};

Result<Value> parse_part(std::string_view text) {
  return json::parse(text, {limits::bundle_bytes_max, limits::commit_depth_max});
}

/// One line of the manifest: which part, its name, and the digest of its canonical text.
Object manifest_line(std::string_view part, std::string name, std::string_view canonical) {
  return {{"part", part}, {"name", std::move(name)}, {"sha256", sha256(canonical).hex()}};
}

Result<Object> commit_json(const Commit& commit) {
  Value body = TRY(parse_part(commit.body));
  return Object{{"seq", commit.seq.value},   {"key", commit.dedupe_key},
                {"at_ms", commit.at.value},  {"previous", commit.previous.hex()},
                {"hash", commit.hash.hex()}, {"body", std::move(body)}};
}

/// What the manifest of a bundle must say, in its order.
Result<Array> manifest_of(const Bundle& bundle) {
  Array lines;
  for (const Commit& commit : bundle.commits) {
    const std::string text = TRY(json::canonical(TRY(commit_json(commit))));
    lines.emplace_back(manifest_line("commit", cat(commit.seq.value), text));
  }
  for (const auto& [hash, text] : bundle.workflows) {
    lines.emplace_back(manifest_line("workflow", hash.hex(), text));
  }
  for (const auto& [hash, text] : bundle.blobs) {
    lines.emplace_back(manifest_line("blob", hash.hex(), TRY(json::canonical(text))));
  }
  for (const auto& [node, text] : bundle.snapshots) {
    lines.emplace_back(manifest_line("snapshot", node.text(), text));
  }
  return lines;
}

Result<Commit> commit_from(const Value& value, const SessionId& session) {
  Fields f(value, "bundle commit", Code::BUNDLE_INVALID_FORMAT);
  Commit commit;
  commit.session = session;
  commit.seq.value = TRY(f.integer("seq"));
  commit.dedupe_key = TRY(f.string("key"));
  commit.at.value = TRY(f.integer("at_ms"));
  commit.previous = TRY(f.sha256("previous"));
  commit.hash = TRY(f.sha256("hash"));
  commit.body = TRY(json::canonical(*TRY(f.any("body"))));
  TRY(f.done());
  return commit;
}

Result<Bundle> read_parts(Fields& f) {
  Bundle bundle;
  bundle.session = TRY(f.id<SessionId>("session"));
  for (const Value& value : *TRY(f.array("commits"))) {
    bundle.commits.push_back(TRY(commit_from(value, bundle.session)));
  }
  for (const Value& value : *TRY(f.array("workflows"))) {
    std::string text = TRY(json::canonical(value));
    const Sha256 hash = sha256(text);
    bundle.workflows.emplace(hash, std::move(text));
  }
  for (std::string& text : TRY(f.strings("blobs"))) {
    const Sha256 hash = sha256(text);
    bundle.blobs.emplace(hash, std::move(text));
  }
  for (const Value& value : *TRY(f.array("snapshots"))) {
    std::string text = TRY(json::canonical(value));
    const NodeState state = TRY(read_snapshot(text));
    bundle.snapshots.emplace(state.node, std::move(text));
  }
  return bundle;
}

/// The manifest must list the same parts in the same order, each with its digest.
Result<void> check_manifest(const Bundle& bundle, const Array& found) {
  const Array expected = TRY(manifest_of(bundle));
  if (found.size() != expected.size()) {
    return fail(Code::BUNDLE_INTEGRITY_FAILED, cat("the manifest lists ", found.size(),
                                                   " parts, the bundle has ", expected.size()));
  }
  const auto name = [](const Value& line) {
    const Value* part = line.find("part");
    const Value* id = line.find("name");
    return std::pair(part != nullptr ? *part : Value(), id != nullptr ? *id : Value());
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (name(found[i]) != name(expected[i])) {
      return fail(Code::BUNDLE_MANIFEST_ORDER_INVALID,
                  cat("line ", i + 1, " of the manifest does not name the part at that position"));
    }
    if (found[i] != expected[i]) {
      return fail(Code::BUNDLE_INTEGRITY_FAILED,
                  cat("line ", i + 1, " of the manifest does not match its part"));
    }
  }
  return {};
}

Result<void> check_chain(const Bundle& bundle) {
  if (bundle.commits.empty()) return fail(Code::BUNDLE_INVALID_FORMAT, "the bundle has no commits");
  Seq seq;
  Sha256 previous;
  for (const Commit& commit : bundle.commits) {
    if (commit.seq.value != ++seq.value) {
      return fail(Code::BUNDLE_EVENT_ORDER_INVALID,
                  cat("commit ", commit.seq.value, " is at position ", seq.value));
    }
    if (commit.previous != previous || commit_hash(commit) != commit.hash) {
      return fail(Code::BUNDLE_INTEGRITY_FAILED,
                  cat("the hash chain breaks at commit ", commit.seq.value));
    }
    previous = commit.hash;
  }
  return {};
}

Result<Bundle> read_and_check(std::string_view text) {
  const Value parsed = TRY(json::parse(text, bundle_bounds));
  Fields f(parsed, "bundle", Code::BUNDLE_INVALID_FORMAT);
  if (TRY(f.string("kind")) != "baton_bundle") return f.wrong("kind", "\"baton_bundle\"");
  if (const std::int64_t version = TRY(f.integer("v")); version != bundle_version) {
    return fail(
        Code::BUNDLE_UNSUPPORTED_VERSION,
        cat("the bundle has version ", version, "; this release reads version ", bundle_version));
  }
  Bundle bundle = TRY(read_parts(f));
  const Array* manifest = TRY(f.array("manifest"));
  TRY(f.done());
  TRY(check_manifest(bundle, *manifest));
  TRY(check_chain(bundle));
  TRY(check_meaning(bundle));
  return bundle;
}

}  // namespace

Result<std::string> encode_bundle(const Bundle& bundle) {
  Array commits, workflows, blobs, snapshots;
  for (const Commit& commit : bundle.commits) commits.emplace_back(TRY(commit_json(commit)));
  for (const auto& [hash, text] : bundle.workflows) workflows.push_back(TRY(parse_part(text)));
  for (const auto& [hash, text] : bundle.blobs) blobs.emplace_back(text);
  for (const auto& [node, text] : bundle.snapshots) snapshots.push_back(TRY(parse_part(text)));
  Array manifest = TRY(manifest_of(bundle));
  std::string text = TRY(json::canonical(Object{{"kind", "baton_bundle"},
                                                {"v", bundle_version},
                                                {"session", bundle.session.text()},
                                                {"commits", std::move(commits)},
                                                {"workflows", std::move(workflows)},
                                                {"blobs", std::move(blobs)},
                                                {"snapshots", std::move(snapshots)},
                                                {"manifest", std::move(manifest)}}));
  if (text.size() > limits::bundle_bytes_max) {
    return fail(Code::LIMIT_EXCEEDED, cat("the bundle would have ", text.size(), " bytes; at most ",
                                          limits::bundle_bytes_max, " are allowed"));
  }
  return text;
}

Result<Bundle> decode_bundle(std::string_view text) {
  auto bundle = read_and_check(text);
  if (bundle || name_of(bundle.error().code).starts_with("BUNDLE_")) return bundle;
  // What a part's own reader says of it is, to the one who imports it, a bundle that is not one.
  return fail(Code::BUNDLE_INVALID_FORMAT, std::move(bundle).error().message);
}

}  // namespace baton::run
