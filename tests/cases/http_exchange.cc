// The directives `http` and `http_fixtures`: requests to a server over HTTP and what it answers.
//
//   --> METHOD /path | Header: value | ... | body      a request on a connection of its own
//   --> READ                                           the next event of the last open stream
//
// Host, Accept and Content-Type are sent as a client would unless they are given; one given with
// an empty value is left out.

#include <deque>
#include <fstream>
#include <set>
#include <sstream>

#include "base/text/text.h"
#include "scene.h"
#include "transport/http/testing/http_client.h"

namespace baton::cases {
namespace {

using transport::HttpHeader;

using transport::testing::Answer;
using transport::testing::HttpClient;

struct Asked {
  std::string method;
  std::string target;
  std::vector<HttpHeader> headers;
  std::string body;
};

/// Headers come before the body; the first line that is not a header starts the body.
std::optional<HttpHeader> header_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view name = text.substr(0, colon);
  const bool fits =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") ==
      std::string_view::npos;
  if (!fits) return std::nullopt;
  std::string_view value = text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  return HttpHeader{std::string(name), std::string(value)};
}

Asked asked_of(std::string_view text) {
  constexpr std::string_view bar = " | ";
  const auto next = [&] {
    const std::size_t end = std::min(text.find(bar), text.size());
    const std::string_view part = text.substr(0, end);
    return part;
  };
  Asked asked;
  const std::string_view line = next();
  const std::size_t space = std::min(line.find(' '), line.size());
  asked.method = line.substr(0, space);
  asked.target = line.substr(std::min(space + 1, line.size()));
  while (next().size() < text.size()) {
    text.remove_prefix(next().size() + bar.size());
    auto header = header_of(next());
    if (!header) {
      asked.body = text;
      break;
    }
    asked.headers.push_back(std::move(*header));
  }
  return asked;
}

std::string text_of(const Asked& asked, int port) {
  std::vector<HttpHeader> headers = asked.headers;
  const auto usual = [&](std::string_view name, std::string value) {
    for (const HttpHeader& each : asked.headers) {
      if (ascii_lower(each.name) == ascii_lower(name)) return;
    }
    headers.push_back({std::string(name), std::move(value)});
  };
  usual("Host", cat("127.0.0.1:", port));
  usual("Accept", "application/json, text/event-stream");
  if (!asked.body.empty()) {
    usual("Content-Type", "application/json");
    usual("Content-Length", cat(asked.body.size()));
  }
  std::string out = cat(asked.method, ' ', asked.target, " HTTP/1.1\r\n");
  for (const HttpHeader& each : headers) {
    if (!each.value.empty()) out += cat(each.name, ": ", each.value, "\r\n");
  }
  return cat(out, "\r\n", asked.body);
}

class HttpExchange {
 public:
  HttpExchange(Scene& scene, const Command& command, Which which)
      : scene_(scene), command_(command), which_(which), replies_(command.sends.size() + 1) {}

  Result<Outcome> run() {
    std::vector<std::string> words = TRY(words_of(command_.rest));
    if (which_ == Which::fixtures) {
      words = {"--http"};
    } else {
      words.insert(words.begin(), {"serve", "--http", "127.0.0.1:0"});
    }
    Pipe output = make_pipe();
    const Descriptor errors = memory_file("");
    auto program = TRY(scene_.start(which_, std::move(words), memory_file(""),
                                    std::move(output.write), errors.duplicate()));
    const Result<void> talked = talk(output.read);
    streams_.clear();
    program->stop();
    Outcome outcome;
    outcome.exit = TRY(program->wait());
    outcome.errors = content_of(errors);
    if (!talked) return std::unexpected(talked.error());
    outcome.replies = std::move(replies_);
    return outcome;
  }

 private:
  Result<void> talk(const Descriptor& output) {
    char line[256];
    const ssize_t got = ::read(output.get(), line, sizeof line);
    const std::string_view said(line, got > 0 ? static_cast<std::size_t>(got) : 0);
    const std::size_t colon = said.rfind(':');
    if (!said.starts_with("listening on http://") || colon == std::string_view::npos) {
      return fail(Code::NOT_FOUND, cat("the server does not say where it listens: ", said));
    }
    port_ = static_cast<int>(
        parse_int(said.substr(colon + 1, said.find('/', colon) - colon - 1)).value_or(0));
    learn_secret();
    for (std::size_t i = 0; i < command_.sends.size(); ++i) {
      const std::string text = TRY(scene_.names().expand(command_.sends[i].text));
      TRY(text == "READ" ? read_event(i) : ask(i, asked_of(text)));
    }
    return {};
  }

  /// What the server made on its first start is <<secret>>.
  void learn_secret() {
    std::ifstream file(scene_.directory() / "home/.local/share/baton/baton.db.http-token");
    std::string secret;
    if (std::getline(file, secret)) scene_.names().define("secret", secret);
  }

  Result<void> ask(std::size_t send, const Asked& asked) {
    transport::ListenAddress address;
    address.host = "127.0.0.1";
    address.port = static_cast<std::uint16_t>(port_);
    HttpClient client(address);
    if (!client.send(text_of(asked, port_))) {
      return fail(Code::ENVIRONMENT, cat("the server takes nothing: ", asked.method));
    }
    const bool is_stream_request = asked.method == "GET";
    Answer answer = is_stream_request ? client.read_head() : client.read();
    const bool is_stream =
        is_stream_request && answer.header("content-type") == "text/event-stream";
    if (is_stream_request && !is_stream) {
      // The head is read; what the length says follows.
      answer.body = client.read_body(answer);
    }
    tell(send, answer);
    if (is_stream) streams_.push_back(std::move(client));
    return {};
  }

  Result<void> read_event(std::size_t send) {
    if (streams_.empty()) return fail(Code::INVALID_INPUT, "READ without an open stream");
    tell_lines(send, streams_.back().read_event());
    return {};
  }

  void tell(std::size_t send, const Answer& answer) {
    std::string head = cat(answer.status);
    for (const std::string_view name :
         {"content-type", "mcp-session-id", "www-authenticate", "allow"}) {
      const std::string value = answer.header(name);
      if (value.empty()) continue;
      if (name == "mcp-session-id" && sessions_seen_.insert(value).second) {
        scene_.names().define(cat("session", sessions_seen_.size()), value);
      }
      head += cat(" | ", name, ": ", value);
    }
    replies_[send].push_back(scene_.names().shorten(head));
    tell_lines(send, answer.body);
  }

  void tell_lines(std::size_t send, const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) replies_[send].push_back(scene_.names().shorten(line));
    }
  }

  Scene& scene_;
  const Command& command_;
  const Which which_;
  std::vector<std::vector<std::string>> replies_;
  int port_ = 0;
  std::set<std::string> sessions_seen_;
  std::deque<HttpClient> streams_;
};

Result<Outcome> run(Scene& scene, const Command& command, Which which) {
  if (scene.mode() != Mode::binary) {
    return fail(Code::INVALID_INPUT, "http wants a process that can be stopped: say 'only binary'");
  }
  return HttpExchange(scene, command, which).run();
}

}  // namespace

Result<Outcome> run_http(Scene& scene, const Command& command) {
  return run(scene, command, Which::baton);
}

Result<Outcome> run_http_fixtures(Scene& scene, const Command& command) {
  return run(scene, command, Which::fixtures);
}

}  // namespace baton::cases
