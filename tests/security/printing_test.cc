// Every verb of the command line prints over a store, files and arguments that are as hostile as
// they can be. For all output, on a terminal and on a pipe, a terminal shows it and does not
// obey it. A verb that is not run here fails the test.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/verb.h"
#include "support/server.h"
#include "terminal.h"

namespace baton::security {
namespace {

namespace fs = std::filesystem;
using cli::Verb;
using json::Object;
using Words = std::vector<std::string>;

// CSI, OSC 0, 8 and 52, BEL, backspace, CR, DEL, C1 as characters, bidi embeddings and isolates,
// marks, zero width, separators, a byte order mark; and a line of its own.
constexpr std::string_view evil =
    "x\033[31mred\033]0;title\a\033]8;;http:evil\033\\link\033]52;c;ZXZpbA==\a\b\b\r\x7f"
    "\u0080\u0085\u009b31m\u009d0;t\u009c\u202etxt.exe\u202c\u2066iso\u2069\u200b\u200e\u200f\u061c"
    "\u2028\u2029\ufeff\u00ad\nforged: line";
// In a file name too, where it fits; and bytes that are not UTF-8.
constexpr std::string_view evil_name =
    "x\033[31m\u009b\u202e\u2066\u200b\r\b\a\nforged \xff\x9b\xc3";

std::string evil_line() { return std::string(evil.substr(0, evil.find('\n'))); }

std::string evil_nul() { return cat(evil, std::string_view("\0\x1b", 2)); }

std::string binary() {
  const char* given = std::getenv("BATON_BINARY");
  return given == nullptr ? "baton" : given;
}

/// One way to call a verb.
struct Use {
  Words words;             // behind the verb
  bool shows_evil = true;  // the hostile text is a part of what it prints
  std::string input = {};
  std::string stop_after = {};
};

/// Whether a use writes data to be read byte by byte: as it is where no terminal is.
bool is_data(const Verb& verb, const Use& use) {
  if (verb.name == "export") return true;
  if (verb.name == "canon") return std::ranges::find(use.words, "--hash") == use.words.end();
  return verb.name == "plan" && !use.words.empty() && use.words.front() == "format";
}

void write_file(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  ASSERT_TRUE(file.good()) << path;
}

/// A workflow that is hostile in every place that the language allows.
std::string workflow_text() {
  const std::string text(evil);
  const Object criterion{{"type", "contains"}, {"value", text}, {"message", text}};
  return json::print(Object{
      {"id", "evil"},
      {"name", text},
      {"description", text},
      {"version", "1"},
      {"inputs", Object{{"word", Object{{"type", "string"}, {"description", text}}}}},
      {"default_state", Object{{"raw", Object{{"text", text}, {"out", ""}}}}},
      {"state_schema",
       Object{{"raw", Object{{"text", "string"}, {"out", "any"}}},
              {"computed",
               Object{{"bad", Object{{"from", "raw.text"},
                                     {"transform", "throw new Error(input)"},
                                     {"on_error", "ignore"}}},
                      {"good", Object{{"from", "raw.text"}, {"transform", "input + '!'"}}}}}}},
      {"steps",
       json::Array{Object{{"id", "plan"},
                          {"title", text},
                          {"prompt", text},
                          {"validationCriteria", json::Array{criterion}}},
                   Object{{"id", "build"},
                          {"type", "shell_command"},
                          {"command", cat("printf '\\033]52;c;x\\a\\233\\342\\200\\256\\377'; # ",
                                          "\u202e\u200b\033[31m\ttxt")},
                          {"state_update", Object{{"path", "raw.out"}, {"value", "{{ result }}"}}}},
                   Object{{"id", "try"},
                          {"type", "agent_shell_command"},
                          {"command", "ls"},
                          {"reason", text},
                          {"on_error", "continue"}},
                   Object{{"id", "ask"}, {"type", "user_input"}, {"prompt", text}}}}});
}

class Printing : public ::testing::Test {
 protected:
  Printing()
      : root_(scratch_.path() / evil_name),
        db_(root_ / "runs.db"),
        flows_(root_ / "flows"),
        place_{root_, scratch_.path() / "stderr"} {
    fs::create_directories(root_ / "home");
    write_file(flows_ / cat("evil", ".json"), workflow_text());
    write_file(flows_ / "commands.json",
               R"({"id":"commands","steps":[{"id":"a","type":"shell_command",)"
               R"("command":"echo \u202e\u001b[31m\u200b\ttxt"}]})");
    write_file(
        root_ / "broken" / cat(evil_name, ".yaml"),
        cat("id: broken\nsteps: []\n\"", "\\e[31m\\u202e", "\": 1 # \u202e\033[31m\u009b\xff\n"));
    write_file(root_ / "scenarios/evil.json", workflow_text());
    write_file(
        root_ / "scenarios" / cat(evil_name, ".test.yaml"),
        "workflow: evil\nscenarios:\n  - name: \"x\\e[31m\\u202e\\nforged: name\"\n"
        "    inputs: {word: \"\\u202e\"}\n    steps: [{step: \"\\e\\u202e\\nforged: step\"}]\n");
    write_file(root_ / ".baton/plan.md",
               cat("feat(plan): Keep it\n\n- [ ]: Task ", evil_line(), "\n- [ ]: Other\n"));
    write_file(root_ / "plan-of-bytes", "feat(plan): \033[31m \xff\x9b\n");
    fs::create_directories(root_ / "home/\033[31m\u202e\nforged dir");
    write_file(root_ / "config/baton/config.yaml",
               "workflows: [\"~/\\e[31m\\u202e\\nforged dir\"]\n");
    play();
    plant();
  }

  // --- a store full of it ---

  /// A run through the real server: a gap, a command, a failed step, an open question.
  void play() {
    const Shown checked = use(cli::validate_verb, {{"evil"}}, Streams::pipes);
    ASSERT_EQ(checked.exit, 0) << checked.all();
    const auto server = MUST(crash::Server::start({.binary = binary(),
                                                   .place = place_,
                                                   .wrapper = {},
                                                   .environment = {"BATON_ALLOW_SHELL=true"}}));
    const Object context{{"word", evil_nul()}, {std::string("key") + std::string(evil), 1}};
    crash::Answer answer = call(*server, "start_workflow",
                                {{"workflowId", "evil"},
                                 {"goal", evil_nul()},
                                 {"context", context},
                                 {"preferences", Object{{"autonomy", "full_auto_never_stop"}}}});
    run_ = session_of(answer);
    const Object artifact{{"kind", evil}, {"text", evil_nul()}};
    answer = advance(*server, answer,
                     {{"notesMarkdown", evil_nul()}, {"artifacts", json::Array{artifact}}});
    const Object failure{{"kind", "baton.step_failure"}, {"message", evil_nul()}};
    answer =
        advance(*server, answer, {{"notesMarkdown", evil}, {"artifacts", json::Array{failure}}});
    EXPECT_TRUE(answer.result.contains("\"stepId\":\"ask\"")) << answer.result;
    EXPECT_TRUE(server->end().has_value());
  }

  static crash::Answer call(crash::Server& server, std::string_view tool, Object arguments) {
    const crash::Answer answer = MUST(server.call({std::string(tool), std::move(arguments)}));
    EXPECT_EQ(answer.code, "") << answer.text;
    return answer;
  }
  static crash::Answer advance(crash::Server& server, const crash::Answer& last, Object output) {
    return call(server, "continue_workflow",
                {{"ackToken", last.field("ackToken")}, {"output", std::move(output)}});
  }
  static std::string session_of(const crash::Answer& answer) {
    const json::Value* session = answer.structured.find("session");
    return session == nullptr ? std::string() : *session->find("runId")->if_string();
  }

  /// What no workflow may hold, but a store from elsewhere can: hostile keys and names.
  void plant() {
    const auto store = MUST(adapters::SqliteStore::open(db_.string()));
    const auto row = MUST(store->run(MUST(RunId::parse(run_))));
    const SessionId session{IdBytes{1, 2, 3}};
    const RunId run{IdBytes{4, 5, 6}};
    const NodeId node{IdBytes{7, 8, 9}};
    planted_ = run.text();
    run::NodeCreated root;
    root.run = run;
    root.node = node;
    root.open_steps = {std::string(evil)};
    run::CommitDraft append;
    append.session = session;
    append.expected = run::Seq{0};
    append.dedupe_key = std::string(evil);
    append.events = {run::SessionCreated{},
                     run::RunStarted{run, std::string(evil), row->workflow_hash, evil_nul()}, root,
                     run::GapRecorded{run,
                                      node,
                                      {.id = std::string(evil),
                                       .severity = run::GapSeverity::warning,
                                       .reason = run::Reason::missing_required_output,
                                       .summary = evil_nul(),
                                       .step = std::string(evil)}}};
    for (const auto key : {run::ObservationKey::workspace_path, run::ObservationKey::git_branch,
                           run::ObservationKey::git_head_sha, run::ObservationKey::principal}) {
      append.events.emplace_back(run::ObservationRecorded{run, key, std::string(evil)});
    }
    ASSERT_TRUE(MUST(store->append(std::move(append))).index() == 0);
    run::McpTaskChanged task;
    task.task = TaskId{IdBytes{10, 11}};
    task.call = run::McpTaskCall{.principal = "local",
                                 .tool = std::string(evil),
                                 .arguments = {},
                                 .client_capabilities = {},
                                 .ttl_ms = {},
                                 .poll_interval_ms = 1};
    task.worker = std::string(evil);
    run::CommitDraft made;
    made.session = SessionId{task.task.bytes};
    made.expected = run::Seq{0};
    made.dedupe_key = "task";
    made.events = {run::SessionCreated{}, task};
    ASSERT_TRUE(MUST(store->append(std::move(made))).index() == 0);
  }

  // --- every verb over it ---

  Words environment(bool colours) const {
    Words out = {cat("HOME=", (root_ / "home").string()),
                 "PATH=/usr/local/bin:/usr/bin:/bin",
                 cat("XDG_CONFIG_HOME=", (root_ / "config").string()),
                 cat("BATON_DB=", db_.string()),
                 cat("BATON_WORKFLOWS=", flows_.string()),
                 "TERM=xterm"};
    if (!colours) out.emplace_back("NO_COLOR=1");
    return out;
  }

  Shown use(const Verb& verb, const Use& use, Streams streams, bool colours = false) const {
    Words words = {binary(), std::string(verb.name)};
    words.insert(words.end(), use.words.begin(), use.words.end());
    return security::run({.words = words,
                          .environment = environment(colours),
                          .directory = root_,
                          .input = use.input,
                          .stop_after = use.stop_after},
                         streams);
  }

  static bool has(const Use& use, std::string_view word) {
    return std::ranges::find(use.words, word) != use.words.end();
  }

  /// The use itself, and with every form of output that the verb has.
  static std::vector<Use> in_every_form(const Verb& verb, const Use& use) {
    std::vector<Use> out = {use};
    for (const cli::Option& option : verb.options) {
      if (has(use, option.name)) continue;
      if (option.name == "--json") {
        out.push_back(use);
        out.back().words.emplace_back(option.name);
      }
      for (const std::string_view form :
           option.name == "--format" ? option.choices : decltype(option.choices)()) {
        out.push_back(use);
        out.back().words.insert(out.back().words.end(),
                                {std::string(option.name), std::string(form)});
      }
    }
    return out;
  }

  /// A call of a tool, as a terminal passes it on: printable.
  static std::string message(std::string_view tool, Object arguments) {
    const Object request{{"jsonrpc", "2.0"},
                         {"id", 1},
                         {"method", "tools/call"},
                         {"params", Object{{"name", tool}, {"arguments", arguments}}}};
    return cat(printable(json::print(request)), '\n');
  }

  std::map<std::string_view, std::vector<Use>> uses_of_runs() const {
    const std::string text(evil);
    return {
        {"runs", {{{}}, {{"--tasks"}}}},
        {"show", {{{run_}}, {{planted_}}}},
        {"guide", {{{run_, text}, false}, {{text, text}}}},
        {"pause", {{{run_, "--why", text}, false}, {{run_}}}},
        {"resume", {{{run_, "--why", text}, false}, {{text}}}},
        {"cancel", {{{run_, "--why", text}, false}, {{run_}}}},
        {"state", {{{run_}}, {{run_, "raw.text"}}, {{run_, text}}}},
        {"trace", {{{run_}}}},
        {"log", {{{run_}}, {{planted_}}}},
        {"export", {{{run_}}, {{planted_}}}},
        {"inbox", {{{}, false}}},
        {"approve", {{{run_}, false}, {{cat(run_, "/", text)}}}},
        {"refuse", {{{run_}, false}}},
        {"prefer", {{{run_, "--autonomy", "guided"}, false}, {{run_, "--autonomy", text}}}},
        {"revoke", {{{run_}, false}}},
        {"effects", {{{run_}, false}, {{text}}}},
        {"undo", {{{run_, text}}}},
    };
  }

  std::map<std::string_view, std::vector<Use>> uses() const {
    const std::string text(evil);
    const std::string json_text = printable(json::print(json::Value(evil_nul())));
    const std::string socket = cat("unix:", (scratch_.path() / "s\033\u202e").string());
    std::map<std::string_view, std::vector<Use>> out = uses_of_runs();
    out.merge(std::map<std::string_view, std::vector<Use>>{
        {"serve",
         {{{}, true, message("resume_session", {{"query", ""}})},
          {{"--verbose"}, false, message("start_workflow", {{"workflowId", text}})},
          {{"--http", socket}, true, "", "listening on"}}},
        {"demo", {{{"--fast"}, false}}},  // whose words are all its own
        {"plan",
         {{{"show"}},
          {{"parse", ".baton/plan.md"}},
          {{"parse", "plan-of-bytes"}, false},
          {{"format"}, true, cat("feat(a): ", "\u202e\u200b", "T\n\n- [ ]: A\n")},
          {{"validate", ".baton/plan.md"}, false},
          {{"lint-commit"}, false, cat(text, '\n')},
          {{"mark", "Task"}, false},
          {{"run"}, false},
          {{"mark", text}}}},
        {"list", {{{}}}},
        {"inspect", {{{"evil"}}, {{"commands"}, false}}},
        {"validate", {{{"broken"}}, {{"evil"}, false}}},
        {"test", {{{"scenarios"}}}},
        {"simulate", {{{"evil"}, false}, {{"evil", "--input", cat("word=", text)}, false}}},
        {"new", {{{"fresh"}, false}}},
        {"schema", {{{}, false}}},
        {"builtins", {{{}, false}}},
        {"verify", {{{}, false}}},
        {"import", {{{"-"}, false, json_text}, {{text}}}},
        {"keys", {{{"list"}, false}}},
        {"approvals",
         {{{"show"}, false},
          {{"show", "--key", cat("/", evil_name)}},
          {{"admit", text}, false},
          {{text}}}},
        {"trust", {{{"commands"}}, {{"commands", "--yes"}}, {{"--list"}, false}}},
        {"policy", {{{}, false}, {{"--for", text}, false}}},
        {"config", {{{}}, {{"--db", cat("/", evil_name)}}}},
        {"canon", {{{}, true, json_text}, {{"--hash"}, false, json_text}, {{}, false, text}}},
        {"eval",
         {{{json_text}}, {{cat("throw new Error(", json_text, ")")}}, {{cat("(", text)}, false}}},
        {"errors", {{{}, false}}},
        {"explain", {{{"EVIDENCE_MISSING"}, false}}},
        {"completion", {{{"bash"}, false}}},
        {"help", {{{}, false}, {{"--markdown"}, false}}},
        {"rebuild", {{{}, false}}},
        {"gc", {{{"--dry-run"}, false}}},
        // Done once, then refused: something has that name.
        {"backup", {{{"copy.db"}, false}, {{(root_ / evil_name).string()}, false}}},
        {"restore",
         {{{"copy.db", "--db", "restored.db"}, false},
          {{(root_ / "missing" / evil_name).string()}, true}}},
        {"salvage", {{{"saved"}}, {{(root_ / "missing" / evil_name).string()}, true}}},
    });
    return out;
  }

  static void expect_safe(const Shown& shown, bool shows_evil) {
    EXPECT_EQ(danger_in(shown.all()), "");
    EXPECT_FALSE(cat('\n', shown.all()).contains("\nforged")) << shown.all();
    EXPECT_LT(shown.exit, 127) << shown.all();
    if (shows_evil) {
      EXPECT_TRUE(shown.all().contains("\\u202e")) << shown.all();
    }
  }

  /// A JSON text, or one on each line.
  static void expect_json(const std::string& text) {
    if (json::parse(text)) return;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      EXPECT_TRUE(json::parse(text.substr(at, end - at)).has_value()) << text.substr(at, end - at);
      at = end + 1;
    }
  }

