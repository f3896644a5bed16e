#include "run/event.h"

#include <array>

#include "base/core/overloaded.h"
#include "base/json/fields.h"
#include "base/text/text.h"

namespace baton::run {
namespace {

using json::Fields;
using json::Object;
using json::Value;

/// The closed set of kinds. Those after the blank line are part of the format but not written by
/// this release.
constexpr std::array kinds = {
    "session_created",      "run_started",         "node_created",
    "edge_created",         "advance_recorded",    "node_output_appended",
    "context_set",          "preferences_changed", "tokens_revoked",
    "observation_recorded", "mcp_task_changed",    "decision_trace_appended",
    "validation_performed", "gap_recorded",        "gap_resolved",
    "capability_observed",  "divergence_recorded", "assessment_recorded",
    "run_state_changed",    "state_updated",       "step_failed",
    "evidence_recorded",    "process_intended",    "process_finished",
    "task_leased",          "task_settled",

    "step_settled",         "gate_decided",        "artifacts_finalized",
    "stall_noted",          "project_observed"};

Value strings_json(const std::vector<std::string>& strings) {
  json::Array out;
  for (const std::string& text : strings) out.emplace_back(text);
  return out;
}

Object fields_of(const SessionCreated&) { return {}; }

Object fields_of(const RunStarted& e) {
  Object out{{"run", e.run.text()},
             {"workflow", e.workflow_id},
             {"workflowHash", e.workflow_hash.hex()},
             {"goal", e.goal}};
  if (e.task) out.set("task", to_json(*e.task));
  return out;
}

Object fields_of(const NodeCreated& e) {
  Object out{{"run", e.run.text()}, {"node", e.node.text()}};
  if (e.parent) out.set("parent", e.parent->text());
  out.set("nodeKind", name_of(e.kind));
  out.set("position", e.position);
  out.set("open", strings_json(e.open_steps));
  if (!e.settled_step.empty()) out.set("settled", e.settled_step);
  if (!e.frames.empty()) out.set("frames", to_json(e.frames));
  if (!e.shown.empty()) out.set("shown", e.shown);
  if (e.items != nullptr) out.set("items", *e.items);
  return out;
}

Object fields_of(const EdgeCreated& e) {
  return {{"run", e.run.text()},
          {"from", e.from.text()},
          {"to", e.to.text()},
          {"edgeKind", name_of(e.kind)},
          {"cause", name_of(e.cause)}};
}

Object fields_of(const AdvanceRecorded& e) {
  return {{"run", e.run.text()},
          {"node", e.node.text()},
          {"intent", name_of(e.attempt.kind)},
          {"ordinal", e.attempt.ordinal},
          {"attempt", e.attempt.count},
          {"step", e.step},
          {"to", e.to.text()},
          // A seed is 64 bits; JSON's numbers are not.
          {"drawn", Object{{"now_ms", e.drawn.now.value}, {"seed", cat(e.drawn.seed)}}},
          {"input", e.input.hex()},
          {"reply", e.reply}};
}

Object fields_of(const NodeOutputAppended& e) {
  Object out{{"run", e.run.text()}, {"node", e.node.text()}};
  if (const auto* notes = std::get_if<Notes>(&e.payload)) {
    out.set("channel", "recap");
    out.set("notes", notes->markdown);
  } else {
    const auto& artifact = std::get<Artifact>(e.payload);
    out.set("channel", "artifact");
    out.set("sha256", artifact.hash.hex());
    out.set("content", artifact.content);
  }
  return out;
}

Object fields_of(const ContextSet& e) {
  return {{"run", e.run.text()},
          {"node", e.node.text()},
          {"source", e.source == ContextSource::initial ? "initial" : "agent_delta"},
          {"context", e.delta}};
}

Object preferences_json(const Preferences& preferences) {
  return {{"autonomy", name_of(preferences.autonomy)},
          {"riskPolicy", name_of(preferences.risk_policy)}};
}

Object fields_of(const PreferencesChanged& e) {
  Object out = preferences_json(e.effective);
  out.set("run", e.run.text());
  out.set("node", e.node.text());
  if (e.change) out.set("change", to_json(*e.change));
  return out;
}

Object fields_of(const TokensRevoked& e) { return {{"run", e.run.text()}}; }

Object fields_of(const ObservationRecorded& e) {
  return {{"run", e.run.text()}, {"key", name_of(e.key)}, {"value", e.value}};
}

Object call_json(const McpTaskCall& call) {
  Object out{{"principal", call.principal},
             {"tool", call.tool},
             {"arguments", call.arguments},
             {"clientCapabilities", call.client_capabilities},
             {"pollIntervalMs", call.poll_interval_ms}};
  if (call.ttl_ms) out.set("ttlMs", *call.ttl_ms);
  return out;
}

/// What is empty is left out.
Object fields_of(const McpTaskChanged& e) {
  Object out{{"task", e.task.text()}, {"status", name_of(e.status)}};
  if (e.call) out.set("call", call_json(*e.call));
  if (!e.worker.empty()) out.set("worker", e.worker);
  if (!e.message.empty()) out.set("message", e.message);
  if (!e.state.is_null()) out.set("state", e.state);
  if (!e.requests.empty()) out.set("requests", e.requests);
  if (!e.responses.empty()) out.set("responses", e.responses);
  if (!e.result.empty()) out.set("result", e.result);
  if (!e.error.empty()) out.set("error", e.error);
  return out;
}

/// A fact: what all of them have, then its own.
Object fields_of(const auto& fact) {
  Object out = fact_fields(fact);
  out.set("run", fact.run.text());
  out.set("node", fact.node.text());
  return out;
}

Result<Event> read_session_created(Fields&) { return SessionCreated{}; }

Result<Event> read_run_started(Fields& f) {
  RunStarted e;
  e.run = TRY(f.id<RunId>("run"));
  e.workflow_id = TRY(f.string("workflow"));
  e.workflow_hash = TRY(f.sha256("workflowHash"));
  e.goal = TRY(f.string("goal"));
  if (f.has("task")) e.task = TRY(task_ref_from(*TRY(f.any("task"))));
  return e;
}

Result<Event> read_node_created(Fields& f) {
  NodeCreated e;
  e.run = TRY(f.id<RunId>("run"));
  e.node = TRY(f.id<NodeId>("node"));
  if (f.has("parent")) e.parent = TRY(f.id<NodeId>("parent"));
  e.kind = TRY(member_of<NodeKind>(f, "nodeKind"));
  e.position = TRY(f.integer("position"));
  e.open_steps = TRY(f.strings("open"));
  if (f.has("settled")) e.settled_step = TRY(f.string("settled"));
  if (f.has("frames")) e.frames = TRY(frames_from_json(*TRY(f.any("frames"))));
  if (f.has("shown")) e.shown = *TRY(f.object("shown"));
  if (f.has("items")) {
    if (TRY(f.any("items"))->if_array() == nullptr) return f.wrong("items", "a list");
    e.items = std::make_shared<const Value>(*TRY(f.any("items")));
  }
  return e;
}

Result<Event> read_edge_created(Fields& f) {
  EdgeCreated e;
  e.run = TRY(f.id<RunId>("run"));
  e.from = TRY(f.id<NodeId>("from"));
  e.to = TRY(f.id<NodeId>("to"));
  e.kind = TRY(member_of<EdgeKind>(f, "edgeKind"));
  e.cause = TRY(member_of<EdgeCause>(f, "cause"));
  return e;
}

Result<Drawn> read_drawn(const Value& value) {
  Fields f(value, "drawn", Code::STORE_CORRUPT);
  Drawn drawn;
  drawn.now.value = TRY(f.integer("now_ms"));
  const std::string seed = TRY(f.string("seed"));
  const char* end = seed.data() + seed.size();
  const auto [stop, problem] = std::from_chars(seed.data(), end, drawn.seed);
  if (problem != std::errc{} || stop != end || cat(drawn.seed) != seed) {
    return f.wrong("seed", "a decimal number");
  }
  TRY(f.done());
  return drawn;
}

Result<Event> read_advance_recorded(Fields& f) {
  AdvanceRecorded e;
  e.run = TRY(f.id<RunId>("run"));
  e.node = TRY(f.id<NodeId>("node"));
  e.attempt.kind = TRY(member_of<AttemptKind>(f, "intent"));
  const std::int64_t ordinal = TRY(f.integer("ordinal"));
  const std::int64_t count = TRY(f.integer("attempt"));
  if (ordinal < 0 || ordinal >= limits::open_steps_max) return f.wrong("ordinal", "0 to 63");
  if (count < 0 || count >= limits::attempts_per_step_max) return f.wrong("attempt", "0 to 1022");
  e.attempt.ordinal = static_cast<std::uint8_t>(ordinal);
  e.attempt.count = static_cast<std::uint16_t>(count);
  e.step = TRY(f.string("step"));
  e.to = TRY(f.id<NodeId>("to"));
  e.drawn = TRY(read_drawn(*TRY(f.any("drawn"))));
  e.input = TRY(f.sha256("input"));
  e.reply = *TRY(f.any("reply"));
  return e;
}

Result<Event> read_node_output_appended(Fields& f) {
  NodeOutputAppended e;
  e.run = TRY(f.id<RunId>("run"));
  e.node = TRY(f.id<NodeId>("node"));
  const std::string channel = TRY(f.string("channel"));
  if (channel == "recap") {
    e.payload = Notes{TRY(f.string("notes"))};
  } else if (channel == "artifact") {
    const Sha256 hash = TRY(f.sha256("sha256"));
    const json::Value* const content = TRY(f.any("content"));
    e.payload = Artifact{hash, *content};
  } else {
    return f.wrong("channel", "recap or artifact");
  }
  return e;
}

Result<Event> read_context_set(Fields& f) {
  ContextSet e;
  e.run = TRY(f.id<RunId>("run"));
  e.node = TRY(f.id<NodeId>("node"));
  const std::string source = TRY(f.string("source"));
  if (source != "initial" && source != "agent_delta") return f.wrong("source", "a known name");
  e.source = source == "initial" ? ContextSource::initial : ContextSource::agent_delta;
  e.delta = *TRY(f.object("context"));
  return e;
}

Result<Preferences> read_preferences(Fields& f) {
  const Autonomy autonomy = TRY(member_of<Autonomy>(f, "autonomy"));
  const RiskPolicy risk_policy = TRY(member_of<RiskPolicy>(f, "riskPolicy"));
  return Preferences{autonomy, risk_policy};
}

Result<Event> read_preferences_changed(Fields& f) {
  PreferencesChanged e;
  e.run = TRY(f.id<RunId>("run"));
  e.node = TRY(f.id<NodeId>("node"));
  e.effective = TRY(read_preferences(f));
  if (f.has("change")) e.change = TRY(preference_change_from(*TRY(f.any("change"))));
  return e;
}

Result<Event> read_tokens_revoked(Fields& f) { return TokensRevoked{TRY(f.id<RunId>("run"))}; }

Result<Event> read_observation_recorded(Fields& f) {
  ObservationRecorded e;
  e.run = TRY(f.id<RunId>("run"));
  e.key = TRY(member_of<ObservationKey>(f, "key"));
  e.value = TRY(f.string("value"));
  return e;
}

Result<McpTaskCall> read_call(const Value& value) {
  Fields f(value, "call", Code::STORE_CORRUPT);
  McpTaskCall call;
  call.principal = TRY(f.string("principal"));
  call.tool = TRY(f.string("tool"));
  call.arguments = *TRY(f.object("arguments"));
  call.client_capabilities = *TRY(f.object("clientCapabilities"));
  call.poll_interval_ms = TRY(f.integer("pollIntervalMs"));
  if (f.has("ttlMs")) call.ttl_ms = TRY(f.integer("ttlMs"));
  TRY(f.done());
  return call;
}

Result<Event> read_mcp_task_changed(Fields& f) {
  McpTaskChanged e;
  e.task = TRY(f.id<TaskId>("task"));
  e.status = TRY(member_of<McpTaskStatus>(f, "status"));
  if (f.has("call")) e.call = TRY(read_call(*TRY(f.any("call"))));
  if (f.has("worker")) e.worker = TRY(f.string("worker"));
  if (f.has("message")) e.message = TRY(f.string("message"));
  if (f.has("state")) e.state = *TRY(f.any("state"));
  if (f.has("requests")) e.requests = *TRY(f.object("requests"));
  if (f.has("responses")) e.responses = *TRY(f.object("responses"));
  if (f.has("result")) e.result = *TRY(f.object("result"));
  if (f.has("error")) e.error = *TRY(f.object("error"));
  return e;
}

template <class Fact>
Result<Event> read_as(Fields& f) {
  Fact fact;
  fact.run = TRY(f.id<RunId>("run"));
  fact.node = TRY(f.id<NodeId>("node"));
  TRY(read_fact(f, fact));
  return fact;
}

// In the order of the Event variant, which is the order of the first names in `kinds`.
constexpr std::array readers = {read_session_created,
                                read_run_started,
                                read_node_created,
                                read_edge_created,
                                read_advance_recorded,
                                read_node_output_appended,
                                read_context_set,
                                read_preferences_changed,
                                read_tokens_revoked,
                                read_observation_recorded,
                                read_mcp_task_changed,
                                read_as<DecisionTraceAppended>,
                                read_as<ValidationPerformed>,
                                read_as<GapRecorded>,
                                read_as<GapResolved>,
                                read_as<CapabilityObserved>,
                                read_as<DivergenceRecorded>,
                                read_as<AssessmentRecorded>,
                                read_as<RunStateChanged>,
                                read_as<StateUpdated>,
                                read_as<StepFailed>,
                                read_as<EvidenceRecorded>,
                                read_as<ProcessIntended>,
                                read_as<ProcessFinished>,
                                read_as<TaskLeased>,
                                read_as<TaskSettled>};
static_assert(readers.size() == std::variant_size_v<Event>);

}  // namespace

bool NodeCreated::operator==(const NodeCreated& other) const {
  const bool same_items = items == other.items ||
                          (items != nullptr && other.items != nullptr && *items == *other.items);
  return same_items && run == other.run && node == other.node && parent == other.parent &&
         kind == other.kind && position == other.position && open_steps == other.open_steps &&
         settled_step == other.settled_step && frames == other.frames && shown == other.shown;
}

Object to_json(const PreferenceChange& change) {
  Object out{{"from", preferences_json(change.from)},
             {"by", change.source.principal},
             {"how", name_of(change.source.how)}};
  if (!change.source.tool.empty()) out.set("tool", change.source.tool);
  return out;
}

Result<PreferenceChange> preference_change_from(const Value& value) {
  Fields f(value, "change of preferences", Code::STORE_CORRUPT);
  PreferenceChange out;
  Fields from(*TRY(f.any("from")), "preferences before a change", Code::STORE_CORRUPT);
  out.from = TRY(read_preferences(from));
  TRY(from.done());
  out.source.principal = TRY(f.string("by"));
  out.source.how = TRY(member_of<ChangedHow>(f, "how"));
  if (f.has("tool")) out.source.tool = TRY(f.string("tool"));
  TRY(f.done());
  return out;
}

std::string_view kind_name(const Event& event) { return kinds[event.index()]; }

Value to_json(const Event& event) {
  Object out = std::visit([](const auto& e) { return fields_of(e); }, event);
  out.set("kind", kind_name(event));
  return out;
}

Result<Event> event_from_json(const Value& value) {
  Fields fields(value, "event", Code::STORE_CORRUPT);
  const std::string kind = TRY(fields.string("kind"));
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kind != kinds[i]) continue;
    if (i >= readers.size()) {
      return fail(Code::STORE_NEWER, cat("events of kind ", kind, " need a newer release"));
    }
    Event event = TRY(readers[i](fields));
    TRY(fields.done());
    return event;
  }
  return fail(Code::STORE_CORRUPT, cat("there is no event kind \"", kind, '"'));
}

