#include "transport/scheduler/call_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <list>

#include "base/text/text.h"

namespace baton::transport {
namespace {

constexpr auto wait = std::chrono::seconds(10);
constexpr std::int64_t one_hour_ms = 3'600'000;

bool comes(std::future<void> event) { return event.wait_for(wait) == std::future_status::ready; }

std::shared_ptr<CallScheduler> scheduler_of(std::size_t threads, std::size_t aside,
                                            std::size_t calls = 10'000,
                                            std::int64_t answer_ms = one_hour_ms) {
  return std::make_shared<CallScheduler>(CallScheduler::Bounds{.threads_max = threads,
                                                               .aside_max = aside,
                                                               .calls_max = calls,
                                                               .bytes_max = 1'000'000,
                                                               .answer_ms = answer_ms});
}

/// A call that does what the test says and remembers what its client would have heard.
class TestCall final : public ScheduledCall {
 public:
  using Run = std::function<protocol::WorkResult(ScheduledCall&)>;
  TestCall(CallScheduler& scheduler, Key key, Run run)
      : ScheduledCall(scheduler, std::move(key), 1), run_(std::move(run)) {}

  void send(std::string_view) override {}
  void close_stream() override {}

  std::future<std::string> answer_line() { return answer_.get_future(); }
  std::future<std::string> question() { return question_.get_future(); }

 private:
  protocol::WorkResult run() override { return run_(*this); }
  void answer(protocol::WorkResult& outcome) override {
    answer_.set_value(cancelled() ? "" : outcome.line);
  }
  std::expected<void, protocol::RpcError> tell(std::string line) override {
    if (!std::exchange(is_asked_, true)) question_.set_value(std::move(line));
    return {};
  }

