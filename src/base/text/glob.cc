// A pattern becomes a tree of atoms and brace groups, the tree a bounded list of brace-free
// sequences, each sequence a regular expression; RE2 matches their alternation.

#include "base/text/glob.h"

#include <re2/re2.h>

#include <algorithm>
#include <vector>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton {
namespace {

struct Atom {
  enum class Kind : std::uint8_t { one_character, slash, star };
  Kind kind = Kind::one_character;
  std::string regex;  // of one_character
};

using Atoms = std::vector<Atom>;

struct Node;
using Sequence = std::vector<Node>;

/// An atom, or a brace group if there are alternatives.
struct Node {
  Atom atom;
  std::vector<Sequence> alternatives;
};

struct Range {
  char32_t first;
  char32_t last;
};

constexpr char32_t slash = U'/';

std::string hex_of(char32_t code) {
  char digits[8];
  const auto end = std::to_chars(digits, digits + sizeof digits, std::uint32_t{code}, 16).ptr;
  return cat("\\x{", std::string_view(digits, static_cast<std::size_t>(end - digits)), '}');
}

void append_range(std::string& out, char32_t first, char32_t last) {
  if (first > last) return;
  out += cat(hex_of(first), '-', hex_of(last));
}

/// The regular expression of a class; it never matches '/'.
std::string class_regex(const std::vector<Range>& ranges, bool negated) {
  std::string out = negated ? "[^/" : "[";
  for (const Range& range : ranges) {
    if (negated || range.first > slash || range.last < slash) {
      append_range(out, range.first, range.last);
    } else {
      append_range(out, range.first, slash - 1);
      append_range(out, slash + 1, range.last);
    }
  }
  return out + ']';
}

class PatternReader {
 public:
  explicit PatternReader(std::string_view pattern) : pattern_(pattern) {}

  Result<Sequence> read() {
    Sequence sequence = TRY(read_sequence(0));
    if (!at_end()) return wrong(at_, "this '}' has no '{'; write \\} for the character");
    return sequence;
  }

 private:
  bool at_end() const { return at_ >= pattern_.size(); }
  char peek() const { return pattern_[at_]; }

  static std::unexpected<Error> wrong(std::size_t offset, std::string_view what) {
    return fail(Code::INVALID_GLOB, cat("column ", offset + 1, ": ", what));
  }

  /// Up to the end, or to the ',' or '}' of the group that this is in.
  Result<Sequence> read_sequence(std::size_t depth) {
    Sequence sequence;
    while (!at_end() && peek() != '}' && !(depth > 0 && peek() == ',')) {
      sequence.push_back(TRY(read_node(depth)));
    }
    return sequence;
  }

  Result<Node> read_node(std::size_t depth) {
    switch (peek()) {
      case '{': return read_group(depth);
      case '[': return Node{TRY(read_class()), {}};
      case '*': ++at_; return Node{{Atom::Kind::star, {}}, {}};
      case '/': ++at_; return Node{{Atom::Kind::slash, {}}, {}};
      case '?': ++at_; return Node{{Atom::Kind::one_character, "[^/]"}, {}};
      default: break;
    }
    const char32_t code = TRY(read_character());
    if (code == slash) return Node{{Atom::Kind::slash, {}}, {}};
    return Node{{Atom::Kind::one_character, hex_of(code)}, {}};
  }

  Result<Node> read_group(std::size_t depth) {
    const std::size_t start = at_;
    if (depth >= limits::glob_brace_depth_max) {
      return wrong(start, cat("braces are nested deeper than ", limits::glob_brace_depth_max));
    }
    Node group;
    do {
      ++at_;  // the '{' or ','
      group.alternatives.push_back(TRY(read_sequence(depth + 1)));
      if (at_end()) return wrong(start, "this '{' is not closed; write \\{ for the character");
    } while (peek() == ',');
    ++at_;
    return group;
  }

  Result<Atom> read_class() {
    const std::size_t start = at_++;
    const bool negated = !at_end() && (peek() == '!' || peek() == '^');
    if (negated) ++at_;
    std::vector<Range> ranges;
    // A ']' that comes first is one of the characters.
    while (ranges.empty() || at_end() || peek() != ']') {
      if (at_end()) return wrong(start, "this '[' is not closed; write \\[ for the character");
      ranges.push_back(TRY(read_range()));
    }
    ++at_;
    return Atom{Atom::Kind::one_character, class_regex(ranges, negated)};
  }

  /// One character of a class, or two with '-' between; a '-' that comes last is a character.
  Result<Range> read_range() {
    const std::size_t start = at_;
    const char32_t first = TRY(read_character());
    char32_t last = first;
    const std::string_view rest = pattern_.substr(at_);
    if (rest.size() >= 2 && rest[0] == '-' && rest[1] != ']') {
      ++at_;
      last = TRY(read_character());
    }
    if (first == slash || last == slash) return wrong(start, "'/' is not allowed in brackets");
    if (first > last) return wrong(start, "this range ends before it begins");
    return Range{first, last};
  }