  crash::Scratch scratch_;
  const fs::path root_;
  const fs::path db_;
  const fs::path flows_;
  const crash::Place place_;
  std::string run_;
  std::string planted_;
};

// Enforces: G20
TEST_F(Printing, no_verb_lets_hostile_data_steer_a_terminal) {
  const auto known = uses();
  std::set<std::string_view> last = {"rebuild", "gc", "revoke"};  // they change what others show
  std::vector<const Verb*> verbs(cli::verbs().begin(), cli::verbs().end());
  std::ranges::stable_partition(verbs, [&](const Verb* v) { return !last.contains(v->name); });
  for (const Verb* verb : verbs) {
    SCOPED_TRACE(verb->name);
    const auto found = known.find(verb->name);
    ASSERT_NE(found, known.end()) << "say in uses() how to call this verb over hostile data";
    for (const Use& plain : found->second) {
      for (const Use& each : in_every_form(*verb, plain)) {
        std::string words;
        for (const std::string& word : each.words) words += cat(' ', printable_line(word));
        SCOPED_TRACE(words);
        const Shown piped = use(*verb, each, Streams::pipes);
        if (is_data(*verb, each)) {
          if (each.shows_evil) {
            EXPECT_TRUE(piped.output.contains("\u202e"));
          }
          EXPECT_EQ(danger_in(piped.errors), "");
        } else if (verb->name == "serve" && each.stop_after.empty()) {
          // Messages are for agents, not for terminals: they are what they were.
          EXPECT_EQ(piped.output.contains("\u202e"), each.shows_evil) << piped.all();
          EXPECT_EQ(danger_in(piped.errors), "");
        } else {
          expect_safe(piped, each.shows_evil);
        }
        const bool is_json = has(each, "--json") || has(each, "json") || has(each, "sarif");
        if (is_json && piped.exit == 0 && !is_data(*verb, each)) expect_json(piped.output);
        expect_safe(use(*verb, each, Streams::terminal), each.shows_evil);
      }
    }
  }
}

// Enforces: G20
TEST_F(Printing, no_verb_lets_a_hostile_argument_steer_a_terminal) {
  for (const Verb* verb : cli::verbs()) {
    SCOPED_TRACE(verb->name);
    for (const std::string& word :
         {std::string(evil), cat("--", evil), cat("--json=", evil_name), std::string(evil_name)}) {
      for (const Streams streams : {Streams::pipes, Streams::terminal}) {
        expect_safe(use(*verb, {{word}}, streams), false);
      }
    }
  }
}

// Enforces: G20
TEST_F(Printing, colours_are_the_programs_own) {
  const Shown error = use(cli::explain_verb, {{std::string(evil)}}, Streams::terminal, true);
  EXPECT_TRUE(error.output.contains("\033[1;31mbaton:\033[0m there is no"));
  EXPECT_TRUE(error.output.contains("\\u001b[31mred"));
  EXPECT_EQ(danger_in(error.output, true), "");
  const Shown demo = use(cli::demo_verb, {{"--fast"}}, Streams::terminal, true);
  EXPECT_TRUE(demo.output.contains("\033[32m")) << demo.all();
  EXPECT_EQ(danger_in(demo.output, true), "");
}

// Enforces: G20
TEST_F(Printing, a_bundle_that_is_not_shown_is_the_bundle) {
  const Shown bundle = use(cli::export_verb, {{run_}}, Streams::pipes);
  ASSERT_EQ(bundle.exit, 0) << bundle.errors;
  const Use taken{{"-", "--db", (scratch_.path() / "other.db").string()}, false, bundle.output};
  const Shown imported = use(cli::import_verb, taken, Streams::pipes);
  EXPECT_EQ(imported.exit, 0) << imported.errors;
  const Shown seen = use(cli::export_verb, {{run_}}, Streams::terminal);
  EXPECT_EQ(MUST(json::parse(seen.output)), MUST(json::parse(bundle.output)));
}

}  // namespace
}  // namespace baton::security
