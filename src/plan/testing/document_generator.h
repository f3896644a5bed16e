#pragma once
// Random documents: most of them valid, many near the edges of the grammar; and random texts made
// of pieces that the parser knows.

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "plan/document.h"

namespace baton::plan::testing {

inline const std::vector<std::string> header_types = {"feat", "fix",  "refactor", "build", "chore",
                                                      "docs", "lint", "infra",    "spec"};
inline const std::vector<std::string> constraint_keys = {
    "Do not", "Never", "Avoid", "Decide against", "Must not", "Cannot", "Forbidden"};

inline rc::Gen<std::string> word() {
  return rc::gen::element<std::string>("parser", "Keep", "case", "über", "日本", "a", "x", "[x]",
                                       "- [ ]: not", "- Never: not", "~~~ X ~~~", "~~~", "-", "- a",
                                       "# h", "1.", "`code`", ":", "(x)", "\ttab", "  two");
}

inline rc::Gen<std::string> words(int most) {
  return rc::gen::exec([most] {
    std::string out = *word();
    const int count = *rc::gen::inRange(0, most);
    for (int i = 0; i < count; ++i) out += " " + *word();
    return out;
  });
}

inline rc::Gen<std::string> block() {
  return rc::gen::exec([] {
    std::string out = *words(3);
    const int lines = *rc::gen::inRange(0, 4);
    for (int i = 0; i < lines; ++i) {
      out += *rc::gen::element<std::string>("\n", "\n\n", "\n  \n", " \n", "\n\t");
      out += *words(3);
    }
    return out;
  });
}

inline PlanTask task(int depth) {
  PlanTask out{*rc::gen::arbitrary<bool>(), *words(3)};
  const int children = depth == 0 ? 0 : *rc::gen::inRange(0, 3);
  for (int i = 0; i < children; ++i) out.children.push_back(task(depth - 1));
  return out;
}

inline rc::Gen<Plan> document() {
  return rc::gen::exec([] {
    Plan out;
    Header header{*rc::gen::elementOf(header_types)};
    if (*rc::gen::arbitrary<bool>()) {
      header.scope = *rc::gen::element<std::string>("a", "plan/line", "x.y-z", "b2");
    }
    header.breaking = *rc::gen::arbitrary<bool>();
    if (*rc::gen::inRange(0, 5) > 0) header.title = *words(5);
    out.header = header;
    if (*rc::gen::inRange(0, 3) > 0) out.description = *block();
    const int constraints = *rc::gen::inRange(0, 3);
    for (int i = 0; i < constraints; ++i) {
      out.constraints.push_back({*rc::gen::elementOf(constraint_keys), "a" + *words(3)});
    }
    const int tasks = *rc::gen::inRange(0, 4);
    for (int i = 0; i < tasks; ++i) out.tasks.push_back(task(*rc::gen::inRange(0, 6)));
    if (*rc::gen::inRange(0, 3) > 0) {
      out.direction = *rc::gen::oneOf(block(), rc::gen::just<std::string>("~~~ EXECUTE ~~~"));
    }
    out.style.crlf = *rc::gen::inRange(0, 5) == 0;
    out.style.byte_order_mark = *rc::gen::inRange(0, 8) == 0;
    return out;
  });
}

/// Text in which every rule of the grammar is likely to be met, and broken.
inline rc::Gen<std::string> text() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
          "feat: x", "feat(a)!:", "title: fix: y", "# fix(b): Z", "Fix: no", "\n", "\n", "\n\n",
          "\r\n", "\r", " ", "\t", "  ", "- [ ]: open", "- [x]: done", "- [X] md", "* [ ] md",
          "- [ ]:", "[x]: t", "- task: yaml (x)", "- task: yaml", "- Never: do", "> Avoid: it",
          "Cannot: fly", "- Must: Not", "- item", "~~~ EXECUTE ~~~", "~~~ x ~~~", "~~~", "prose",
          "Go", std::string("\0", 1), "\xEF\xBB\xBF", "\xFF", "日本")),
      [](const std::vector<std::string>& pieces) {
        std::string out;
        for (const std::string& piece : pieces) out += piece;
        return out;
      });
}

/// What people and other programs write where a plan may be: prose, Markdown, conventional commits,
/// trailers, code, plans that are almost right; with any line ends, and bytes that are not UTF-8.
inline rc::Gen<std::string> description() {
  return rc::gen::exec([] {
    const auto line = rc::gen::element<std::string>(
        "feat(plan): Keep it", "feat: x", "fix(ABC-12)!: Y", "wish: T", "WIP: parser",
        "note: remember it", "https://host/x", "todo: ask again", "Merge branch 'a'",
        "feat: 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 "
        "123456789 123456789 123456789 123456789 123456789",
        "Refs: #12", "Signed-off-by: A <a@b.c>", "Prose.", "  indented", "trailing  ", "# Head",
        "## Group", "- item", "* star", "1. one", "> quote", "| a | b |", "```", "```sh", "````",
        "`x`", "~~~", "~~~ EXECUTE ~~~", "~~~ COMPLETE ~~~", "- Never: lose it", "- Avoid: haste",
        "- Must: Not", "- Parser: reads", "  wrapped", "- [ ]: A", "- [x]: B", "  - [ ]: C",
        "    - [x]: A", "\t- [ ]: D", "   - [x]: E", "- [ ] one", "- [x] two", "- [ ]:", "[x]: t",
        "* [ ] md", "- task: yaml (x)", "über 日本", "caf\xE9", std::string("nul\0", 4), "lone\rcr",
        "", "", "", "", "   ", "\t");
    const auto lines = *rc::gen::container<std::vector<std::string>>(line);
    const int ends = *rc::gen::inRange(0, 4);
    std::string out = *rc::gen::inRange(0, 12) == 0 ? "\xEF\xBB\xBF" : "";
    if (*rc::gen::inRange(0, 2) == 0) out += "feat(plan): Keep it\n\n";
    for (const std::string& each : lines) {
      const bool crlf = ends == 1 || (ends == 2 && *rc::gen::arbitrary<bool>());
      out += each + (crlf ? "\r\n" : "\n");
    }
    if (*rc::gen::inRange(0, 4) == 0 && out.ends_with('\n')) out.pop_back();
    return out;
  });
}

}  // namespace baton::plan::testing
