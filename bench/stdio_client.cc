#include "stdio_client.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/text/text.h"

extern char** environ;

namespace baton::bench {

StdioClient::StdioClient(std::vector<std::string> command) {
  int in[2];
  int out[2];
  ASSERT(::pipe2(in, O_CLOEXEC) == 0 && ::pipe2(out, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  ASSERT(::posix_spawnp(&pid_, words[0], &actions, nullptr, words.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  to_ = in[1];
  from_ = out[0];
  ::fcntl(from_, F_SETFL, O_NONBLOCK);
}

StdioClient::~StdioClient() {
  ::close(to_);
  ::waitpid(pid_, nullptr, 0);
  ::close(from_);
}

json::Object StdioClient::call(std::string_view tool, json::Object arguments) {
  return result_of(exchange(line_of(tool, std::move(arguments))));
}

std::string StdioClient::line_of(std::string_view tool, json::Object arguments) {
  const json::Object request{
      {"jsonrpc", "2.0"},
      {"id", ++id_},
      {"method", "tools/call"},
      {"params", json::Object{{"name", tool}, {"arguments", std::move(arguments)}}}};
  return json::print(request) + "\n";
}

std::string StdioClient::exchange(const std::string& line) {
  ASSERT(::write(to_, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
  return read_line();
}

json::Object StdioClient::result_of(const std::string& answer) {
  const json::Value value = MUST(json::parse(answer));
  const json::Value* result = value.find("result");
  const json::Value* structured = result != nullptr ? result->find("structuredContent") : nullptr;
  if (structured == nullptr || structured->if_object() == nullptr ||
      result->find("isError") != nullptr) {
    std::fprintf(stderr, "unexpected answer: %s\n", answer.c_str());
    std::abort();
  }
  return *structured->if_object();
}

std::string StdioClient::read_line() {
  while (true) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    char chunk[65536];
    ssize_t got = 0;
    // Without sleeping: how fast the system wakes this client is no figure of the server's.
    while ((got = ::read(from_, chunk, sizeof chunk)) < 0 && errno == EAGAIN) sched_yield();
    ASSERT(got > 0);
    buffer_.append(chunk, static_cast<std::size_t>(got));
  }
}

}  // namespace baton::bench
