#include "state/path.h"

#include <algorithm>
#include <array>

#include "base/core/limits.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::state {
namespace {

constexpr std::array<std::string_view, 7> roots = {"raw",    "computed", "state", "this",
                                                   "global", "inputs",   "loop"};

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_plain(std::string_view segment) {
  return !segment.empty() && std::ranges::all_of(segment, is_name_char);
}

}  // namespace

/// Reads one text, from its beginning to its end.
class PathReader {
 public:
  explicit PathReader(std::string_view text) : text_(text) {}

  Result<PathTemplate> read() {
    if (text_.size() > limits::state_path_bytes_max) {
      return fail(Code::STATE_BAD_PATH,
                  cat("a path has at most ", limits::state_path_bytes_max, " bytes"));
    }
    if (!utf8::is_valid(text_)) return fail(Code::STATE_BAD_PATH, "a path is UTF-8");
    const workflow::Scanned scanned = workflow::scan_expressions(text_);
    if (scanned.problem) return bad(scanned.problem->message, scanned.problem->at);
    slots_ = scanned.expressions;
    TRY(read_root());
    while (at_ < text_.size()) {
      if (out_.segments_.size() == limits::state_depth_max) {
        return fail(Code::STATE_BAD_PATH,
                    cat("a path has at most ", limits::state_depth_max, " segments"));
      }
      if (text_[at_] == '.') {
        ++at_;
        TRY(read_name());
      } else if (text_[at_] == '[') {
        TRY(read_brackets());
      } else {
        return bad("expected '.' or '['", at_);
      }
    }
    return std::move(out_);
  }

 private:
  std::unexpected<Error> bad(std::string_view why, std::size_t at) const {
    return fail(Code::STATE_BAD_PATH, cat("\"", text_, "\", character ", at + 1, ": ", why),
                "write it like raw.files[0].name");
  }

  bool at_slot() const { return next_slot_ < slots_.size() && slots_[next_slot_].begin == at_; }

  PathTemplate::Piece take_slot() {
    const workflow::Expression& slot = slots_[next_slot_++];
    at_ = slot.end;
    out_.expressions_.emplace_back(slot.code);
    out_.filters_.push_back(slot.filter);
    return {{}, out_.expressions_.size() - 1};
  }

  Result<void> read_root() {
    const std::size_t end = std::min(text_.find_first_of(".["), text_.size());
    const std::string_view word = text_.substr(0, end);
    const auto found = std::ranges::find(roots, word);
    if (found == roots.end()) {
      const auto near = nearest(word, roots);
      return fail(Code::STATE_BAD_PATH, cat("\"", text_, "\" does not begin with a tier"),
                  near ? cat("did you mean \"", *near, text_.substr(end), "\"?")
                       : "begin it with raw., state., computed. or this.");
    }
    out_.root_ = static_cast<Root>(found - roots.begin());
    at_ = end;
    return {};
  }

  Result<void> read_name() {
    PathTemplate::Segment segment;
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && !at_slot() && is_name_char(text_[at_])) ++at_;
      if (at_ > begin) segment.push_back({std::string(text_.substr(begin, at_ - begin)), {}});
      if (!at_slot()) break;
      segment.push_back(take_slot());
    }
    if (segment.empty()) return bad("expected a name", at_);
    out_.segments_.push_back(std::move(segment));
    return {};
  }

  Result<void> read_brackets() {
    const std::size_t begin = at_++;
    PathTemplate::Segment segment;
    if (at_slot()) {
      segment.push_back(take_slot());
    } else if (at_ < text_.size() && text_[at_] == '"') {
      segment.push_back({TRY(read_quoted()), {}});
    } else {
      const std::size_t digits = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      const std::string_view number = text_.substr(digits, at_ - digits);
      if (!position_of(number))
        return bad("expected a position or a name in double quotes", digits);
      segment.push_back({std::string(number), {}});
    }
    if (at_ == text_.size() || text_[at_] != ']') return bad("the closing ']' is missing", begin);
    ++at_;
    out_.segments_.push_back(std::move(segment));
    return {};
  }

  Result<std::string> read_quoted() {
    const std::size_t begin = at_;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size()) return bad("the closing quote is missing", begin);
    ++at_;
    const auto value = json::parse(text_.substr(begin, at_ - begin));
    if (!value) return bad("the text in quotes is not valid", begin);
    return *value->if_string();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<workflow::Expression> slots_;
  std::size_t next_slot_ = 0;
  PathTemplate out_;
};

std::string_view name_of(Root root) { return roots[static_cast<std::size_t>(root)]; }

Result<PathTemplate> PathTemplate::parse(std::string_view text) { return PathReader(text).read(); }

Path PathTemplate::fill(std::span<const std::string> values) const {
  ASSERT(values.size() == expressions_.size());
  Path out{root_, {}};
  for (const Segment& segment : segments_) {
    std::string& name = out.segments.emplace_back();
    for (const Piece& piece : segment) name += piece.slot ? values[*piece.slot] : piece.text;
  }
  return out;
}

Result<Path> parse_path(std::string_view text) {
  const PathTemplate parsed = TRY(PathTemplate::parse(text));
  if (!parsed.expressions().empty()) {
    return fail(Code::STATE_BAD_PATH, cat("\"", text, "\" holds an expression"),
                "give the value itself");
  }
  return parsed.fill({});
}

std::string print(const Path& path) {
  std::string out(name_of(path.root));
  for (const std::string& segment : path.segments) {
    if (is_plain(segment)) {
      out += cat('.', segment);
    } else {
      std::string quoted;
      json::append_quoted(quoted, segment);
      // Two braces would begin an expression.
      for (const char c : cat('[', quoted, ']')) {
        if (c == '{') {
          out += "\\u007b";
        } else {
          out += c;
        }
      }
    }
  }
  return out;
}

std::optional<std::size_t> position_of(std::string_view segment) {
  if (segment.empty() || (segment.size() > 1 && segment[0] == '0')) return std::nullopt;
  if (!std::ranges::all_of(segment, [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  const auto number = parse_int(segment);
  if (!number) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

}  // namespace baton::state
