// Giving a bundle's session, runs and nodes other names.

#include "base/core/overloaded.h"
#include "run/bundle.h"
#include "run/decide.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;

/// Replaces ids by their new names, in events and in the replies recorded with them.
class Renamer {
 public:
  explicit Renamer(const Renaming& names) : names_(names) {}

  Event operator()(Event event) const {
    std::visit(Overloaded{
                   [](SessionCreated&) {},
                   [&](RunStarted& e) { change(e.run); },
                   [&](NodeCreated& e) {
                     change(e.run);
                     change(e.node);
                     if (e.parent) change(*e.parent);
                   },
                   [&](EdgeCreated& e) {
                     change(e.run);
                     change(e.from);
                     change(e.to);
                   },
                   [&](AdvanceRecorded& e) {
                     change(e.run);
                     change(e.node);
                     change(e.to);
                     change_reply(e.reply);
                   },
                   [&](TokensRevoked& e) { change(e.run); },
                   [&](ObservationRecorded& e) { change(e.run); },
                   [](McpTaskChanged&) {},  // no bundle holds one
                   [&](ProcessFinished& e) { change_finished(e); },
                   [&](TaskLeased& e) {
                     change(e.run);
                     change(e.node);
                     // The copy's tasks are its own, not those of what it was copied from.
                     const TaskIds ids = ids_of(e.node, e.task, e.attempt);
                     e.session = ids.session;
                     e.child = ids.run;
                   },
                   [&](auto& e) {
                     change(e.run);
                     change(e.node);
                   },
               },
               event);
    return event;
  }

  void change(SessionId& id) const { id = names_.sessions.at(id); }
  void change(RunId& id) const { id = names_.runs.at(id); }
  void change(NodeId& id) const { id = names_.nodes.at(id); }

  void change_finished(ProcessFinished& fact) const {
    change(fact.run);
    change(fact.node);
    change(fact.intended);
  }

 private:
  template <class IdType>
  void change_text(Object& object, std::string_view key) const {
    Value* value = object.find(key);
    if (value == nullptr || !value->is_string()) return;
    auto id = IdType::parse(*value->if_string());
    if (!id) return;
    change(*id);
    *value = id->text();
  }

  void change_reply(Value& reply) const {
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
  }

  const Renaming& names_;
};

/// Keys of attempts name their node; the others name nothing that changes.
std::string renamed_key(const std::string& key, const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (const auto* advance = std::get_if<AdvanceRecorded>(&event)) {
      return attempt_dedupe_key(advance->node, advance->attempt);
    }
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
    for (const NodeCreated& node : index.nodes) ids.nodes.push_back(node.node);
  }
  return ids;
}

Result<Bundle> rename(const Bundle& bundle, const Renaming& names) {
  const Renamer renamer(names);
  Bundle out;
  out.session = names.sessions.at(bundle.session);
  out.workflows = bundle.workflows;
  out.blobs = bundle.blobs;
  Sha256 previous;
  for (Commit commit : bundle.commits) {
    std::vector<Event> events = TRY(decode_events(commit.body));
    for (Event& event : events) event = renamer(std::move(event));
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
    if (state.process != nullptr) {
      auto process = std::make_shared<ProcessIntended>(*state.process);
      renamer.change(process->run);
      renamer.change(process->node);
      state.process = std::move(process);
    }
    if (state.ran != nullptr) {
      auto ran = std::make_shared<ProcessFinished>(*state.ran);
      renamer.change_finished(*ran);
      state.ran = std::move(ran);
    }
    out.snapshots.emplace(state.node, TRY(write_snapshot(state)));
  }
  return out;
}

}  // namespace baton::run
