#pragma once
// What the agent has in mind: the workflow it is taken through, and what it would hand in at each
// step if nothing went wrong. Values; the same seed makes the same story.

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"

namespace baton::lossy {

inline constexpr std::string_view workflow_id = "lossy";

/// Prompts, validation criteria, contracts, a forEach loop and two loops that the agent ends.
std::string_view workflow_text();

/// The result of one step.
struct Content {
  std::string notes;
  json::Array artifacts;
  json::Object context;
  bool operator==(const Content&) const = default;
};

/// In which words the notes are written.
enum class Words { plain, other, two_bytes, ten_kilobytes, emoji, right_to_left };

/// What a step asks for besides being done.
enum class Asks { nothing, files, verdict, decision, divergence };

class Story {
 public:
  Story(std::int64_t number, std::int64_t files, std::int64_t rounds)
      : number_(number), files_(files), rounds_(rounds) {}

  /// The steps as they have to be settled, by instance key.
  std::vector<std::string> steps() const;

  static Asks asks(std::string_view step);
  Content content(std::string_view step, Words words) const;

 private:
  std::string decision(std::string_view step) const;

  std::int64_t number_;
  std::int64_t files_;
  std::int64_t rounds_;
};

}  // namespace baton::lossy
