#include "run/show/reply.h"

#include <array>

#include "base/json/fields.h"
#include "base/text/text.h"

namespace baton::run {
namespace {

using json::Fields;
using json::Object;
using json::Value;

constexpr std::array<std::string_view, 2> kinds = {"ok", "blocked"};
constexpr std::array<std::string_view, 4> intents = {
    "perform_pending_then_continue", "await_user_confirmation", "rehydrate_only", "complete"};
constexpr std::string_view blob_key = "$blob";

Value text_json(const std::string& text, std::vector<Content>& blobs) {
  if (text.size() <= limits::reply_inline_bytes_max) return text;
  blobs.emplace_back(text);
  return Object{{std::string(blob_key), blobs.back().hash.hex()}};
}

/// The hash when `value` is a reference to a blob.
std::optional<Sha256> blob_reference(const Value& value) {
  const Object* object = value.if_object();
  if (object == nullptr || object->size() != 1) return std::nullopt;
  const Value* hash = object->find(blob_key);
  if (hash == nullptr || !hash->is_string()) return std::nullopt;
  return Sha256::from_hex(*hash->if_string());
}

Result<std::string> text_from(const Value& value, BlobReader& blobs) {
  if (const std::string* text = value.if_string()) return *text;
  const auto hash = blob_reference(value);
  if (!hash) return fail(Code::STORE_CORRUPT, "recorded reply: expected a text");
  return blobs.blob(*hash);
}

/// Free JSON is kept as its text: inside it, nothing can be taken for a reference.
Value object_json(const Object& object, std::vector<Content>& blobs) {
  return text_json(json::print(object), blobs);
}

Result<Object> object_from(const Value& value, BlobReader& blobs) {
  const auto parsed = json::parse(TRY(text_from(value, blobs)),
                                  {limits::commit_bytes_max, limits::commit_depth_max});
  if (!parsed || !parsed->is_object()) {
    return fail(Code::STORE_CORRUPT, "recorded reply: expected the text of an object");
  }
  return *parsed->if_object();
}

Value pending_json(const Pending& pending, std::vector<Content>& blobs) {
  Object out{{"stepId", pending.step_id},
             {"title", text_json(pending.title, blobs)},
             {"prompt", text_json(pending.prompt, blobs)},
             {"requireConfirmation", pending.require_confirmation}};
  if (pending.agent_role) out.set("agentRole", text_json(*pending.agent_role, blobs));
  if (pending.kind != workflow::StepKind::prompt) out.set("kind", workflow::name_of(pending.kind));
  if (!pending.definition.empty()) out.set("definition", object_json(pending.definition, blobs));
  return out;
}

Result<Pending> pending_from(const Value& value, BlobReader& blobs) {
  Fields f(value, "recorded pending step", Code::STORE_CORRUPT);
  Pending pending;
  pending.step_id = TRY(f.string("stepId"));
  pending.title = TRY(text_from(*TRY(f.any("title")), blobs));
  pending.prompt = TRY(text_from(*TRY(f.any("prompt")), blobs));
  pending.require_confirmation = TRY(f.boolean("requireConfirmation"));
  if (f.has("agentRole")) pending.agent_role = TRY(text_from(*TRY(f.any("agentRole")), blobs));
  if (f.has("kind")) {
    const auto kind = workflow::step_kind(TRY(f.string("kind")));
    if (!kind) return f.wrong("kind", "a known kind of step");
    pending.kind = *kind;
  }
  if (f.has("definition")) {
    pending.definition = TRY(object_from(*TRY(f.any("definition")), blobs));
  }
  TRY(f.done());
  return pending;
}

template <class Set, std::size_t n>
Result<Set> member(Fields& f, std::string_view key, const std::array<std::string_view, n>& names) {
  const std::string name = TRY(f.string(key));
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i] == name) return static_cast<Set>(i);
  }
  return f.wrong(key, "a known name");
}

