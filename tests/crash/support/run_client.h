#pragma once
// A client that walks runs with one call out at a time, remembers every answer it got, and says
// when an answer breaks a promise. The same seed makes the same choices. One thread at a time.

#include <map>
#include <random>

#include "support/server.h"

namespace baton::crash {

/// An attempt whose answer was heard.
struct Acked {
  std::string token;    // an ack or a checkpoint token
  std::string outcome;  // the state token of the node that settled it
  std::string notes;    // as sent; empty: not known
};

class RunClient {
 public:
  RunClient(std::uint64_t seed, std::string label) : label_(std::move(label)), random_(seed) {}

  /// The call that is out, or the next one, which then is out. Asking again is sending it again.
  const Call& next();

  /// Hears the answer to the call that is out: why it breaks a promise, or nothing. An error is a
  /// broken promise here; who expects one does not hand it over, and the call stays out.
  std::optional<std::string> take(const Answer& answer);

  bool has_call_out() const { return out_.has_value(); }
  /// The ack or checkpoint token that is out, if it may be recorded unheard.
  std::optional<std::string> attempt_out() const;

  const std::vector<Acked>& acked() const { return acked_; }
  const std::vector<std::string>& runs() const { return runs_; }
  const std::string& state_token() const { return state_; }
  /// Starts that were sent and never answered: each may have created a run without a known id.
  std::int64_t starts_unheard() const { return starts_sent_ - std::ssize(runs_); }
  std::int64_t answers_repeated() const { return answers_repeated_; }

  /// The call with which an acknowledged attempt can be asked for again.
  Call again(std::size_t index) const;
  /// The bytes that it must be answered with.
  const std::string& result_of(std::size_t index) const { return results_[index]; }

 private:
  enum class Kind { start, attempt, again, look, rewind };
  struct Out {
    Kind kind = Kind::start;
    Call call;
    std::string token;
    std::string notes;
    std::size_t index = 0;  // of the attempt asked for again
  };

  std::size_t choose(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  Out choose_call();
  Out attempt(const std::string& token, bool is_checkpoint);
  std::optional<std::string> adopt(const Answer& answer);

  std::string label_;
  std::mt19937_64 random_;
  std::optional<Out> out_;
  std::string state_;
  std::string ack_;  // empty: no run, or it is complete
  std::string checkpoint_;
  std::vector<std::string> states_;  // of this run, to rewind to
  std::vector<Acked> acked_;
  std::vector<std::string> results_;  // of acked_, byte by byte
  std::map<std::string, std::size_t, std::less<>> by_token_;
  std::vector<std::string> runs_;
  std::int64_t starts_sent_ = 0;
  std::int64_t answers_repeated_ = 0;
  std::int64_t notes_made_ = 0;
};

}  // namespace baton::crash
