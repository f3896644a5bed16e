#include "plan/config.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::plan {
namespace {

constexpr std::string_view names[] = {"COMMIT_MESSAGE", "MARKDOWN_TASKS", "YAML_LIKE", "STRICT"};

std::unexpected<Error> refuse(std::string message, std::string hint = {}) {
  return fail(Code::CONFIG_INVALID, std::move(message), std::move(hint));
}

SlotText task_shape(std::string_view text) { return MUST(SlotText::make(text, "mark", "text")); }
SlotText constraint_shape(std::string_view text) {
  return MUST(SlotText::make(text, "key", "value"));
}

PlanConfig commit_message() {
  PlanConfig config;
  config.name = names[0];
  // The texts are constants, and the tests make every configuration.
  config.task_shapes = {task_shape("- [{mark}]: {text}")};
  config.constraint_shapes = {constraint_shape("- {key}: {value}")};
  return config;
}

PlanConfig markdown_tasks() {
  PlanConfig config = commit_message();
  config.name = names[1];
  config.header_prefixes = {"", "# "};
  config.done_marks = "xX";
  config.direction_halt_chars = 0;
  config.task_shapes = {task_shape("- [{mark}] {text}"), task_shape("- [{mark}]: {text}"),
                        task_shape("* [{mark}] {text}")};
  config.constraint_shapes = {constraint_shape("- {key}: {value}"),
                              constraint_shape("> {key}: {value}")};
  return config;
}

PlanConfig yaml_like() {
  PlanConfig config = commit_message();
  config.name = names[2];
  config.header_prefixes = {"title: ", ""};
  config.indent_chars = 4;
  config.task_shapes = {task_shape("- task: {text} ({mark})")};
  config.constraint_shapes = {constraint_shape("{key}: {value}")};
  return config;
}

PlanConfig strict() {
  PlanConfig config = commit_message();
  config.name = names[3];
  config.title_chars_max = 50;
  config.bytes_max = 10'000;
  config.depth_max = 3;
  config.tasks_max = 50;
  config.direction_halt_chars = 1;
  config.strict = true;
  return config;
}

struct NumberSetting {
  std::string_view key;
  std::size_t PlanConfig::* member;
  std::size_t min;
  std::size_t max;
};

constexpr NumberSetting numbers[] = {
    {"maxTitleLength", &PlanConfig::title_chars_max, 1, limits::plan_title_chars_ceiling},
    {"indentSize", &PlanConfig::indent_chars, 1, limits::plan_indent_chars_ceiling},
    {"directionHaltLength", &PlanConfig::direction_halt_chars, 0,
     limits::plan_direction_halt_chars_ceiling},
    {"maxInputLength", &PlanConfig::bytes_max, 1, limits::plan_bytes_ceiling},
    {"maxNestingDepth", &PlanConfig::depth_max, 0, limits::plan_depth_ceiling},
    {"maxTaskCount", &PlanConfig::tasks_max, 1, limits::plan_tasks_ceiling},
};

constexpr std::string_view other_keys[] = {"taskShapes", "constraintShapes", "headerPrefixes",
                                           "doneMarks", "strict"};

Result<void> set_number(PlanConfig& config, const NumberSetting& setting,
                        const json::Value& value) {
  const std::int64_t* number = value.if_int();
  if (number == nullptr || *number < static_cast<std::int64_t>(setting.min) ||
      *number > static_cast<std::int64_t>(setting.max)) {
    return refuse(cat(setting.key, " must be a number from ", setting.min, " to ", setting.max));
  }
  config.*setting.member = static_cast<std::size_t>(*number);
  return {};
}

Result<std::vector<std::string>> texts(std::string_view key, const json::Value& value) {
  const json::Array* list = value.if_array();
  if (list == nullptr || list->empty() || list->size() > limits::plan_shapes_max) {
    return refuse(cat(key, " must be a list of 1 to ", limits::plan_shapes_max, " texts"));
  }
  std::vector<std::string> out;
  for (const json::Value& item : *list) {
    const std::string* text = item.if_string();
    if (text == nullptr || text->size() > limits::plan_shape_bytes_max ||
        text->find_first_of("\r\n") != std::string::npos || text->contains('\0')) {
      return refuse(cat(key, " must hold texts of one line and at most ",
                        limits::plan_shape_bytes_max, " bytes"));
    }
    out.push_back(*text);
  }
  return out;
}

/// A shape must be told from prose by how it begins.
Result<std::vector<SlotText>> shapes(std::string_view key, const json::Value& value,
                                     std::string_view first, std::string_view second,
                                     bool needs_beginning) {
  std::vector<SlotText> out;
  for (const std::string& text : TRY(texts(key, value))) {
    out.push_back(TRY(SlotText::make(text, first, second)));
    const std::string& before = out.back().before;
    const bool bad_start = before.empty() ? needs_beginning : before[0] == ' ' || before[0] == '\t';
    if (bad_start || text.ends_with(' ') || text.ends_with('\t')) {
      return refuse(cat(key, ": '", text, "' must not begin or end with a space",
                        needs_beginning ? " or a slot" : ""));
    }
  }
  return out;
}

Result<void> set_other(PlanConfig& config, std::string_view key, const json::Value& value) {
  if (key == "taskShapes") {
    config.task_shapes = TRY(shapes(key, value, "mark", "text", true));
  } else if (key == "constraintShapes") {
    config.constraint_shapes = TRY(shapes(key, value, "key", "value", false));
  } else if (key == "headerPrefixes") {
    config.header_prefixes = TRY(texts(key, value));
  } else if (key == "doneMarks") {
    const std::string* marks = value.if_string();
    const bool plain = marks != nullptr && !marks->empty() &&
                       marks->size() <= limits::plan_shapes_max &&
                       std::ranges::all_of(*marks, [](char c) { return c > ' ' && c < 0x7f; });
    if (!plain) return refuse("doneMarks must be 1 to 8 printable ASCII characters");
    config.done_marks = *marks;
  } else {
    if (value.if_bool() == nullptr) return refuse("strict must be true or false");
    config.strict = *value.if_bool();
  }
  return {};
}

std::unexpected<Error> unknown_key(std::string_view key) {
  std::vector<std::string_view> keys(std::begin(other_keys), std::end(other_keys));
  for (const NumberSetting& setting : numbers) keys.push_back(setting.key);
  const auto near = nearest(key, keys);
  return refuse(cat("the configuration of a plan has no '", key, '\''),
                near ? cat("did you mean '", *near, "'?") : "docs/plan.md lists them");
}

}  // namespace