Value blocker_json(const Blocker& blocker, std::vector<Content>& blobs) {
  return Object{{"code", name_of(blocker.code)},
                {"pointer",
                 Object{{"kind", name_of(blocker.pointer.kind)}, {"value", blocker.pointer.value}}},
                {"message", text_json(blocker.message, blobs)},
                {"suggestedFix", text_json(blocker.suggested_fix, blobs)}};
}

Result<Blocker> blocker_from(const Value& value, BlobReader& blobs) {
  Fields f(value, "recorded blocker", Code::STORE_CORRUPT);
  Blocker blocker;
  blocker.code = TRY(member_of<BlockerCode>(f, "code"));
  Fields pointer(*TRY(f.any("pointer")), "recorded pointer", Code::STORE_CORRUPT);
  blocker.pointer.kind = TRY(member_of<PointerKind>(pointer, "kind"));
  blocker.pointer.value = TRY(pointer.string("value"));
  TRY(pointer.done());
  blocker.message = TRY(text_from(*TRY(f.any("message")), blobs));
  blocker.suggested_fix = TRY(text_from(*TRY(f.any("suggestedFix")), blobs));
  TRY(f.done());
  return blocker;
}

/// What a reply to a plain step does not have is left out.
void add_judgement(Object& out, const Reply& reply, std::vector<Content>& blobs) {
  if (reply.status != RunStatus::in_progress) out.set("status", name_of(reply.status));
  json::Array blockers;
  for (const Blocker& each : reply.blockers) blockers.push_back(blocker_json(each, blobs));
  if (!blockers.empty()) out.set("blockers", std::move(blockers));
  if (reply.retryable) out.set("retryable", true);
  if (!reply.example.empty()) out.set("example", object_json(reply.example, blobs));
  json::Array gaps;
  for (const Gap& each : reply.gaps) gaps.push_back(to_json(each));
  if (!gaps.empty()) out.set("gaps", std::move(gaps));
  if (reply.open_gaps != 0) out.set("openGaps", reply.open_gaps);
  if (!reply.capabilities.empty()) out.set("capabilities", to_json(reply.capabilities));
  if (!reply.step_context.empty()) out.set("stepContext", object_json(reply.step_context, blobs));
}

Result<void> read_judgement(Fields& f, Reply& reply, BlobReader& blobs) {
  if (f.has("status")) reply.status = TRY(member_of<RunStatus>(f, "status"));
  if (f.has("blockers")) {
    for (const Value& each : *TRY(f.array("blockers"))) {
      reply.blockers.push_back(TRY(blocker_from(each, blobs)));
    }
  }
  if (f.has("retryable")) reply.retryable = TRY(f.boolean("retryable"));
  if (f.has("example")) reply.example = TRY(object_from(*TRY(f.any("example")), blobs));
  if (f.has("gaps")) {
    for (const Value& each : *TRY(f.array("gaps"))) {
      reply.gaps.push_back(TRY(from_json<Gap>(each)));
    }
  }
  if (f.has("openGaps")) reply.open_gaps = TRY(f.integer("openGaps"));
  if (f.has("capabilities")) {
    reply.capabilities = TRY(read_capabilities(*TRY(f.array("capabilities"))));
  }
  if (f.has("stepContext")) {
    reply.step_context = TRY(object_from(*TRY(f.any("stepContext")), blobs));
  }
  return {};
}

}  // namespace

std::string_view name_of(ReplyKind kind) { return kinds[static_cast<std::size_t>(kind)]; }
std::string_view name_of(NextIntent intent) { return intents[static_cast<std::size_t>(intent)]; }

