#include "run/show/recap.h"

#include <algorithm>
#include <map>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::run {
namespace {

// Less than this of some notes says too little to be worth its heading.
constexpr std::size_t cut_notes_bytes_min = 200;

std::string omission(std::int64_t entries) {
  return cat('[', entries, entries == 1 ? " earlier entry is" : " earlier entries are",
             " not shown]\n");
}

// omission() is never longer.
constexpr std::size_t omission_bytes = 64;

std::string_view text_at(const json::Value& value, std::string_view key) {
  const json::Value* found = value.find(key);
  const std::string* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

}  // namespace

RecapEntry recap_entry(std::span<const Event> events, const NodeId& node) {
  RecapEntry entry;
  for (const Event& event : events) {
    if (const auto* created = std::get_if<NodeCreated>(&event)) {
      if (created->node != node) continue;
      entry.kind = created->kind;
      if (!created->settled_step.empty()) entry.step = created->settled_step;
      // A checkpoint settles nothing: it is within the open step.
      if (entry.step.empty() && created->parent && !created->open_steps.empty()) {
        entry.step = created->open_steps.front();
      }
    } else if (const auto* advance = std::get_if<AdvanceRecorded>(&event)) {
      if (advance->to == node && !advance->step.empty()) entry.step = advance->step;
    } else if (const auto* output = std::get_if<NodeOutputAppended>(&event)) {
      const auto* notes = std::get_if<Notes>(&output->payload);
      if (notes != nullptr) entry.notes = notes->markdown;
    }
  }
  return entry;
}

std::string label_of(const RecapEntry& entry) {
  const std::string step = entry.step.empty() ? "" : cat('`', entry.step, '`');
  switch (entry.kind) {
    case NodeKind::checkpoint: return cat("checkpoint within ", step);
    case NodeKind::blocked_attempt: return cat("blocked attempt at ", step);
    case NodeKind::step: break;
  }
  return step.empty() ? "start" : cat("step ", step);
}

std::string first_line_of(std::string_view notes) {
  constexpr std::string_view blank = " \t\r";
  while (!notes.empty()) {
    const std::size_t end = notes.find('\n');
    std::string_view line = notes.substr(0, end);
    notes.remove_prefix(end == std::string_view::npos ? notes.size() : end + 1);
    const std::size_t first = line.find_first_not_of(blank);
    if (first == std::string_view::npos) continue;
    line = line.substr(first, line.find_last_not_of(blank) - first + 1);
    return std::string(utf8::prefix(line, limits::recap_line_bytes_max));
  }
  return {};
}

Recap::Recap(std::string_view heading, std::size_t bytes_max)
    : text_(cat("## ", heading, "\n\n")), bytes_max_(bytes_max) {}

bool Recap::add(const RecapEntry& entry) {
  if (is_full_) return false;
  // A change of the state in between, which the state itself shows.
  if (entry.kind == NodeKind::checkpoint && entry.notes.empty()) {
    ++shown_;
    return true;
  }
  const std::string head = cat("### ", label_of(entry), '\n');
  const std::string notes = entry.notes.empty()
                                ? std::string("(no notes)")
                                : utf8::truncate(entry.notes, limits::notes_shown_bytes_max);
  const std::size_t used = text_.size() + head.size() + omission_bytes + 2;  // two line ends
  const std::size_t room = used < bytes_max_ ? bytes_max_ - used : 0;
  if (notes.size() > room) {
    is_full_ = true;
    if (room < cut_notes_bytes_min) return false;
  }
  text_ += cat(head, utf8::truncate(notes, room), "\n\n");
  ++shown_;
  return !is_full_;
}

std::string Recap::finish(std::int64_t entries) && {
  if (entries == 0) return {};
  if (entries > shown_) text_ += omission(entries - shown_);
  while (text_.ends_with('\n')) text_.pop_back();
  text_ += '\n';
  return std::move(text_);
}

std::string guidance_text(const workflow::CompiledWorkflow& workflow, std::string_view prompt) {
  constexpr std::string_view heading = "## For the whole run\n\n";
  const json::Value* list = workflow.declared.find("metaGuidance");
  const json::Array* lines = list == nullptr ? nullptr : list->if_array();
  if (lines == nullptr || lines->empty() || prompt.contains(heading)) return {};
  std::string out;
  for (const json::Value& each : *lines) {
    if (const std::string* text = each.if_string()) out += cat("- ", *text, '\n');
  }
  return out.empty() ? out : cat(heading, utf8::truncate(out, limits::recap_guidance_bytes_max));
}

std::string functions_text(const workflow::CompiledWorkflow& workflow, std::string_view prompt) {
  const json::Value* list = workflow.declared.find("functions");
  const json::Array* functions = list == nullptr ? nullptr : list->if_array();
  if (functions == nullptr) return {};
  std::map<std::string_view, std::string> lines;
  for (const json::Value& each : *functions) {
    const std::string_view name = text_at(each, "name");
    const std::string start = cat("- `", name, "`: ");
    if (!name.empty() && !prompt.contains(start)) {
      lines.emplace(name, cat(start, text_at(each, "definition"), '\n'));
    }
  }
  std::string out;
  std::int64_t left_out = 0;
  for (const auto& [name, line] : lines) {
    if (left_out > 0 || out.size() + line.size() > limits::recap_functions_bytes_max) {
      ++left_out;
    } else {
      out += line;
    }
  }
  if (left_out > 0) out += cat('[', left_out, " more are not shown]\n");
  return out.empty() ? out : cat("## Functions\n\n", out);
}

}  // namespace baton::run
