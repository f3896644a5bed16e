#include "verbs/run/resume.h"

#include "base/text/text.h"
#include "engine/load/load.h"
#include "engine/revocation.h"
#include "run/show/recap.h"
#include "verbs/store/fill_search_index.h"

namespace baton::verbs {
namespace {

// Runs may be removed while they are looked for.
constexpr int find_tries_max = 8;

Result<void> check(const ResumeRequest& request) {
  if (request.query.size() > limits::search_query_bytes_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("the words to search for have ", request.query.size(), " bytes; at most ",
                    limits::search_query_bytes_max, " are searched"),
                "send a few words that occur in the run's notes or goal");
  }
  if (request.limit < 1 || request.limit > limits::resume_candidates_max) {
    return fail(Code::INVALID_INPUT, cat(request.limit, " runs were asked for; ask for 1 to ",
                                         limits::resume_candidates_max));
  }
  const std::string& path = request.workspace_path;
  if (!path.empty() && (path.front() != '/' || path.contains('\0') ||
                        path.size() > limits::workspace_path_bytes_max)) {
    return fail(Code::INVALID_INPUT, "the workspace is not an absolute path",
                "start it with /, or leave it out to search everywhere");
  }
  return {};
}

run::ResumeQuestion question_of(ports::RepositoryReader* repositories,
                                const engine::Principal& principal, const ResumeRequest& request) {
  run::ResumeQuestion question;
  run::read_query(request.query, question);
  question.branch = request.git_branch;
  question.head_sha = request.git_head_sha;
  question.workspace = request.workspace_path;
  question.principal = principal.name;
  if (repositories == nullptr || request.workspace_path.empty()) return question;
  const ports::RepositoryState seen = repositories->look(request.workspace_path);
  question.repo_root = seen.root;
  // A caller that sends words is not asking for the repository's current commit.
  if (request.query.empty()) {
    if (question.branch.empty()) question.branch = seen.branch;
    if (question.head_sha.empty()) question.head_sha = seen.head_sha;
  }
  return question;
}

/// What was written last on the way to `node`, or what the run is for.
Result<std::string> latest_notes(const engine::ReadContext& reading, run::NodeRow node,
                                 const std::string& goal) {
  for (std::size_t looked = 0; looked < limits::resume_walk_nodes_max; ++looked) {
    const auto events = TRY(load_events(reading, node.no.commit()));
    std::string notes = run::recap_entry(events, node.id).notes;
    if (!notes.empty()) return notes;
    if (!node.parent) break;
    node = TRY(load_parent(reading, node));
  }
  return goal;
}

Result<std::string> snippet(const engine::ReadContext& reading, const run::NodeRow& tip,
                            const std::string& goal, const run::FoundRun& found,
                            const std::vector<std::string>& words) {
  if (found.best.value != 0) {
    std::string text;
    for (const run::Event& event : TRY(load_events(reading, found.best))) {
      if (const auto* output = std::get_if<run::NodeOutputAppended>(&event)) {
        const auto* notes = std::get_if<run::Notes>(&output->payload);
        if (notes != nullptr && output->run == tip.run) text = notes->markdown;
      } else if (const auto* started = std::get_if<run::RunStarted>(&event)) {
        if (started->run == tip.run) text = started->goal;
      }
    }
    if (!text.empty()) return run::snippet_of(text, words);
  }
  return run::snippet_of(TRY(latest_notes(reading, tip, goal)), words);
}

/// The run as the store has it; nothing when it was removed.
Result<std::optional<ResumedRun>> load(const engine::ReadContext& reading,
                                       const run::ResumeCandidate& candidate,
                                       const std::vector<std::string>& words) {
  auto row = TRY(reading.store.run(candidate.run.run));
  auto tip = row ? TRY(reading.store.node(row->tip)) : std::nullopt;
  if (!tip) {
    if (TRY(reading.store.head(candidate.run.session)).seq.value == 0) return std::nullopt;
    return fail(Code::STORAGE_CORRUPTION_DETECTED,
                cat("the entry of ", candidate.run.run.text(), " is missing in the store"),
                Move::rebuild_store);
  }
  if (TRY(is_revoked(reading, *tip))) return std::nullopt;
  ResumedRun out;
  auto text = snippet(reading, *tip, row->goal, candidate.run, words);
  // Removed between two looks, it is gone like the others.
  if (!text && !TRY(reading.store.run(candidate.run.run))) return std::nullopt;
  out.snippet = TRY(std::move(text));
  out.row = *std::move(row);
  out.tip = *std::move(tip);
  out.why = candidate.why;
  return out;
}

}  // namespace

Result<Resumed> resume(const engine::ReadContext& reading, ports::SearchIndex& index,
                       ports::RepositoryReader* repositories, const engine::Principal& principal,
                       const ResumeRequest& request) {
  TRY(check(request));
  const CaughtUp caught_up = TRY(fill_search_index(reading, index));
  const run::ResumeQuestion question = question_of(repositories, principal, request);
  for (int tries = 1;; ++tries) {
    run::ResumeRanking ranking(question, static_cast<std::size_t>(request.limit));
    TRY(index.find(question.words, ranking));
    Resumed out{{}, ranking.eligible(), ranking.elsewhere(), {}, caught_up.commits_left};
    bool is_stale = false;
    for (const run::ResumeCandidate& candidate : std::move(ranking).best()) {
      auto loaded = load(reading, candidate, question.words);
      if (!loaded && engine::is_damage(loaded.error())) {
        out.damaged.push_back(candidate.run.run);
        continue;
      }
      if (auto found = TRY(std::move(loaded))) {
        out.candidates.push_back(*std::move(found));
      } else {
        TRY(index.forget(candidate.run.session));
        is_stale = true;
      }
    }
    if (!is_stale || tries == find_tries_max) return out;
  }
}

}  // namespace baton::verbs
