#include "cli/config/store_policy.h"

#include <gtest/gtest.h>

#include "adapters/crypto/ed25519.h"
#include "adapters/crypto/memory_signer.h"
#include "adapters/files/workflow_files.h"
#include "adapters/os/repeatable.h"
#include "adapters/store/memory/memory_store.h"
#include "verbs/store/approvals.h"

namespace baton::cli {
namespace {

using run::CommandRule;
using run::PolicySetting;

class Owner final : public ports::Sealer {
 public:
  explicit Owner(std::uint64_t seed) {
    adapters::FixedEntropy(seed).fill(seed_.bytes);
    key_ = adapters::ed25519_public_key(seed_).value();
  }
  const std::string& key() const override { return key_; }
  Result<run::Seal> seal(std::string_view text) override {
    return run::Seal{key_, adapters::ed25519_sign(seed_, text).value()};
  }

 private:
  adapters::SecretKey seed_;
  std::string key_;
};

/// A server's engine, and the one of a command that the owner types beside it.
class StorePolicyTest : public ::testing::Test {
 protected:
  StorePolicyTest() { server.signatures = other.signatures = &check; }

  CommandRule commands() {
    policy.take(server);
    return server.policy.of(false).commands.value;
  }

  adapters::Ed25519Check check;
  adapters::FixedEntropy entropy{1};
  adapters::ManualClock clock{WallMs{1'700'000'000'000}};
  adapters::MemoryStore store;
  adapters::MemorySigner signer{entropy};
  adapters::WorkflowFiles workflows{{}};
  engine::IdSource ids{clock, entropy};
  engine::Caches caches;
  engine::CheckedStore checked{store, caches};
  engine::Engine server{checked, workflows, signer, clock, entropy, ids, caches};
  engine::Caches other_caches;
  engine::CheckedStore other_checked{store, other_caches};
  engine::Engine other{other_checked, workflows, signer, clock, entropy, ids, other_caches};
  // The owner's file was loose when the server started.
  StorePolicy policy{
      {{run::PolicySource::user_policy, PolicySetting::commands, "all", "policy.yaml:1"}}};
};

// Enforces: G31
TEST_F(StorePolicyTest, takes_a_policy_that_was_signed_while_the_server_runs) {
  EXPECT_EQ(commands(), CommandRule::all);
  Owner owner(7);
  MUST(verbs::record_first_key(other, owner));
  EXPECT_EQ(commands(), CommandRule::trusted) << "a file that no key signed cannot loosen";
  EXPECT_EQ(MUST(verbs::sign_policy(other, owner, "commands: all\n")), 1);
  EXPECT_EQ(commands(), CommandRule::all) << "and what is signed can";
  EXPECT_EQ(MUST(verbs::sign_policy(other, owner, "commands: never\n")), 2);
  EXPECT_EQ(commands(), CommandRule::never);
  EXPECT_EQ(commands(), CommandRule::never) << "and it stays";
}

TEST_F(StorePolicyTest, keeps_what_counted_when_the_record_cannot_be_read) {
  Owner owner(7);
  MUST(verbs::record_first_key(other, owner));
  MUST(verbs::sign_policy(other, owner, "commands: never\n"));
  EXPECT_EQ(commands(), CommandRule::never);
  MUST(verbs::sign_policy(other, owner, "effects.on_fork: reuse\n"));
  server.signatures = nullptr;  // no seal is good: the record is no sound one
  EXPECT_EQ(commands(), CommandRule::never);
  server.signatures = &check;
  EXPECT_EQ(commands(), CommandRule::trusted) << "and it is asked for again";
}

}  // namespace
}  // namespace baton::cli