std::int64_t format_of(const Event& event) {
  // Each field or kind that 0.1.0 does not know is named here.
  return std::visit(Overloaded{[](const auto&) { return 1; },
                               [](const PreferencesChanged& e) { return e.change ? 2 : 1; },
                               [](const EvidenceRecorded& fact) {
                                 return is_newer_than_format_1(fact.baseline) ? 2 : 1;
                               }},
                    event);
}

Result<std::string> encode_events(std::span<const Event> events) {
  std::string body = R"({"events":[)";
  std::int64_t version = 1;
  for (const Event& event : events) {
    if (body.back() != '[') body += ',';
    TRY(json::canonical_to(body, to_json(event)));
    version = std::max(version, format_of(event));
  }
  append_piece(body, R"(],"v":)");
  append_piece(body, version);
  return body + '}';
}

Result<std::vector<Event>> decode_events(std::string_view body) {
  const json::ReadLimits bounds{limits::commit_bytes_max, limits::commit_depth_max};
  const auto parsed = json::parse(body, bounds);
  if (!parsed)
    return fail(Code::STORE_CORRUPT, cat("a commit is not JSON: ", parsed.error().message));
  Fields fields(*parsed, "commit", Code::STORE_CORRUPT);
  const std::int64_t version = TRY(fields.integer("v"));
  if (version > event_format) {
    return fail(Code::STORE_NEWER, "the log was written by a newer release");
  }
  if (version < 1) return fields.wrong("v", "a version of the format");
  std::vector<Event> events;
  for (const Value& value : *TRY(fields.array("events"))) {
    events.push_back(TRY(event_from_json(value)));
  }
  TRY(fields.done());
  return events;
}

CommitIndex index_of(std::span<const Event> events) {
  CommitIndex index;
  for (const Event& event : events) {
    std::visit(
        Overloaded{
            [&](const RunStarted& e) {
              index.started = {e.run, e.workflow_id, e.workflow_hash, e.goal,
                               e.task ? std::optional(e.task->run) : std::nullopt};
            },
            [&](const NodeCreated& e) { index.nodes.push_back(e); },
            [&](const AdvanceRecorded& e) { index.attempts.push_back({e.node, e.attempt, e.to}); },
            [&](const TokensRevoked& e) { index.revoked.push_back(e.run); },
            [](const auto&) {},
        },
        event);
  }
  return index;
}

}  // namespace baton::run