  const Run run_;
  bool is_asked_ = false;
  std::promise<std::string> answer_;
  std::promise<std::string> question_;
};

std::shared_ptr<TestCall> call_of(CallScheduler& scheduler, TestCall::Run run) {
  return std::make_shared<TestCall>(
      scheduler, ScheduledCall::Key{scheduler.add_client(), std::int64_t{1}}, std::move(run));
}

bool post(CallScheduler& scheduler, std::function<void()> job) {
  return scheduler.start(call_of(scheduler, [job = std::move(job)](ScheduledCall&) {
    job();
    return protocol::WorkResult{};
  })) == CallScheduler::Start::started;
}

TEST(call_scheduler, runs_as_many_calls_at_once_as_it_has_threads) {
  const auto scheduler = scheduler_of(4, 0);
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  std::promise<void> begun[4];
  for (auto& each : begun) {
    post(*scheduler, [&each, gone] {
      each.set_value();
      gone.wait();
    });
  }
  for (auto& each : begun) EXPECT_TRUE(comes(each.get_future()));
  go.set_value();
  EXPECT_TRUE(scheduler->finish(10'000));
}

TEST(call_scheduler, runs_more_calls_than_it_has_threads) {
  std::atomic<int> count = 0;
  const auto scheduler = scheduler_of(2, 0);
  for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(post(*scheduler, [&count] { ++count; }));
  EXPECT_TRUE(scheduler->finish(10'000));
  EXPECT_EQ(count.load(), 1'000);
  EXPECT_FALSE(post(*scheduler, [] {}));
}

TEST(call_scheduler, leaves_behind_what_does_not_end) {
  auto go = std::make_shared<std::promise<void>>();
  std::promise<void> begun;
  auto done = std::make_shared<std::promise<void>>();
  bool dropped = true;
  {
    const auto scheduler = scheduler_of(1, 0);
    post(*scheduler, [&begun, go, done] {
      begun.set_value();
      go->get_future().wait();
      done->set_value();
    });
    post(*scheduler, [&dropped] { dropped = false; });
    begun.get_future().wait();
    EXPECT_FALSE(scheduler->finish(0));
  }
  go->set_value();
  EXPECT_TRUE(comes(done->get_future()));
  EXPECT_TRUE(dropped);
}

/// A call that asks its client, which answers when the test says so.
class Asker {
 public:
  explicit Asker(CallScheduler& scheduler)
      : scheduler_(scheduler), call_(call_of(scheduler, [](ScheduledCall& call) {
          const auto answer = call.ask("roots/list", {});
          return protocol::WorkResult{.line = answer ? "answered" : answer.error().message};
        })) {
    EXPECT_EQ(scheduler.start(call_), CallScheduler::Start::started);
  }

  /// Whether it waits, once it runs.
  bool asks() {
    auto question = call_->question();
    if (question.wait_for(wait) != std::future_status::ready) return false;
    id_ = *MUST(json::parse(question.get())).find("id")->if_string();
    return true;
  }
  void answer() { scheduler_.answered(call_->key().client, {.id = id_, .body = json::Object{}}); }
  std::string ends_with() { return call_->answer_line().get(); }

  TestCall& call() { return *call_; }
  const std::string& question_id() const { return id_; }

 private:
  CallScheduler& scheduler_;
  std::shared_ptr<TestCall> call_;
  std::string id_;
};

TEST(call_scheduler, a_call_that_waits_for_its_client_frees_its_slot_up_to_a_bound) {
  const auto scheduler = scheduler_of(1, 1);
  Asker first(*scheduler);
  EXPECT_TRUE(first.asks());
  // The slot is free for this one, which must keep it: no more may give up theirs.
  Asker second(*scheduler);
  EXPECT_TRUE(second.asks());
  std::promise<void> ran;
  post(*scheduler, [&ran] { ran.set_value(); });
  second.answer();
  EXPECT_EQ(second.ends_with(), "answered");
  EXPECT_TRUE(comes(ran.get_future()));
  first.answer();
  EXPECT_EQ(first.ends_with(), "answered");
  EXPECT_TRUE(scheduler->finish(10'000));
}

TEST(call_scheduler, what_was_queued_before_runs_when_a_call_frees_its_slot) {
  const auto scheduler = scheduler_of(1, 1);
  std::promise<void> queued;
  std::promise<void> ran;
  auto asker = call_of(*scheduler, [&](ScheduledCall& call) {
    queued.get_future().wait();
    static_cast<void>(call.ask("roots/list", {}));
    return protocol::WorkResult{};
  });
  scheduler->start(asker);
  post(*scheduler, [&ran] { ran.set_value(); });
  queued.set_value();
  EXPECT_TRUE(comes(ran.get_future()));
  scheduler->hang_up();
  EXPECT_TRUE(scheduler->finish(10'000));
}

TEST(call_scheduler, a_call_that_has_its_slot_back_leaves_no_thread_too_many) {
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  const auto scheduler = scheduler_of(1, 8);
  std::list<Asker> askers;
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(askers.emplace_back(*scheduler).asks());
  for (Asker& each : askers) each.answer();
  for (Asker& each : askers) EXPECT_EQ(each.ends_with(), "answered");
  for (int i = 0; i < 1'000; ++i) {
    post(*scheduler, [&] {
      most = std::max(most.load(), ++at_once);
      --at_once;
    });
  }
  EXPECT_TRUE(scheduler->finish(10'000));
  EXPECT_EQ(most.load(), 1);
}

// Enforces: G9
TEST(call_scheduler, a_call_that_waits_for_the_work_of_others_frees_its_slot) {
  const auto scheduler = scheduler_of(2, 60);
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  std::atomic<int> done = 0;
  for (int i = 0; i < 60; ++i) {
    post(*scheduler, [&done, gone] {
      {
        const ports::FreedSlot freed;
        gone.wait();
      }
      ++done;
    });
  }
  std::promise<void> ran;
  post(*scheduler, [&ran] { ran.set_value(); });
  EXPECT_TRUE(comes(ran.get_future()));
  EXPECT_EQ(done.load(), 0);
  go.set_value();
  EXPECT_TRUE(scheduler->finish(10'000));
  EXPECT_EQ(done.load(), 60);
}

TEST(call_scheduler, the_answer_of_another_client_is_not_taken) {
  const auto scheduler = scheduler_of(2, 0);
  Asker asker(*scheduler);
  ASSERT_TRUE(asker.asks());
  scheduler->answered(scheduler->add_client(), {.id = asker.question_id(), .body = json::Object{}});
  scheduler->cancel(asker.call().key());
  EXPECT_EQ(asker.ends_with(), "");
  EXPECT_TRUE(scheduler->finish(10'000));
}

TEST(call_scheduler, a_question_ends_with_the_end_of_answers_and_in_time) {
  const auto patient = scheduler_of(1, 0);
  Asker asker(*patient);
  ASSERT_TRUE(asker.asks());
  patient->hang_up();
  EXPECT_EQ(asker.ends_with(), "no answer came");
  EXPECT_TRUE(patient->finish(10'000));
  const auto hurried = scheduler_of(1, 0, 10, /*answer_ms=*/1);
  EXPECT_EQ(Asker(*hurried).ends_with(), "no answer came");
  EXPECT_TRUE(hurried->finish(10'000));
}

TEST(call_scheduler, a_call_that_is_cancelled_in_the_queue_never_runs) {
  const auto scheduler = scheduler_of(1, 0);
  std::promise<void> go;
  post(*scheduler, [&go] { go.get_future().wait(); });
  bool has_run = false;
  const auto call = call_of(*scheduler, [&](ScheduledCall&) {
    has_run = true;
    return protocol::WorkResult{.line = "{}"};
  });
  EXPECT_EQ(scheduler->start(call), CallScheduler::Start::started);
  EXPECT_TRUE(scheduler->in_flight(call->key()));
  scheduler->cancel(call->key());
  go.set_value();
  EXPECT_EQ(call->answer_line().get(), "");
  EXPECT_TRUE(scheduler->finish(10'000));
  EXPECT_FALSE(has_run);
}

TEST(call_scheduler, an_id_is_in_use_by_its_own_client_alone_and_until_it_is_released) {
  const auto scheduler = scheduler_of(1, 0);
  std::promise<void> go;
  post(*scheduler, [&go] { go.get_future().wait(); });
  const ScheduledCall::Key key{scheduler->add_client(), "a"};
  const auto make = [&](ScheduledCall::Key whose) {
    return std::make_shared<TestCall>(*scheduler, std::move(whose),
                                      [](ScheduledCall&) { return protocol::WorkResult{}; });
  };
  const auto first = make(key);
  EXPECT_EQ(scheduler->start(first), CallScheduler::Start::started);
  EXPECT_EQ(scheduler->start(make(key)), CallScheduler::Start::id_in_use);
  EXPECT_FALSE(scheduler->start_part(make(key)));
  EXPECT_EQ(scheduler->start(make({scheduler->add_client(), "a"})), CallScheduler::Start::started);
  EXPECT_TRUE(scheduler->has_calls(key.client));
  scheduler->release(*first);
  EXPECT_FALSE(scheduler->has_calls(key.client));
  EXPECT_EQ(scheduler->start(make(key)), CallScheduler::Start::started);
  go.set_value();
  EXPECT_TRUE(scheduler->finish(10'000));
}

TEST(call_scheduler, what_continues_after_its_answer_takes_no_slot_and_is_told_only_of_the_end) {
  const auto scheduler = scheduler_of(1, 1, /*calls=*/1);
  std::promise<void> begun;
  const auto call = call_of(*scheduler, [&](ScheduledCall&) {
    return protocol::WorkResult{.line = "task", .then = [&](const protocol::CallHost& host) {
                                  begun.set_value();
                                  while (!host.cancelled()) std::this_thread::yield();
                                }};
  });
  ASSERT_EQ(scheduler->start(call), CallScheduler::Start::started);
  EXPECT_TRUE(comes(begun.get_future()));
  EXPECT_EQ(call->answer_line().get(), "task");
  scheduler->cancel(*call);
  EXPECT_FALSE(call->cancelled());
  EXPECT_FALSE(scheduler->in_flight(call->key()));
  EXPECT_FALSE(scheduler->idle());
  EXPECT_TRUE(scheduler->room());
  std::promise<void> ran;
  post(*scheduler, [&ran] { ran.set_value(); });
  EXPECT_TRUE(comes(ran.get_future()));
  scheduler->end_tasks();
  EXPECT_TRUE(scheduler->finish(10'000));
}

TEST(call_scheduler, a_call_on_the_reader_changes_no_thread_until_it_outlasts_the_patience) {
  // More threads than the quick calls could start before the first of them waits for work.
  const auto scheduler = scheduler_of(200, 0);
  std::promise<void> ended;
  std::atomic<int> reads = 0;
  std::set<std::thread::id> quick;  // the threads that ran the quick calls
  std::thread::id first;
  const auto run_here = [&](std::function<void()> job) {
    return scheduler->start(call_of(*scheduler,
                                    [job = std::move(job)](ScheduledCall&) {
                                      job();
                                      return protocol::WorkResult{};
                                    }),
                            CallScheduler::Where::reader);
  };
  const auto read = [&] {
    if (++reads == 2) return ended.set_value();
    first = std::this_thread::get_id();
    int handed_on = 0;
    for (int i = 0; i < 100 && handed_on == 0; ++i) {
      // Another thread may take over a quick call on a machine that does not run this one.
      handed_on += run_here([&] { quick.insert(std::this_thread::get_id()); }) ==
                   CallScheduler::Start::handed_on;
    }
    if (handed_on != 0) return;
    // Until another one reads.
    EXPECT_EQ(run_here([&] {
                while (reads.load() < 2) std::this_thread::yield();
              }),
              CallScheduler::Start::handed_on);
  };
  ASSERT_TRUE(scheduler->begin_reading({read, [] {}}));
  EXPECT_TRUE(comes(ended.get_future()));
  EXPECT_TRUE(scheduler->finish(10'000));
  EXPECT_THAT(quick, ::testing::ElementsAre(first));
}

}  // namespace
}  // namespace baton::transport
