#include "base/schema/pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::schema {
namespace {

// White space and line ends of ECMA-262, and everything else, as the inside of a class.
constexpr std::string_view space_class =
    R"(\t\n\x0B\f\r\x20\xA0\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})"
    R"(\x{FEFF})";
constexpr std::string_view non_space_class =
    R"(\x00-\x08\x0E-\x1F\x21-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027})"
    R"(\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF})";
constexpr std::string_view any_but_line_end = R"([^\n\r\x{2028}\x{2029}])";
constexpr std::string_view anything = R"([\x00-\x{10FFFF}])";
constexpr std::string_view nothing = R"([^\x00-\x{10FFFF}])";

struct LongName {
  std::string_view name;
  std::string_view category;
};
constexpr std::array long_names = std::to_array<LongName>({
    {"Letter", "L"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Connector_Punctuation", "Pc"},
    {"Dash_Punctuation", "Pd"},
    {"Open_Punctuation", "Ps"},
    {"Close_Punctuation", "Pe"},
    {"Initial_Punctuation", "Pi"},
    {"Final_Punctuation", "Pf"},
    {"Other_Punctuation", "Po"},
    {"Symbol", "S"},
    {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"},
    {"Modifier_Symbol", "Sk"},
    {"Other_Symbol", "So"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Line_Separator", "Zl"},
    {"Paragraph_Separator", "Zp"},
    {"Other", "C"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Format", "Cf"},
    {"Private_Use", "Co"},
});

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Translator {
 public:
  explicit Translator(std::string_view in) : in_(in) {}

  Result<std::string> translate() {
    while (at_ < in_.size()) {
      switch (in_[at_]) {
        case '\\': TRY(escape(Where::outside)); break;
        case '[': TRY(char_class()); break;
        case '(': TRY(group()); break;
        case '.':
          out_ += any_but_line_end;
          ++at_;
          break;
        default: out_ += in_[at_++];
      }
    }
    return std::move(out_);
  }

 private:
  enum class Where : bool { outside, in_class };

  std::unexpected<Error> refuse(std::string_view what) const {
    return fail(Code::INVALID_SCHEMA, cat("at character ", at_ + 1, ": ", what));
  }

  bool take(std::string_view expected) {
    if (!in_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }

  Result<void> group() {
    ++at_;
    if (!take("?")) {
      out_ += '(';
      return {};
    }
    const std::string_view rest = in_.substr(at_);
    if (rest.starts_with('=') || rest.starts_with('!') || rest.starts_with("<=") ||
        rest.starts_with("<!")) {
      return refuse("look-ahead and look-behind are not supported");
    }
    if (take("<") || take("P<")) {
      out_ += "(?P<";
      return {};
    }
    // Only flags whose meaning the translation keeps: `s` would contradict how '.' is written.
    const std::size_t flags = rest.find_first_not_of("im-");
    if (flags == std::string_view::npos || (rest[flags] != ')' && rest[flags] != ':')) {
      return refuse("this kind of group is not supported");
    }
    out_ += "(?";
    return {};
  }

  Result<void> char_class() {
    ++at_;
    const bool negated = take("^");
    if (take("]")) {
      out_ += negated ? anything : nothing;
      return {};
    }
    out_ += negated ? "[^" : "[";
    while (true) {
      if (at_ >= in_.size()) return refuse("the class has no closing ']'");
      const char c = in_[at_];
      if (c == '\\') {
        TRY(escape(Where::in_class));
        continue;
      }
      ++at_;
      if (c == '[') out_ += '\\';  // else "[:" would begin a POSIX class
      out_ += c;
      if (c == ']') return {};
    }
  }

  Result<void> escape(Where where) {
    const bool in_class = where == Where::in_class;
    ++at_;
    if (at_ >= in_.size()) return refuse("nothing follows the last '\\'");
    const char c = in_[at_++];
    switch (c) {
      case 'd':
      case 'D':
      case 'w':
      case 'W':
      case 'n':
      case 'r':
      case 't':
      case 'f':
      case 'v': out_ += {'\\', c}; return {};
      case 's': in_class ? out_ += space_class : out_ += cat('[', space_class, ']'); return {};
      case 'S': in_class ? out_ += non_space_class : out_ += cat("[^", space_class, ']'); return {};
      case 'b': out_ += in_class ? "\\x08" : "\\b"; return {};
      case 'c': return control();
      case 'x': return code_escape(2);
      case 'u': return unicode();
      case 'p':
      case 'P': return property(c);
      case 'k': return refuse("back-references are not supported");
      case '0':
        if (at_ < in_.size() && is_digit(in_[at_])) return refuse("octal escapes are not allowed");
        append_code(0);
        return {};
      default: break;
    }
    if (c == 'B' && !in_class) {
      out_ += "\\B";
      return {};
    }
    if (is_digit(c)) return refuse("back-references are not supported");
    if (is_letter(c)) return refuse(cat('\\', c, " has no meaning"));
    if (static_cast<unsigned char>(c) < 0x80) {
      append_code(static_cast<unsigned char>(c));
    } else {
      out_ += c;  // the first byte of a character that stands for itself
    }
    return {};
  }

  void append_code(char32_t code) {
    char digits[8];
    const auto end =
        std::to_chars(digits, digits + sizeof digits, static_cast<std::uint32_t>(code), 16).ptr;
    out_ += "\\x{";
    out_.append(digits, end);
    out_ += '}';
  }

  /// Exactly `count` hexadecimal digits, or all digits up to a '}' when count is 0.
  std::optional<char32_t> hex(std::size_t count) {
    std::size_t size = count;
    if (count == 0) size = std::min(in_.find('}', at_), in_.size()) - at_;
    const std::string_view digits = in_.substr(at_, size);
    std::uint32_t code = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, problem] = std::from_chars(digits.data(), end, code, 16);
    if (digits.empty() || digits.size() < count || problem != std::errc{} || stop != end) return {};
    at_ += size;
    return code;
  }

  Result<void> code_escape(std::size_t digits) {
    const auto code = hex(digits);
    if (!code) return refuse("hexadecimal digits are missing");
    append_code(*code);
    return {};
  }

  Result<void> unicode() {
    if (take("{")) {
      const auto code = hex(0);
      if (!code || *code > 0x10FFFF || !take("}")) return refuse("\\u{...} needs a code point");
      if (*code >= 0xD800 && *code <= 0xDFFF) return refuse("a lone surrogate matches nothing");
      append_code(*code);
      return {};
    }
    auto code = hex(4);
    if (!code) return refuse("\\u needs four hexadecimal digits");
    if (*code >= 0xD800 && *code <= 0xDBFF && take("\\u")) {
      const auto low = hex(4);
      if (!low || *low < 0xDC00 || *low > 0xDFFF) return refuse("a lone surrogate matches nothing");
      code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
    }
    if (*code >= 0xD800 && *code <= 0xDFFF) return refuse("a lone surrogate matches nothing");
    append_code(*code);
    return {};
  }

  Result<void> control() {
    if (at_ >= in_.size() || !is_letter(in_[at_])) return refuse("\\c needs a letter");
    append_code(static_cast<unsigned char>(in_[at_++]) % 32u);
    return {};
  }

  Result<void> property(char kind) {
    const std::size_t end = in_.find('}', at_);
    if (!take("{") || end == std::string_view::npos) return refuse("\\p needs {a property}");
    std::string_view name = in_.substr(at_, end - at_);
    at_ = end + 1;
    if (const std::size_t equals = name.find('='); equals != std::string_view::npos) {
      constexpr std::string_view known[] = {"General_Category", "gc", "Script", "sc", "scx",
                                            "Script_Extensions"};
      if (std::ranges::find(known, name.substr(0, equals)) == std::end(known)) {
        return refuse(cat("the property ", name.substr(0, equals), " is not supported"));
      }
      name.remove_prefix(equals + 1);
    }
    const auto found = std::ranges::find(long_names, name, &LongName::name);
    out_ += cat('\\', kind, '{', found == long_names.end() ? name : found->category, '}');
    return {};
  }

  std::string_view in_;
  std::size_t at_ = 0;
  std::string out_;
};

std::size_t size_of(const re2::RE2& automaton) {
  return static_cast<std::size_t>(std::max(1, automaton.ProgramSize()));
}

/// A translated pattern with every code point past U+00FF written as U+00FF, the last that one-byte
/// characters have. A literal backslash is written as a code point, so that "\x{" is always an
/// escape.
std::string one_byte_form(std::string_view translated) {
  std::string out;
  while (true) {
    const std::size_t start = translated.find("\\x{");
    out += translated.substr(0, start);
    if (start == std::string_view::npos) return out;
    translated.remove_prefix(start + 3);
    const std::string_view digits = translated.substr(0, translated.find('}'));
    translated.remove_prefix(digits.size() + 1);
    out += digits.size() > 2 ? "\\xFF" : cat("\\x{", digits, '}');
  }
}

std::unexpected<Error> unusable(std::string_view ecma, std::string_view why) {
  return fail(Code::INVALID_SCHEMA, cat("the pattern ", ecma, " cannot be used: ", why));
}

}  // namespace

Result<std::string> translate_pattern(std::string_view ecma) {
  return Translator(ecma).translate();
}

Pattern::Pattern(std::string_view source, std::shared_ptr<const re2::RE2> automaton,
                 std::size_t work_per_byte)
    : source_(source), automaton_(std::move(automaton)), work_per_byte_(work_per_byte) {}

Result<Pattern> Pattern::compile(std::string_view ecma) {
  if (ecma.size() > limits::schema_pattern_bytes_max) {
    return fail(Code::LIMIT_EXCEEDED, cat("a pattern has ", ecma.size(), " bytes; at most ",
                                          limits::schema_pattern_bytes_max, " are allowed"));
  }
  const Result<std::string> translated = translate_pattern(ecma);
  if (!translated) return unusable(ecma, translated.error().message);
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(static_cast<std::int64_t>(limits::schema_pattern_memory_bytes_max));
  auto automaton = std::make_shared<const re2::RE2>(*translated, options);
  if (automaton->ok()) {
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    const re2::RE2 bytewise(one_byte_form(*translated), options);
    const std::size_t whole = size_of(*automaton);
    const std::size_t positions = bytewise.ok() ? size_of(bytewise) : whole;
    return Pattern(ecma, std::move(automaton), positions * 8 + whole / 8);
  }
  if (automaton->error_code() == re2::RE2::ErrorPatternTooLarge) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("the pattern ", ecma, " needs more than ",
                    limits::schema_pattern_memory_bytes_max, " bytes of memory"));
  }
  return unusable(ecma, automaton->error());
}

bool Pattern::matches(std::string_view text) const {
  const re2::StringPiece piece(text.data(), text.size());
  return automaton_->Match(piece, 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

std::size_t Pattern::steps(std::size_t text_bytes) const {
  return 1 + text_bytes * work_per_byte_ / 64;
}

}  // namespace baton::schema
