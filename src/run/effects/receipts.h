#pragma once
// Receipts: what a run changed outside, as its log says it. A command of the server has its receipt
// in process_intended and process_finished, an agent's step in effect_reported. Pure.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/log/event.h"

namespace baton::run {

enum class EffectBy : std::uint8_t { server, agent };
template <>
inline constexpr Names<2> names_of<EffectBy> = {"server", "agent"};

enum class EffectOutcome : std::uint8_t {
  open,  // no result is recorded
  succeeded,
  failed,  // it may have changed something all the same
  unknown  // it may have happened, whole or in part: it was cut short, or its result is lost
};
template <>
inline constexpr Names<4> names_of<EffectOutcome> = {"open", "succeeded", "failed", "unknown"};

/// Whether what an effect did was taken back.
enum class UndoOutcome : std::uint8_t { none, open, done, failed, unknown };
template <>
inline constexpr Names<5> names_of<UndoOutcome> = {"none", "open", "done", "failed", "unknown"};

/// Whether a command was ended before it came to its own end, so that what it had done by then is
/// not known.
constexpr bool is_cut_short(ProcessEnd end) {
  return end == ProcessEnd::signalled || end == ProcessEnd::timed_out || end == ProcessEnd::stopped;
}

struct EffectReceipt {
  /// Where it was recorded: of a command the node that it was intended at, of an agent's step the
  /// node that its report made. Together with the step this names it: at one node a report may come
  /// before the next intent.
  NodeId node;
  std::string step;  // the key of the step in its round
  EffectBy by = EffectBy::server;
  Sha256 hash;        // of the step, what was to be done, where and with which values
  std::string what;   // the command as it was resolved, or the beginning of the agent's notes
  std::string where;  // the folder; empty: the server's own
  WallMs at;          // when it was recorded
  EffectOutcome outcome = EffectOutcome::open;
  std::optional<ProcessEnd> end = {};  // of a command whose end is recorded
  std::int64_t code = 0;
  std::optional<std::string> output = {};  // of a command; none: the log does not have all of it
  UndoOutcome undone = UndoOutcome::none;
  bool is_of_other_run = false;  // of a sub-agent that had the same task on another branch
  bool operator==(const EffectReceipt&) const = default;

  /// A command that never started did nothing, and what was undone is gone.
  bool may_hold() const;
  /// Whether its result can be taken for another branch.
  bool is_reusable() const;
};

/// Of what a command does: its step in its round, its words, its folder and its values.
Result<Sha256> effect_hash(const ProcessIntended& intended);
/// Of what an agent is told to do at a step.
Result<Sha256> effect_hash(std::string_view step, std::string_view prompt,
                           const json::Object& definition, std::string_view folder);

/// The words of a command, as people read them: no shell reads this.
std::string command_words(std::span<const std::string> argv);

/// One line for people: what, where, how it ended.
std::string receipt_text(const EffectReceipt& receipt);

/// The receipts of one run, as far as its log was added. A value.
class EffectLedger {
 public:
  /// The events of the next commit.
  Result<void> add(std::span<const Event> events, WallMs at);

  /// All of them, in the order of the log.
  std::span<const EffectReceipt> receipts() const { return receipts_; }
  /// nullptr: there is none of that name.
  const EffectReceipt* find(const NodeId& node, std::string_view step) const;

  /// How many undos were begun.
  std::int64_t undos() const { return undos_begun_; }

  /// Those of a step that may hold and are not on the way from the root to `node`, the newest
  /// first.
  std::vector<EffectReceipt> elsewhere(std::string_view step, const NodeId& node) const;
  /// The same for another run, of which no node is on any way here.
  std::vector<EffectReceipt> for_other_run(std::string_view step) const;

  bool is_on_way(const NodeId& node, const NodeId& to) const;

  /// A branch: a leaf, and the receipts on the way to it that no newer branch has.
  struct Branch {
    NodeId tip;
    std::vector<const EffectReceipt*> receipts;  // in the order of the log
  };
  /// The newest leaf first; branches without receipts are left out, but for the first.
  std::vector<Branch> branches() const;

 private:
  Result<void> add_intended(const ProcessIntended& intended, WallMs at);
  void finish(const ProcessFinished& finished);
  void put(EffectReceipt receipt);
  void undo(std::int64_t number, UndoOutcome outcome);
  std::optional<std::size_t> number_of(const NodeId& node, std::string_view step) const;

  std::vector<EffectReceipt> receipts_;
  std::map<NodeId, std::vector<std::size_t>> at_node_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> of_step_;
  std::int64_t undos_begun_ = 0;
  std::map<std::int64_t, std::size_t> undos_;  // their receipts, by the numbers of the undos
  // The tree of nodes.
  struct Place {
    std::size_t number = 0;
    std::optional<NodeId> parent;
    bool is_leaf = true;
  };
  std::map<NodeId, Place> places_;
};

}  // namespace baton::run
