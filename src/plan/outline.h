#pragma once
// A text as the tools of a plan see it: every line of it, the part of the plan that each belongs
// to, and what they do not understand, which they keep. Reading never fails and loses nothing: the
// lines in their order are the text. Values only; any thread.
//
// It understands less than the grammar, so that prose stays prose: only a header of a known type
// and constraints with known keys. Of a text that parses as a valid plan it gives the same plan.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/config.h"
#include "plan/document.h"

namespace baton::plan {

enum class Part : std::uint8_t {
  blank,
  header,
  description,
  constraint,
  task,
  direction,
  kept,  // not of the grammar in its place
};

struct OutlineLine {
  std::size_t begin = 0;  // in the text
  std::size_t size = 0;   // without its end
  std::size_t full = 0;   // with its end
  Part part = Part::blank;
  bool is_shown = false;    // kept, and shown as a line of the description
  bool is_code = false;     // of a block between two fences, these included
  std::size_t mark_at = 0;  // of a task: the byte of its mark in the line
  std::size_t indent = 0;   // of a task: bytes
};

/// What was not understood, for people. Lines count from 1.
struct Remark {
  std::size_t first = 1;
  std::size_t last = 1;
  std::string why;
  bool operator==(const Remark&) const = default;

  /// "lines 3 to 5: ..."
  std::string text() const;
};

struct Outline {
  std::string text;
  std::vector<OutlineLine> lines;  // what follows a byte order mark
  Plan document;                   // bytes that are not UTF-8 show as U+FFFD
  std::vector<Remark> remarks;
  bool is_whole = true;  // nothing is kept, and every part is in its place and within its limits

  std::string_view line(std::size_t i) const {
    return std::string_view(text).substr(lines[i].begin, lines[i].size);
  }
  std::string_view full_line(std::size_t i) const {
    return std::string_view(text).substr(lines[i].begin, lines[i].full);
  }
  std::string_view newline() const { return document.style.crlf ? "\r\n" : "\n"; }
};

Outline outline_of(std::string_view text, const PlanConfig& config = default_config());

/// Names one text among all: the first digits of its hash.
std::string version_of(std::string_view text);

}  // namespace baton::plan
