#include <yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text/text.h"
#include "workflow/read/read.h"
#include "workflow/read/tree_builder.h"

namespace baton::workflow {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

/// A plain scalar by the core schema of YAML 1.2. What YAML 1.1 and 1.2 read differently is a
/// string if it can be one (`no`, `12:30`) and refused if it cannot (`010`).
class PlainScalar {
 public:
  /// `node`: a string, which becomes the value that it denotes.
  explicit PlainScalar(SyntaxNode& node) : node_(node) {}

  /// The problem, or nothing.
  std::string_view resolve() {
    const std::string_view text = node_.text;
    if (text.empty()) return become(json::Type::null);
    switch (text.front()) {
      case '~':
      case 'n':
      case 'N':
        if (is_one_of(text, {"~", "null", "Null", "NULL"})) return become(json::Type::null);
        return {};
      case 't':
      case 'T': return is_one_of(text, {"true", "True", "TRUE"}) ? boolean(true) : "";
      case 'f':
      case 'F': return is_one_of(text, {"false", "False", "FALSE"}) ? boolean(false) : "";
      case '-':
      case '+':
      case '.': return number(text);
      default: break;
    }
    return text.front() >= '0' && text.front() <= '9' ? number(text) : "";
  }

 private:
  std::string_view become(json::Type type) {
    node_.type = type;
    node_.text.clear();
    return {};
  }

  std::string_view boolean(bool value) {
    node_.boolean = value;
    return become(json::Type::boolean);
  }

  std::string_view number(std::string_view text) {
    const bool negative = text.front() == '-';
    std::string_view rest = text;
    if (negative || text.front() == '+') rest.remove_prefix(1);
    if (is_one_of(rest, {".inf", ".Inf", ".INF"}) || is_one_of(text, {".nan", ".NaN", ".NAN"})) {
      return "a number must be finite";
    }
    if (is_digits(rest)) {
      if (rest.size() > 1 && rest.front() == '0') {
        return "a number with a leading 0 is octal to some readers and decimal to others";
      }
      return integer(rest, negative, 10);
    }
    if (rest == text && rest.starts_with("0x")) return integer(rest.substr(2), false, 16);
    if (rest == text && rest.starts_with("0o")) return integer(rest.substr(2), false, 8);
    return decimal(rest, negative);
  }

  std::string_view integer(std::string_view digits, bool negative, int base) {
    const std::string signed_digits = cat(negative ? "-" : "", digits);
    const char* end = signed_digits.data() + signed_digits.size();
    std::int64_t value = 0;
    const auto [stop, problem] = std::from_chars(signed_digits.data(), end, value, base);
    if (problem == std::errc::invalid_argument || stop != end) return {};  // a word: 0xyz
    if (problem != std::errc{}) return base == 10 ? decimal(digits, negative) : "too large";
    node_.integer = value;
    return become(json::Type::integer);
  }

  /// [0-9]*(\.[0-9]*)?([eE][-+]?[0-9]+)? with at least one digit; anything else is a word.
  std::string_view decimal(std::string_view text, bool negative) {
    const std::size_t e = std::min(text.find_first_of("eE"), text.size());
    const std::string_view mantissa = text.substr(0, e);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    const std::string_view whole = mantissa.substr(0, point);
    const std::string_view part = mantissa.substr(std::min(point + 1, mantissa.size()));
    if (whole.empty() && part.empty()) return {};
    if ((!whole.empty() && !is_digits(whole)) || (!part.empty() && !is_digits(part))) return {};
    std::string_view exponent = text.substr(std::min(e + 1, text.size()));
    if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
    if (e < text.size() && !is_digits(exponent)) return {};
    std::string plain = cat(whole.empty() ? "0" : whole, '.', part.empty() ? "0" : part);
    if (e < text.size()) {
      plain += cat('e', text.substr(e + 1).starts_with('-') ? "-" : "", exponent);
    }
    double value = 0;
    const auto [stop, problem] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    static_cast<void>(stop);
    if (problem != std::errc{} || !std::isfinite(value)) return "the number is out of range";
    node_.number = negative ? -value : value;
    return become(json::Type::number);
  }