Result<SlotText> SlotText::make(std::string_view text, std::string_view first,
                                std::string_view second) {
  const std::string slot1 = cat('{', first, '}');
  const std::string slot2 = cat('{', second, '}');
  std::size_t at1 = text.find(slot1);
  std::size_t at2 = text.find(slot2);
  const auto refused = [&] {
    return refuse(cat('\'', text, "' must hold ", slot1, " and ", slot2,
                      " once each, with something between them"));
  };
  if (at1 == std::string_view::npos || at2 == std::string_view::npos) return refused();
  SlotText shape;
  shape.swapped = at2 < at1;
  std::size_t length = slot1.size();
  if (shape.swapped) {
    std::swap(at1, at2);
    length = slot2.size();
  }
  const std::size_t last_length = shape.swapped ? slot1.size() : slot2.size();
  shape.before = text.substr(0, at1);
  shape.between = text.substr(at1 + length, at2 - at1 - length);
  shape.after = text.substr(at2 + last_length);
  if (shape.between.empty() || shape.before.contains('{') || shape.between.contains('{') ||
      shape.after.contains('{')) {
    return refused();
  }
  return shape;
}

std::string SlotText::write(std::string_view first, std::string_view second) const {
  if (swapped) std::swap(first, second);
  return cat(before, first, between, second, after);
}

std::span<const std::string_view> config_names() { return names; }

const PlanConfig& default_config() {
  static const PlanConfig config = commit_message();
  return config;
}

Result<PlanConfig> named_config(std::string_view name) {
  if (name == names[0]) return commit_message();
  if (name == names[1]) return markdown_tasks();
  if (name == names[2]) return yaml_like();
  if (name == names[3]) return strict();
  const auto near = nearest(name, names);
  return refuse(cat("there is no configuration '", name, '\''),
                near ? cat("did you mean '", *near, "'?")
                     : "they are COMMIT_MESSAGE, MARKDOWN_TASKS, YAML_LIKE and STRICT");
}

Result<PlanConfig> config_with(PlanConfig config, const json::Object& changes) {
  for (const json::Member& member : changes) {
    const auto number = std::ranges::find(numbers, member.key, &NumberSetting::key);
    if (number != std::end(numbers)) {
      TRY(set_number(config, *number, member.value));
    } else if (std::ranges::count(other_keys, member.key) > 0) {
      TRY(set_other(config, member.key, member.value));
    } else {
      return unknown_key(member.key);
    }
  }
  return config;
}

Result<PlanConfig> config_from(const json::Value& value, const PlanConfig& base) {
  if (const std::string* name = value.if_string()) return named_config(*name);
  const json::Object* object = value.if_object();
  if (object == nullptr) return refuse("a configuration is a name, or settings as an object");
  PlanConfig config = base;
  json::Object changes;
  for (const json::Member& member : *object) {
    if (member.key != "config") {
      changes.set(member.key, member.value);
    } else if (const std::string* name = member.value.if_string()) {
      config = TRY(named_config(*name));
    } else {
      return refuse("config must be the name of a configuration");
    }
  }
  return config_with(std::move(config), changes);
}

Result<PlanConfig> config_from_words(std::span<const std::string> words) {
  PlanConfig config = default_config();
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (word.starts_with('{')) {
      const auto object = json::parse(word);
      if (!object) return refuse(cat("'", word, "' is not JSON"));
      config = TRY(config_from(*object, config));
    } else if (equals == std::string::npos) {
      config = TRY(named_config(word));
    } else {
      const std::string value = word.substr(equals + 1);
      json::Object change;
      change.set(word.substr(0, equals), json::parse(value).value_or(json::Value(value)));
      config = TRY(config_with(std::move(config), change));
    }
  }
  return config;
}

}  // namespace baton::plan
