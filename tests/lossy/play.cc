#include "play.h"

#include <algorithm>

#include "base/text/text.h"

namespace baton::lossy {
namespace {

constexpr std::size_t fault_percent = 35;
constexpr std::size_t fault_on_retry_percent = 15;
constexpr std::int64_t calls_per_step_max = 12;  // a chain of faults this long is not drawn

std::unexpected<Error> broken(std::string message) {
  return fail(Code::INTERNAL, std::move(message));
}

Words words_for(std::optional<Fault> fault) {
  if (!fault) return Words::plain;
  switch (*fault) {
    case Fault::notes_of_two_bytes: return Words::two_bytes;
    case Fault::notes_of_ten_kilobytes: return Words::ten_kilobytes;
    case Fault::notes_with_emoji: return Words::emoji;
    case Fault::notes_right_to_left: return Words::right_to_left;
    default: return Words::plain;
  }
}

/// With its arguments as an object, if they were sent as text.
Call spelt_out(Call call) {
  if (const std::string* text = call.arguments.if_string()) {
    call.arguments = MUST(json::parse(std::string(*text)));
  }
  return call;
}

}  // namespace

std::int64_t Figures::faults() const {
  std::int64_t sum = 0;
  for (const OfFault& each : by_fault) sum += each.times;
  return sum;
}

std::int64_t Figures::extra_calls() const { return calls - calls_without_faults; }

std::string Figures::table() const {
  std::string out = "| Fault | Times | Extra calls | At most, each |\n|---|---|---|---|\n";
  for (std::size_t i = 0; i < fault_count; ++i) {
    const OfFault& each = by_fault[i];
    out += cat("| ", words_of(static_cast<Fault>(i)), " | ", each.times, " | ", each.extra_calls,
               " | ", each.extra_calls_most, " |\n");
  }
  return out;
}

/// The settling of one step, or the start, from the first call to the one that goes through.
struct Play::Turn {
  Turn(Driven& ours, Driven& theirs) : mine(ours), other(theirs), step(ours.memory.step) {}

