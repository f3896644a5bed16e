#include "support/run_client.h"

#include "base/text/text.h"

namespace baton::crash {
namespace {

bool is_checkpoint(std::string_view token) { return token.starts_with("chk1"); }

Call attempt_call(std::string_view token, std::string_view notes) {
  return is_checkpoint(token) ? checkpoint_call(token, notes) : advance_call(token, notes);
}

}  // namespace

RunClient::Out RunClient::attempt(const std::string& token, bool is_checkpoint) {
  std::string notes =
      cat(label_, is_checkpoint ? " saves its progress, part " : " did part ", ++notes_made_);
  Out out{Kind::attempt, attempt_call(token, notes), token, notes, 0};
  return out;
}

RunClient::Out RunClient::choose_call() {
  if (ack_.empty()) return {Kind::start, start_call(), {}, {}, 0};
  const std::size_t choice = choose(100);
  if (choice < 5 && !acked_.empty()) {
    const std::size_t index = choose(acked_.size());
    return {Kind::again, again(index), {}, {}, index};
  }
  if (choice < 9) return {Kind::look, look_call(state_), {}, {}, 0};
  if (choice < 11) return {Kind::rewind, look_call(states_[choose(states_.size())]), {}, {}, 0};
  if (choice < 20 && !checkpoint_.empty()) return attempt(checkpoint_, true);
  return attempt(ack_, false);
}

const Call& RunClient::next() {
  if (!out_) out_ = choose_call();
  if (out_->kind == Kind::start) ++starts_sent_;
  return out_->call;
}

Call RunClient::again(std::size_t index) const {
  return attempt_call(acked_[index].token, acked_[index].notes);
}

std::optional<std::string> RunClient::attempt_out() const {
  if (!out_ || out_->kind != Kind::attempt) return std::nullopt;
  return out_->token;
}

std::optional<std::string> RunClient::adopt(const Answer& answer) {
  state_ = answer.field("stateToken");
  ack_ = answer.field("ackToken");
  checkpoint_ = answer.field("checkpointToken");
  if (state_.empty()) return cat("an answer without a state token: ", answer.result);
  if (by_token_.contains(ack_)) return cat("a token that is used up was given out: ", ack_);
  states_.push_back(state_);
  return std::nullopt;
}

std::optional<std::string> RunClient::take(const Answer& answer) {
  ASSERT(out_.has_value());
  if (answer.is_error()) {
    return cat(label_, ": ", json::print(out_->call.arguments), " was refused: ", answer.text);
  }
  const Out out = *std::exchange(out_, std::nullopt);
  switch (out.kind) {
    case Kind::start: {
      const json::Value* session = answer.structured.find("session");
      const json::Value* run = session != nullptr ? session->find("runId") : nullptr;
      if (run == nullptr) return cat("a start without a run: ", answer.result);
      runs_.push_back(*run->if_string());
      states_.clear();
      return adopt(answer);
    }
    case Kind::attempt:
      by_token_.emplace(out.token, acked_.size());
      acked_.push_back({out.token, answer.field("stateToken"), out.notes});
      results_.push_back(answer.result);
      return adopt(answer);
    case Kind::again:
      ++answers_repeated_;
      if (answer.result == results_[out.index]) return std::nullopt;
      return cat(acked_[out.index].token, " was answered with\n  ", results_[out.index],
                 "\nand later with\n  ", answer.result);
    case Kind::look:
      if (answer.field("ackToken") == ack_) return std::nullopt;
      return cat(label_, ": looking again gave ", answer.field("ackToken"), ", not ", ack_);
    case Kind::rewind: return adopt(answer);
  }
  return std::nullopt;
}

}  // namespace baton::crash
