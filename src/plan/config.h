#pragma once
// How plans are written: limits, and the shapes of lines. A shape is text with two slots, like
// "- [{mark}]: {text}", so that the same words say how a line is read and how it is written, and
// reading back what was written always gives the same. Immutable once made; any thread.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/limits.h"
#include "base/core/result.h"
#include "base/json/json.h"

namespace baton::plan {

/// Literal text around two slots.
struct SlotText {
  std::string before;
  std::string between;
  std::string after;
  bool swapped = false;  // the second name of the pair is in the first slot

  /// `first` and `second` are the slots' names. Fails unless each occurs in it once, with text
  /// between them.
  static Result<SlotText> make(std::string_view text, std::string_view first,
                               std::string_view second);

  std::string write(std::string_view first, std::string_view second) const;
};

struct PlanConfig {
  std::string name;
  std::size_t title_chars_max = limits::plan_title_chars_max;
  std::size_t indent_chars = limits::plan_indent_chars;
  std::size_t direction_halt_chars = limits::plan_direction_halt_chars;  // 0: never
  std::size_t bytes_max = limits::plan_bytes_max;
  std::size_t depth_max = limits::plan_depth_max;
  std::size_t tasks_max = limits::plan_tasks_max;
  /// What may come before the header; the first is written.
  std::vector<std::string> header_prefixes = {""};
  std::string done_marks = "x";             // the first is written; a space is an open task
  std::vector<SlotText> task_shapes;        // {mark} and {text}; the first is written
  std::vector<SlotText> constraint_shapes;  // {key} and {value}; the first is written
  bool strict = false;                      // look-alikes and irregular indents halt
};

/// COMMIT_MESSAGE, MARKDOWN_TASKS, YAML_LIKE and STRICT.
std::span<const std::string_view> config_names();

/// One of the named configurations; the nearest name when there is none.
Result<PlanConfig> named_config(std::string_view name);

/// COMMIT_MESSAGE.
const PlanConfig& default_config();

/// A named configuration with changes: {"maxTitleLength": 72, "taskShapes": ["* {mark} {text}"]}.
/// CONFIG_INVALID names what cannot be used.
Result<PlanConfig> config_with(PlanConfig config, const json::Object& changes);

/// As settings and calls name one: "MARKDOWN_TASKS", or changes as config_with takes them with the
/// name beside them under "config". Without a name the changes are made to `base`.
Result<PlanConfig> config_from(const json::Value& value, const PlanConfig& base = default_config());

/// The same from words: a name, KEY=VALUE, or the JSON of an object. VALUE is JSON, or text when it
/// is not JSON. Later words count more.
Result<PlanConfig> config_from_words(std::span<const std::string> words);

}  // namespace baton::plan
