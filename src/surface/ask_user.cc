#include "surface/ask_user.h"

#include "base/core/gate_limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "engine/load/gate_words.h"
#include "engine/load/load.h"
#include "run/checks/artifacts.h"
#include "run/checks/person_rule.h"
#include "run/steps/behaviour.h"
#include "surface/gates.h"
#include "verbs/run/waiting_gates.h"
#include "verbs/workflow/find_workflow.h"

namespace baton::surface {
namespace {

using json::Object;
using json::Value;

std::string_view text_in(const Object& object, std::string_view key) {
  const Value* found = object.find(key);
  return found != nullptr && found->is_string() ? std::string_view(*found->if_string()) : "";
}

/// The choices as texts, which is all that a form has.
json::Array texts_of(const json::Array& choices) {
  json::Array out;
  for (const Value& each : choices) {
    out.emplace_back(each.is_string() ? *each.if_string() : json::print(each));
  }
  return out;
}

/// One field of a form. Rules that forms do not have are checked when the answer is there.
Object field_of(const Object& definition) {
  Object out{{"title", "Answer"}};
  const std::string_view type = text_in(definition, "input_type");
  const Value* choices = definition.find("choices");
  const bool is_choice = choices != nullptr && choices->is_array();
  out.set("type", is_choice || type == "choice" || type.empty() ? "string" : type);
  if (is_choice) out.set("enum", texts_of(*choices->if_array()));
  const Value* rules = definition.find("validation");
  if (rules == nullptr) return out;
  if (const Value* words = rules->find("error_message")) out.set("description", *words);
  constexpr std::pair<std::string_view, std::string_view> names[] = {{"min", "minimum"},
                                                                     {"max", "maximum"},
                                                                     {"min_length", "minLength"},
                                                                     {"max_length", "maxLength"}};
  for (const auto& [ours, theirs] : names) {
    if (const Value* found = rules->find(ours)) out.set(theirs, *found);
  }
  return out;
}

protocol::InputRequest form_of(const run::Pending& pending) {
  const Object& definition = pending.definition;
  std::string message(text_in(definition, "prompt"));
  if (const auto more = text_in(definition, "instructions"); !more.empty()) {
    message += cat("\n\n", more);
  }
  Object form{{"type", "object"}, {"properties", Object{{"answer", field_of(definition)}}}};
  if (!definition.contains("default")) form.set("required", json::Array{"answer"});
  return protocol::elicit_form(std::move(message), std::move(form));
}

bool asks_in_this_mode(const run::Reply& reply) {
  switch (reply.preferences.autonomy) {
    case run::Autonomy::guided: return true;
    case run::Autonomy::full_auto_stop_on_user_deps:
      return !reply.pending->definition.contains("default");
    case run::Autonomy::full_auto_never_stop: break;
  }
  return false;
}

bool shows(const protocol::Call& call, const protocol::InputRequest& form) {
  return protocol::declares(call.client_capabilities, protocol::capabilities_for(form));
}

/// What the user is asked, and the output that it is about.
std::string gate_message(const run::Gate& gate, const std::optional<verbs::WaitingGate>& waiting) {
  std::string out = gate.who.empty() ? gate.question : cat(gate.who, ": ", gate.question);
  if (!waiting || waiting->parts.empty()) return out;
  out += "\n\nThe output that it is about:";
  bool is_cut = waiting->parts_left > 0;
  std::size_t shown = 0;
  for (const auto& [title, text] : shown_parts(*waiting, limits::gate_form_bytes_max)) {
    out += cat("\n\n", title, text.empty() ? std::string() : cat(":\n", text));
    shown += text.size();
  }
  std::size_t whole = 0;
  for (const verbs::GatePart& each : waiting->parts) whole += each.bytes;
  is_cut = is_cut || shown < whole;
  if (is_cut) {
    out += cat("\n\nNot all of it is shown here. `baton approve ", waiting->run.run.text(),
               "` in a terminal shows more, and `baton log` all of it.");
  }
  return out;
}

protocol::InputRequest gate_form(const run::Gate& gate, std::string message) {
  Object properties{{"decision", Object{{"type", "string"},
                                        {"title", "Decision"},
                                        {"enum", json::Array{"approve", "refuse"}}}}};
  if (!gate.choices.empty()) {
    json::Array choices(gate.choices.begin(), gate.choices.end());
    properties.set("choice", Object{{"type", "string"},
                                    {"title", "Choice, with an approval"},
                                    {"enum", std::move(choices)}});
  }
  properties.set("reason", Object{{"type", "string"}, {"title", "Reason, for the agent"}});
  json::Array required{"decision"};
  if (gate.choices.size() > 1) required.emplace_back("choice");
  return protocol::elicit_form(std::move(message), Object{{"type", "object"},
                                                          {"properties", std::move(properties)},
                                                          {"required", std::move(required)}});
}

run::ChangeSource form_source(const protocol::Call& call) {
  return {call.principal, run::ChangedHow::form, {}};
}

/// What an input of a workflow is asked for with; nothing for a type that no form has.
std::optional<Object> input_field(const json::Member& input) {
  std::string_view type = text_in(*input.value.if_object(), "type");
  if (type.empty()) type = "string";
  if (type != "string" && type != "number" && type != "integer" && type != "boolean") {
    return std::nullopt;
  }
  Object out{{"type", type}, {"title", input.key}};
  const std::string_view help = text_in(*input.value.if_object(), "description");
  if (!help.empty()) out.set("description", help);
  return out;
}

/// The fields of the inputs that are required and were not given; nothing when there are none, or
/// when one of them cannot be asked for.
std::optional<Object> missing_fields(const workflow::CompiledWorkflow& workflow,
                                     const Object& given) {
  const Value* declared = workflow.declared.find("inputs");
  if (declared == nullptr || !declared->is_object()) return std::nullopt;
  Object out;
  for (const json::Member& each : *declared->if_object()) {
    const Value* value = given.find(each.key);
    const Value* required = each.value.find("required");
    const bool is_needed =
        required != nullptr && *required == Value(true) && each.value.find("default") == nullptr;
    if (!is_needed || (value != nullptr && !value->is_null())) continue;
    auto field = input_field(each);
    if (!field) return std::nullopt;
    out.set(each.key, *std::move(field));
  }
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

/// Whether that is what was decided at the gate, by whomever.
Result<bool> was_said(engine::Engine& engine, const run::Gate& gate, run::GateDecision decision) {
  const engine::ReadContext reading = engine.reading();
  const auto node = TRY(engine.store.node_by_id(gate.node));
  if (!node) return false;
  const auto state = TRY(load_state(reading, *node));
  const engine::GateWords words = TRY(engine::gate_words(reading, *state, gate));
  const run::GateWord* word = words.verdict(gate).word;
  return word != nullptr && word->decision == decision;
}

/// What the user said in the form of a gate; nothing where it was closed.
std::optional<verbs::GateAnswer> answer_in(const Object& response, const protocol::Call& call) {
  const Value* content = response.find("content");
  if (text_in(response, "action") != "accept" || content == nullptr || !content->is_object()) {
    return std::nullopt;
  }
  const Object& said = *content->if_object();
  const std::string_view decision = text_in(said, "decision");
  if (decision != "approve" && decision != "refuse") return std::nullopt;
  return verbs::GateAnswer{
      .decision = decision == "approve" ? run::GateDecision::approved : run::GateDecision::refused,
      .assurance = run::Assurance::asked,
      .reason = utf8::truncate(text_in(said, "reason"), limits::gate_reason_bytes_max),
      .choice = std::string(text_in(said, "choice")),
      .source = form_source(call)};
}

}  // namespace

bool can_ask(const protocol::Call& call) { return shows(call, protocol::elicit_form({}, {})); }

UserAnswer ask_user(const protocol::Call& call, const run::Reply& reply) {
  const bool asks = reply.pending && run::behaviour_of(reply.pending->kind).asks_user &&
                    !reply.gate && asks_in_this_mode(reply);
  if (!asks) return {};
  const protocol::InputRequest form = form_of(*reply.pending);
  if (!shows(call, form)) return {};
  // Another point of the run is another question, also when it asks the same again.
  const std::string key = cat("answer-", reply.state.node.text());
  const Object* response = call.input(key);
  if (response == nullptr) return {.question = protocol::NeedInput{{{key, form}}}};
  if (text_in(*response, "action") != "accept") return {};
  run::StepInput input;
  const Value* content = response->find("content");
  const Value* answer = content == nullptr ? nullptr : content->find("answer");
  if (answer != nullptr) {
    input.notes = answer->is_string() ? *answer->if_string() : json::print(*answer);
    input.artifacts = {Object{{"kind", run::result_kind}, {"value", *answer}}};
  }
  return {.answer = std::move(input),
          .word = run::GateWord{
              .gate = {}, .assurance = run::Assurance::asked, .source = form_source(call)}};
}

Result<AskedGate> decide_gate(engine::Engine& engine, const protocol::Call& call,
                              const run::Reply& reply) {
  if (!reply.gate || !run::is_enough(run::Assurance::asked, reply.gate->least)) return AskedGate{};
  if (!shows(call, gate_form(*reply.gate, ""))) return AskedGate{};
  const auto run = TRY(engine.store.run(reply.run));
  if (!run) return AskedGate{};
  const std::string key = cat("gate-", reply.gate->node.text());
  const Object* response = call.input(key);
  if (response == nullptr) {
    auto waiting = TRY(verbs::waiting_gate(engine.reading(), *run));
    if (waiting && waiting->gate.node != reply.gate->node) waiting.reset();
    return AskedGate{.question = protocol::NeedInput{
                         {{key, gate_form(*reply.gate, gate_message(*reply.gate, waiting))}}}};
  }
  const auto answer = answer_in(*response, call);
  if (!answer) return AskedGate{};
  // A call that is repeated finds its own decision, or one that came before it.
  auto answered = verbs::answer_gate(engine, *run, reply.gate->node, *answer);
  if (answered) return AskedGate{.decided = true};
  if (answered.error().code != Code::INVALID_INPUT) {
    return std::unexpected(std::move(answered).error());
  }
  if (TRY(was_said(engine, *reply.gate, answer->decision))) return AskedGate{.decided = true};
  return AskedGate{.decided = true,
                   .warning = cat("what the user said in the form was not recorded: ",
                                  answered.error().message)};
}

AskedInputs ask_inputs(engine::Engine& engine, const protocol::Call& call,
                       const std::string& workflow, json::Object given) {
  if (!can_ask(call)) return {.inputs = std::move(given)};
  // What is wrong with the workflow is said where it is started.
  const auto pinned = verbs::find_workflow(engine.workflows, workflow);
  auto fields = pinned ? missing_fields(pinned->workflow, given) : std::nullopt;
  if (!fields) return {.inputs = std::move(given)};
  constexpr std::string_view key = "inputs";
  const Object* response = call.input(key);
  if (response == nullptr) {
    json::Array required;
    for (const json::Member& each : *fields) required.emplace_back(each.key);
    Object form{
        {"type", "object"}, {"properties", *std::move(fields)}, {"required", std::move(required)}};
    return {
        .question =
            protocol::NeedInput{
                {{std::string(key), protocol::elicit_form(cat("The workflow ", workflow, " needs:"),
                                                          std::move(form))}}},
        .inputs = std::move(given)};
  }
  const Value* content = response->find("content");
  const bool is_accepted = text_in(*response, "action") == "accept" && content != nullptr;
  for (const json::Member& each : *fields) {
    const Value* value = is_accepted ? content->find(each.key) : nullptr;
    if (value != nullptr) given.set(each.key, *value);
  }
  return {.inputs = std::move(given)};
}

}  // namespace baton::surface