  /// One code point, escaped or not. REQUIRES: not at the end; the pattern is UTF-8.
  Result<char32_t> read_character() {
    if (peek() == '\\' && ++at_ == pattern_.size()) {
      return wrong(at_ - 1, "a '\\' needs a character after it");
    }
    const auto byte = [&](std::size_t i) {
      return static_cast<char32_t>(static_cast<unsigned char>(pattern_[at_ + i]));
    };
    const char32_t lead = byte(0);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t code = length == 1 ? lead : lead & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) code = (code << 6) | (byte(i) & 0x3F);
    at_ += length;
    return code;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
};

Result<std::vector<Atoms>> expand(const Sequence& sequence);

/// Every alternative of a group, expanded.
Result<std::vector<Atoms>> expand_group(const Node& group) {
  std::vector<Atoms> all;
  for (const Sequence& alternative : group.alternatives) {
    for (Atoms& atoms : TRY(expand(alternative))) all.push_back(std::move(atoms));
    if (all.size() > limits::glob_alternatives_max) {
      return fail(Code::INVALID_GLOB, cat("the braces stand for more than ",
                                          limits::glob_alternatives_max, " alternatives"));
    }
  }
  return all;
}

/// All brace-free sequences that `sequence` stands for; recursion ends at glob_brace_depth_max.
Result<std::vector<Atoms>> expand(const Sequence& sequence) {
  std::vector<Atoms> all(1);
  for (const Node& node : sequence) {
    if (node.alternatives.empty()) {
      for (Atoms& atoms : all) atoms.push_back(node.atom);
    } else {
      const std::vector<Atoms> tails = TRY(expand_group(node));
      if (all.size() * tails.size() > limits::glob_alternatives_max) {
        return fail(Code::INVALID_GLOB, cat("the braces stand for more than ",
                                            limits::glob_alternatives_max, " alternatives"));
      }
      std::vector<Atoms> longer;
      for (const Atoms& head : all) {
        for (const Atoms& tail : tails) {
          longer.push_back(head);
          longer.back().insert(longer.back().end(), tail.begin(), tail.end());
        }
      }
      all = std::move(longer);
    }
    std::size_t atoms_total = 0;
    for (const Atoms& atoms : all) atoms_total += atoms.size();
    if (atoms_total > limits::glob_atoms_max) {
      return fail(Code::INVALID_GLOB, cat("with its braces expanded the pattern has more than ",
                                          limits::glob_atoms_max, " characters"));
    }
  }
  return all;
}

std::string regex_of(const Atoms& atoms) {
  const auto is = [&](std::size_t i, Atom::Kind kind) { return atoms[i].kind == kind; };
  std::string out;
  std::size_t i = 0;
  bool after_components = false;  // what was written last is already any number of components
  while (i < atoms.size()) {
    if (!is(i, Atom::Kind::star)) {
      out += is(i, Atom::Kind::slash) ? "/" : atoms[i].regex;
      after_components = false;
      ++i;
      continue;
    }
    const std::size_t start = i;
    while (i < atoms.size() && is(i, Atom::Kind::star)) ++i;
    const bool at_start = start == 0 || is(start - 1, Atom::Kind::slash);
    const bool at_end = i == atoms.size();
    if (i - start < 2 || !at_start || !(at_end || is(i, Atom::Kind::slash))) {
      out += "[^/]*";
      after_components = false;
    } else if (at_end) {
      out += start == 0 ? ".*" : ".+";
    } else {
      ++i;  // the '/' belongs to the components
      if (!after_components) out += "(?:.*/)?";
      after_components = true;
    }
  }
  return out;
}

}  // namespace

Glob::Glob(std::string pattern, std::shared_ptr<const re2::RE2> program)
    : pattern_(std::move(pattern)), program_(std::move(program)) {}

Result<Glob> Glob::compile(std::string_view pattern) {
  if (pattern.empty()) return fail(Code::INVALID_GLOB, "the pattern is empty");
  if (pattern.size() > limits::glob_bytes_max) {
    return fail(Code::INVALID_GLOB, cat("the pattern has ", pattern.size(), " bytes; at most ",
                                        limits::glob_bytes_max, " are read"));
  }
  if (const auto bad = utf8::first_invalid(pattern)) {
    return fail(Code::INVALID_GLOB, cat("column ", *bad + 1, ": the text is not UTF-8 here"));
  }
  std::string regex = "(?s)";
  bool first = true;
  for (const Atoms& atoms : TRY(expand(TRY(PatternReader(pattern).read())))) {
    if (!first) regex += '|';
    first = false;
    regex += regex_of(atoms);
  }
  re2::RE2::Options options;
  options.set_max_mem(limits::glob_memory_bytes_max);
  options.set_log_errors(false);
  options.set_never_capture(true);
  auto program = std::make_shared<const re2::RE2>(regex, options);
  if (!program->ok()) {
    return fail(Code::INVALID_GLOB, "the pattern needs too much memory");
  }
  return Glob(std::string(pattern), std::move(program));
}

bool Glob::matches(std::string_view path) const {
  if (path.size() > limits::glob_path_bytes_max || !utf8::is_valid(path)) return false;
  return re2::RE2::FullMatch(re2::StringPiece(path.data(), path.size()), *program_);
}

}  // namespace baton
