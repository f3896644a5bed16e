#pragma once
// The adversary: every way in which an agent's call can go wrong between its mind and the server.
// The same seed makes the same faults. One thread.

#include <optional>
#include <random>

#include "agent.h"

namespace baton::lossy {

// Miscopied tokens come first, then whole other tokens.
enum class Fault : std::uint8_t {
  token_character_wrong,
  token_character_missing,
  token_character_added,
  token_characters_swapped,
  token_capital,
  token_lookalike,
  token_truncated,
  token_decorated,
  token_other_kind,
  token_other_run,
  token_older_step,
  token_before_the_block,
  json_as_text,
  arguments_as_text,
  token_left_out,
  output_left_out,
  artifact_field_left_out,
  context_left_out,
  field_added,
  field_misspelt,
  type_wrong,
  workflow_misspelt,
  call_repeated,
  call_twice_at_once,
  calls_reordered,
  call_redelivered_late,
  call_lost,
  reply_lost,
  reply_lost_then_reworded,
  output_of_another_step,
  notes_of_two_bytes,
  notes_of_ten_kilobytes,
  notes_with_emoji,
  notes_right_to_left,
  decision_left_out,
  decision_misspelt,
  decision_of_another_loop,
};
inline constexpr std::size_t fault_count =
    static_cast<std::size_t>(Fault::decision_of_another_loop) + 1;

/// As words for a table.
std::string_view words_of(Fault fault);

/// What a fault can be made of.
struct Situation {
  const Story* story = nullptr;
  const Memory* mine = nullptr;             // of the current run; its run is empty before the start
  const Memory* other = nullptr;            // of another run under way; nullptr: there is none
  const std::vector<Call>* past = nullptr;  // calls that settled earlier steps
  bool is_retry = false;
  std::string ack_before_block;  // empty: the call is not a retry
};

class Adversary {
 public:
  explicit Adversary(std::uint64_t seed) : random_(seed) {}

  /// From 0 to n - 1.
  std::size_t choose(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  /// A fault that makes sense there, with the probability of `percent`.
  std::optional<Fault> draw(const Situation& at, std::size_t percent);

  /// The call as it arrives. What happens on the way (repeated, lost, late) is not done here.
  Call spoil(Fault fault, Call call, const Situation& at);

 private:
  bool makes_sense(Fault fault, const Situation& at) const;
  std::string spoilt_token(Fault fault, std::string token);
  Call with_token_miscopied(Fault fault, Call call);
  Call with_another_token(Fault fault, Call call, const Situation& at);
  void misspell(Call& call);
  void mistype(Call& call);
  void add_field(Call& call);
  void spoil_decision(Fault fault, Call& call);
  Call with_output_of_another_step(Call call, const Situation& at);

  std::mt19937_64 random_;
};

}  // namespace baton::lossy
