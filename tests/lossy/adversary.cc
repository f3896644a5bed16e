#include "adversary.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace baton::lossy {
namespace {

using json::Object;
using json::Value;

constexpr std::array<std::string_view, fault_count> all_words = {
    "token: a character wrong",
    "token: a character missing",
    "token: a character added",
    "token: two characters swapped",
    "token: a capital",
    "token: 1 and l confused",
    "token: truncated",
    "token: in quotes, with spaces or a full stop",
    "token: state or checkpoint for ack",
    "token: of another run",
    "token: of an older step",
    "token: of before the block",
    "output, context or artifacts as JSON text",
    "all arguments as JSON text",
    "ackToken left out",
    "output left out",
    "a field of an artifact left out",
    "context left out, misspelt or of a wrong type",
    "a field too many",
    "a field misspelt",
    "a value of a wrong type",
    "workflowId misspelt",
    "call repeated",
    "call sent twice at once",
    "calls of two runs in reverse order",
    "old call delivered again, late",
    "call lost",
    "reply lost",
    "reply lost, sent again in other words",
    "output of another step",
    "notes of 2 bytes",
    "notes of 10 KB",
    "notes with emoji",
    "notes from right to left",
    "loop decision left out",
    "loop decision misspelt",
    "loop decision for another loop",
};

constexpr std::string_view token_alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

bool is_any_of(Fault fault, std::initializer_list<Fault> faults) {
  return std::ranges::find(faults, fault) != faults.end();
}

/// Faults that the very first call can have, which has no token and no output.
bool suits_start(Fault fault) {
  return is_any_of(
      fault, {Fault::arguments_as_text, Fault::field_added, Fault::field_misspelt,
              Fault::type_wrong, Fault::workflow_misspelt, Fault::call_lost, Fault::reply_lost});
}

/// Faults that few calls can have; they are drawn as often as all others together.
bool is_rare(Fault fault) {
  return is_any_of(
      fault,
      {Fault::workflow_misspelt, Fault::token_before_the_block, Fault::output_left_out,
       Fault::artifact_field_left_out, Fault::context_left_out, Fault::output_of_another_step,
       Fault::decision_left_out, Fault::decision_misspelt, Fault::decision_of_another_loop});
}

/// In which words the notes are written is decided once.
bool is_of_words(Fault fault) {
  return is_any_of(fault, {Fault::notes_of_two_bytes, Fault::notes_of_ten_kilobytes,
                           Fault::notes_with_emoji, Fault::notes_right_to_left});
}

bool has_artifact(Asks asks) { return asks == Asks::decision || asks == Asks::divergence; }

}  // namespace

std::string_view words_of(Fault fault) { return all_words[static_cast<std::size_t>(fault)]; }

bool Adversary::makes_sense(Fault fault, const Situation& at) const {
  if (at.mine->run.empty()) return suits_start(fault);
  if (at.is_retry && is_of_words(fault)) return false;
  const Asks asks = Story::asks(at.mine->step);
  switch (fault) {
    case Fault::workflow_misspelt: return false;
    case Fault::token_other_run:
    case Fault::calls_reordered: return at.other != nullptr;
    case Fault::token_older_step:
    case Fault::call_redelivered_late: return !at.past->empty();
    case Fault::token_before_the_block: return !at.ack_before_block.empty();
    case Fault::output_left_out: return has_artifact(asks) || asks == Asks::verdict;
    case Fault::artifact_field_left_out: return has_artifact(asks);
    case Fault::context_left_out: return asks == Asks::files;
    case Fault::output_of_another_step: return has_artifact(asks) || asks == Asks::verdict;
    case Fault::decision_left_out:
    case Fault::decision_misspelt:
    case Fault::decision_of_another_loop: return asks == Asks::decision;
    default: return true;
  }
}

std::optional<Fault> Adversary::draw(const Situation& at, std::size_t percent) {
  if (choose(100) >= percent) return std::nullopt;
  std::vector<Fault> sensible;
  std::vector<Fault> rare;
  for (std::size_t i = 0; i < fault_count; ++i) {
    const auto fault = static_cast<Fault>(i);
    if (!makes_sense(fault, at)) continue;
    (is_rare(fault) ? rare : sensible).push_back(fault);
  }
  if (!rare.empty() && choose(2) == 0) return rare[choose(rare.size())];
  return sensible[choose(sensible.size())];
}

