#include "support/walk.h"

#include <cstdlib>

#include "base/text/text.h"

namespace baton::crash {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

bool is_nightly() { return variable("BATON_CRASH_EFFORT") == "nightly"; }

std::uint64_t crash_seed() {
  return static_cast<std::uint64_t>(parse_int(variable("BATON_CRASH_SEED")).value_or(1));
}

Walk::Walk(Place place) : place_(std::move(place)), client_(crash_seed(), "the client") {}

void Walk::start(std::vector<std::string> wrapper, std::vector<std::string> environment) {
  // A sanitizer that hunts leaks at the end cannot do so under a tracer, and it wants to be loaded
  // before any other library.
  environment.push_back("ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0");
  // Without a server there is nothing to test.
  server_ = MUST(Server::start(
      {variable("BATON_BINARY"), place_, std::move(wrapper), std::move(environment)}));
}

void Walk::end() {
  const Result<void> ended = server_->end();
  EXPECT_TRUE(ended) << ended.error().message;
  server_.reset();
}

void Walk::kill() {
  server_->child().kill();
  server_.reset();
}

Answer Walk::call(const Call& call) {
  Result<Answer> answer = server_->call(call);
  if (answer) return *std::move(answer);
  ADD_FAILURE() << answer.error().message;
  Answer none;
  none.code = "NO_ANSWER";
  return none;
}

std::string Walk::step() {
  const Answer answer = call(client_.next());
  last_error_ = answer.text;
  if (answer.is_error()) return answer.code;
  const auto problem = client_.take(answer);
  EXPECT_FALSE(problem) << problem.value_or("");
  return {};
}

void Walk::go_on(int steps) {
  for (int i = 0; i < steps; ++i) {
    const std::string code = step();
    ASSERT_EQ(code, "") << last_error_ << "\nat step " << i << " of " << steps;
  }
}

std::string Walk::go_until_refused(int steps_max) {
  for (int i = 0; i < steps_max; ++i) {
    std::string code = step();
    if (!code.empty()) return code;
  }
  return {};
}

void Walk::expect_reads_work() {
  const Answer looked = call(look_call(client_.state_token()));
  EXPECT_EQ(looked.code, "") << looked.text;
  EXPECT_EQ(looked.field("stateToken"), client_.state_token());
  ASSERT_FALSE(client_.acked().empty());
  const std::size_t last = client_.acked().size() - 1;
  for (const std::size_t index : {std::size_t{0}, last / 2, last}) {
    EXPECT_EQ(call(client_.again(index)).result, client_.result_of(index));
  }
}

StoreCheck Walk::expect_nothing_lost() {
  Held held;
  held.add(client_);
  StoreCheck checked = check_store(place_.db(), held);
  for (const std::string& problem : checked.problems) ADD_FAILURE() << problem;
  return checked;
}

}  // namespace baton::crash
