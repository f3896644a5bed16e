#include "run/effects/receipts.h"

#include <algorithm>
#include <ranges>
#include <set>

#include "base/core/effect_limits.h"
#include "base/core/time.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::run {
namespace {

/// Whether a command that ended so can have done anything.
bool has_started(const std::optional<ProcessEnd>& end) {
  return end != ProcessEnd::not_found && end != ProcessEnd::not_started;
}

EffectOutcome outcome_of(ProcessEnd end, std::int64_t code) {
  if (end == ProcessEnd::unknown || is_cut_short(end)) return EffectOutcome::unknown;
  return end == ProcessEnd::exited && code == 0 ? EffectOutcome::succeeded : EffectOutcome::failed;
}

UndoOutcome undo_outcome_of(ProcessEnd end, std::int64_t code) {
  switch (outcome_of(end, code)) {
    case EffectOutcome::succeeded: return UndoOutcome::done;
    case EffectOutcome::unknown: return UndoOutcome::unknown;
    default: return UndoOutcome::failed;
  }
}

constexpr std::string_view cut_short = ": how far it came is unknown";

std::string outcome_text(const EffectReceipt& receipt) {
  if (receipt.by == EffectBy::agent) {
    return receipt.outcome == EffectOutcome::succeeded ? "the agent reported it as done"
                                                       : "the agent reported that it failed";
  }
  if (!receipt.end) return "no result is recorded";
  switch (*receipt.end) {
    case ProcessEnd::exited: return cat("exit code ", receipt.code);
    case ProcessEnd::signalled: return cat("ended by signal ", receipt.code, cut_short);
    case ProcessEnd::timed_out: return cat("stopped when its time was up", cut_short);
    case ProcessEnd::stopped: return cat("stopped by the server", cut_short);
    case ProcessEnd::unknown: return "its result is unknown: it may have run";
    default: return "not started";
  }
}

std::string undo_text(UndoOutcome undone) {
  switch (undone) {
    case UndoOutcome::none: break;
    case UndoOutcome::open: return "; its undo has no recorded result";
    case UndoOutcome::done: return "; undone";
    case UndoOutcome::failed: return "; its undo failed";
    case UndoOutcome::unknown: return "; the result of its undo is unknown";
  }
  return {};
}

}  // namespace

bool EffectReceipt::may_hold() const { return has_started(end) && undone != UndoOutcome::done; }

bool EffectReceipt::is_reusable() const {
  const bool has_result = by == EffectBy::agent || output;
  return outcome == EffectOutcome::succeeded && undone == UndoOutcome::none && has_result &&
         !is_of_other_run;
}

Result<Sha256> effect_hash(const ProcessIntended& intended) {
  json::Object values;
  for (const auto& [name, value] : intended.environment) values.set(name, value);
  return sha256(TRY(json::canonical(
      json::Object{{"step", intended.step},
                   {"argv", json::Array(intended.argv.begin(), intended.argv.end())},
                   {"directory", intended.directory},
                   {"environment", std::move(values)}})));
}

Result<Sha256> effect_hash(std::string_view step, std::string_view prompt,
                           const json::Object& definition, std::string_view folder) {
  return sha256(TRY(json::canonical(json::Object{
      {"step", step}, {"prompt", prompt}, {"definition", definition}, {"directory", folder}})));
}

std::string command_words(std::span<const std::string> argv) {
  // A command line for a shell is the author's text, and the shell is not worth a word.
  if (argv.size() == 3 && argv[0] == "sh" && argv[1] == "-c") return argv[2];
  std::string out;
  for (const std::string& word : argv) out += cat(out.empty() ? "" : " ", word);
  return out;
}

std::string receipt_text(const EffectReceipt& receipt) {
  std::string out = cat("step \"", receipt.step, "\": ");
  const std::string what = utf8::truncate(receipt.what, limits::effect_what_bytes_max);
  out += receipt.by == EffectBy::server ? cat("the server ran `", what, '`')
                                        : std::string("the agent did it");
  if (!receipt.where.empty()) out += cat(" in ", receipt.where);
  return cat(out, " at ", to_rfc3339(receipt.at), " (", outcome_text(receipt),
             undo_text(receipt.undone), ')');
}

std::optional<std::size_t> EffectLedger::number_of(const NodeId& node,
                                                   std::string_view step) const {
  const auto found = at_node_.find(node);
  if (found == at_node_.end()) return std::nullopt;
  for (const std::size_t number : found->second) {
    if (receipts_[number].step == step) return number;
  }
  return std::nullopt;
}

const EffectReceipt* EffectLedger::find(const NodeId& node, std::string_view step) const {
  const auto number = number_of(node, step);
  return number ? &receipts_[*number] : nullptr;
}

void EffectLedger::put(EffectReceipt receipt) {
  at_node_[receipt.node].push_back(receipts_.size());
  of_step_[receipt.step].push_back(receipts_.size());
  receipts_.push_back(std::move(receipt));
}

