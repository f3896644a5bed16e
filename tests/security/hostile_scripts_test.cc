// Scripts that mean harm, one file each in hostile_scripts/. The first line of a file says how it
// may end; one that is out for memory, the stack or size may also run out of time on a slow
// machine. After each the sandbox answers as if nothing had been there.

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "adapters/script/quickjs_host.h"
#include "base/testing/project_file.h"
#include "base/text/text.h"

namespace baton::security {
namespace {

using state::Evaluation;
using state::ScriptFault;
using state::ScriptForm;
using state::ScriptResult;

struct Hostile {
  std::string name;
  std::string source;
  std::string endings;  // " time memory "
};

void PrintTo(const Hostile& script, std::ostream* out) { *out << script.name; }

std::vector<Hostile> hostile_scripts() {
  std::vector<Hostile> out;
  const std::filesystem::path folder = project_file("tests/security/hostile_scripts");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    std::string source(std::istreambuf_iterator<char>(file), {});
    constexpr std::string_view mark = "// Ends by:";
    EXPECT_TRUE(source.starts_with(mark)) << entry.path();
    std::string endings = source.substr(mark.size(), source.find('\n') - mark.size()) + ' ';
    for (const std::string_view heavy : {" memory ", " stack ", " size "}) {
      if (endings.contains(heavy)) endings += "time ";
    }
    out.push_back({entry.path().stem().string(), std::move(source), std::move(endings)});
  }
  std::ranges::sort(out, {}, &Hostile::name);
  return out;
}

std::string_view ending_of(const ScriptResult& result) {
  if (result) return "value";
  switch (result.error().fault) {
    case ScriptFault::syntax: return "syntax";
    case ScriptFault::thrown: return "thrown";
    case ScriptFault::not_json: return "not_json";
    case ScriptFault::undefined: return "undefined";
    case ScriptFault::inexact: return "inexact";
    case ScriptFault::time: return "time";
    case ScriptFault::memory: return "memory";
    case ScriptFault::stack: return "stack";
    case ScriptFault::size: return "size";
    case ScriptFault::unavailable: return "unavailable";
    case ScriptFault::busy: return "busy";
  }
  return "nothing";
}

// A batch may hold all of them.
constexpr adapters::SandboxOptions options{.evaluation_ms_max = 200, .batch_ms_max = 600'000};

Evaluation hostile(const Hostile& script) {
  return {{script.source, ScriptForm::transform, {"input"}}, R"({"input":[1,2,3]})", {}};
}

/// What only an untouched sandbox answers rightly.
Evaluation honest() {
  return {{"const { a } = {}; return [typeof polluted, a, input.map(x => x * 2), ({}).polluted, "
           "Math.random(), JSON.stringify({ toString }), Date.now()].map(x => x ?? null)",
           ScriptForm::transform,
           {"input"}},
          R"({"input":[1,2,3]})",
          {WallMs{1000}, 5}};
}

ScriptResult answer(ports::ScriptHost& host, const Evaluation& evaluation) {
  return host.evaluate({&evaluation, 1}, {})[0];
}

std::size_t resident_bytes() {
  malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0;
  std::size_t resident = 0;
  statm >> size >> resident;
  return resident * 4096;
}

class HostileScript : public ::testing::TestWithParam<Hostile> {
 protected:
  // One for all: what one script leaves behind the next one would meet.
  static void SetUpTestSuite() { host_ = std::make_unique<adapters::QuickJsHost>(options); }
  static void TearDownTestSuite() { host_.reset(); }
  static std::unique_ptr<adapters::QuickJsHost> host_;
};
std::unique_ptr<adapters::QuickJsHost> HostileScript::host_;

TEST_P(HostileScript, ends_as_it_must_and_leaves_nothing) {
  const ScriptResult before = answer(*host_, honest());
  ASSERT_TRUE(before) << before.error().message;
  const Evaluation batch[] = {hostile(GetParam()), honest()};
  const auto results = host_->evaluate(batch, {});
  EXPECT_TRUE(GetParam().endings.contains(cat(' ', ending_of(results[0]), ' ')))
      << "it ended by " << ending_of(results[0]) << ": "
      << (results[0] ? json::print(*results[0]) : results[0].error().message);
  EXPECT_EQ(results[1], before);
  EXPECT_EQ(answer(*host_, honest()), before);
}

INSTANTIATE_TEST_SUITE_P(All, HostileScript, ::testing::ValuesIn(hostile_scripts()),
                         [](const auto& each) { return each.param.name; });

TEST(hostile_scripts, are_many) { EXPECT_GE(hostile_scripts().size(), 80u); }

TEST(hostile_scripts, other_calls_are_answered_meanwhile) {
  adapters::QuickJsHost host(options);
  const ScriptResult right = answer(host, honest());
  ASSERT_TRUE(right);
  std::atomic<int> attacking = 2;
  std::vector<std::thread> attackers;
  for (int who = 0; who < 2; ++who) {
    attackers.emplace_back([&, who] {
      const auto scripts = hostile_scripts();
      for (std::size_t at = static_cast<std::size_t>(who); at < scripts.size(); at += 4) {
        const auto result = answer(host, hostile(scripts[at]));
        EXPECT_TRUE(scripts[at].endings.contains(cat(' ', ending_of(result), ' ')))
            << scripts[at].name << " ended by " << ending_of(result);
      }
      --attacking;
    });
  }
  int answered = 0;
  while (attacking > 0) {
    EXPECT_EQ(answer(host, honest()), right);
    ++answered;
  }
  for (std::thread& each : attackers) each.join();
  EXPECT_GT(answered, 0);
}

TEST(hostile_scripts, the_memory_they_took_is_given_back) {
  // With one thread, what one call leaves is cleared away before the next is answered.
  adapters::QuickJsHost host({.evaluation_ms_max = 200, .batch_ms_max = 600'000, .threads_max = 1});
  std::vector<Evaluation> bombs;
  for (const Hostile& each : hostile_scripts()) {
    if (each.endings.contains(" memory ") || each.endings.contains(" stack ")) {
      bombs.push_back(hostile(each));
    }
  }
  ASSERT_GT(bombs.size(), 20u);
  host.evaluate(bombs, {});
  ASSERT_TRUE(answer(host, honest()));
  const std::size_t before = resident_bytes();
  host.evaluate(bombs, {});
  ASSERT_TRUE(answer(host, honest()));
  EXPECT_LE(resident_bytes(), before + before / 20);
}

TEST(hostile_scripts, the_same_evaluation_has_the_same_result_ten_thousand_times) {
  adapters::QuickJsHost host(options);
  const Evaluation asked = {
      {"[Math.random(), Date.now(), uuid(), input.sort(), [...new Set(input)].map(String)]",
       ScriptForm::expression,
       {"input"}},
      R"({"input":[3,1,2,3]})",
      {WallMs{1'234'567}, 99}};
  const ScriptResult first = answer(host, asked);
  ASSERT_TRUE(first) << first.error().message;
  const std::vector<Evaluation> hundred(100, asked);
  int same = 0;
  for (int i = 0; i < 90; ++i) {
    for (const ScriptResult& each : host.evaluate(hundred, {})) same += each == first ? 1 : 0;
  }
  for (int i = 0; i < 1000; ++i) same += answer(host, asked) == first ? 1 : 0;
  EXPECT_EQ(same, 10'000);
}

}  // namespace
}  // namespace baton::security
