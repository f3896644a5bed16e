#pragma once
// Appends as the verbs make them, from small numbers, so that a test reads like a story.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "ports/event_store.h"

namespace baton::contract {

SessionId session_id(std::uint64_t n);
RunId run_id(std::uint64_t n);
NodeId node_id(std::uint64_t n);

/// A new session with one run and its root node, step "a" open.
run::CommitDraft start_run(std::uint64_t session, std::uint64_t run, std::uint64_t root);

struct Step {
  std::uint64_t from = 0;  // node
  std::uint64_t to = 0;    // node
  run::AttemptKey attempt{};
  std::vector<std::string> open = {"next"};
  std::string notes = "done";
};

/// The attempt `step.attempt` at node `from` led to node `to`. No expected head: set it if wanted.
run::CommitDraft advance(std::uint64_t session, std::uint64_t run, const Step& step);

/// Gives the append a text that its recorded reply refers to by its hash.
void refer_to(run::CommitDraft& append, std::string text);

/// A commit that makes no node.
run::CommitDraft note(std::uint64_t session, std::uint64_t run, std::uint64_t node, std::string key,
                      std::string_view text);

/// The values a store must have given; each fails the test otherwise.
template <class T>
T got(Result<T> result) {
  if (result) return *std::move(result);
  ADD_FAILURE() << name_of(result.error().code) << ": " << result.error().message;
  return {};
}
ports::Appended must_append(ports::EventStore& store, run::CommitDraft append);
/// As it is now, whole.
void must_purge(ports::EventStore& store, std::uint64_t session);
run::NodeRow must_have_node(ports::EventReader& store, std::uint64_t node);

/// Walks the session's log: seq without gaps, every link and hash right. Empty text: it holds.
std::string chain_problem(ports::EventReader& store, const SessionId& session);

/// What the store's own audit finds in its tables.
Result<std::vector<std::string>> table_problems(ports::EventStore& store);

/// Every row that a reader can reach from the log, as one text, to compare two states of a store.
std::string dump(ports::EventReader& store);

/// Every commit of the store, in order.
Result<std::vector<run::Commit>> whole_log(ports::EventReader& store);

}  // namespace baton::contract