void EffectLedger::undo(std::int64_t number, UndoOutcome outcome) {
  const auto found = undos_.find(number);
  if (found != undos_.end()) receipts_[found->second].undone = outcome;
}

Result<void> EffectLedger::add_intended(const ProcessIntended& intended, WallMs at) {
  const Sha256 hash = TRY(effect_hash(intended));
  put({.node = intended.node,
       .step = intended.step,
       .by = EffectBy::server,
       .hash = hash,
       .what = command_words(intended.argv),
       .where = intended.directory,
       .at = at});
  return {};
}

void EffectLedger::finish(const ProcessFinished& finished) {
  const auto at = at_node_.find(finished.intended);
  if (at == at_node_.end()) return;
  for (const std::size_t number : at->second) {
    EffectReceipt& found = receipts_[number];
    if (found.by != EffectBy::server) continue;
    found.end = finished.end;
    found.code = finished.code;
    found.outcome = outcome_of(finished.end, finished.code);
    const bool is_whole =
        !finished.output_cut && std::ssize(finished.output) == finished.output_bytes;
    if (is_whole) found.output = finished.output;
  }
}

Result<void> EffectLedger::add(std::span<const Event> events, WallMs at) {
  bool has_failed = false;
  for (const Event& event : events) {
    if (const auto* made = std::get_if<NodeCreated>(&event)) {
      const std::size_t number = places_.size();
      places_[made->node] = {number, made->parent, true};
      if (made->parent) places_[*made->parent].is_leaf = false;
    }
    has_failed = has_failed || std::holds_alternative<StepFailed>(event);
  }
  for (const Event& event : events) {
    if (const auto* intended = std::get_if<ProcessIntended>(&event)) {
      TRY(add_intended(*intended, at));
    } else if (const auto* finished = std::get_if<ProcessFinished>(&event)) {
      finish(*finished);
    } else if (const auto* reported = std::get_if<EffectReported>(&event)) {
      put({.node = reported->node,
           .step = reported->step,
           .by = EffectBy::agent,
           .hash = reported->hash,
           .what = reported->what,
           .where = {},
           .at = at,
           .outcome = has_failed ? EffectOutcome::failed : EffectOutcome::succeeded});
    } else if (const auto* undoing = std::get_if<UndoIntended>(&event)) {
      const auto number = number_of(undoing->effect, undoing->step);
      if (number) undos_[undoing->number] = *number;
      undos_begun_ = std::max(undos_begun_, undoing->number);
      undo(undoing->number, UndoOutcome::open);
    } else if (const auto* ended = std::get_if<UndoFinished>(&event)) {
      undo(ended->number, undo_outcome_of(ended->end, ended->code));
    }
  }
  return {};
}

bool EffectLedger::is_on_way(const NodeId& node, const NodeId& to) const {
  const auto above = places_.find(node);
  if (above == places_.end()) return false;
  auto at = places_.find(to);
  // A node is made after those above it.
  while (at != places_.end() && at->second.number >= above->second.number) {
    if (at->first == node) return true;
    if (!at->second.parent) return false;
    at = places_.find(*at->second.parent);
  }
  return false;
}

std::vector<EffectReceipt> EffectLedger::elsewhere(std::string_view step,
                                                   const NodeId& node) const {
  std::vector<EffectReceipt> out;
  const auto found = of_step_.find(step);
  if (found == of_step_.end()) return out;
  for (const std::size_t number : found->second | std::views::reverse) {
    const EffectReceipt& each = receipts_[number];
    if (each.may_hold() && !is_on_way(each.node, node)) out.push_back(each);
  }
  return out;
}

std::vector<EffectReceipt> EffectLedger::for_other_run(std::string_view step) const {
  std::vector<EffectReceipt> out;
  const auto found = of_step_.find(step);
  if (found == of_step_.end()) return out;
  for (const std::size_t number : found->second | std::views::reverse) {
    if (!receipts_[number].may_hold()) continue;
    out.push_back(receipts_[number]);
    out.back().is_of_other_run = true;
  }
  return out;
}

std::vector<EffectLedger::Branch> EffectLedger::branches() const {
  std::vector<std::pair<std::size_t, NodeId>> leaves;
  for (const auto& [node, place] : places_) {
    if (place.is_leaf) leaves.emplace_back(place.number, node);
  }
  std::ranges::sort(leaves, std::greater<>());
  std::vector<Branch> out;
  std::set<NodeId> taken;
  for (const auto& [number, leaf] : leaves) {
    Branch branch{leaf, {}};
    auto at = places_.find(leaf);
    while (at != places_.end() && taken.insert(at->first).second) {
      if (const auto here = at_node_.find(at->first); here != at_node_.end()) {
        for (const std::size_t each : here->second | std::views::reverse) {
          branch.receipts.push_back(&receipts_[each]);
        }
      }
      if (!at->second.parent) break;
      at = places_.find(*at->second.parent);
    }
    std::ranges::reverse(branch.receipts);
    if (out.empty() || !branch.receipts.empty()) out.push_back(std::move(branch));
  }
  return out;
}

}  // namespace baton::run