std::string Adversary::spoilt_token(Fault fault, std::string token) {
  const std::size_t at = choose(token.size());
  const char other = token_alphabet[choose(token_alphabet.size())];
  switch (fault) {
    case Fault::token_character_wrong:
      token[at] = other == token[at] ? 'b' : other;  // no token has a b
      break;
    case Fault::token_character_missing: token.erase(at, 1); break;
    case Fault::token_character_added: token.insert(at, 1, other); break;
    case Fault::token_characters_swapped: {
      std::size_t from = choose(token.size() - 1);
      while (token[from] == token[from + 1]) from = (from + 1) % (token.size() - 1);
      std::swap(token[from], token[from + 1]);
      break;
    }
    case Fault::token_capital: token[0] = 'A'; break;
    case Fault::token_lookalike: token[token.find('1')] = 'l'; break;
    case Fault::token_truncated: token.resize(1 + choose(token.size() - 1)); break;
    default: {
      constexpr std::array<std::pair<std::string_view, std::string_view>, 6> around = {
          {{"\"", "\""}, {"'", "'"}, {"`", "`"}, {"", "."}, {"  ", " \n"}, {" \"", "\". "}}};
      const auto& [before, behind] = around[choose(around.size())];
      token = cat(before, token, behind);
    }
  }
  return token;
}

void Adversary::misspell(Call& call) {
  struct Slip {
    std::string_view pointer;
    std::string_view as;
  };
  constexpr std::array<Slip, 14> slips = {{{"/ackToken", "ackTokn"},
                                           {"/ackToken", "ack_token"},
                                           {"/ackToken", "acktoken"},
                                           {"/ackToken", "token"},
                                           {"/output", "ouput"},
                                           {"/output", "outputs"},
                                           {"/output", "result"},
                                           {"/output/notesMarkdown", "notesMarkdwn"},
                                           {"/output/notesMarkdown", "notes_markdown"},
                                           {"/output/notesMarkdown", "notes"},
                                           {"/output/artifacts", "artefacts"},
                                           {"/context", "contxt"},
                                           {"/workflowId", "workflow_id"},
                                           {"/workflowId", "workflow"}}};
  std::size_t at = choose(slips.size());
  while (get_at(call.arguments, slips[at].pointer) == nullptr) at = (at + 1) % slips.size();
  const std::string_view pointer = slips[at].pointer;
  Value value = *get_at(call.arguments, pointer);
  erase_at(call.arguments, pointer);
  set_at(call.arguments, cat(pointer.substr(0, pointer.rfind('/')), '/', slips[at].as),
         std::move(value));
}

void Adversary::mistype(Call& call) {
  constexpr std::array<std::string_view, 7> pointers = {"/ackToken",
                                                        "/output",
                                                        "/output/notesMarkdown",
                                                        "/output/artifacts",
                                                        "/output/artifacts/0",
                                                        "/context",
                                                        "/workflowId"};
  std::size_t at = choose(pointers.size());
  while (get_at(call.arguments, pointers[at]) == nullptr) at = (at + 1) % pointers.size();
  const Value right = *get_at(call.arguments, pointers[at]);
  const std::array<Value, 3> of_text = {7, json::Array{right}, Object{{"text", right}}};
  const std::array<Value, 3> of_more = {true, "Done, see the notes.", 3.5};
  const Value wrong = right.is_string() ? of_text[choose(3)] : of_more[choose(3)];
  set_at(call.arguments, pointers[at], wrong);
}

void Adversary::add_field(Call& call) {
  constexpr std::array<std::string_view, 3> outside = {"/thoughts", "/stepId", "/confidence"};
  constexpr std::array<std::string_view, 3> inside = {"/output/summary", "/output/status",
                                                      "/output/reasoning"};
  const bool has_output = get_at(call.arguments, "/output") != nullptr;
  const std::string_view pointer =
      has_output && choose(2) == 0 ? inside[choose(3)] : outside[choose(3)];
  set_at(call.arguments, pointer, "It went well.");
}

