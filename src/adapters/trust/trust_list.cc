#include "adapters/trust/trust_list.h"

#include <algorithm>

#include "base/json_fields.h"
#include "base/limits.h"
#include "base/text.h"

namespace baton::adapters {
namespace {

constexpr std::int64_t version = 1;
constexpr std::string_view what = "the list of trusted workflows";

Result<ports::TrustedWorkflow> entry_of(const json::Value& value) {
  json::Fields fields(value, what, Code::STORE_CORRUPT);
  ports::TrustedWorkflow out;
  out.hash = TRY(fields.sha256("hash"));
  out.id = TRY(fields.string("id"));
  out.since = {TRY(fields.integer("since"))};
  TRY(fields.done());
  return out;
}

}  // namespace

Result<TrustList> TrustList::parse(std::string_view text) {
  const auto value = json::parse(text, {.bytes_max = limits::trust_file_bytes_max});
  if (!value) return fail(Code::STORE_CORRUPT, cat(what, ": ", value.error().message));
  json::Fields fields(*value, what, Code::STORE_CORRUPT);
  if (TRY(fields.integer("version")) > version) {
    return fail(Code::STORE_NEWER, cat(what, " was written by a newer release"));
  }
  TrustList out;
  for (const json::Value& each : *TRY(fields.array("workflows"))) {
    TRY(out.add(TRY(entry_of(each))));
  }
  TRY(fields.done());
  return out;
}

std::string TrustList::print() const {
  json::Array workflows;
  for (const ports::TrustedWorkflow& each : all_) {
    workflows.push_back(
        json::Object{{"hash", each.hash.hex()}, {"id", each.id}, {"since", each.since.value}});
  }
  return json::print_pretty(
             json::Object{{"version", version}, {"workflows", std::move(workflows)}}) +
         "\n";
}

bool TrustList::has(const Sha256& hash) const {
  return std::ranges::find(all_, hash, &ports::TrustedWorkflow::hash) != all_.end();
}

Result<bool> TrustList::add(const ports::TrustedWorkflow& workflow) {
  if (has(workflow.hash)) return false;
  if (all_.size() == limits::trusted_workflows_max) {
    return fail(
        Code::LIMIT_EXCEEDED,
        cat(limits::trusted_workflows_max, " workflows are trusted; that is all there may be"),
        "revoke those that are not used any more: baton trust --list");
  }
  all_.push_back(workflow);
  return true;
}

bool TrustList::remove(const Sha256& hash) {
  return std::erase_if(all_, [&](const auto& each) { return each.hash == hash; }) > 0;
}

}  // namespace baton::adapters
