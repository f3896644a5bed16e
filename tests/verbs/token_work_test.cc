// What refusing a token costs, and what a thousand at once get.

#include <gtest/gtest.h>

#include <barrier>
#include <filesystem>
#include <set>
#include <thread>

#include "adapters/store/sqlite/sqlite_store.h"
#include "support/world.h"
#include "surface/tokens.h"

namespace baton::testing {
namespace {

using surface::SignedReply;

class CountingSigner final : public ports::Signer {
 public:
  explicit CountingSigner(ports::Signer& inner) : inner_(inner) {}
  Result<std::uint8_t> current_slot() override { return inner_.current_slot(); }
  Result<bool> has_key(std::uint8_t slot) override { return inner_.has_key(slot); }
  Result<run::TokenMac> sign(std::uint8_t slot, std::string_view preimage) override {
    return ++macs, inner_.sign(slot, preimage);
  }
  Result<bool> verify(std::uint8_t slot, std::string_view preimage,
                      const run::TokenMac& mac) override {
    return ++macs, inner_.verify(slot, preimage, mac);
  }
  int macs = 0;

 private:
  ports::Signer& inner_;
};

/// A token's text with some of its claims changed and its MAC left as it was.
std::string changed(const std::string& text,
                    const std::function<void(run::UnverifiedToken&)>& change) {
  run::UnverifiedToken token = run::decode_token(text).value();
  change(token);
  return run::encode_token(token);
}

// Enforces: G8
TEST(token_work, is_the_same_for_every_fault_of_a_token) {
  World world;
  const SignedReply here = world.start().value();
  const SignedReply gone = world.start().value();
  world.purge(gone.reply.session);
  const auto flip = [](run::UnverifiedToken& token) { token.mac[0] ^= 1; };
  const std::pair<const char*, std::string> tokens[] = {
      {"a wrong MAC", changed(*here.ack_token, flip)},
      {"a wrong MAC for a removed node", changed(*gone.ack_token, flip)},
      {"a node that never was",
       changed(*here.ack_token, [](run::UnverifiedToken& token) { token.node.value = 99'999; })},
      {"a step that is not open",
       changed(*here.ack_token, [](run::UnverifiedToken& token) { token.ordinal = 9; })},
      {"a slot without a key",
       changed(*here.ack_token, [](run::UnverifiedToken& token) { token.key_slot = 9; })}};
  for (const auto& [what, text] : tokens) {
    CountingSigner signer(world.signer);
    const engine::ReadContext reading{
        {world.checked(*world.caches), *world.caches}, signer, world.clock};
    using Call = adapters::FaultyStore::Call;
    const std::int64_t before = world.faulty.count(Call::read);
    const auto open = surface::open_token(reading, {}, text, run::TokenKind::ack);
    EXPECT_EQ(code_of(open), "TOKEN_BAD_SIGNATURE") << what;
    EXPECT_EQ(world.faulty.count(Call::read) - before, 3) << what;
    EXPECT_EQ(signer.macs, 2) << what;
  }
  CountingSigner signer(world.signer);
  const engine::ReadContext reading{
      {world.checked(*world.caches), *world.caches}, signer, world.clock};
  const auto other =
      surface::open_token(reading, {"somebody"}, *here.ack_token, run::TokenKind::ack);
  EXPECT_EQ(code_of(other), "TOKEN_BAD_SIGNATURE");
  EXPECT_EQ(signer.macs, 2);
}

/// Everything of an answer that a caller is told.
std::string told(const SignedReply& reply) {
  return reply.state_token + *reply.ack_token + *reply.checkpoint_token +
         reply.reply.pending->prompt + (reply.notice ? reply.notice->ack_token : "") +
         reply.left_token;
}

// Enforces: G22
TEST(replays, of_one_ack_a_thousand_at_once_get_one_answer_from_one_advance) {
  constexpr std::size_t threads = 40;
  constexpr std::size_t each = 25;
  std::string pattern = (std::filesystem::temp_directory_path() / "baton-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  {
    const auto store = MUST(adapters::SqliteStore::open(pattern + "/store.db"));
    World world;
    world.port = store.get();
    const std::string ack = *world.start().value().ack_token;
    std::vector<std::string> answers(threads * each);
    std::barrier start(static_cast<std::ptrdiff_t>(threads));
    {
      std::vector<std::jthread> all;
      for (std::size_t thread = 0; thread < threads; ++thread) {
        all.emplace_back([&, thread] {
          // A process of its own in all but the keys: its ids, its clock, its caches.
          World own(100 + thread);
          own.port = store.get();
          engine::Engine engine{own.checked(*own.caches),
                                own.workflows,
                                world.signer,
                                own.clock,
                                own.entropy,
                                own.ids,
                                *own.caches};
          start.arrive_and_wait();
          for (std::size_t i = 0; i < each; ++i) {
            const auto reply = surface::advance(engine, {}, {ack, std::nullopt, notes_of("done")});
            answers[thread * each + i] = reply ? told(*reply) : reply.error().message;
          }
        });
      }
    }
    EXPECT_EQ(std::set<std::string>(answers.begin(), answers.end()).size(), 1u) << answers.front();
    EXPECT_EQ(answers.front(), told(world.advance(ack).value()));
    EXPECT_EQ(store->last_commit().value().value, 2) << "the start and one advance";
  }
  std::filesystem::remove_all(pattern);
}

}  // namespace
}  // namespace baton::testing
