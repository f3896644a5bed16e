#include "workflow/steps/gate_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/gate_limits.h"
#include "base/schema/schema.h"
#include "base/text/text.h"
#include "workflow/check/json_schema.h"
#include "workflow/testing/compile_alone.h"

namespace baton::workflow {
namespace {

using ::testing::HasSubstr;

Compilation compiled(std::string_view step) {
  return compile_alone({"w.yaml", cat("{id: w, steps: [", step, "]}")});
}

/// The first diagnostic with its hint; empty when there is none.
std::string problem(std::string_view step) {
  const Compilation made = compiled(step);
  if (made.findings.diagnostics.empty()) return {};
  const Diagnostic& first = made.findings.diagnostics.front();
  return cat(first.at.line, ": ", name_of(first.code), ": ", first.message, " (", first.hint, ')');
}

/// What the compiled JSON of the step has under that key; empty when it has no such key.
std::string field(std::string_view step, std::string_view key) {
  const Compilation made = compiled(step);
  if (made.has_errors()) return problem(step);
  const json::Value whole = to_json(made.pinned->workflow.steps.front());
  const json::Value* found = whole.find(key);
  return found == nullptr ? std::string() : json::print(*found);
}

// --- what is kept -------------------------------------------------------------------------------

TEST(GateKeys, AreCompiledAsTheyAreWritten) {
  EXPECT_EQ(field("{prompt: p, gate: true}", "gate"), "{}");
  EXPECT_EQ(field("{prompt: p, gate: {}}", "gate"), "{}");
  EXPECT_EQ(field("{prompt: p, gate: false}", "gate"), "");
  EXPECT_EQ(field("{prompt: p, gate: {who: the release team, count: 2, assurance: sealed, "
                  "expires: 2h, prompt: 'Ship {{ version }}?'}}",
                  "gate"),
            R"({"who":"the release team","count":2,"assurance":"sealed","expires":120,)"
            R"("prompt":"Ship {{ version }}?"})");
  EXPECT_EQ(field("{type: shell_command, command: 'rm x', undo: 'cp {{ backup }} x'}", "undo"),
            R"("cp {{ backup }} x")");
  EXPECT_EQ(field("{type: mcp_call, tool: t, effect: true, on_fork: reuse}", "on_fork"),
            R"("reuse")");
  EXPECT_EQ(field("{type: shell_command, command: ls, effect: false}", "effect"), "false");
  EXPECT_EQ(field("{type: shell_command, command: ls, despite_gaps: true}", "despite_gaps"),
            "true");
  EXPECT_EQ(field("{prompt: p, evidence: [{file_exists: a}], waivable: true}", "waivable"), "true");
}

TEST(GateKeys, OfWhichNoneIsSaidLeaveNoTrace) {
  for (const std::string_view key :
       {"gate", "effect", "on_fork", "undo", "despite_gaps", "waivable"}) {
    EXPECT_EQ(field("{type: shell_command, command: ls}", key), "") << key;
    EXPECT_EQ(field("{prompt: p, waivable: false}", key), "") << key;
  }
}

TEST(GateKeys, ComeBackFromTheCompiledText) {
  const Compilation made = compiled(
      "{type: shell_command, command: ls, gate: true, effect: true, on_fork: ask, undo: 'rm x', "
      "despite_gaps: true}");
  ASSERT_FALSE(made.has_errors());
  const Pinned again = MUST(unpin(made.pinned->text, made.pinned->hash));
  EXPECT_EQ(again.workflow, made.pinned->workflow);
  EXPECT_TRUE(again.workflow.steps.front().gate);
}

TEST(GateKeys, CountMinutesInEveryUnit) {
  const auto minutes = [](std::string_view life) {
    return field(cat("{prompt: p, gate: {expires: ", life, "}}"), "gate");
  };
  EXPECT_EQ(minutes("30m"), R"({"expires":30})");
  EXPECT_EQ(minutes("24h"), R"({"expires":1440})");
  EXPECT_EQ(minutes("7d"), R"({"expires":10080})");
  EXPECT_EQ(minutes("90"), R"({"expires":90})");
  EXPECT_EQ(minutes("365d"), cat(R"({"expires":)", limits::gate_expires_minutes_max, '}'));
}

TEST(GateKeys, NoteTheUndoAsACommandOfTheServer) {
  const Compilation made = compiled("{type: shell_command, command: ls, undo: 'rm x'}");
  ASSERT_EQ(made.commands.size(), 2u);
  EXPECT_EQ(made.commands.back().command, "rm x");
  EXPECT_EQ(made.commands.back().by, ShellUse::By::server);
}

// --- what is refused ----------------------------------------------------------------------------

TEST(GateKeys, RefuseACountBelowSealed) {
  EXPECT_EQ(problem("{prompt: p, gate: {count: 2}}"),
            "1: WORKFLOW_WRONG_VALUE: nothing tells 2 people apart below \"sealed\": all local "
            "callers are one (write assurance: sealed beside it, so that each signs with a key of "
            "their own, or remove \"count\")");
  EXPECT_THAT(problem("{prompt: p, gate: {count: 2, assurance: present}}"),
              HasSubstr("nothing tells 2 people apart"));
  EXPECT_EQ(problem("{prompt: p, gate: {count: 1}}"), "");
  EXPECT_EQ(
      problem(cat("{prompt: p, gate: {assurance: sealed, count: ", limits::gate_count_max, "}}")),
      "");
  EXPECT_THAT(problem(cat("{prompt: p, gate: {assurance: sealed, count: ",
                          limits::gate_count_max + 1, "}}")),
              HasSubstr("a gate takes at most"));
}

TEST(GateKeys, RefuseWhatIsReserved) {
  EXPECT_EQ(problem("{prompt: p, gate: {assurance: identified}}"),
            "1: WORKFLOW_WRONG_VALUE: \"identified\" is reserved until callers have names of their "
            "own (write claimed, asked, present or sealed)");
}

TEST(GateKeys, RefuseATimeThatIsNone) {
  for (const std::string_view life : {"soon", "5", "m", "0h", "-1d", "1.5h", "30s", "30 m"}) {
    EXPECT_THAT(problem(cat("{prompt: p, gate: {expires: \"", life, "\"}}")),
                HasSubstr("is not a time that a gate can wait"))
        << life;
  }
  EXPECT_THAT(problem("{prompt: p, gate: {expires: 0}}"), HasSubstr("whole number from 1"));
  for (const std::string_view life : {"366d", "8761h", "525601m", "525601", "99999999999999d"}) {
    EXPECT_THAT(problem(cat("{prompt: p, gate: {expires: ", life, "}}")),
                HasSubstr("a gate waits at most"))
        << life;
  }
}

TEST(GateKeys, RefuseLongTexts) {
  const auto with = [](std::string_view key, std::size_t bytes) {
    return problem(cat("{prompt: p, gate: {", key, ": ", std::string(bytes, 'x'), "}}"));
  };
  EXPECT_EQ(with("prompt", limits::gate_question_bytes_max), "");
  EXPECT_THAT(with("prompt", limits::gate_question_bytes_max + 1), HasSubstr("are shown"));
  EXPECT_EQ(with("who", limits::gate_who_bytes_max), "");
  EXPECT_THAT(with("who", limits::gate_who_bytes_max + 1), HasSubstr("are shown"));
}

TEST(GateKeys, SayWhereAKeyBelongs) {
  EXPECT_EQ(problem("{type: user_message, message: m, gate: true}"),
            "1: WORKFLOW_UNKNOWN_KEY: there is no key \"gate\" in a user_message step (a prompt, "
            "user_input, mcp_call, shell_command, agent_shell_command or apply_hints step may have "
            "\"gate\"; put it on one before or after this step)");
  EXPECT_THAT(problem("{type: while, condition: 'false', body: [{prompt: p}], undo: ls}"),
              HasSubstr("only a shell_command that the server runs"));
  EXPECT_THAT(problem("{type: user_input, prompt: p, effect: true}"), HasSubstr("remove it here"));
  EXPECT_THAT(problem("{type: parallel_foreach, items: [1], steps: [{prompt: p}], gate: true}"),
              HasSubstr("put it on one before or after"));
  EXPECT_THAT(problem("{type: state_update, path: raw.x, value: 1, despite_gaps: true}"),
              HasSubstr("only a shell_command that the server runs"));
  EXPECT_THAT(problem("{title: t, gate: true, templateCall: {templateId: capability_probe, args: "
                      "{capability: delegation}}}"),
              HasSubstr("the steps of the template come in place of this one"));
}

TEST(GateKeys, RefuseAnUndoOfWhatTheAgentRuns) {
  EXPECT_EQ(problem("{type: agent_shell_command, command: ls, undo: rm}"),
            "1: WORKFLOW_WRONG_VALUE: the agent runs this command, and \"undo\" is for commands "
            "that the server runs (remove \"undo\", or write type: shell_command)");
  EXPECT_THAT(problem("{type: shell_command, command: ls, execution_context: client, "
                      "despite_gaps: true}"),
              HasSubstr("or \"execution_context\""));
  EXPECT_THAT(problem("{type: shell_command, command: ls, undo: 'sh -c {{ x }}'}"),
              HasSubstr("WORKFLOW_UNSAFE_SHELL"));
}

TEST(GateKeys, RefuseWhatIsAboutAnEffectThatIsNotThere) {
  EXPECT_THAT(problem("{prompt: p, on_fork: repeat}"), HasSubstr("write effect: true beside it"));
  EXPECT_EQ(problem("{prompt: p, on_fork: repeat, effect: true}"), "");
  EXPECT_EQ(problem("{type: shell_command, command: ls, on_fork: repeat}"), "");
  EXPECT_THAT(problem("{type: shell_command, command: ls, effect: false, undo: rm}"),
              HasSubstr("so \"undo\" has no meaning"));
}

TEST(GateKeys, RefuseAWaiverOfNoEvidence) {
  EXPECT_THAT(problem("{prompt: p, waivable: true}"), HasSubstr("add \"evidence\""));
  EXPECT_THAT(problem("{prompt: p, evidence: [], waivable: true}"), HasSubstr("add \"evidence\""));
}

// --- editors ------------------------------------------------------------------------------------

TEST(GateKeys, AreInTheSchemaOfEditors) {
  const schema::Schema language = MUST(schema::Schema::compile(language_schema(), {}));
  const auto takes = [&](std::string_view step) {
    const json::Value document = MUST(json::parse(cat(R"({"id":"w","steps":[)", step, "]}")));
    return language.validate(document).empty();
  };
  EXPECT_TRUE(takes(R"({"prompt":"p","gate":true,"effect":true,"on_fork":"ask"})"));
  EXPECT_TRUE(takes(R"({"prompt":"p","gate":{"who":"w","count":2,"assurance":"sealed",)"
                    R"("expires":"7d","prompt":"Go?"}})"));
  EXPECT_TRUE(takes(R"({"type":"shell_command","command":"c","undo":"u","despite_gaps":true})"));
  EXPECT_FALSE(takes(R"({"prompt":"p","gate":{"count":0}})"));
  EXPECT_FALSE(takes(R"({"prompt":"p","gate":{"assurance":"sworn"}})"));
  EXPECT_FALSE(takes(R"({"type":"wait_step","gate":true})"));
  EXPECT_FALSE(takes(R"({"prompt":"p","undo":"u"})"));
}

}  // namespace
}  // namespace baton::workflow
