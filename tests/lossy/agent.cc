#include "agent.h"

#include <re2/re2.h>

#include <array>
#include <functional>

#include "base/text/text.h"

namespace baton::lossy {
namespace {

using json::Object;
using json::Value;

std::string text_at(const Value& value, std::string_view pointer) {
  const Value* found = get_at(value, pointer);
  return found != nullptr && found->is_string() ? *found->if_string() : std::string();
}

/// Splits "/a/b/c" into "/a/b" and "c".
std::pair<std::string_view, std::string_view> split_last(std::string_view pointer) {
  const std::size_t at = pointer.rfind('/');
  return {pointer.substr(0, at), pointer.substr(at + 1)};
}

/// The settled step that the token of a call belongs to, as the answer says: in its first line when
/// the call began a branch there, in the error when it could not. Empty: it says nothing of that.
std::string settled_step(const Told& told) {
  static const RE2 names(R"xx((?:New branch:|this call is for) the step "([^"]*)")xx");
  std::string step;
  RE2::PartialMatch(told.text.substr(0, told.text.find('\n')), names, &step);
  return step;
}

bool is_for_another_step(const Told& told, const Memory& memory) {
  const std::string step = settled_step(told);
  return !step.empty() && step != memory.step;
}

bool is_blocked(const Told& told) { return told.field("kind") == "blocked"; }

class Correction {
 public:
  Correction(const Told& told, const Call& sent, const Call& meant, const Memory& memory)
      : told_(told), call_(sent), meant_(meant), memory_(memory) {}

  Call run() {
    if (is_for_another_step(told_, memory_)) {
      put_token("ackToken");
    } else if (told_.is_error) {
      as_object();
      names();
      types();
      tokens();
      artifacts();
      the_rest();
    } else if (is_blocked(told_)) {
      blockers();
    }
    return std::move(call_);
  }

 private:
  /// What the pattern's groups, at most two, catch at each place of the text.
  using Act = std::function<void(const std::string& first, const std::string& second)>;
  void each(const char* pattern, const Act& act) {
    const RE2 regex(pattern);
    std::array<re2::StringPiece, 3> found;
    const re2::StringPiece text(told_.text);
    std::size_t at = 0;
    while (regex.Match(text, at, text.size(), RE2::UNANCHORED, found.data(),
                       regex.NumberOfCapturingGroups() + 1)) {
      act(std::string(found[1]), std::string(found[2]));
      at = static_cast<std::size_t>(found[0].data() - text.data()) + found[0].size();
    }
  }

  void put(std::string_view pointer) {
    if (const Value* value = get_at(meant_.arguments, pointer)) {
      set_at(call_.arguments, pointer, *value);
    }
  }

  void put_token(const std::string& field) {
    const std::string& token = field == "ackToken"     ? memory_.ack
                               : field == "stateToken" ? memory_.state
                                                       : memory_.checkpoint;
    set_at(call_.arguments, cat('/', field), token);
  }

  void as_object() {
    each(R"(params\.arguments must be an object)",
         [&](const auto&, const auto&) { call_.arguments = meant_.arguments; });
  }

  void names() {
    each(R"('([^']*)' is unknown; did you mean '([^']*)')",
         [&](const std::string& pointer, const std::string& name) {
           const Value* found = get_at(call_.arguments, pointer);
           if (found == nullptr) return;
           Value value = *found;
           erase_at(call_.arguments, pointer);
           set_at(call_.arguments, cat(split_last(pointer).first, '/', name), std::move(value));
         });
    each(R"('([^']*)' is unknown; the known ones are ([A-Za-z, ]+))",
         [&](const std::string& pointer, const std::string& known) {
           erase_at(call_.arguments, pointer);
           re2::StringPiece rest(known);
           std::string name;
           while (RE2::FindAndConsume(&rest, "([A-Za-z]+)", &name)) {
             const std::string sibling = cat(split_last(pointer).first, '/', name);
             if (get_at(call_.arguments, sibling) == nullptr) put(sibling);
           }
         });
  }

  void types() {
    each(R"((/[A-Za-z0-9/]*): expected [a-z]+)",
         [&](const std::string& pointer, const auto&) { put(pointer); });
    each(R"xx(missing required property "([A-Za-z]+)")xx",
         [&](const std::string& name, const auto&) { put(cat('/', name)); });
    each(R"xx(there is no workflow "[^"]*"; did you mean "([^"]*)")xx",
         [&](const std::string& id, const auto&) { set_at(call_.arguments, "/workflowId", id); });
  }

  void tokens() {
    for (const char* pattern :
         {R"(([a-z]+Token): The token was not copied correctly)",
          R"(this call needs the ([a-z]+Token))", R"([Ss]end only the ([a-z]+Token))",
          R"(([a-z]+Token) alone)", R"([Ss]end the ([a-z]+Token))"}) {
      each(pattern, [&](const std::string& field, const auto&) { put_token(field); });
    }
    each("[Ss]end both from the reply that gave you the step", [&](const auto&, const auto&) {
      put_token("ackToken");
      put_token("stateToken");
    });
  }

  void artifacts() {
    each(R"(artifacts\[(\d+)\]: (there is no kind)?)",
         [&](const std::string& index, const std::string& unknown) {
           if (unknown.empty()) put(cat("/output/artifacts/", index));
         });
    each(R"xx(artifacts\[(\d+)\]: there is no kind "[^"]*"; did you mean "([^"]*)")xx",
         [&](const std::string& index, const std::string& kind) {
           set_at(call_.arguments, cat("/output/artifacts/", index, "/kind"), kind);
         });
    each(R"xx([Ss]et its loopId to "([^"]*)")xx", [&](const std::string& loop, const auto&) {
      set_at(call_.arguments, "/output/artifacts/0/loopId", loop);
    });
  }

  void the_rest() {
    each("[Ss]end the output of the step", [&](const auto&, const auto&) { put("/output"); });
  }

  void blockers() {
    set_at(call_.arguments, "/ackToken", told_.field("retryAckToken"));
    const Value* list = told_.fields.find("blockers");
    if (list == nullptr) return;
    for (const Value& each : *list->if_array()) {
      const std::string kind = text_at(each, "/pointer/kind");
      if (kind == "context_key") put(cat("/context/", text_at(each, "/pointer/value")));
      if (kind == "output_contract") put("/output");
    }
  }

  const Told& told_;
  Call call_;
  const Call& meant_;
  const Memory& memory_;
};

}  // namespace

Memory remember(const Told& told) {
  const Value fields = told.fields;
  Memory memory{.run = text_at(fields, "/session/runId"),
                .step = text_at(fields, "/pending/stepId"),
                .state = told.field("stateToken"),
                .ack = told.field("ackToken"),
                .checkpoint = told.field("checkpointToken")};
  const Value* complete = told.fields.find("isComplete");
  memory.is_complete = complete != nullptr && *complete == Value(true);
  return memory;
}

Call start_call(std::string_view goal) {
  return {"start_workflow", Object{{"workflowId", workflow_id}, {"goal", goal}}};
}

Call advance_call(const Memory& memory, const Content& content, bool with_state) {
  Object arguments{{"ackToken", memory.ack}};
  if (with_state) arguments.set("stateToken", memory.state);
  Object output{{"notesMarkdown", content.notes}};
  if (!content.artifacts.empty()) output.set("artifacts", content.artifacts);
  arguments.set("output", std::move(output));
  if (!content.context.empty()) arguments.set("context", content.context);
  return {"continue_workflow", std::move(arguments)};
}

bool is_settled(const Told& told, const Memory& memory) {
  if (told.is_error || is_blocked(told)) return false;
  if (is_for_another_step(told, memory)) return false;
  return memory.run.empty() || remember(told).run == memory.run;
}

Call correct(const Told& told, const Call& sent, const Call& meant, const Memory& memory) {
  return Correction(told, sent, meant, memory).run();
}

const Value* get_at(const Value& value, std::string_view pointer) {
  if (pointer.empty()) return &value;
  const std::string_view rest = pointer.substr(1);
  const std::string_view key = rest.substr(0, rest.find('/'));
  const Value* member = value.find(key);
  if (const json::Array* array = value.if_array()) {
    const auto index = parse_int(key);
    if (index && *index >= 0 && *index < std::ssize(*array)) {
      member = &(*array)[static_cast<std::size_t>(*index)];
    }
  }
  return member == nullptr ? nullptr : get_at(*member, rest.substr(key.size()));
}

void set_at(Value& value, std::string_view pointer, Value member) {
  if (pointer.empty()) {
    value = std::move(member);
    return;
  }
  if (const std::string* text = value.if_string()) {
    if (auto parsed = json::parse(*text)) value = *std::move(parsed);
  }
  const std::string_view rest = pointer.substr(1);
  const std::string_view key = rest.substr(0, rest.find('/'));
  const std::string_view below = rest.substr(key.size());
  const auto index = parse_int(key);
  if (json::Array* array = value.if_array();
      array != nullptr && index && *index < std::ssize(*array)) {
    set_at((*array)[static_cast<std::size_t>(*index)], below, std::move(member));
    return;
  }
  if (!value.is_object()) value = Object();
  Object& object = *value.if_object();
  if (!object.contains(key)) object.set(key, Value());
  set_at(*object.find(key), below, std::move(member));
}

void erase_at(Value& value, std::string_view pointer) {
  const auto [parent, key] = split_last(pointer);
  const Value* found = get_at(value, parent);
  if (found == nullptr || !found->is_object()) return;
  Object smaller = *found->if_object();
  smaller.erase(key);
  set_at(value, parent, std::move(smaller));
}

}  // namespace baton::lossy
