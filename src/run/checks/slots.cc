#include "run/checks/slots.h"

#include <optional>

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view opening = "<fill in: ";
constexpr std::string_view between = " | ";
constexpr std::size_t shown_bytes_max = 120;

// What samples had in their place before there were slots, as a whole text.
constexpr std::string_view old_slots[] = {"<what you did and found in this step>",
                                          "<what was asked>",
                                          "<what the user said>",
                                          "<what and why>",
                                          "<how it was closed>",
                                          "<why this level>",
                                          "<why>",
                                          "<the result>",
                                          "<the user's answer>",
                                          "<what the tool returned>",
                                          "<the standard output>"};

/// The first slot in a text; nothing when it has none.
std::optional<std::string_view> slot_in(std::string_view text) {
  const std::size_t begin = text.find(opening);
  if (begin != std::string_view::npos) {
    const std::size_t end = text.find('>', begin);
    return text.substr(begin, end == std::string_view::npos ? end : end + 1 - begin);
  }
  for (const std::string_view old : old_slots) {
    if (trimmed(text) == old) return old;
  }
  // Samples put further texts behind that of the notes.
  if (text.starts_with(old_slots[0])) return old_slots[0];
  return std::nullopt;
}

std::string_view what_of(std::string_view slot) {
  slot.remove_prefix(opening.size());
  if (slot.ends_with('>')) slot.remove_suffix(1);
  return slot;
}

// Samples are short, and what a caller sends is as deep as a message may be.

void collect(const Value& value, const std::string& at, std::vector<Slot>& out) {
  if (const std::string* text = value.if_string()) {
    if (text->contains(opening)) out.push_back({at, std::string(what_of(*slot_in(*text)))});
  } else if (const Array* list = value.if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i) collect((*list)[i], cat(at, '[', i, ']'), out);
  } else if (const Object* object = value.if_object()) {
    for (const json::Member& each : *object) {
      collect(each.key, cat(at, at.empty() ? "" : ".", each.key), out);
      collect(each.value, cat(at, at.empty() ? "" : ".", each.key), out);
    }
  }
}

struct Found {
  std::string at;
  std::string slot;
};

std::optional<Found> first_in(const Value& value, const std::string& at) {
  if (const std::string* text = value.if_string()) {
    const auto slot = slot_in(*text);
    return slot ? std::optional(Found{at, std::string(*slot)}) : std::nullopt;
  }
  if (const Array* list = value.if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (auto found = first_in((*list)[i], cat(at, '[', i, ']'))) return found;
    }
  } else if (const Object* object = value.if_object()) {
    for (const json::Member& each : *object) {
      if (each.key.contains(opening)) return Found{at, std::string(*slot_in(each.key))};
      if (auto found = first_in(each.value, cat(at, '.', each.key))) return found;
    }
  }
  return std::nullopt;
}

Value made_up(std::string_view what) {
  const std::size_t end = what.find(between);
  if (end != std::string_view::npos) return std::string(what.substr(0, end));
  if (what.starts_with("a number")) return 1;
  if (what.starts_with("the JSON")) return Object();
  return "Simulated.";
}

}  // namespace

std::string slot(std::string_view what) {
  std::string out(opening);
  for (const char each : what) out += each == '<' || each == '>' ? '\'' : each;
  return out += '>';
}

std::vector<Slot> slots_in(const Object& sample) {
  std::vector<Slot> out;
  collect(sample, "", out);
  return out;
}

Value filled(const Value& sample) {
  if (const std::string* text = sample.if_string()) {
    const std::size_t begin = text->find(opening);
    if (begin == std::string::npos) return sample;
    const std::string_view found = *slot_in(*text);
    Value value = made_up(what_of(found));
    if (found.size() == text->size()) return value;
    return cat(text->substr(0, begin), "Simulated.", text->substr(begin + found.size()));
  }
  if (const Array* list = sample.if_array()) {
    Array out;
    for (const Value& each : *list) out.push_back(filled(each));
    return out;
  }
  const Object* object = sample.if_object();
  if (object == nullptr) return sample;
  Object out;
  for (const json::Member& each : *object) {
    out.set(each.key.contains(opening) ? std::string("made_up") : each.key, filled(each.value));
  }
  return out;
}

Result<void> check_no_slots(const StepInput& input) {
  std::optional<Found> found;
  if (input.notes) found = first_in(*input.notes, "notes");
  for (std::size_t i = 0; !found && i < input.artifacts.size(); ++i) {
    found = first_in(input.artifacts[i], cat("artifacts[", i, ']'));
  }
  if (!found) found = first_in(input.context, "context");
  if (!found) return {};
  return fail(Code::INVALID_INPUT,
              cat(found->at, ": this is still the slot ",
                  utf8::truncate(found->slot, shown_bytes_max), "; nothing was recorded"),
              "replace it by what it asks for, and send the call again");
}

}  // namespace baton::run
