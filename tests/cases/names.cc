#include "names.h"

#include <re2/re2.h>

#include <algorithm>
#include <vector>

#include "base/text/text.h"

namespace baton::cases {
namespace {

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

/// Values that get a numbered name: group 1 is the value, group 2 the kind.
const re2::RE2& numbered() {
  static const re2::RE2 pattern(
      R"(\b((st|ack|chk|step)1[02-9ac-hj-np-z]{20,}|([a-z]{2,8})_[0-9a-hjkmnp-tv-z]{26})\b)");
  return pattern;
}

/// What an interrupted call gives out to go on with.
const re2::RE2& request_state() {
  static const re2::RE2 pattern(R"re("requestState":"([A-Za-z0-9_-]+)")re");
  return pattern;
}

/// Text whose value means nothing here, with its replacement.
struct Alike {
  re2::RE2 pattern;
  const char* replacement;
};

const std::vector<const Alike*>& alike() {
  static const Alike time{re2::RE2(R"(\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)"), "<<time>>"};
  static const Alike duration{re2::RE2(R"(\b((?:dur|execution_time)_ms(?:":| ))\d+)"),
                              R"(\1<<ms>>)"};
  static const Alike elapsed{re2::RE2(R"re(("elapsed(?:_us|Us)":)\d+)re"), "\\1<<us>>"};
  static const Alike took{re2::RE2(R"re((?m)\d+ us$)re"), "<<us>> us"};
  static const Alike drawn{re2::RE2(R"("drawn":\{"now_ms":\d+,"seed":"\d+"\})"),
                           R"("drawn":<<drawn>>)"};
  static const Alike release{re2::RE2(cat("\\bbaton ", re2::RE2::QuoteMeta(BATON_VERSION), "\\b")),
                             "baton <<version>>"};
  static const Alike server{re2::RE2(cat(R"re(("name":"baton"[^{}]*"version":"))re",
                                         re2::RE2::QuoteMeta(BATON_VERSION), "\"")),
                            "\\1<<version>>\""};
  static const Alike head{re2::RE2(R"(head1:\d+:\d+:[0-9a-f]{64})"), "<<head>>"};
  static const std::vector<const Alike*> all = {&time,  &duration, &elapsed, &took,
                                                &drawn, &release,  &server,  &head};
  return all;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

}  // namespace

void Names::define(std::string name, std::string value) {
  values_.insert_or_assign(std::move(name), std::move(value));
}

Result<void> Names::capture(const Capture& capture, std::string_view text) {
  const re2::RE2 pattern(capture.pattern, re2::RE2::Quiet);
  std::string value;
  if (!pattern.ok() || pattern.NumberOfCapturingGroups() != 1) {
    return fail(Code::INVALID_INPUT,
                cat("capture ", capture.name, " needs a pattern with a group"));
  }
  if (!re2::RE2::PartialMatch(piece(text), pattern, &value) || value.empty()) {
    return fail(Code::NOT_FOUND, cat("capture ", capture.name, " found nothing"));
  }
  define(capture.name, std::move(value));
  return {};
}

void Names::learn(std::string_view text) {
  re2::StringPiece rest = piece(text);
  std::string value;
  std::string token_kind;
  std::string id_kind;
  const auto name = [&](const std::string& kind) {
    const bool known =
        std::ranges::any_of(values_, [&](const auto& entry) { return entry.second == value; });
    if (!known) define(cat(kind, ++counts_[kind]), value);
  };
  while (re2::RE2::FindAndConsume(&rest, numbered(), &value, &token_kind, &id_kind)) {
    name(token_kind.empty() ? id_kind : token_kind);
  }
  rest = piece(text);
  while (re2::RE2::FindAndConsume(&rest, request_state(), &value)) name("state");
}

std::string Names::shorten(std::string_view text) {
  learn(text);
  std::string out(text);
  std::vector<std::pair<std::string_view, std::string_view>> by_length;
  for (const auto& [name, value] : values_) by_length.emplace_back(value, name);
  std::ranges::sort(by_length, std::greater(), [](const auto& pair) { return pair.first.size(); });
  for (const auto& [value, name] : by_length) replace_all(out, value, cat("<<", name, ">>"));
  for (const Alike* kind : alike()) {
    re2::RE2::GlobalReplace(&out, kind->pattern, kind->replacement);
  }
  return out;
}

Result<std::string> Names::expand(std::string_view text) const {
  static const re2::RE2 reference(R"(<<([a-z][a-z0-9_]*)>>)");
  std::string out;
  re2::StringPiece rest = piece(text);
  std::string name;
  const char* copied = text.data();
  while (re2::RE2::FindAndConsume(&rest, reference, &name)) {
    const std::size_t length = name.size() + 4;
    const char* start = rest.data() - length;
    out.append(copied, start);
    copied = rest.data();
    const auto found = values_.find(name);
    if (found == values_.end()) {
      return fail(Code::NOT_FOUND, cat("<<", name, ">> has not been seen yet"));
    }
    out += found->second;
  }
  return out.append(copied, text.data() + text.size());
}

std::string Names::shorten_call(std::string_view text) {
  static const re2::RE2 numbered_name(R"(<<([a-z]+[0-9]+)>>)");
  std::string out = shorten(text);
  re2::RE2::GlobalReplace(&out, numbered_name, "$\\1");
  return out;
}

Result<std::string> Names::expand_call(std::string_view text) const {
  static const re2::RE2 short_name(R"(\$([a-z]+[0-9]+)\b)");
  std::string out(text);
  re2::RE2::GlobalReplace(&out, short_name, "<<\\1>>");
  return expand(out);
}

}  // namespace baton::cases
