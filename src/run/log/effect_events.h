#pragma once
// Effects as events: what a run changed outside. A command of the server has its receipt in
// process_intended and process_finished; these are the others. Values.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/sha256.h"
#include "base/text/text.h"
#include "run/log/process.h"
#include "run/log/types.h"

namespace baton::run {

/// An agent has done a step that changes something outside.
struct EffectReported {
  RunId run;
  NodeId node;
  std::string step;
  Sha256 hash;       // of what the agent was to do, and where
  std::string what;  // the beginning of its notes; may be empty
  bool operator==(const EffectReported&) const = default;

  static constexpr std::string_view name = "effect_reported";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("step", e.step);
    v("hash", e.hash);
    v.unless_empty("what", e.what);
  }
};

/// The step that is open at `node` is not done again: the server settles it with the result that it
/// had on another branch.
struct EffectReused {
  RunId run;
  NodeId node;
  std::string step;
  NodeId from;  // that names the effect: see EffectReceipt
  bool operator==(const EffectReused&) const = default;

  static constexpr std::string_view name = "effect_reused";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("step", e.step);
    v("from", e.from);
  }
};

/// Beside the nodes: the server is about to undo the effect that was intended at `effect`.
struct UndoIntended {
  RunId run;
  std::int64_t number = 1;  // 1, 2, 3, ... in its session
  NodeId effect;
  std::string step;
  std::vector<std::string> argv;
  std::string directory;
  std::map<std::string, std::string, std::less<>> environment;
  std::int64_t timeout_ms = 0;
  std::string runner;
  ChangeSource source = {};
  bool operator==(const UndoIntended&) const = default;

  static constexpr std::string_view name = "undo_intended";
  static constexpr std::string_view key_prefix = "owner:undo:";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v.counted("number", e.number);
    v("effect", e.effect);
    v("step", e.step);
    v("argv", e.argv);
    v.must("argv", "a program", [&] { return !e.argv.empty(); });
    v.unless_empty("directory", e.directory);
    v.unless_empty("environment", e.environment);
    v("timeoutMs", e.timeout_ms);
    v("runner", e.runner);
    v("source", e.source);
  }
};

/// What became of it.
struct UndoFinished {
  RunId run;
  std::int64_t number = 1;  // of its intent
  ProcessEnd end = ProcessEnd::unknown;
  std::int64_t code = 0;
  std::string output = {};  // its beginning
  std::string errors = {};  // its end
  bool operator==(const UndoFinished&) const = default;

  static constexpr std::string_view name = "undo_finished";
  static constexpr std::string_view key_prefix = "owner:undone:";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v.counted("number", e.number);
    v("end", e.end);
    v.unless_empty("code", e.code);
    v.unless_empty("output", e.output);
    v.unless_empty("errors", e.errors);
  }
};

inline std::int64_t number_of(const UndoIntended& word) { return word.number; }
inline std::int64_t number_of(const UndoFinished& word) { return word.number; }

}  // namespace baton::run