  SyntaxNode& node_;
};

/// Drives libyaml's events into a tree.
class Reader {
 public:
  Reader(std::string_view text, const SourcePlace& first, Diagnostics& diagnostics)
      : text_(text), first_(first), diagnostics_(diagnostics), builder_(diagnostics) {
    ASSERT(yaml_parser_initialize(&parser_) == 1);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Reader() { yaml_parser_delete(&parser_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::optional<SyntaxNode> read() {
    for (bool ended = false; !ended;) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser_, &event) != 1) {
        syntax();
        return std::nullopt;
      }
      const bool goes_on = take(event);
      ended = event.type == YAML_STREAM_END_EVENT;
      yaml_event_delete(&event);
      if (!goes_on) return std::nullopt;
    }
    return builder_.take();
  }

 private:
  SourcePlace place(const yaml_mark_t& mark) const {
    SourcePlace out = first_;
    out.line += static_cast<std::uint32_t>(mark.line);
    out.column = static_cast<std::uint32_t>(mark.column) + 1;
    return out;
  }

  void syntax() {
    const std::string_view problem = parser_.problem == nullptr ? "not YAML" : parser_.problem;
    const std::string context =
        parser_.context == nullptr ? std::string() : cat(' ', parser_.context);
    SourcePlace at = place(parser_.problem_mark);
    if (parser_.error == YAML_READER_ERROR) {
      // A character that cannot be read has an offset and no mark.
      const SourcePlace within = PlaceCursor(text_, first_.file).at(parser_.problem_offset);
      at = first_;
      at.line += within.line - 1;
      at.column = within.column;
    }
    diagnostics_.error(Code::WORKFLOW_SYNTAX, at, cat(problem, context), what_to_type(problem, at));
  }

  std::string_view line_of(const SourcePlace& at) const {
    std::string_view rest = text_;
    for (std::uint32_t line = first_.line; line < at.line; ++line) {
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos) return {};
      rest.remove_prefix(end + 1);
    }
    return rest.substr(0, rest.find('\n'));
  }

  /// The parser's words say what it met; this says what to do about it.
  std::string what_to_type(std::string_view problem, const SourcePlace& at) const {
    const std::string_view line = line_of(at);
    const std::string_view indent = line.substr(0, line.find_first_not_of(" \t"));
    if (indent.contains('\t')) return "indent with spaces; YAML takes no tabs";
    const std::string_view rest = line.substr(indent.size());
    if (problem.contains("mapping values are not allowed")) {
      // `-id: a`, `id:a`: the colon that is met first was none.
      std::string_view before = line;
      if (!rest.starts_with('-') && at.line > first_.line) before = line_before(at);
      const std::string_view word = trimmed(before);
      const bool is_bare_dash = word.size() > 1 && word[0] == '-' && word[1] != ' ';
      if (is_bare_dash) return "write a space behind the dash: - id: a";
      const std::size_t colon = word.find(':');
      const bool is_bare_colon = colon != word.npos && colon + 1 < word.size() &&
                                 word[colon + 1] != ' ' && word.find(": ") == word.npos;
      if (is_bare_colon)
        return cat("write a space behind the colon: ", word.substr(0, colon), ": ...");
      return "put a text with ': ' in it between quotes, or below a line that ends in '|'";
    }
    if (problem.contains("expected '-' indicator") || problem.contains("expected <block end>")) {
      return "indent this line like the other keys of its step, or begin it with '- '";
    }
    if (problem.contains("unexpected end of stream")) {
      return cat("the quote that line ", parser_.context_mark.line + first_.line,
                 " opens is never closed");
    }
    if (problem.contains("expected ',' or ']'") || problem.contains("expected ',' or '}'")) {
      return cat("close what line ", parser_.context_mark.line + first_.line, " opens with '",
                 problem.contains(']') ? ']' : '}', "', and put commas between its parts");
    }
    const bool is_mark = problem.contains("cannot start any token") ||
                         problem.contains("alphabetic or numeric character") ||
                         problem.contains("unknown anchor") || problem.contains("tag");
    if (is_mark) return "put a text that begins with @, `, %, *, & or ! between quotes";
    return {};
  }

