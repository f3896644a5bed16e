#include "plan/line.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "base/text/utf8.h"

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
std::optional<Slots> match(const SlotText& shape, std::string_view line) {
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
std::optional<Slots> match_mark(const SlotText& shape, std::string_view line) {
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
bool match_task(std::string_view rest, const PlanConfig& config, Line& line) {
  for (const SlotText& shape : config.task_shapes) {
    const auto slots = match_mark(shape, rest);
    if (!slots) continue;
    const bool done = config.done_marks.contains(slots->first[0]);
    const std::string_view text = trimmed(slots->second);
    if ((!done && slots->first != " ") || text.empty()) continue;
    line.done = done;
    line.text = text;
    line.mark_at = static_cast<std::size_t>(slots->first.data() - rest.data());
    return true;
  }
  return false;
}

/// A box with at most one character in it, which is not the text of a link; or, where the mark
/// is last, anything that begins as a task does.
bool has_box(std::string_view rest, const PlanConfig& config) {
  return std::ranges::any_of(config.task_shapes, [&](const SlotText& shape) {
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

bool match_constraint(std::string_view line, const PlanConfig& config, Line& out) {
  for (const SlotText& shape : config.constraint_shapes) {
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

LineKind kind_of(std::string_view line, std::string_view rest, const PlanConfig& config,
                 Line& out) {
  if (rest.empty()) return LineKind::blank;
  if (match_task(rest, config, out)) return LineKind::task;
  if (has_box(rest, config)) return LineKind::task_like;
  if (rest[0] == '[' && rest.size() > 2 && rest[2] == ']') {
    Line ignored;
    if (match_task(cat(dash, rest), config, ignored)) return LineKind::task_like;
  }
  if (directive_in(line)) return LineKind::directive;
  if (match_constraint(line, config, out)) return LineKind::constraint;
  const bool like = std::ranges::any_of(config.constraint_shapes, [&](const SlotText& shape) {
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

Line read_line(std::string_view line, const PlanConfig& config) {
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
  const std::string_view rest = trimmed(line);
  out.kind = kind_of(line, rest, config, out);
  out.mark_at += static_cast<std::size_t>(rest.data() - line.data());
  return out;
}

namespace {

struct FenceLine {
  std::size_t length = 0;  // backticks it begins with; 0: not a fence
  bool may_close = false;
};

FenceLine read_fence(std::string_view line) {
  line = trimmed(line);
  std::size_t length = line.find_first_not_of('`');
  if (length == std::string_view::npos) length = line.size();
  if (length < 3 || line.substr(length).contains('`')) return {};
  return {length, length == line.size()};
}

}  // namespace

std::vector<bool> fenced_lines(std::string_view text) {
  std::vector<FenceLine> lines;
  each_line(text, [&](std::string_view line) { lines.push_back(read_fence(line)); });
  // The longest fence at or below a line that could close a block: without one, no search.
  std::vector<std::size_t> longest(lines.size() + 1);
  for (std::size_t i = lines.size(); i-- > 0;) {
    longest[i] = std::max(longest[i + 1], lines[i].may_close ? lines[i].length : 0);
  }
  std::vector<bool> fenced(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t length = lines[i].length;
    if (length == 0 || longest[i + 1] < length) continue;
    std::size_t end = i + 1;
    while (!lines[end].may_close || lines[end].length < length) ++end;
    std::fill(fenced.begin() + static_cast<std::ptrdiff_t>(i),
              fenced.begin() + static_cast<std::ptrdiff_t>(end) + 1, true);
    i = end;
  }
  return fenced;
}

std::string write_task(const PlanTask& task, std::size_t depth, const PlanConfig& config) {
  const std::string_view mark =
      task.done ? std::string_view(config.done_marks).substr(0, 1) : std::string_view(" ");
  return std::string(depth * config.indent_chars, ' ') +
         config.task_shapes.front().write(mark, task.text);
}

std::string write_constraint(const Constraint& constraint, const PlanConfig& config) {
  return config.constraint_shapes.front().write(constraint.key, constraint.value);
}

namespace {

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_small(c) || (c >= 'A' && c <= 'Z'); }

/// What prose hardly ever begins with: a word, perhaps something in brackets or marks, a colon.
bool looks_like_header(std::string_view line) {
  const auto skip_spaces = [&line] {
    while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
  };
  if (line.empty() || !is_letter(line[0])) return false;
  while (!line.empty() && (is_letter(line[0]) || line[0] == '-')) line.remove_prefix(1);
  skip_spaces();
  if (line.starts_with('(')) {
    const std::size_t end = line.find(')');
    if (end == std::string_view::npos) return line.contains(':');
    line.remove_prefix(end + 1);
  }
  skip_spaces();
  while (line.starts_with('!')) line.remove_prefix(1);
  skip_spaces();
  return line.starts_with(':');
}

/// Reads what follows the prefix. Columns count from 1 within `line`.
HeaderLine read_plain(std::string_view line, const PlanConfig& config) {
  const auto stop = [](std::size_t at, std::string expected) {
    return HeaderLine{.expected = std::move(expected), .column = at + 1};
  };
  std::size_t at = 0;
  while (at < line.size() && is_small(line[at])) ++at;
  if (at == 0) return stop(0, "a type in small letters");
  Header header{.type = std::string(line.substr(0, at))};
  if (at < line.size() && line[at] == '(') {
    const std::size_t start = ++at;
    while (at < line.size() && line[at] != ')' && line[at] != ' ' && line[at] != '\t') ++at;
    if (at == start) return stop(at, "a scope between the brackets");
    if (at == line.size() || line[at] != ')') return stop(at, "')' after a scope without spaces");
    header.scope = line.substr(start, at - start);
    ++at;
  }
  if (at < line.size() && line[at] == '!') {
    header.breaking = true;
    ++at;
  }
  if (at == line.size() || line[at] != ':') return stop(at, "':' after the type");
  const std::string_view title = trimmed(line.substr(at + 1));
  if (title.empty()) return {.header = std::move(header)};
  header.title = title;
  const std::size_t column = static_cast<std::size_t>(title.data() - line.data()) + 1;
  HeaderLine out{.header = std::move(header)};
  if (const std::size_t chars = utf8::length(title); chars > config.title_chars_max) {
    out.column = column;
    out.expected = cat("a title of at most ", config.title_chars_max, " characters, not ", chars);
  }
  return out;
}

}  // namespace

HeaderLine read_header(std::string_view line, const PlanConfig& config) {
  std::vector<std::string_view> prefixes(config.header_prefixes.begin(),
                                         config.header_prefixes.end());
  // The longest that fits: "title: feat: x" is a feat, though "title" could be a type.
  std::ranges::sort(prefixes, std::ranges::greater{}, &std::string_view::size);
  std::optional<HeaderLine> failed;
  for (const std::string_view prefix : prefixes) {
    if (!line.starts_with(prefix)) continue;
    HeaderLine read = read_plain(line.substr(prefix.size()), config);
    read.column += prefix.size();
    if (read.header) return read;
    if (!failed) failed = std::move(read);
  }
  const bool near = std::ranges::any_of(prefixes, [&](std::string_view prefix) {
    return line.starts_with(prefix) && looks_like_header(line.substr(prefix.size()));
  });
  if (!near) return {.expected = "a header: type(scope): title", .foreign = true};
  return *failed;
}

std::string write_header(const Header& header, const PlanConfig& config) {
  std::string out = cat(config.header_prefixes.front(), header.type);
  if (header.scope) out += cat('(', *header.scope, ')');
  if (header.breaking) out += '!';
  out += ':';
  if (header.title) out += cat(' ', *header.title);
  return out;
}

}  // namespace baton::plan
