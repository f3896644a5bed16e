#pragma once
// The owner's word about a whole run: whether it may continue, and what its agent should know. Each
// is a commit of its own, recorded beside the nodes, so that it holds on every branch. The commits
// of one kind are numbered by their dedupe keys, so that two people who speak at once are two
// commits. Values.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "run/log/types.h"

namespace baton::run {

/// What its owner lets a run do. A run that was never held is running.
enum class Hold : std::uint8_t { running, paused, cancelled };
template <>
inline constexpr Names<3> names_of<Hold> = {"running", "paused", "cancelled"};

struct RunHeld {
  RunId run;
  std::int64_t number = 1;  // 1, 2, 3, ... in its session
  Hold hold = Hold::paused;
  std::string reason = {};  // may be empty
  ChangeSource source = {};
  bool operator==(const RunHeld&) const = default;

  static constexpr std::string_view name = "run_held";
  static constexpr std::string_view key_prefix = "owner:hold:";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v.counted("number", e.number);
    v("hold", e.hold);
    v("reason", e.reason);
    v("source", e.source);
  }
};

/// A correction by a person, for the agent.
struct Guidance {
  std::int64_t number = 1;  // 1, 2, 3, ... in its session
  std::string text = {};
  ChangeSource source = {};
  bool operator==(const Guidance&) const = default;

  static constexpr std::string_view name = "guidance";
  static void describe(auto& e, auto& v) {
    v.counted("number", e.number);
    v("text", e.text);
    v("source", e.source);
  }
};

struct GuidanceGiven {
  RunId run;
  Guidance guidance;
  bool operator==(const GuidanceGiven&) const = default;

  static constexpr std::string_view name = "guidance_given";
  static constexpr std::string_view key_prefix = "owner:guide:";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v.flat(e.guidance);
  }
};

/// The reply at `node` carries the guidance up to this number, and so does no later reply below it.
struct GuidanceDelivered {
  RunId run;
  NodeId node;
  std::int64_t number = 0;
  bool operator==(const GuidanceDelivered&) const = default;

  static constexpr std::string_view name = "guidance_delivered";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.counted("number", e.number);
  }
};

/// How the dedupe keys of the owner's words begin, and no others.
inline constexpr std::string_view owner_key_prefix = "owner:";

inline std::int64_t number_of(const RunHeld& word) { return word.number; }
inline std::int64_t number_of(const GuidanceGiven& word) { return word.guidance.number; }

/// The dedupe key of a word of the owner.
template <class Word>
std::string owner_key(const Word& word) {
  return cat(Word::key_prefix, number_of(word));
}

}  // namespace baton::run
