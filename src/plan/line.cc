#include "plan/line.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace baton::plan {
namespace {

constexpr std::string_view dash = "- ";

bool is_space(char c) { return c == ' ' || c == '\t'; }

/// The two slots of a line, in the order of the shape's names.
struct Slots {
  std::string_view first;
  std::string_view second;
};

/// `line` must begin and end as the shape does. The text between the slots is looked for from the
/// side where the short slot is: a constraint's key.
std::optional<Slots> match(const Shape& shape, std::string_view line) {
  if (!line.starts_with(shape.before)) return std::nullopt;
  line.remove_prefix(shape.before.size());
  if (!line.ends_with(shape.after)) return std::nullopt;
  line.remove_suffix(shape.after.size());
  const std::size_t at = shape.swapped ? line.rfind(shape.between) : line.find(shape.between);
  if (at == std::string_view::npos) return std::nullopt;
  Slots slots{line.substr(0, at), line.substr(at + shape.between.size())};
  if (shape.swapped) std::swap(slots.first, slots.second);
  return slots;
}

/// Like match, for a first slot of exactly one character, which may be a space.
std::optional<Slots> match_mark(const Shape& shape, std::string_view line) {
  if (!line.starts_with(shape.before)) return std::nullopt;
  line.remove_prefix(shape.before.size());
  if (!line.ends_with(shape.after)) return std::nullopt;
  line.remove_suffix(shape.after.size());
  if (line.empty()) return std::nullopt;
  const std::size_t at = shape.swapped ? line.size() - 1 : 0;
  const std::string_view mark = line.substr(at, 1);
  line = shape.swapped ? line.substr(0, at) : line.substr(1);
  if (shape.swapped ? !line.ends_with(shape.between) : !line.starts_with(shape.between)) {
    return std::nullopt;
  }
  const std::size_t rest = line.size() - shape.between.size();
  return Slots{mark, line.substr(shape.swapped ? 0 : shape.between.size(), rest)};
}

/// True when `rest` is a task without its indent.
bool match_task(std::string_view rest, const Config& config, Line& line) {
  for (const Shape& shape : config.task_shapes) {
    const auto slots = match_mark(shape, rest);
    if (!slots) continue;
    const bool done = config.done_marks.contains(slots->first[0]);
    const std::string_view text = trimmed(slots->second);
    if ((!done && slots->first != " ") || text.empty()) continue;
    line.done = done;
    line.text = text;
    return true;
  }
  return false;
}

/// A box with at most one character in it, which is not the text of a link; or, where the mark
/// stands last, anything that begins as a task does.
bool has_box(std::string_view rest, const Config& config) {
  return std::ranges::any_of(config.task_shapes, [&](const Shape& shape) {
    if (!rest.starts_with(shape.before)) return false;
    if (shape.swapped) return true;
    if (shape.between[0] == ' ') return false;  // no box around the mark
    const std::string_view inside = rest.substr(shape.before.size());
    const std::size_t end = inside.find(shape.between[0]);
    if (end == std::string_view::npos || end > 1) return false;
    return !inside.substr(end + 1).starts_with('(');
  });
}

bool is_key(std::string_view key) {
  return !key.empty() && key[0] >= 'A' && key[0] <= 'Z' && key.back() != ' ' &&
         std::ranges::all_of(key.substr(1),
                             [](char c) { return (c >= 'a' && c <= 'z') || c == ' '; });
}

bool match_constraint(std::string_view line, const Config& config, Line& out) {
  for (const Shape& shape : config.constraint_shapes) {
    const auto slots = match(shape, line);
    if (!slots || !is_key(slots->first)) continue;
    const std::string_view value = trimmed(slots->second);
    if (value.empty() || value[0] < 'a' || value[0] > 'z') continue;
    out.key = slots->first;
    out.value = value;
    return true;
  }
  return false;
}

LineKind kind_of(std::string_view line, std::string_view rest, const Config& config, Line& out) {
  if (rest.empty()) return LineKind::blank;
  if (match_task(rest, config, out)) return LineKind::task;
  if (has_box(rest, config)) return LineKind::task_like;
  if (rest[0] == '[' && rest.size() > 2 && rest[2] == ']') {
    Line ignored;
    if (match_task(cat(dash, rest), config, ignored)) return LineKind::task_like;
  }
  if (directive_in(line)) return LineKind::directive;
  if (match_constraint(line, config, out)) return LineKind::constraint;
  const bool like = std::ranges::any_of(config.constraint_shapes, [&](const Shape& shape) {
    return !shape.before.empty() && line.starts_with(shape.before);
  });
  return like ? LineKind::constraint_like : LineKind::text;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  // A return before a space would become the end of its line once the space is gone.
  const auto goes = [](char c) { return is_space(c) || c == '\r'; };
  while (!text.empty() && goes(text.front())) text.remove_prefix(1);
  while (!text.empty() && goes(text.back())) text.remove_suffix(1);
  return text;
}

Line read_line(std::string_view line, const Config& config) {
  Line out;
  if (line.empty()) {
    out.kind = LineKind::blank;
    return out;
  }
  while (out.indent_bytes < line.size() && is_space(line[out.indent_bytes])) {
    if (line[out.indent_bytes] == '\t') {
      out.has_tab = true;
      out.indent_columns += config.indent_chars - out.indent_columns % config.indent_chars;
    } else {
      ++out.indent_columns;
    }
    ++out.indent_bytes;
  }
  out.kind = kind_of(line, trimmed(line), config, out);
  return out;
}

std::string write_task(const Task& task, std::size_t depth, const Config& config) {
  const std::string_view mark =
      task.done ? std::string_view(config.done_marks).substr(0, 1) : std::string_view(" ");
  return std::string(depth * config.indent_chars, ' ') +
         config.task_shapes.front().write(mark, task.text);
}

std::string write_constraint(const Constraint& constraint, const Config& config) {
  return config.constraint_shapes.front().write(constraint.key, constraint.value);
}

}  // namespace baton::plan