  std::string_view line_before(SourcePlace at) const {
    --at.line;
    return line_of(at);
  }

  bool refuse(const SourcePlace& at, std::string what, std::string hint = {}) {
    diagnostics_.error(Code::WORKFLOW_YAML_UNSUPPORTED, at, std::move(what), std::move(hint));
    return false;
  }

  bool is_bare(const unsigned char* anchor, const unsigned char* tag, const SourcePlace& at) {
    if (anchor != nullptr) return refuse(at, "anchors are not read", "write the value out");
    if (tag != nullptr) return refuse(at, "tags are not read", "quote the value or leave it plain");
    return true;
  }

  bool take(const yaml_event_t& event) {
    const SourcePlace at = place(event.start_mark);
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT: return document(event, at);
      case YAML_ALIAS_EVENT: return refuse(at, "aliases are not read", "write the value out");
      case YAML_SCALAR_EVENT: return scalar(event, at);
      case YAML_SEQUENCE_START_EVENT: {
        const auto& start = event.data.sequence_start;
        return is_bare(start.anchor, start.tag, at) && container(json::Type::array, at);
      }
      case YAML_MAPPING_START_EVENT: {
        const auto& start = event.data.mapping_start;
        return is_bare(start.anchor, start.tag, at) && container(json::Type::object, at);
      }
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: builder_.close(); return true;
      case YAML_NO_EVENT:
      case YAML_STREAM_START_EVENT:
      case YAML_STREAM_END_EVENT:
      case YAML_DOCUMENT_END_EVENT: break;
    }
    return true;
  }

  bool document(const yaml_event_t& event, const SourcePlace& at) {
    const auto& start = event.data.document_start;
    if (start.version_directive != nullptr ||
        start.tag_directives.start != start.tag_directives.end) {
      return refuse(at, "directives are not read", "remove the line that begins with %");
    }
    if (++documents_ > 1) return refuse(at, "a second document is not read", "remove the ---");
    return true;
  }

  bool container(json::Type type, const SourcePlace& at) {
    if (builder_.wants_key()) {
      const bool is_expression = line_of(at).contains("{{");
      return refuse(at, "a key must be a word",
                    is_expression ? "put a text that begins with {{ between quotes" : "");
    }
    return builder_.open(type, at);
  }

  bool scalar(const yaml_event_t& event, const SourcePlace& at) {
    const auto& scalar = event.data.scalar;
    if (!is_bare(scalar.anchor, scalar.tag, at)) return false;
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    if (builder_.wants_key()) {
      builder_.key(std::string(text), at);
      return true;
    }
    SyntaxNode* node = builder_.scalar(at);
    if (node == nullptr) return false;
    node->type = json::Type::string;
    node->text = text;
    if (scalar.style != YAML_PLAIN_SCALAR_STYLE) return true;
    const std::string_view problem = PlainScalar(*node).resolve();
    // The value is then a string, so that the rest of the file is still checked.
    if (!problem.empty()) {
      diagnostics_.error(Code::WORKFLOW_YAML_UNSUPPORTED, at, std::string(problem),
                         "quote it to make it a string");
    }
    return true;
  }

  yaml_parser_t parser_{};
  std::string_view text_;
  SourcePlace first_;
  Diagnostics& diagnostics_;
  TreeBuilder builder_;
  int documents_ = 0;
};

}  // namespace

std::optional<SyntaxNode> read_yaml(std::string_view text, const SourcePlace& first,
                                    Diagnostics& diagnostics) {
  return Reader(text, first, diagnostics).read();
}

}  // namespace baton::workflow
