#include "cli/serve/serve.h"

#include <poll.h>
#include <unistd.h>

#include <system_error>
#include <thread>

#include "base/core/limits.h"
#include "base/json/json.h"
#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/config/load.h"
#include "cli/config/places.h"
#include "cli/parts.h"
#include "cli/serve/offer.h"
#include "cli/verb.h"
#include "protocol/server.h"
#include "transport/stdio/serve.h"

namespace baton::cli {
namespace {

constexpr std::string_view used_settings[] = {
    "surface",  "workflows",   "db",          "content_dir", "token_ttl",
    "http",     "token_file",  "allow_host",  "allow_shell", "policy",
    "autonomy", "risk_policy", "plan_config", "verbose"};

Result<transport::ServeEnd> serve(const World& world, const protocol::Server& server,
                                  transport::Hub& hub) {
  transport::StdioOptions options;
  options.hub = &hub;
  options.in_fd = world.input;
  options.out_fd = world.output.descriptor();
  if (!world.is_process) return transport::serve_stdio(server, options);
  const auto signals = TRY(transport::StopSignals::install());
  options.stop_fd = signals.fd();
  return transport::serve_stdio(server, options);
}

/// From now on the process ends in time, even if its last steps block: a log that is not read
/// blocks its writer. What was acknowledged is durable by now.
void end_in_time() {
  try {
    std::thread([] {
      poll(nullptr, 0, static_cast<int>(limits::exit_ms_max));
      _exit(static_cast<int>(ExitCode::ok));
    }).detach();
  } catch (const std::system_error&) {
    return;  // then it ends as fast as it can
  }
}

std::string what_and_where(const Config& config) {
  std::string surfaces;
  for (const std::string& name : config.surfaces()) {
    surfaces += cat(surfaces.empty() ? "" : ", ", name);
  }
  return cat("Surface: ", surfaces, ". Runs are kept in ", printable_line(config.store()), ".\n");
}

/// The words that start this server from any folder and in any environment: what flags and
/// variables said, as it was understood. A client finds the files of settings by itself.
std::vector<std::string> words_of(const Config& config) {
  std::vector<std::string> words = {"serve"};
  for (const Effective& each : config.all()) {
    const Setting& setting = *each.setting;
    if (each.origin != setting.flag && each.origin != setting.variable) continue;
    const std::string flag(setting.flag);
    if (setting.type == SettingType::boolean) {
      words.push_back(each.values[0] == "true" ? flag : cat(flag, "=false"));
    } else if (setting.type == SettingType::surfaces) {
      std::string list;
      for (const std::string& name : each.values) list += cat(list.empty() ? "" : ",", name);
      words.insert(words.end(), {flag, list});
    } else {
      for (const std::string& value : each.values) words.insert(words.end(), {flag, value});
    }
  }
  return words;
}

/// Of a project's setting that was ignored.
ports::EventName ignored_event(const Setting& setting) {
  switch (setting.type) {
    case SettingType::autonomy: return "project_autonomy_ignored";
    case SettingType::risk_policy: return "project_risk_policy_ignored";
    case SettingType::minutes: return "project_token_ttl_ignored";
    case SettingType::surfaces: return "project_surface_ignored";
    case SettingType::directory: return "project_content_dir_ignored";
    case SettingType::directories: return "project_workflows_ignored";
    default: return "project_setting_ignored";
  }
}

/// That every command may run, and what a project says and does not get.
void warn_of_policy(const Config& config, ports::Log& log) {
  const run::Policy policy = run::resolve(config.policy_statements());
  if (policy.commands.value == run::CommandRule::all) {
    log.write({ports::LogSeverity::warn, "every_command_allowed"});
  }
  for (const PolicyWord& word : config.policy_words()) {
    if (word.source == run::PolicySource::project &&
        run::value_text(policy, word.setting) != word.value) {
      log.write({ports::LogSeverity::warn, "project_policy_ignored"});
    }
  }
}

Result<Ending> run(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const std::unique_ptr<ports::Log> log = call.parts.open_log(call.world, config);
  for (const Effective& each : config.all()) {
    if (each.ignored) log->write({ports::LogSeverity::warn, ignored_event(*each.setting)});
  }
  warn_of_policy(config, *log);
  const auto backend = call.parts.open_backend(config);
  TRY(backend->check_sandbox());
  TRY(check_store_place(config.store()));
  transport::Hub hub;
  protocol::Catalog catalog =
      TRY(catalog_of(config, backend, call.parts.open_plan(call.world, config), hub));
  protocol::ServerInfo info;
  info.version = BATON_VERSION;
  info.instructions = instructions_of(config);
  const protocol::Server server(std::move(info), std::move(catalog));
  const bool over_http = !config.values("http").empty();
  if (call.world.input_is_terminal && !over_http) {
    TRY(write_text(call.world.errors, greeting(call.world, config)));
  }

  const MonoMs start = call.parts.clock->mono();
  log->write({ports::LogSeverity::info, "serve_started"});
  const transport::ServeEnd end =
      TRY(over_http ? serve_http(call, config, server, hub) : serve(call.world, server, hub));
  if (call.world.is_process) end_in_time();
  log->write({.level = ports::LogSeverity::info,
              .event = "serve_ended",
              .duration_ms = call.parts.clock->mono().value - start.value});
  if (end == transport::ServeEnd::drained) return ExitCode::ok;
  log->write({ports::LogSeverity::warn, "calls_abandoned"});
  return Ending(ExitCode::ok, Threads::left_running);
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + '\'';
}

std::string greeting(const World& world, const Config& config) {
  std::string command = shell_quoted(world.executable.string());
  json::Array words;
  for (const std::string& word : words_of(config)) {
    command += cat(' ', shell_quoted(word));
    words.emplace_back(word);
  }
  command = printable_line(command);
  const json::Object cursor{
      {"mcpServers", json::Object{{"baton", json::Object{{"command", world.executable.string()},
                                                         {"args", std::move(words)}}}}}};
  return cat("baton ", BATON_VERSION,
             " is an MCP server and waits for messages on standard input; Ctrl-D ends it.\n",
             what_and_where(config),
             "\nTo add it to an agent, run one of these:\n  claude mcp add baton -- ", command,
             "\n  codex mcp add baton -- ", command, "\n  gemini mcp add baton ", command,
             "\nor, for Cursor, put this into ~/.cursor/mcp.json:\n  ", json::print(cursor), "\n");
}

std::string http_greeting(const Config& config, const std::string& address,
                          const std::string& token_file) {
  std::string out = what_and_where(config);
  // No known client takes a unix socket.
  if (address.starts_with("unix:")) return out;
  const std::string url = printable_line(address);
  const std::string secret_file = printable_line(shell_quoted(token_file));
  const std::string header =
      token_file.empty() ? "" : cat(" --header \"Authorization: Bearer $(cat ", secret_file, ")\"");
  const std::string secret = token_file.empty() ? "" : " --bearer-token-env-var BATON_SECRET";
  out += cat("\nTo add it to an agent, run one of these:\n  claude mcp add --transport http baton ",
             url, header, "\n  codex mcp add baton --url ", url, secret,
             "\n  gemini mcp add --transport http", header, " baton ", url, '\n');
  if (!token_file.empty()) {
    out += cat("Codex reads the secret when it starts: export BATON_SECRET=\"$(cat ", secret_file,
               ")\"\n");
  }
  return out;
}

constinit const Verb serve_verb = {
    .name = "serve",
    .summary = "Serve agents over standard input and output, or HTTP",
    .help = R"(Speaks the Model Context Protocol, one message per line, until its input ends or
it is told to stop (SIGTERM, SIGINT). Standard output carries messages only; the
log goes to standard error, warnings and errors unless --verbose is given.
Started by hand in a terminal, it shows how to add it to Claude Code, Codex,
Gemini CLI and Cursor.

With --http it serves Streamable HTTP at /mcp instead, on a TCP address or on a
unix socket, and prints where on standard output. Clients of a TCP address send
'Authorization: Bearer SECRET'; the server makes it at its first start and keeps
it beside the store in FILE.http-token, readable only by its owner, or where
--token-file says. Only its owner can open a unix socket, so it
needs no secret unless --token-file is given. Requests whose Host or Origin
names neither this machine nor an --allow-host are refused.

There is no TLS. For an address that other machines can reach, Baton prints a
warning: anyone on the network can read the secret and every message. Prefer a
loopback address or a unix socket behind an SSH tunnel or a proxy with TLS.

Baton runs the commands of trusted workflows ('baton trust'), or of all with
--allow-shell; otherwise it gives them to the agent.
)",
    .options = {},
    .operand = {},
    .settings = used_settings,
    .run = run};

}  // namespace baton::cli
