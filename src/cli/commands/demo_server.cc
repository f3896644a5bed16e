#include "cli/commands/demo_server.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>
#include <vector>

#include "base/text/text.h"

namespace baton::cli {
namespace {

std::unexpected<Error> gone(std::string_view what) {
  return fail(Code::ENVIRONMENT, cat("the server of the demonstration ", what));
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Result<DemoServer> DemoServer::start(const World& world, const std::filesystem::path& folder) {
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0) return gone("has no pipe");
  if (::pipe2(out, O_CLOEXEC) != 0) {
    ::close(in[0]);
    ::close(in[1]);
    return gone("has no pipe");
  }
  std::vector<std::string> words = {world.executable.string(), "serve", "--db",
                                    (folder / "demo.db").string()};
  // The user's own settings are not the demonstration's: they may name folders that are gone.
  std::vector<std::string> variables = {cat("XDG_CONFIG_HOME=", folder.string())};
  for (const auto& [name, value] : world.environment) {
    if (!name.starts_with("BATON_") && name != "XDG_CONFIG_HOME")
      variables.push_back(cat(name, '=', value));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t pid = -1;
  const int problem = ::posix_spawn(&pid, words[0].c_str(), &actions, nullptr,
                                    pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  DemoServer server(problem == 0 ? pid : -1, in[1], out[0]);
  if (problem != 0) return gone("cannot be started");
  return server;
}

DemoServer::DemoServer(DemoServer&& other) noexcept { *this = std::move(other); }

DemoServer& DemoServer::operator=(DemoServer&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(to_, other.to_);
  std::swap(from_, other.from_);
  std::swap(id_, other.id_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

DemoServer::~DemoServer() {
  kill();
  if (to_ >= 0) ::close(to_);
  if (from_ >= 0) ::close(from_);
}

void DemoServer::kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
}

Result<json::Object> DemoServer::call(std::string_view tool, const json::Object& arguments) {
  TRY(send(tool, arguments));
  return receive();
}

Result<void> DemoServer::send(std::string_view tool, const json::Object& arguments) {
  const json::Object request{{"jsonrpc", "2.0"},
                             {"id", ++id_},
                             {"method", "tools/call"},
                             {"params", json::Object{{"name", tool}, {"arguments", arguments}}}};
  return write_bytes(to_, cat(json::print(request), '\n'));
}

Result<json::Object> DemoServer::receive() {
  std::size_t end = 0;
  while ((end = buffer_.find('\n')) == std::string::npos) {
    char chunk[16'384];
    const ssize_t got = ::read(from_, chunk, sizeof chunk);
    if (got <= 0) return gone("is gone");
    buffer_.append(chunk, static_cast<std::size_t>(got));
  }
  const json::Value answer = TRY(json::parse(std::string_view(buffer_).substr(0, end)));
  buffer_.erase(0, end + 1);
  const json::Value* const result = answer.find("result");
  if (result == nullptr) return gone(cat("refused the call: ", json::print(answer)));
  if (result->find("isError") == nullptr) {
    const json::Value* const fields = result->find("structuredContent");
    if (fields == nullptr || !fields->is_object()) return gone("answered without fields");
    return *fields->if_object();
  }
  const json::Array* const content = result->find("content")->if_array();
  return json::Object{{"error", *content->front().find("text")->if_string()}};
}

}  // namespace baton::cli
