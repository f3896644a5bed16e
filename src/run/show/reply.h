#pragma once
// Reply: what a caller is told, free of any surface. It is recorded with its advance, so that the
// same attempt gets the same answer for ever.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/log/rows.h"
#include "run/log/token.h"
#include "run/show/left_branch.h"
#include "workflow/compiled.h"

namespace baton::run {

enum class ReplyKind : std::uint8_t { ok, blocked };

enum class NextIntent : std::uint8_t {
  perform_pending_then_continue,
  await_user_confirmation,
  rehydrate_only,
  complete
};

std::string_view name_of(ReplyKind kind);
std::string_view name_of(NextIntent intent);

struct Pending {
  std::string step_id;
  std::string title;
  std::string prompt;
  bool require_confirmation = false;
  std::optional<std::string> agent_role;
  // Who has to do what: the kind says how to read the definition, which a plain prompt has none of.
  workflow::StepKind kind = workflow::StepKind::prompt;
  json::Object definition = {};
  bool operator==(const Pending&) const = default;
};

/// One thing that keeps an attempt from passing, and what to do about it.
struct Blocker {
  BlockerCode code = BlockerCode::MISSING_REQUIRED_OUTPUT;
  Pointer pointer;
  std::string message;
  std::string suggested_fix;
  bool operator==(const Blocker&) const = default;
};

struct Reply {
  ReplyKind kind = ReplyKind::ok;
  SessionId session;
  RunId run;
  TokenClaim state;
  std::optional<TokenClaim> ack;          // none when complete
  std::optional<TokenClaim> checkpoint;   // none when complete
  std::optional<Pending> pending;         // none when complete
  std::optional<NodeId> checkpoint_node;  // only in the answer to a checkpoint
  NextIntent next_intent = NextIntent::perform_pending_then_continue;
  Preferences preferences;
  std::vector<std::string> warnings;
  RunStatus status = RunStatus::in_progress;
  // Of a blocked reply; its ack belongs to the node of the blocked attempt.
  std::vector<Blocker> blockers = {};
  bool retryable = false;      // by the agent alone
  json::Object example = {};   // a sample that would pass: notes_key, "artifacts", context_key
  std::vector<Gap> gaps = {};  // open ones, the newest first, at most limits::shown_gaps_max
  std::int64_t open_gaps = 0;  // all of them
  std::map<Capability, KnownCapability> capabilities = {};
  json::Object step_context = {};       // what was judged of the step, for the agent to go by
  std::optional<TaskRef> task = {};     // what the run carries out, when it is a sub-agent's
  std::vector<Guidance> guidance = {};  // of the owner, that no earlier reply of the branch had
  std::optional<LeftBranch> left = {};  // of an attempt that forked: what it forked from
  std::optional<Gate> gate = {};        // where the run waits for a person
  std::vector<Assumption> assumptions = {};  // of the whole run, when it is complete

  bool is_complete() const { return !pending.has_value(); }
  bool operator==(const Reply&) const = default;
};

/// The recorded form: canonicalisable JSON in which each string over limits::reply_inline_bytes_max
/// is a reference by content hash. The strings themselves are added to `blobs`.
json::Value record_reply(const Reply& reply, std::vector<Content>& blobs);

/// The hashes that a recorded reply refers to.
std::vector<Sha256> blobs_of(const json::Value& recorded);

/// The hashes of everything that events refer to by content: texts and pinned workflows.
std::vector<Sha256> contents_of(std::span<const Event> events);

/// Undoes record_reply. `blob` gives the text of a hash.
class BlobReader {
 public:
  virtual ~BlobReader() = default;
  virtual Result<std::string> blob(const Sha256& hash) = 0;
};
Result<Reply> restore_reply(const json::Value& recorded, BlobReader& blobs);

}  // namespace baton::run
