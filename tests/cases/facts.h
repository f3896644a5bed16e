#pragma once
// Facts: collects the fact lines of one answer. What no line was made of is shown as it is at the
// end, so that no field of an answer goes unseen.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "answer.h"
#include "base/json/json.h"
#include "base/text/text.h"

namespace baton::cases {

class Facts {
 public:
  /// `root` is the structured content and `text` what the agent reads; both outlive this.
  Facts(AnswerMemory& memory, const json::Value& root, std::string_view text)
      : memory_(memory), root_(root), text_(text) {}

  AnswerMemory& memory() { return memory_; }
  const json::Value& root() const { return root_; }
  std::string_view text() const { return text_; }

  /// The member `key`, which counts as shown from now on; nullptr if the answer lacks it.
  const json::Value* take(std::string_view key);

  /// Adds a line. REQUIRES: its first word is one of fact_words.
  template <class... Pieces>
  void say(const Pieces&... pieces) {
    add(cat(pieces...));
  }

  /// Adds `untold PATH` when the text does not have the string that `value` is.
  void expect_told(std::string_view path, const json::Value* value);

  /// The lines, with `has KEY VALUE` for each member that was not taken.
  std::vector<std::string> finish();

 private:
  void add(std::string line);

  AnswerMemory& memory_;
  const json::Value& root_;
  std::string_view text_;
  std::set<std::string, std::less<>> taken_;
  std::vector<std::string> lines_;
};

/// A string that is one plain word as it is, anything else as JSON; "none" for nullptr.
std::string word_of(const json::Value* value);

/// The string at `key` of an object, or "".
std::string_view string_at(const json::Value* object, std::string_view key);

/// Whether the member is a boolean and true.
bool is_true(const json::Value* value);

/// Empty for nullptr and for what is not an array.
const json::Array& items_of(const json::Value* value);

/// Lines that answers of several tools share.
void say_blockers(Facts& facts);
void say_warnings(Facts& facts);
void say_run(Facts& facts, std::string_view run, std::string_view session);
/// The entries of a recap, each with its first line.
void say_recap(Facts& facts, const json::Value* recap);

/// Answers that give a place in a run on the rail.
void say_rail_place(Facts& facts);
/// The answer to a checkpoint on the rail.
void say_rail_checkpoint(Facts& facts);
/// Answers about a step, and to a completed step, on the atomic surface.
void say_atomic_step(Facts& facts);
void say_atomic_completion(Facts& facts);

}  // namespace baton::cases
