// token_forgeries [COUNT [SEED]]: random MACs on the claims of valid tokens. Writes one line of
// JSON with what was tried; fails when one was accepted.
//
// Each valid token is presented now and then between the forgeries and must be accepted, so that a
// signer which refuses everything does not pass.

#include <array>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "base/text/text.h"
#include "token_world.h"

namespace baton::security {
namespace {

constexpr std::size_t threads = 2;
constexpr std::uint64_t valid_every = 1'000;

/// The forgeries of one thread; gives {accepted forgeries, refused valid tokens}.
std::array<std::uint64_t, 2> forge(TokenWorld& world, std::uint64_t count, std::uint64_t seed) {
  adapters::FixedEntropy entropy(seed);
  std::vector<std::string> preimages;
  for (const Issued& issued : world.issued()) {
    preimages.push_back(world.preimage(issued.token, issued.principal));
  }
  std::array<std::uint64_t, 2> wrong{};
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t index = i % preimages.size();
    const run::UnverifiedToken& token = world.issued()[index].token;
    run::TokenMac mac{};
    entropy.fill(mac);
    if (mac == token.mac) continue;
    const auto verified = world.signer().verify(token.key_slot, preimages[index], mac);
    if (verified.value_or(true)) ++wrong[0];
    if (i % valid_every != 0) continue;
    const auto valid = world.signer().verify(token.key_slot, preimages[index], token.mac);
    if (!valid.value_or(false)) ++wrong[1];
  }
  return wrong;
}

int run_all(std::uint64_t count, std::uint64_t seed) {
  TokenWorld world(seed);
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> valid_refused = 0;
  {
    std::vector<std::jthread> running;
    for (std::size_t i = 0; i < threads; ++i) {
      running.emplace_back([&, i] {
        const auto wrong = forge(world, count / threads, seed + i + 1);
        accepted += wrong[0];
        valid_refused += wrong[1];
      });
    }
  }
  const std::string report =
      cat("{\"test\":\"token_forgeries\",\"seed\":", seed, ",\"tried\":", count / threads * threads,
          ",\"accepted\":", accepted.load(), ",\"validRefused\":", valid_refused.load(), "}");
  std::puts(report.c_str());
  return accepted == 0 && valid_refused == 0 ? 0 : 1;
}

}  // namespace
}  // namespace baton::security

int main(int argc, char** argv) {
  const auto number = [&](int at, std::int64_t otherwise) {
    return argc > at ? baton::parse_int(argv[at]) : std::optional(otherwise);
  };
  const auto count = number(1, 1'000'000);
  const auto seed = number(2, 1);
  if (argc > 3 || !count || *count < 2 || !seed || *seed < 0) {
    std::fputs("token_forgeries [COUNT [SEED]]\n", stderr);
    return 2;
  }
  return baton::security::run_all(static_cast<std::uint64_t>(*count),
                                  static_cast<std::uint64_t>(*seed));
}
