#include "plan/splice.h"

#include <algorithm>
#include <deque>
#include <map>

#include "base/text/text.h"
#include "plan/line.h"

namespace baton::plan {

Splice::Splice(const Outline& outline) : outline_(outline), before_(outline.lines.size() + 1) {
  for (std::size_t i = 0; i < outline.lines.size(); ++i) {
    lines_.emplace_back(outline.full_line(i));
  }
}

bool Splice::is_blank(std::size_t i) const { return outline_.lines[i].part == Part::blank; }

void Splice::set(std::size_t i, std::string_view line) {
  const OutlineLine& old = outline_.lines[i];
  lines_[i] = cat(line, outline_.full_line(i).substr(old.size));
}

std::string Splice::ended(std::string_view block) const {
  std::string out;
  each_line(block, [&](std::string_view line) {
    while (line.ends_with('\r')) line.remove_suffix(1);
    out += cat(line, outline_.newline());
  });
  return out;
}

/// Of what is there once all that was left out is.
bool Splice::is_blank_before(std::size_t i) const {
  while (true) {
    if (!before_[i].empty()) {
      std::string_view put = before_[i];
      put.remove_suffix(outline_.newline().size());
      return trimmed(put.substr(put.rfind('\n') + 1)).empty();
    }
    if (i == 0) return false;
    if (!lines_[--i].empty()) return trimmed(outline_.line(i)).empty();
  }
}

void Splice::insert(std::size_t i, std::string_view block, Around around) {
  std::string put;
  if (around.before && !is_blank_before(i)) put += outline_.newline();
  put += ended(block);
  std::size_t next = i;
  while (next < lines_.size() && lines_[next].empty()) ++next;
  if (around.after && next < lines_.size() && !is_blank(next)) put += outline_.newline();
  before_[i] += put;
}

void Splice::replace(std::size_t begin, std::size_t end, std::string text) {
  for (std::size_t i = begin; i < end; ++i) lines_[i].clear();
  before_[begin] += text;
}

std::string Splice::text() const {
  const std::size_t start = outline_.lines.empty() ? outline_.text.size() : outline_.lines[0].begin;
  std::string out = outline_.text.substr(0, start);
  const auto add = [&](const std::string& piece) {
    if (piece.empty()) return;
    // What was the last line may have no end.
    if (out.size() > start && !out.ends_with('\n')) out += outline_.newline();
    out += piece;
  };
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    add(before_[i]);
    add(lines_[i]);
  }
  add(before_.back());
  return out;
}

namespace {

/// For each wanted item the listed one that it is, if any: the first that is not taken yet.
std::vector<std::optional<std::size_t>> matches(std::span<const ListedItem> listed,
                                                std::span<const WantedItem> wanted) {
  std::map<std::string_view, std::deque<std::size_t>> by_key;
  for (std::size_t i = 0; i < listed.size(); ++i) by_key[listed[i].key].push_back(i);
  std::vector<std::optional<std::size_t>> out;
  for (const WantedItem& each : wanted) {
    const auto found = by_key.find(each.key);
    if (found == by_key.end() || found->second.empty()) {
      out.emplace_back();
    } else {
      out.emplace_back(found->second.front());
      found->second.pop_front();
    }
  }
  return out;
}

/// Which wanted items keep their order: the longest rising row of matches.
std::vector<bool> in_order(const std::vector<std::optional<std::size_t>>& matches) {
  std::vector<std::size_t> ends;  // the wanted item that ends the best row of each length
  std::vector<std::optional<std::size_t>> previous(matches.size());
  for (std::size_t j = 0; j < matches.size(); ++j) {
    if (!matches[j]) continue;
    const auto at = std::ranges::lower_bound(ends, *matches[j], std::less{},
                                             [&](std::size_t k) { return *matches[k]; });
    if (at != ends.begin()) previous[j] = *std::prev(at);
    if (at == ends.end()) {
      ends.push_back(j);
    } else {
      *at = j;
    }
  }
  std::vector<bool> out(matches.size());
  std::optional<std::size_t> at = ends.empty() ? std::nullopt : std::optional(ends.back());
  for (; at; at = previous[*at]) out[*at] = true;
  return out;
}

class Merge {
 public:
  Merge(const Outline& outline, std::span<const ListedItem> listed,
        std::span<const WantedItem> wanted, LinesBelow below)
      : outline_(outline), listed_(listed), wanted_(wanted), below_(below) {}

  std::string run() {
    const auto found = matches(listed_, wanted_);
    const std::vector<bool> stays = in_order(found);
    owned_.resize(outline_.lines.size());
    for (const ListedItem& each : listed_) owned_[each.line] = true;
    for (std::size_t j = 0; j < wanted_.size(); ++j) {
      // The lines below an item that moves go with it.
      if (!found[j] || stays[j] || below_ == LinesBelow::stay) continue;
      for (std::size_t i = listed_[*found[j]].line; i < listed_[*found[j]].end; ++i) {
        owned_[i] = true;
      }
    }
    std::size_t at = listed_.front().line;
    for (std::size_t j = 0; j < wanted_.size(); ++j) {
      // Nothing comes before the first item, where it would be another part of the plan.
      if (stays[j] && j > 0) between(at, listed_[*found[j]].line);
      const std::size_t behind = at;
      if (found[j]) {
        item(wanted_[j], listed_[*found[j]], below_ == LinesBelow::move || (stays[j] && j > 0));
      } else {
        add(wanted_[j].fresh);
      }
      if (!stays[j]) continue;
      at = listed_[*found[j]].end;
      // Where lines stay, those below the first item are among them, so that all keep their order.
      const bool all = below_ == LinesBelow::stay;
      if (j == 0) between(behind, all ? at : listed_[*found[j]].line);
    }
    between(at, listed_.back().end);
    return std::move(out_);
  }

 private:
  void add(std::string_view line) { out_ += cat(line, outline_.newline()); }

  void between(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!owned_[i]) copy(i);
    }
  }

  void copy(std::size_t i) {
    out_ += outline_.full_line(i);
    if (!out_.ends_with('\n')) out_ += outline_.newline();
  }

  void item(const WantedItem& wanted, const ListedItem& listed, bool with_lines_below) {
    const OutlineLine& line = outline_.lines[listed.line];
    std::string text(outline_.full_line(listed.line));
    char& mark = text[line.mark_at];
    if (wanted.mark && (mark == ' ') != (*wanted.mark == ' ')) mark = *wanted.mark;
    if (wanted.indent) text.replace(0, line.indent, *wanted.indent);
    out_ += text;
    if (!out_.ends_with('\n')) out_ += outline_.newline();
    for (std::size_t i = listed.line + 1; with_lines_below && i < listed.end; ++i) copy(i);
  }

  const Outline& outline_;
  const std::span<const ListedItem> listed_;
  const std::span<const WantedItem> wanted_;
  const LinesBelow below_;
  std::vector<bool> owned_;  // lines that are put by their item, or not at all
  std::string out_;
};

}  // namespace

std::string merged(const Outline& outline, std::span<const ListedItem> listed,
                   std::span<const WantedItem> wanted, LinesBelow below) {
  return Merge(outline, listed, wanted, below).run();
}

}  // namespace baton::plan