Value record_reply(const Reply& reply, std::vector<Content>& blobs) {
  Object out{{"kind", name_of(reply.kind)},
             {"session", reply.session.text()},
             {"run", reply.run.text()},
             {"state", to_json(reply.state)}};
  if (reply.ack) out.set("ack", to_json(*reply.ack));
  if (reply.checkpoint) out.set("checkpoint", to_json(*reply.checkpoint));
  if (reply.pending) out.set("pending", pending_json(*reply.pending, blobs));
  if (reply.checkpoint_node) out.set("checkpointNode", reply.checkpoint_node->text());
  out.set("nextIntent", name_of(reply.next_intent));
  out.set("preferences", to_json(reply.preferences));
  json::Array warnings;
  for (const std::string& warning : reply.warnings) warnings.push_back(text_json(warning, blobs));
  if (!warnings.empty()) out.set("warnings", std::move(warnings));
  add_judgement(out, reply, blobs);
  if (reply.task) out.set("task", to_json(*reply.task));
  json::Array guidance;
  for (const Guidance& each : reply.guidance) guidance.emplace_back(to_json(each));
  if (!guidance.empty()) out.set("guidance", std::move(guidance));
  if (reply.left) out.set("left", to_json(*reply.left));
  if (reply.gate) out.set("gate", to_json(*reply.gate));
  json::Array assumptions;
  for (const Assumption& each : reply.assumptions) assumptions.emplace_back(to_json(each));
  if (!assumptions.empty()) out.set("assumptions", std::move(assumptions));
  return out;
}

std::vector<Sha256> blobs_of(const Value& recorded) {
  std::vector<Sha256> out;
  std::vector<const Value*> todo{&recorded};
  while (!todo.empty()) {
    const Value& value = *todo.back();
    todo.pop_back();
    if (const auto hash = blob_reference(value)) {
      out.push_back(*hash);
    } else if (const json::Array* array = value.if_array()) {
      for (const Value& element : *array) todo.push_back(&element);
    } else if (const Object* object = value.if_object()) {
      for (const json::Member& m : *object) todo.push_back(&m.value);
    }
  }
  return out;
}

std::vector<Sha256> contents_of(std::span<const Event> events) {
  std::vector<Sha256> out;
  for (const Event& event : events) {
    if (const auto* started = std::get_if<RunStarted>(&event)) {
      out.push_back(started->workflow_hash);
    } else if (const auto* advance = std::get_if<AdvanceRecorded>(&event)) {
      for (const Sha256& hash : blobs_of(advance->reply)) out.push_back(hash);
    }
  }
  return out;
}

Result<Reply> restore_reply(const Value& recorded, BlobReader& blobs) {
  Fields f(recorded, "recorded reply", Code::STORE_CORRUPT);
  Reply reply;
  reply.kind = TRY(member<ReplyKind>(f, "kind", kinds));
  reply.session = TRY(f.id<SessionId>("session"));
  reply.run = TRY(f.id<RunId>("run"));
  reply.state = TRY(claim_from_json(*TRY(f.any("state"))));
  if (f.has("ack")) reply.ack = TRY(claim_from_json(*TRY(f.any("ack"))));
  if (f.has("checkpoint")) reply.checkpoint = TRY(claim_from_json(*TRY(f.any("checkpoint"))));
  if (f.has("pending")) reply.pending = TRY(pending_from(*TRY(f.any("pending")), blobs));
  if (f.has("checkpointNode")) reply.checkpoint_node = TRY(f.id<NodeId>("checkpointNode"));
  reply.next_intent = TRY(member<NextIntent>(f, "nextIntent", intents));
  reply.preferences = TRY(from_json<Preferences>(*TRY(f.any("preferences"))));
  if (f.has("warnings")) {
    for (const Value& warning : *TRY(f.array("warnings"))) {
      reply.warnings.push_back(TRY(text_from(warning, blobs)));
    }
  }
  TRY(read_judgement(f, reply, blobs));
  if (f.has("task")) reply.task = TRY(from_json<TaskRef>(*TRY(f.any("task"))));
  if (f.has("guidance")) {
    for (const Value& each : *TRY(f.array("guidance"))) {
      reply.guidance.push_back(TRY(from_json<Guidance>(each)));
    }
  }
  if (f.has("left")) reply.left = TRY(left_branch_from_json(*TRY(f.any("left"))));
  if (f.has("gate")) reply.gate = TRY(from_json<Gate>(*TRY(f.any("gate"))));
  if (f.has("assumptions")) {
    for (const Value& each : *TRY(f.array("assumptions"))) {
      reply.assumptions.push_back(TRY(from_json<Assumption>(each)));
    }
  }
  TRY(f.done());
  return reply;
}

}  // namespace baton::run
