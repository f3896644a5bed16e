// The directives `serve` and `fixtures`: messages to a server over its standard streams and what it
// answers.

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/json/json.h"
#include "base/text/text.h"
#include "cli/world.h"
#include "scene.h"

namespace baton::cases {
namespace {

// Longer than any honest answer takes on a loaded machine; only a failing case waits for it.
constexpr int reply_wait_ms_max = 20'000;

/// Which answer a sent message calls for.
struct Wanted {
  std::size_t send;
  std::string id;  // printed; "null" for a message whose id cannot be read
};

/// The id that the answer to `text` will carry; nothing when none will come.
std::optional<std::string> wanted_id(std::string_view text) {
  const Result<json::Value> message = json::parse(text);
  if (!message) return "null";
  if (!message->is_object()) return "null";
  const json::Value* id = message->find("id");
  const bool asks = message->find("method") != nullptr;
  const bool answers = message->find("result") != nullptr || message->find("error") != nullptr;
  if (asks && id != nullptr) return json::print(*id);
  if (asks || answers) return std::nullopt;
  return id == nullptr ? "null" : json::print(*id);
}

/// Whether the server asks something, so that the answer awaited cannot come yet.
bool is_question(std::string_view line) {
  const Result<json::Value> message = json::parse(line);
  return message && message->find("method") != nullptr && message->find("id") != nullptr;
}

class Exchange {
 public:
  Exchange(Scene& scene, const Command& command, Which which)
      : scene_(scene), command_(command), which_(which), replies_(command.sends.size() + 1) {}

  Result<Outcome> run() {
    std::vector<std::string> words = TRY(words_of(command_.rest));
    if (which_ == Which::baton) words.insert(words.begin(), "serve");
    Pipe to = make_pipe();
    Pipe from = make_pipe();
    const Descriptor errors = memory_file("");
    to_ = std::move(to.write);
    from_ = std::move(from.read);
    auto program = TRY(scene_.start(which_, std::move(words), std::move(to.read),
                                    std::move(from.write), errors.duplicate()));
    const Result<void> talked = talk();
    to_.reset();
    if (!talked) {
      from_.reset();
      return std::unexpected(talked.error());
    }
    TRY(read_to_the_end());
    Outcome outcome;
    outcome.exit = TRY(program->wait());
    outcome.errors = content_of(errors);
    outcome.replies = std::move(replies_);
    outcome.answers = std::move(answers_);
    return outcome;
  }

 private:
  Result<void> talk() {
    for (std::size_t i = 0; i < command_.sends.size(); ++i) {
      const Send& send = command_.sends[i];
      received_.clear();
      const std::string text = TRY(text_of(send, i));
      const std::optional<std::string> id = wanted_id(text);
      if (id) wanted_.push_back({i, *id});
      TRY(cli::write_bytes(to_.get(), cat(text, '\n')));
      while (send.waits && is_wanted(i)) {
        const Result<std::optional<std::string>> line = next_line();
        if (!line) return fail(line.error().code, cat(line.error().message, ": ", send.text));
        if (!*line) return fail(Code::NOT_FOUND, cat("the server ended unasked: ", send.text));
        TRY(place(**line, i));
        if (is_question(**line)) break;  // the next message answers it
      }
      if (send.is_call) TRY(show(i));
    }
    return {};
  }

  /// The message to send. Calls are numbered by their place.
  Result<std::string> text_of(const Send& send, std::size_t place) {
    if (!send.is_call) return scene_.names().expand(send.text);
    asked_ = TRY(parse_call(TRY(scene_.names().expand_call(send.text))));
    return asked_.message(place + 1);
  }

  /// Turns what came for a call into facts.
  Result<void> show(std::size_t place) {
    answers_[place] = TRY(show_answer(scene_.answers(), scene_.names(), asked_,
                                      command_.sends[place].queries, received_));
    replies_[place].clear();
    return {};
  }

  Result<void> read_to_the_end() {
    for (;;) {
      const std::optional<std::string> line = TRY(next_line());
      if (!line) return {};
      TRY(place(*line, command_.sends.size()));
    }
  }

  bool is_wanted(std::size_t send) const {
    return std::ranges::any_of(wanted_, [&](const Wanted& each) { return each.send == send; });
  }

  /// Puts a line below the message it answers, else below the one we wait for.
  Result<void> place(const std::string& line, std::size_t waiting) {
    const Result<json::Value> message = json::parse(line);
    if (!message) {
      return fail(Code::INVALID_JSON, cat("standard output has a line that is no JSON: ", line));
    }
    std::size_t target = waiting;
    const json::Value* id = message->find("id");
    if (message->find("method") == nullptr) {
      const std::string printed = id == nullptr ? "null" : json::print(*id);
      auto found = std::ranges::find(wanted_, printed, &Wanted::id);
      // A server that could not read the id of a message answers it with null.
      if (found == wanted_.end() && printed == "null") {
        found = std::ranges::find(wanted_, waiting, &Wanted::send);
      }
      if (found != wanted_.end()) {
        target = found->send;
        wanted_.erase(found);
      }
    }
    if (target == waiting) received_.push_back(line);
    replies_[target].push_back(scene_.names().shorten(line));
    return {};
  }

  /// The next line of standard output; nothing at its end.
  Result<std::optional<std::string>> next_line() {
    for (;;) {
      const std::size_t end = buffer_.find('\n');
      if (end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return line;
      }
      pollfd waiting{from_.get(), POLLIN, 0};
      if (poll(&waiting, 1, reply_wait_ms_max) == 0) {
        return fail(Code::NOT_FOUND, cat("no answer within ", reply_wait_ms_max / 1000, " s"));
      }
      char chunk[65536];
      const ssize_t got = read(from_.get(), chunk, sizeof chunk);
      if (got < 0) return fail(Code::ENVIRONMENT, "cannot read the server's output");
      if (got == 0 && buffer_.empty()) return std::nullopt;
      if (got == 0) {
        return fail(Code::INVALID_JSON, cat("standard output ends within a line: ", buffer_));
      }
      buffer_.append(chunk, static_cast<std::size_t>(got));
    }
  }

  Scene& scene_;
  const Command& command_;
  const Which which_;
  std::vector<std::vector<std::string>> replies_;
  std::map<std::size_t, Answer> answers_;
  CallLine asked_;                     // the call that was sent last
  std::vector<std::string> received_;  // lines that came while it was waited for
  std::vector<Wanted> wanted_;
  Descriptor to_;
  Descriptor from_;
  std::string buffer_;
};

}  // namespace

Result<Outcome> run_serve(Scene& scene, const Command& command) {
  return Exchange(scene, command, Which::baton).run();
}

Result<Outcome> run_fixtures(Scene& scene, const Command& command) {
  return Exchange(scene, command, Which::fixtures).run();
}

}  // namespace baton::cases
