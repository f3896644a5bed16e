#include "run/decide/hold.h"

#include "base/core/limits.h"
#include "base/text/text.h"
#include "run/decide/append_events.h"

namespace baton::run {
namespace {

std::unexpected<Error> refused(std::string message, Move move) {
  return fail(Code::INVALID_INPUT, cat(std::move(message), "; nothing was changed"), move);
}

}  // namespace

Result<void> check_hold(const RunHeld& now, RunHeld& next, bool is_over) {
  TRY(check_text("the reason", next.reason, limits::hold_reason_bytes_max, fewer_words));
  if (next.hold == Hold::running && now.hold == Hold::running) {
    return refused("the run is neither paused nor cancelled", Move::list_runs);
  }
  if (next.hold == now.hold) {
    return refused(cat("the run is ", name_of(now.hold), " already: ", hold_text(now)),
                   Move::resume_run);
  }
  if (next.hold == Hold::paused && now.hold == Hold::cancelled) {
    return refused("the run is cancelled; a cancelled run cannot be paused", Move::resume_run);
  }
  if (is_over && next.hold != Hold::running) {
    return refused(cat("the run has ended; it cannot be ", name_of(next.hold)), Move::list_runs);
  }
  if (now.number >= limits::holds_per_run_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("the run was paused, resumed and cancelled ", limits::holds_per_run_max,
                    " times; no more is recorded"),
                Move::start_run);
  }
  next.number = now.number + 1;
  return {};
}

Result<void> check_guidance(std::int64_t count, Guidance& next) {
  TRY(check_text("the guidance", next.text, limits::guidance_bytes_max, fewer_words));
  if (trimmed(next.text).empty()) {
    return fail(Code::INVALID_INPUT, "the guidance is empty; nothing was recorded",
                "say what the agent should know");
  }
  if (count >= limits::guidance_per_run_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("the run has ", limits::guidance_per_run_max,
                    " pieces of guidance; no more is recorded"),
                Move::start_run);
  }
  next.number = count + 1;
  return {};
}

std::string hold_text(const RunHeld& held) {
  const std::string_view how = held.source.how == ChangedHow::terminal ? " in a terminal" : "";
  return cat(held.source.principal, ' ',
             held.hold == Hold::running ? "resumed" : name_of(held.hold), " it", how,
             held.reason.empty() ? "" : ": ", held.reason);
}

}  // namespace baton::run
