// `baton demo`: an agent that follows a script plays a bundled workflow through the real server,
// and things go wrong on purpose.

#include <poll.h>
#include <unistd.h>

#include <utility>

#include "base/text/printable.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "cli/commands/demo_server.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

using json::Object;

constexpr std::size_t line_bytes = 96;

const std::string* text_at(const Object& fields, std::string_view key) {
  const json::Value* value = fields.find(key);
  return value == nullptr ? nullptr : value->if_string();
}

std::string text_or_empty(const Object& fields, std::string_view key) {
  const std::string* text = text_at(fields, key);
  return text == nullptr ? std::string() : *text;
}

std::string first_line(std::string_view text, std::size_t bytes = line_bytes) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.size() <= bytes ? std::string(line) : cat(utf8::prefix(line, bytes - 3), "...");
}

/// What the terminal shows. Colours and pauses only on a terminal.
class Stage {
 public:
  Stage(const World& world, bool fast)
      : world_(world), is_paced_(world.output_is_terminal && !fast) {}

  Result<void> say(std::string_view text) { return print({cat('\n', text, '\n')}, 1'500); }
  Result<void> agent(std::string_view text) {
    return print({cat("  agent  ", printable_line(text), '\n'), Colour::cyan}, 700);
  }
  Result<void> baton(std::string_view text) {
    return print({cat("  baton  ", printable_line(text), '\n'), Colour::green}, 1'200);
  }
  Result<void> refusal(std::string_view text) {
    return print({cat("  baton  ", printable_line(text), '\n'), Colour::yellow}, 1'500);
  }

 private:
  Result<void> print(const Painted& piece, int pause_ms) {
    const bool colours = world_.output_is_terminal && world_.variable("NO_COLOR").empty();
    TRY(write_painted(world_.output, std::span(&piece, 1), colours));
    if (is_paced_) pause(pause_ms);
    return {};
  }

  /// Until the time is over or the user presses Enter.
  void pause(int ms) {
    pollfd keys{world_.input_is_terminal ? world_.input : -1, POLLIN, 0};
    if (::poll(&keys, 1, ms) != 1) return;
    char pressed[64];
    is_paced_ = ::read(world_.input, pressed, sizeof pressed) > 0;
  }

  const World& world_;
  bool is_paced_;
};

/// A folder of its own that goes with the demonstration.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make() {
    std::error_code problem;
    std::string path = (std::filesystem::temp_directory_path(problem) / "baton-demo-XXXXXX");
    if (problem || ::mkdtemp(path.data()) == nullptr) {
      return fail(Code::ENVIRONMENT, "cannot create a folder for the demonstration",
                  "set TMPDIR to a writable folder");
    }
    return ScratchFolder(std::move(path));
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// One answer of the agent to a step.
struct Line {
  std::string_view notes;
  std::string_view decision = {};  // about the loop the step decides on
  bool reproduced = false;
  std::string_view agreed = {};  // the user's own words
};

constexpr Line lazy = {"It fails, I saw it."};
constexpr Line failing_test = {
    "Added test_total_rounds_once.\nCommand: make test T=total_rounds_once\n"
    "Failure: expected 10.01, got 10.00\nBefore: none",
    "", true};
constexpr Line wrong_guess = {
    "Hypothesis: the currency table has a wrong rate.\nExperiment: printed the rates used.\n"
    "Result: all rates are right; refuted"};
constexpr Line go_on = {"Not known yet. Next: each line is rounded before it is added.",
                        "continue"};
constexpr Line right_guess = {
    "Hypothesis: lines are rounded before they are added.\nExperiment: summed the unrounded "
    "lines.\n"
    "Result: 10.01; confirmed"};
constexpr Line known = {
    "Invoice::total() adds lines that Line::amount() has rounded already; cents get lost only when "
    "several lines end in half a cent, which no test had.",
    "stop"};
constexpr Line fix = {
    "Cause: amounts were rounded before they were added. Changed invoice.cc: total() adds exact "
    "amounts and rounds the sum once. Without the change the new test fails, with it all 214 "
    "pass."};
constexpr Line elsewhere = {
    "Searched for round( and amount(: refund.cc:41 has the same bug and the same fix, tested; "
    "report.cc:12 is safe because it shows lines only."};
constexpr Line handed_over = {"The user agreed; committed as 3f2c1ab.", "", false,
                              "Looks right, commit it."};

Object output_of(const Line& line) {
  Object output{{"notesMarkdown", line.notes}};
  if (!line.decision.empty()) {
    output.set("artifacts",
               json::Array{Object{{"kind", "baton.loop_control"}, {"decision", line.decision}}});
  }
  if (!line.agreed.empty()) {
    output.set("artifacts",
               json::Array{Object{{"kind", "baton.confirmation"}, {"words", line.agreed}}});
  }
  return output;
}

class Play {
 public:
  Play(const World& world, Stage stage, const std::filesystem::path& folder, DemoServer server)
      : world_(world), stage_(stage), folder_(folder), server_(std::move(server)) {}

  Result<void> perform() {
    TRY(begin());
    TRY(blocked());
    TRY(loop());
    TRY(rewind());
    TRY(crash());
    TRY(new_chat());
    TRY(finish());
    return stage_.say(
        cat("That is all: one step at a time, checked, and never lost or done twice.\n"
            "'baton show' drew this from the run's log:\n"));
  }

 private:
  Result<void> begin() {
    TRY(stage_.say(
        "An agent is asked to fix a bug. It starts a workflow and gets exactly one step\n"
        "and a token, the baton, to send with its answer."));
    TRY(stage_.agent("start_workflow  baton.bug-fix"));
    TRY(answer(server_.call(
        "start_workflow",
        {{"workflowId", "baton.bug-fix"},
         {"goal", "Invoices with several lines are a cent too low"},
         {"context", Object{{"bug", "The total of an invoice is sometimes a cent too low"}}}})));
    return stage_.baton(cat("token ", ack_));
  }

  Result<void> blocked() {
    TRY(stage_.say(
        "The step asks for evidence in the notes. A lazy answer does not pass; the reply\n"
        "says what is missing and has a token to try again with."));
    TRY(hand_in(lazy));
    return hand_in(failing_test);
  }

  Result<void> loop() {
    TRY(
        stage_.say("Now a loop: test hypotheses until the cause is known. The agent decides, the\n"
                   "server counts the rounds."));
    before_rewind_ = ack_;
    TRY(hand_in(wrong_guess));
    TRY(hand_in(go_on));
    TRY(hand_in(right_guess));
    return hand_in(known);
  }

  Result<void> rewind() {
    TRY(stage_.say(
        "The user rewinds the chat to before the first hypothesis. The agent has forgotten\n"
        "the rest and answers that step again, with its old token."));
    ack_ = before_rewind_;
    TRY(hand_in(right_guess));
    TRY(stage_.say(
        "The step was answered already, with another hypothesis, so this answer is on a\n"
        "new branch. Nothing of the first branch is lost."));
    return hand_in(known);
  }

  Result<void> crash() {
    TRY(stage_.say(
        "The agent sends the fix, and at that moment the server is killed\n"
        "(kill -9). Was the step recorded? The agent sends the same call to a new server."));
    const Object call{{"ackToken", ack_}, {"output", output_of(fix)}};
    TRY(stage_.agent(cat("continue_workflow  \"", first_line(fix.notes, 60), '"')));
    TRY(server_.send("continue_workflow", call));
    server_.kill();
    TRY(stage_.refusal("killed"));
    server_ = TRY(DemoServer::start(world_, folder_));
    TRY(stage_.agent("continue_workflow  the same again"));
    return answer(server_.call("continue_workflow", call));
  }

  Result<void> new_chat() {
    TRY(stage_.say(
        "The agent's program crashes too. In a new chat the user says: \"continue with the\n"
        "invoice bug\". There is no token any more, only words."));
    TRY(stage_.agent("resume_session  \"invoice cent\""));
    const Object found = TRY(server_.call("resume_session", {{"query", "invoice cent"}}));
    const json::Value* const list = found.find("candidates");
    const json::Array* const candidates = list == nullptr ? nullptr : list->if_array();
    if (candidates == nullptr || candidates->empty()) {
      return fail(Code::NOT_FOUND, cat("the run was not found again: ", json::print(found)));
    }
    const Object& first = *candidates->front().if_object();
    TRY(stage_.baton(cat("found ", text_or_empty(first, "workflowId"),
                         ", pending: ", text_or_empty(first, "pendingStepId"))));
    TRY(stage_.agent("continue_workflow  with its stateToken: where are we?"));
    TRY(answer(
        server_.call("continue_workflow", {{"stateToken", text_or_empty(first, "stateToken")}})));
    return {};
  }

  Result<void> finish() {
    TRY(hand_in(elsewhere));
    return hand_in(handed_over);
  }

  Result<void> hand_in(const Line& line) {
    TRY(stage_.agent(cat("continue_workflow  \"", first_line(line.notes, 60), '"',
                         line.decision.empty() ? "" : cat("  loop: ", line.decision))));
    Object call{{"ackToken", ack_}, {"output", output_of(line)}};
    if (line.reproduced) call.set("context", Object{{"reproduced", true}});
    return answer(server_.call("continue_workflow", call));
  }

  /// Shows the reply and keeps the token that the next call needs.
  Result<void> answer(const Result<Object>& reply) {
    const Object fields = TRY(Result<Object>(reply));
    if (const std::string* problem = text_at(fields, "error")) {
      return fail(Code::INTERNAL, cat("the demonstration was refused: ", *problem));
    }
    if (const json::Value* session = fields.find("session")) {
      run_ = text_or_empty(*session->if_object(), "runId");
    }
    if (text_or_empty(fields, "kind") == "blocked") return show_blocked(fields);
    if (const json::Value* fork = fields.find("fork")) {
      TRY(stage_.baton(cat("new branch at ", text_or_empty(*fork->if_object(), "stepId"))));
    }
    ack_ = text_or_empty(fields, "ackToken");
    const json::Value* const pending = fields.find("pending");
    if (pending == nullptr || !pending->is_object()) return stage_.baton("complete");
    const Object& step = *pending->if_object();
    return stage_.baton(
        cat("step ", text_or_empty(step, "stepId"), ": ", text_or_empty(step, "title")));
  }

  Result<void> show_blocked(const Object& fields) {
    ack_ = text_or_empty(fields, "retryAckToken");
    const json::Value* const list = fields.find("blockers");
    if (list == nullptr || list->if_array() == nullptr) return stage_.refusal("blocked");
    for (const json::Value& each : *list->if_array()) {
      const Object& blocker = *each.if_object();
      TRY(stage_.refusal(cat("blocked: ", first_line(text_or_empty(blocker, "message")))));
    }
    return {};
  }

 public:
  const std::string& run() const { return run_; }

 private:
  const World& world_;
  Stage stage_;
  const std::filesystem::path& folder_;
  DemoServer server_;
  std::string run_;
  std::string ack_;
  std::string before_rewind_;
};

Result<Ending> run_demo(const VerbCall& call) {
  const ScratchFolder folder = TRY(ScratchFolder::make());
  DemoServer server = TRY(DemoServer::start(call.world, folder.path()));
  Play play(call.world, Stage(call.world, call.arguments.has("--fast")), folder.path(),
            std::move(server));
  TRY(play.perform());
  const Verb* const show = find_verb("show");
  Arguments arguments;
  arguments.operand = play.run();
  arguments.options["--db"] = {(folder.path() / "demo.db").string()};
  return show->run({call.world, call.parts, arguments});
}

constexpr Option demo_options[] = {{"--fast", "", "Do not pause; Enter also ends a pause"}};

}  // namespace

constinit const Verb demo_verb = {
    .name = "demo",
    .summary = "See in a minute what Baton does, without an agent",
    .help = R"(A scripted agent fixes a bug by the workflow baton.bug-fix, through a real
server on a store of its own: steps, a refused answer, a loop, a rewound chat, a
server that is killed, a new chat. Your files are not touched, nothing is left.
)",
    .options = demo_options,
    .operand = {},
    .settings = {},
    .run = run_demo};

}  // namespace baton::cli
