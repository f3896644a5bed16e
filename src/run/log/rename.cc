// Giving a bundle's session, runs and nodes other names.

#include "run/decide/decide.h"
#include "run/log/bundle.h"
#include "run/log/description.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;

/// Replaces ids by their new names, in events and in the replies recorded with them. The run that a
/// task belongs to is in another session and keeps its name; any other id must be of the bundle.
class Renamer : public Visitor<Renamer> {
 public:
  explicit Renamer(const Renaming& names) : names_(names) {}

  void operator()(Event& event) {
    if (auto* leased = std::get_if<TaskLeased>(&event)) {
      change(leased->run);
      change(leased->node);
      // The copy's tasks are its own, not those of what it was copied from.
      const TaskIds ids = ids_of(leased->node, leased->task, leased->attempt);
      leased->session = ids.session;
      leased->child = ids.run;
      return;
    }
    std::visit([&](auto& e) { flat(e); }, event);
    if (auto* advance = std::get_if<AdvanceRecorded>(&event)) change_reply(advance->reply);
  }

  /// BUNDLE_INVALID_FORMAT when an id was met that has no new name.
  Result<void> check() const {
    if (unknown_.empty()) return {};
    return fail(Code::BUNDLE_INVALID_FORMAT,
                cat("the bundle refers to ", unknown_, ", which is not in it"));
  }

  template <class T>
  void operator()(std::string_view key, T& field) {
    if constexpr (std::is_same_v<T, TaskRef>) {
      return;
    } else if constexpr (Described<T>) {
      flat(field);
    } else if constexpr (requires { change(field); }) {
      change(field);
    } else if constexpr (is_optional<T> && requires { field.emplace(); }) {
      if (field) (*this)(key, *field);
    }
  }

  void change(SessionId& id) { change(id, names_.sessions); }
  void change(RunId& id) { change(id, names_.runs); }
  void change(NodeId& id) { change(id, names_.nodes); }

  template <class Fact>
  void change_fact(std::shared_ptr<const Fact>& fact) {
    if (fact == nullptr) return;
    auto changed = std::make_shared<Fact>(*fact);
    flat(*changed);
    fact = std::move(changed);
  }

 private:
  template <class IdType>
  void change(IdType& id, const std::map<IdType, IdType>& names) {
    if (const auto found = names.find(id); found != names.end()) {
      id = found->second;
    } else {
      unknown_ = id.text();
    }
  }

  template <class IdType>
  void change_text(Object& object, std::string_view key) {
    Value* value = object.find(key);
    if (value == nullptr || !value->is_string()) return;
    auto id = IdType::parse(*value->if_string());
    if (!id) return;
    change(*id);
    *value = id->text();
  }

  void change_reply(Value& reply) {
    Object* object = reply.if_object();
    if (object == nullptr) return;
    change_text<SessionId>(*object, "session");
    change_text<RunId>(*object, "run");
    change_text<NodeId>(*object, "checkpointNode");
    for (const std::string_view key : {"state", "ack", "checkpoint"}) {
      if (Value* claim = object->find(key); claim != nullptr && claim->is_object()) {
        change_text<NodeId>(*claim->if_object(), "node");
      }
    }
    if (Value* gate = object->find("gate"); gate != nullptr && gate->is_object()) {
      change_text<NodeId>(*gate->if_object(), "node");
    }
    Value* left = object->find("left");
    if (left == nullptr || !left->is_object()) return;
    if (Value* tip = left->if_object()->find("tip"); tip != nullptr && tip->is_object()) {
      change_text<NodeId>(*tip->if_object(), "node");
    }
  }

  const Renaming& names_;
  std::string unknown_;
};

/// Keys of attempts and of words at gates name their node; the others name nothing that changes.
std::string renamed_key(const std::string& key, const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (const auto* advance = std::get_if<AdvanceRecorded>(&event)) {
      return attempt_dedupe_key(advance->node, advance->attempt);
    }
    if (const auto* answered = std::get_if<GateAnswered>(&event)) return owner_key(*answered);
  }
  return key;
}

}  // namespace

Result<BundleIds> ids_in(const Bundle& bundle) {
  BundleIds ids;
  for (const Commit& commit : bundle.commits) {
    const auto events = TRY(decode_events(commit.body));
    const CommitIndex index = index_of(events);
    if (index.started) ids.runs.push_back(index.started->run);
    for (const NodeOutline& node : index.nodes) ids.nodes.push_back(node.id);
  }
  return ids;
}

Result<Bundle> rename(const Bundle& bundle, const Renaming& names) {
  Renamer renamer(names);
  Bundle out;
  out.session = names.sessions.at(bundle.session);
  out.workflows = bundle.workflows;
  out.blobs = bundle.blobs;
  Sha256 previous;
  for (Commit commit : bundle.commits) {
    std::vector<Event> events = TRY(decode_events(commit.body));
    for (Event& event : events) renamer(event);
    commit.session = out.session;
    commit.dedupe_key = renamed_key(commit.dedupe_key, events);
    commit.body = TRY(encode_events(events));
    commit.previous = previous;
    commit.hash = commit_hash(commit);
    previous = commit.hash;
    out.commits.push_back(std::move(commit));
  }
  for (const auto& [node, text] : bundle.snapshots) {
    NodeState state = TRY(read_snapshot(text));
    renamer.change(state.session);
    renamer.change(state.run);
    renamer.change(state.node);
    renamer.change_fact(state.process);
    renamer.change_fact(state.ran);
    renamer.change_fact(state.gate);
    out.snapshots.emplace(state.node, TRY(write_snapshot(state)));
  }
  TRY(renamer.check());
  return out;
}

}  // namespace baton::run