void Adversary::spoil_decision(Fault fault, Call& call) {
  if (fault == Fault::decision_of_another_loop) {
    set_at(call.arguments, "/output/artifacts/0/loopId", "the-loop");
    return;
  }
  if (fault == Fault::decision_left_out) {
    erase_at(call.arguments, "/output/artifacts");
    return;
  }
  constexpr std::array<std::string_view, 5> wrong = {"contniue", "Stop", "go on", "yes", "STOP "};
  constexpr std::array<std::string_view, 3> kinds = {"baton.loop_contrl", "wr.loop-control",
                                                     "baton.loopcontrol"};
  if (choose(2) == 0) {
    set_at(call.arguments, "/output/artifacts/0/decision", wrong[choose(wrong.size())]);
  } else {
    set_at(call.arguments, "/output/artifacts/0/kind", kinds[choose(kinds.size())]);
  }
}

Call Adversary::with_output_of_another_step(Call call, const Situation& at) {
  const auto steps = at.story->steps();
  std::size_t other = choose(steps.size());
  while (Story::asks(steps[other]) == Story::asks(at.mine->step)) {
    other = (other + 1) % steps.size();
  }
  const Call wrong = advance_call(*at.mine, at.story->content(steps[other], Words::plain), false);
  set_at(call.arguments, "/output", *get_at(wrong.arguments, "/output"));
  return call;
}

Call Adversary::with_token_miscopied(Fault fault, Call call) {
  const bool has_state = get_at(call.arguments, "/stateToken") != nullptr;
  const std::string_view pointer = has_state && choose(2) == 0 ? "/stateToken" : "/ackToken";
  set_at(call.arguments, pointer,
         spoilt_token(fault, *get_at(call.arguments, pointer)->if_string()));
  return call;
}

Call Adversary::with_another_token(Fault fault, Call call, const Situation& at) {
  std::string ack = at.mine->ack;
  switch (fault) {
    case Fault::token_other_kind:
      ack = choose(2) == 0 ? at.mine->state : at.mine->checkpoint;
      break;
    case Fault::token_other_run:
      // An agent with several runs sends both tokens; one of them is the other run's.
      set_at(call.arguments, "/stateToken", at.mine->state);
      if (choose(2) == 0) {
        ack = at.other->ack;
      } else {
        set_at(call.arguments, "/stateToken", at.other->state);
      }
      break;
    case Fault::token_older_step: {
      const Call& older = (*at.past)[choose(at.past->size())];
      ack = *get_at(older.arguments, "/ackToken")->if_string();
      break;
    }
    default: ack = at.ack_before_block;
  }
  set_at(call.arguments, "/ackToken", ack);
  return call;
}

Call Adversary::spoil(Fault fault, Call call, const Situation& at) {
  if (fault <= Fault::token_decorated) return with_token_miscopied(fault, std::move(call));
  if (fault <= Fault::token_before_the_block) {
    return with_another_token(fault, std::move(call), at);
  }
  switch (fault) {
    case Fault::json_as_text:
      for (const std::string_view pointer : {"/output/artifacts", "/context", "/output"}) {
        const Value* value = get_at(call.arguments, pointer);
        if (value != nullptr) set_at(call.arguments, pointer, json::print(*value));
      }
      break;
    case Fault::arguments_as_text: call.arguments = json::print(call.arguments); break;
    case Fault::token_left_out: erase_at(call.arguments, "/ackToken"); break;
    case Fault::output_left_out: erase_at(call.arguments, "/output"); break;
    case Fault::artifact_field_left_out: {
      const Object& artifact = *get_at(call.arguments, "/output/artifacts/0")->if_object();
      const auto& [key, value] = *(artifact.begin() + static_cast<long>(choose(artifact.size())));
      erase_at(call.arguments, cat("/output/artifacts/0/", key));
      break;
    }
    case Fault::context_left_out:
      erase_at(call.arguments, "/context");
      if (choose(3) == 0) break;
      set_at(call.arguments, choose(2) == 0 ? "/context/fils" : "/context/files", "a, b");
      break;
    case Fault::field_added: add_field(call); break;
    case Fault::field_misspelt: misspell(call); break;
    case Fault::type_wrong: mistype(call); break;
    case Fault::workflow_misspelt: set_at(call.arguments, "/workflowId", "losy"); break;
    case Fault::output_of_another_step: return with_output_of_another_step(std::move(call), at);
    case Fault::decision_left_out:
    case Fault::decision_misspelt:
    case Fault::decision_of_another_loop: spoil_decision(fault, call); break;
    default: break;  // happens on the way, or in the words
  }
  return call;
}

}  // namespace baton::lossy