  Driven& mine;
  Driven& other;
  std::string step;
  Call meant;  // as the agent would like to make it
  Call call;   // as it makes it
  std::string ack_before_block;
  std::optional<Fault> fault;       // of the call under way
  std::optional<Fault> last_fault;  // that an extra call is owed to
  std::vector<Call> delivered;      // to the server
  bool is_unheard = false;          // the answer of one of these was lost
  std::int64_t faults = 0;
  std::int64_t extra_after_fault = 0;
  std::int64_t calls = 0;
};

Result<Told> Play::ask(const Call& call) {
  ++figures_.calls;
  return wire_.hear(TRY(wire_.send(call)));
}

void Play::count_extra(Turn& turn) {
  if (!turn.last_fault) return;
  Figures::OfFault& of = figures_.by_fault[static_cast<std::size_t>(*turn.last_fault)];
  ++of.extra_calls;
  of.extra_calls_most = std::max(of.extra_calls_most, ++turn.extra_after_fault);
}

/// Makes up what the agent means to send, in these words.
void Play::plan_call(Turn& turn, Words words) {
  Driven& mine = turn.mine;
  if (mine.memory.run.empty()) {
    turn.meant = start_call("to see whether it gets there");
    return;
  }
  const Content content = mine.story.content(mine.memory.step, words);
  std::vector<Content>& right = mine.handed[mine.memory.step];
  if (std::ranges::find(right, content) == right.end()) right.push_back(content);
  turn.meant = advance_call(mine.memory, content, adversary_.choose(2) == 0);
}

Result<std::optional<Told>> Play::deliver_twice(Turn& turn, bool at_once) {
  figures_.calls += 2;
  const std::int64_t first = TRY(wire_.send(turn.call));
  std::optional<Told> told;
  if (!at_once) told = TRY(wire_.hear(first));
  const std::int64_t second = TRY(wire_.send(turn.call));
  if (at_once) told = TRY(wire_.hear(first));
  const Told again = TRY(wire_.hear(second));
  count_extra(turn);
  if (again == *told) return told;
  return broken(cat("the same call was answered in two ways:\n", told->text, "\n", again.text));
}

/// The other run's call overtakes ours, and its answer comes second.
Result<std::optional<Told>> Play::deliver_reordered(Turn& turn) {
  Turn theirs(turn.other, turn.mine);
  plan_call(theirs, Words::plain);
  figures_.calls += 2;
  const std::int64_t their_id = TRY(wire_.send(theirs.meant));
  const std::int64_t our_id = TRY(wire_.send(turn.call));
  const Told told = TRY(wire_.hear(our_id));
  const Told their_told = TRY(wire_.hear(their_id));
  if (!is_settled(their_told, turn.other.memory)) {
    return broken(cat("an overtaking call did not go through: ", their_told.text));
  }
  ++figures_.calls_without_faults;
  turn.other.past.push_back(theirs.meant);
  turn.other.memory = remember(their_told);
  return told;
}

/// One branch for a token of an older step, and one for each call that says something else after
/// an answer was lost. A call that is repeated, doubled, late or lost may leave none.
void Play::allow_branch(Turn& turn) {
  if (turn.fault == Fault::call_lost) return;
  const bool is_new = std::ranges::find(turn.delivered, turn.call) == turn.delivered.end();
  if (turn.fault == Fault::token_older_step || (turn.is_unheard && is_new)) {
    ++turn.mine.branches_max;
  }
  turn.delivered.push_back(turn.call);
  turn.is_unheard = turn.is_unheard || turn.fault == Fault::reply_lost ||
                    turn.fault == Fault::reply_lost_then_reworded;
}

/// Nothing when the agent hears no answer.
Result<std::optional<Told>> Play::deliver(Turn& turn) {
  allow_branch(turn);
  switch (turn.fault.value_or(Fault::token_decorated)) {
    case Fault::call_repeated: return deliver_twice(turn, false);
    case Fault::call_twice_at_once: return deliver_twice(turn, true);
    case Fault::calls_reordered: return deliver_reordered(turn);
    case Fault::call_redelivered_late: {
      const auto& past = turn.mine.past;
      TRY(ask(past[adversary_.choose(past.size())]));
      count_extra(turn);
      return TRY(ask(turn.call));
    }
    case Fault::call_lost: ++figures_.calls; return std::nullopt;
    case Fault::reply_lost:
    case Fault::reply_lost_then_reworded: TRY(ask(turn.call)); return std::nullopt;
    default: return TRY(ask(turn.call));
  }
}

/// Takes in an answer that did not settle the step, and makes the next call of it.
void Play::heed(Turn& turn, const Told& told) {
  Memory& memory = turn.mine.memory;
  Call next = correct(told, turn.call, turn.meant, memory);
  if (told.field("kind") == "blocked" && remember(told).step == memory.step) {
    turn.ack_before_block = memory.ack;
    memory = remember(told);
  }
  turn.call = std::move(next);
}

Result<void> Play::settle_one(Driven& mine, Driven& other) {
  Turn turn(mine, other);
  const bool has_other = !other.memory.run.empty() && !other.memory.is_complete;
  for (turn.calls = 0; turn.calls < calls_per_step_max; ++turn.calls) {
    const Situation at{.story = &mine.story,
                       .mine = &mine.memory,
                       .other = has_other ? &other.memory : nullptr,
                       .past = &mine.past,
                       .is_retry = turn.calls > 0,
                       .ack_before_block = turn.ack_before_block};
    turn.fault = adversary_.draw(at, turn.calls == 0 ? fault_percent : fault_on_retry_percent);
    if (turn.calls == 0) {
      plan_call(turn, words_for(turn.fault));
      turn.call = turn.meant;
    } else {
      count_extra(turn);
    }
    if (turn.fault) {
      ++figures_.by_fault[static_cast<std::size_t>(*turn.fault)].times;
      ++turn.faults;
      turn.last_fault = turn.fault;
      turn.extra_after_fault = 0;
      turn.call = adversary_.spoil(*turn.fault, spelt_out(turn.call), at);
    }
    const std::optional<Told> told = TRY(deliver(turn));
    if (!told) {
      if (turn.fault == Fault::reply_lost_then_reworded) {
        plan_call(turn, Words::other);
        set_at(turn.call.arguments, "/output", *get_at(turn.meant.arguments, "/output"));
      }
      continue;
    }
    if (is_settled(*told, mine.memory)) {
      ++figures_.calls_without_faults;
      if (!mine.memory.run.empty()) mine.past.push_back(spelt_out(turn.call));
      mine.memory = remember(*told);
      return {};
    }
    // The agent now writes it out, even if it was written before.
    plan_call(turn, Words::plain);
    heed(turn, *told);
    if (turn.calls + 1 > turn.faults) {
      return broken(cat("more calls than faults at ", turn.step, "; the last fault was \"",
                        turn.last_fault ? words_of(*turn.last_fault) : "none", "\"; told: ",
                        told->text, "\nnow it would send ", json::print(turn.call.arguments)));
    }
  }
  return broken(cat("no end at ", turn.step));
}

Result<void> Play::drive(Driven& first, Driven& second) {
  while (!first.memory.is_complete || !second.memory.is_complete) {
    const bool is_first =
        second.memory.is_complete || (!first.memory.is_complete && adversary_.choose(2) == 0);
    TRY(is_first ? settle_one(first, second) : settle_one(second, first));
  }
  return {};
}

}  // namespace baton::lossy
