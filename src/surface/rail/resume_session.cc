#include <algorithm>

#include "base/text/text.h"
#include "surface/arguments.h"
#include "surface/rail/encode.h"
#include "surface/rail/tools.h"
#include "surface/rail/words.h"
#include "surface/tokens.h"
#include "verbs/run/resume.h"

namespace baton::surface::rail {
namespace {

using json::Object;
using verbs::ResumedRun;

std::string words_of(const std::vector<run::Match>& why) {
  std::string out;
  for (const run::Match match : why) out += cat(out.empty() ? "" : ", ", name_of(match));
  return out;
}

Object candidate_json(const ResumedRun& run, const std::string& state_token) {
  json::Array why;
  for (const run::Match match : run.why) why.emplace_back(name_of(match));
  Object out{{"sessionId", run.row.session.text()},
             {"runId", run.row.run.text()},
             {"workflowId", run.row.workflow_id},
             {"stateToken", state_token}};
  if (!run.tip.open_steps.empty()) out.set("pendingStepId", run.tip.open_steps.front());
  out.set("isComplete", run.tip.open_steps.empty());
  out.set("snippet", run.snippet);
  out.set("whyMatched", std::move(why));
  return out;
}

std::string candidate_text(std::size_t place, const ResumedRun& run,
                           const std::string& state_token) {
  return cat(
      place, ". ", run.row.workflow_id, ", ",
      run.tip.open_steps.empty() ? "complete" : cat("pending step ", run.tip.open_steps.front()),
      " (matched by ", words_of(run.why), ")\n   stateToken: ", state_token,
      "\n   session: ", run.row.session.text(), ", run: ", run.row.run.text(), "\n",
      run.snippet.empty() ? "" : cat("---\n", run.snippet, "\n---\n"));
}

std::string none_text(const verbs::Resumed& found) {
  if (found.elsewhere > 0) {
    return cat("No run of this workspace was found; there ",
               found.elsewhere == 1 ? "is 1 elsewhere" : cat("are ", found.elsewhere, " elsewhere"),
               ". Leave out workspacePath to search everywhere.\n");
  }
  if (found.commits_left > 0) return "No run was found so far.\n";
  return "There is no run to continue. start_workflow starts one.\n";
}

/// Whether none of the runs has anything of what was asked for.
bool are_only_recent(const verbs::Resumed& found) {
  return std::ranges::all_of(found.candidates, [](const ResumedRun& each) {
    return std::ranges::all_of(each.why, [](run::Match why) { return why == run::Match::recency; });
  });
}

std::string found_text(const verbs::Resumed& found, const std::string& query) {
  const std::string count =
      cat(found.candidates.size(), " of ", found.eligible, found.eligible == 1 ? " run" : " runs");
  constexpr std::string_view how =
      "To continue one, send only its stateToken to continue_workflow.\n";
  if (!query.empty() && are_only_recent(found)) {
    return cat("No run matches these words. ", count, " instead, the latest first. ", how);
  }
  return cat(
      count,
      query.empty() && are_only_recent(found) ? ", the latest first. " : ", the best match first. ",
      how);
}

std::string left_text(const verbs::Resumed& found) {
  if (found.commits_left == 0) return {};
  return cat("The search index is still being filled: the newest ", found.commits_left,
             " changes are not in it yet, so runs may be missing. Call again in a few seconds.\n");
}

Result<protocol::ToolResult> call_resume_session(const EngineSource& source,
                                                 const protocol::ToolCall& call) {
  const engine::Engine& engine = *TRY(source());
  if (engine.search == nullptr) return fail(Code::INTERNAL, "this server has no search index");
  const auto text = [&](std::string_view key) {
    return text_argument(call.arguments, key).value_or("");
  };
  verbs::ResumeRequest request{.query = text("query"),
                               .git_branch = text("gitBranch"),
                               .git_head_sha = text("gitHeadSha"),
                               .workspace_path = text("workspacePath")};
  if (const json::Value* limit = call.arguments.find("limit"); limit && limit->is_number()) {
    request.limit = limit->if_int() ? *limit->if_int() : 0;
  }
  const auto keys = TRY(engine.signer.held());
  const engine::ReadContext reading = engine.reading(*keys);
  const verbs::Resumed found =
      TRY(verbs::resume(reading, *engine.search, engine.repositories, principal_of(call), request));
  json::Array candidates;
  std::string out = left_text(found);
  out += found.candidates.empty() ? none_text(found) : found_text(found, request.query);
  json::Array damaged;
  for (const RunId& run : found.damaged) {
    out += cat("\n", run.text(), " matches, but its history is damaged: it cannot be continued. ",
               "`baton verify` shows the damage.\n");
    damaged.emplace_back(run.text());
  }
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    const ResumedRun& candidate = found.candidates[i];
    const std::string token = TRY(sign_node(reading, principal_of(call), candidate.tip));
    candidates.emplace_back(candidate_json(candidate, token));
    out += cat('\n', candidate_text(i + 1, candidate, token));
  }
  json::Object structured{{"candidates", std::move(candidates)}, {"totalEligible", found.eligible}};
  if (found.commits_left > 0) structured.set("changesNotSearched", found.commits_left);
  if (!damaged.empty()) structured.set("damagedRuns", std::move(damaged));
  return protocol::ToolResult{.structured = std::move(structured), .text = std::move(out)};
}

}  // namespace

protocol::Tool resume_session(const EngineSource& engine) {
  return {
      .name = "resume_session",
      .title = "Find a run to continue",
      .description =
          "Use this to find a run of another chat whose tokens are lost: it searches by "
          "the user's words, ids, git state or recency, and gives a stateToken for each. It writes "
          "nothing.",
      .input_schema = schema(R"({"type":"object","additionalProperties":false,"properties":{
        "query":{"type":"string",
          "description":"The user's words, or a run or session id."},
        "gitBranch":{"type":"string","description":"Branch the work was started on."},
        "gitHeadSha":{"type":"string","description":"Commit the work was started at."},
        "workspacePath":{"type":"string",
          "description":"Absolute path: only runs of this project."},
        "limit":{"type":"integer","description":"How many, 1 to 5."}}})"),
      .output_schema = schema(R"({"type":"object","properties":{
        "candidates":{"type":"array","items":{"type":"object"}},
        "totalEligible":{"type":"integer"},
        "changesNotSearched":{"type":"integer",
          "description":"Present while the index is still being filled: call again."}}})"),
      .annotations = reads_only,
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_resume_session(engine, call), say);
          },
  };
}

}  // namespace baton::surface::rail
