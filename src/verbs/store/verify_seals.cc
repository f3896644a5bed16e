#include "verbs/store/verify_seals.h"

#include <algorithm>

#include "base/text/text.h"
#include "verbs/store/verify_rows.h"

namespace baton::verbs {
namespace {

using ports::StorePart;

void problem(const ports::ProblemSink& sink, const run::Commit& commit, std::string_view what) {
  sink(StorePart::log, cat(place_of(commit), what));
}

}  // namespace

void SealAudit::add(const run::Commit& commit, const std::vector<run::Event>& events,
                    const Sink& sink) {
  if (check_ == nullptr) return;
  begun_.try_emplace(commit.session, commit.no);
  for (const run::Event& event : events) {
    if (const auto* started = std::get_if<run::RunStarted>(&event)) {
      workflows_.emplace(started->run, started->workflow_hash);
    } else if (const auto* opened = std::get_if<run::GateOpened>(&event)) {
      const auto workflow = workflows_.find(opened->run);
      const Sha256 hash = workflow == workflows_.end() ? Sha256() : workflow->second;
      gates_.insert_or_assign(opened->gate.node, OpenGate{{opened->run, hash, opened->gate}});
    } else if (const auto* answered = std::get_if<run::GateAnswered>(&event)) {
      take(commit, *answered, sink);
    } else if (const auto* decided = std::get_if<run::GateDecided>(&event)) {
      take(commit, *decided, sink);
    } else if (const auto* imported = std::get_if<run::DecisionsImported>(&event)) {
      take(commit, *imported, sink);
    } else if (const auto* change = std::get_if<run::ApprovalKeyChanged>(&event)) {
      take(commit, *change, sink);
    } else if (const auto* policy = std::get_if<run::PolicySigned>(&event)) {
      take(commit, *policy, sink);
    }
  }
}

void SealAudit::note_good(const run::Commit& commit, const std::string& key) {
  ++good_;
  const bool is_known =
      std::ranges::any_of(sealed_by_, [&](const auto& each) { return each.first == key; });
  if (!is_known) sealed_by_.emplace_back(key, place_of(commit));
}

void SealAudit::take(const run::Commit& commit, const run::ApprovalKeyChanged& change,
                     const Sink& sink) {
  if (commit.session != run::approvals_session) {
    return problem(sink, commit, "it changes approval keys in the session of another thing");
  }
  const auto why = keys_.take(change, commit.no, run::seal_place(facts_, commit.no), *check_);
  if (why) return problem(sink, commit, cat("its change of the approval keys is forged: ", *why));
  note_good(commit, change.seal.key);
}

void SealAudit::take(const run::Commit& commit, const run::PolicySigned& policy, const Sink& sink) {
  if (commit.session != run::approvals_session || policy.number != policies_ + 1) {
    return problem(sink, commit, "its signed policy is not the next one of this store");
  }
  policies_ = policy.number;
  if (!run::seal_is_good(keys_, facts_, policy, commit.no, *check_)) {
    return problem(sink, commit, "its policy is not signed by a key that counted then");
  }
  note_good(commit, policy.seal.key);
}

/// An import writes all its commits, and this one, in one go: what came to a session in another way
/// was not imported, whatever the session says.
void SealAudit::take(const run::Commit& commit, const run::DecisionsImported& imported,
                     const Sink& sink) {
  const bool is_whole = commit.seq.value == imported.commits + 1 &&
                        commit.no.value == begun_.at(commit.session).value + imported.commits;
  if (!is_whole) return problem(sink, commit, "it tells of an import that it does not end");
  imported_[commit.session] = run::Seq{imported.commits};
}

bool SealAudit::is_imported(const SessionId& session, run::Seq seq) const {
  const auto found = imported_.find(session);
  return found != imported_.end() && seq <= found->second;
}

void SealAudit::doubt(const run::Commit& commit, std::string_view what) {
  doubts_.push_back({commit.session, commit.seq, cat(place_of(commit), what)});
}

SealAudit::OpenGate* SealAudit::gate_at(const NodeId& node) {
  const auto found = gates_.find(node);
  return found == gates_.end() ? nullptr : &found->second;
}

bool SealAudit::check_word(const run::Commit& commit, OpenGate* gate, const run::GateWord& word) {
  const bool claims_seal = word.seal || word.assurance == run::Assurance::sealed;
  if (!claims_seal) return true;
  if (!word.seal) {
    doubt(commit, "its decision is said to be sealed, and has no seal");
    return false;
  }
  if (gate == nullptr) {
    doubt(commit, "its sealed decision is about a gate that was never opened");
    return false;
  }
  if (!run::seal_is_good(keys_, facts_, gate->subject, word, commit.no, *check_)) {
    doubt(commit, keys_.is_in_force(word.seal->key, commit.no)
                      ? "the seal of its decision is forged: it fits something else"
                      : "the seal of its decision is of a key that did not count then");
    return false;
  }
  note_good(commit, word.seal->key);
  gate->good.insert(word.seal->signature);
  if (word.decision == run::GateDecision::approved) gate->approvals.insert(word.seal->key);
  return true;
}

void SealAudit::take(const run::Commit& commit, const run::GateAnswered& answered,
                     const Sink& /*sink*/) {
  check_word(commit, gate_at(answered.word.gate), answered.word);
}

void SealAudit::take(const run::Commit& commit, const run::GateDecided& decided,
                     const Sink& /*sink*/) {
  decided_[commit.session].push_back(commit.seq);
  const run::GateWord& word = decided.word;
  OpenGate* gate = gate_at(word.gate);
  // The word that decides was recorded at the gate before, while its key counted.
  const bool is_known = gate != nullptr && word.seal && gate->good.contains(word.seal->signature);
  if (!is_known && !check_word(commit, gate, word)) return;
  if (gate == nullptr || word.decision != run::GateDecision::approved) return;
  const run::Gate& opened = gate->subject.gate;
  if (opened.least != run::Assurance::sealed) return;
  if (!run::is_enough(word.assurance, opened.least)) {
    return doubt(commit, cat("its gate asks for a sealed decision, and this one is ",
                             name_of(word.assurance)));
  }
  if (std::ssize(gate->approvals) < opened.count) {
    doubt(commit, cat("its gate needs approvals of ", opened.count, " keys, and has ",
                      std::ssize(gate->approvals)));
  }
}

void SealAudit::finish(const PublicKeys& kept, const Sink& sink) {
  for (const Doubt& each : doubts_) {
    if (!is_imported(each.session, each.seq)) sink(StorePart::log, each.what);
  }
  for (const auto& [session, decisions] : decided_) {
    const auto count =
        std::ranges::count_if(decisions, [&](run::Seq seq) { return is_imported(session, seq); });
    if (count > 0) imported_decisions_[session] = count;
  }
  if (kept.empty()) return;
  if (keys_.first().empty()) {
    return sink(StorePart::log, "the store has no approval keys, and some were kept elsewhere");
  }
  if (!kept.contains(keys_.first())) {
    sink(StorePart::log, cat("the store's first approval key is ", keys_.first(),
                             ", which is not one of those that were kept elsewhere"));
  }
  const PublicKeys vouched = keys_.vouched_by(kept);
  for (const auto& [key, place] : sealed_by_) {
    if (vouched.contains(key)) continue;
    sink(StorePart::log,
         cat(place, "it is sealed by ", key, ", which no key that was kept elsewhere vouches for"));
  }
}

}  // namespace baton::verbs
