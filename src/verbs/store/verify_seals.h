#pragma once
// Checks what owners sealed: the keys of the store, the decisions at its gates and its signed
// policies, commit by commit in the order of the log.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ports/store_admin.h"
#include "run/policy/approvals.h"

namespace baton::verbs {

/// Public keys, in hex.
using PublicKeys = std::set<std::string, std::less<>>;

class SealAudit {
 public:
  /// Without `check` seals are not looked at.
  SealAudit(run::StoreFacts facts, const run::SignatureCheck* check)
      : facts_(std::move(facts)), check_(check) {}

  void add(const run::Commit& commit, const std::vector<run::Event>& events,
           const ports::ProblemSink& sink);

  /// After the last commit: compares the keys with those that were kept elsewhere, if any were.
  void finish(const PublicKeys& kept, const ports::ProblemSink& sink);

  /// Good seals, of every kind.
  std::int64_t good() const { return good_; }

  /// After finish(): the sessions that were imported, with how many decisions of each nothing in
  /// this store vouches for.
  const std::map<SessionId, std::int64_t>& imported() const { return imported_decisions_; }

 private:
  using Sink = ports::ProblemSink;
  struct OpenGate {
    run::GateSubject subject;
    PublicKeys approvals = {};        // the keys of its good approvals
    std::set<std::string> good = {};  // the signatures of all its good words
  };

  void take(const run::Commit& commit, const run::ApprovalKeyChanged& change, const Sink& sink);
  void take(const run::Commit& commit, const run::PolicySigned& policy, const Sink& sink);
  void take(const run::Commit& commit, const run::GateAnswered& answered, const Sink& sink);
  void take(const run::Commit& commit, const run::GateDecided& decided, const Sink& sink);
  bool check_word(const run::Commit& commit, OpenGate* gate, const run::GateWord& word);
  void take(const run::Commit& commit, const run::DecisionsImported& imported, const Sink& sink);
  void note_good(const run::Commit& commit, const std::string& key);
  /// What is wrong with a decision, unless the log says later that it was imported.
  void doubt(const run::Commit& commit, std::string_view what);
  bool is_imported(const SessionId& session, run::Seq seq) const;
  OpenGate* gate_at(const NodeId& node);

  run::StoreFacts facts_;
  const run::SignatureCheck* check_;
  run::ApprovalKeys keys_;
  std::int64_t policies_ = 0;
  std::map<RunId, Sha256> workflows_;
  std::map<NodeId, OpenGate> gates_;
  std::vector<std::pair<std::string, std::string>> sealed_by_;  // keys, and where each did first
  std::int64_t good_ = 0;
  struct Doubt {
    SessionId session;
    run::Seq seq;
    std::string what;
  };
  std::vector<Doubt> doubts_;
  std::map<SessionId, run::CommitNo> begun_;            // where each session begins
  std::map<SessionId, run::Seq> imported_;              // up to where a session was imported
  std::map<SessionId, std::vector<run::Seq>> decided_;  // where decisions are
  std::map<SessionId, std::int64_t> imported_decisions_;
};

}  // namespace baton::verbs
