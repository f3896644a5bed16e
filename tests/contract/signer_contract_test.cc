// What every Signer does, run against the one with a file and the one without. Both get their keys
// from the same seed, and their HMACs are two implementations, so their MACs are compared too.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "adapters/crypto/crypto_signer.h"
#include "adapters/crypto/memory_signer.h"
#include "adapters/os/repeatable.h"
#include "base/text/text.h"

namespace baton {
namespace {

/// A signer with one key, and what its owner can do with its keys.
class Owner {
 public:
  virtual ~Owner() = default;
  virtual ports::Signer& signer() = 0;
  virtual Result<std::uint8_t> rotate() = 0;
  virtual Result<void> retire(std::uint8_t slot) = 0;
};

class MemoryOwner final : public Owner {
 public:
  ports::Signer& signer() override { return signer_; }
  Result<std::uint8_t> rotate() override { return signer_.rotate(); }
  Result<void> retire(std::uint8_t slot) override { return signer_.retire(slot); }

 private:
  adapters::FixedEntropy entropy_{7};
  adapters::MemorySigner signer_{entropy_};
};

/// The keys change behind the signer's back, as when another process changes them.
class FileOwner final : public Owner {
 public:
  FileOwner() {
    std::string pattern = ::testing::TempDir() + "baton-signer-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
    file_.emplace((directory_ / "keys").string());
    // The temporary file's name takes eight bytes before the first key does.
    EightLess first_key;
    EXPECT_TRUE(file_->create_if_missing(first_key));
    std::array<std::uint8_t, 32> skipped{};
    entropy_.fill(skipped);
    signer_ = adapters::CryptoSigner::open(*file_).value();
  }
  ~FileOwner() override { std::filesystem::remove_all(directory_); }

  ports::Signer& signer() override { return *signer_; }
  Result<std::uint8_t> rotate() override { return file_->rotate(entropy_); }
  Result<void> retire(std::uint8_t slot) override { return file_->retire(slot); }

 private:
  struct EightLess final : ports::Entropy {
    void fill(std::span<std::uint8_t> bytes) override {
      if (bytes.size() == 32) key.fill(bytes);
    }
    adapters::FixedEntropy key{7};
  };

  std::filesystem::path directory_;
  adapters::FixedEntropy entropy_{7};
  std::optional<adapters::KeyFile> file_;
  std::unique_ptr<adapters::CryptoSigner> signer_;
};

struct Implementation {
  std::string name;
  std::function<std::unique_ptr<Owner>()> make;
};

class signer_contract : public ::testing::TestWithParam<Implementation> {
 protected:
  std::unique_ptr<Owner> owner_ = GetParam().make();
  ports::Signer& signer_ = owner_->signer();
};

TEST_P(signer_contract, begins_with_one_key) {
  const std::uint8_t slot = signer_.current_slot().value();
  for (unsigned other = 0; other < 256; ++other) {
    EXPECT_EQ(signer_.has_key(static_cast<std::uint8_t>(other)).value(), other == slot);
  }
}

TEST_P(signer_contract, signing_twice_gives_the_same_mac) {
  EXPECT_EQ(signer_.sign(0, "message").value(), signer_.sign(0, "message").value());
  EXPECT_NE(signer_.sign(0, "message").value(), signer_.sign(0, "massage").value());
}

// Enforces: G8
TEST_P(signer_contract, only_the_signed_message_with_its_whole_mac_is_verified) {
  for (const std::size_t size : {0u, 1u, 55u, 56u, 63u, 64u, 65u, 1'000u}) {
    const std::string message(size, 'm');
    const run::TokenMac mac = signer_.sign(0, message).value();
    EXPECT_TRUE(signer_.verify(0, message, mac).value());
    EXPECT_FALSE(signer_.verify(0, message + "m", mac).value());
    for (std::size_t bit = 0; bit < 8 * mac.size(); ++bit) {
      run::TokenMac wrong = mac;
      wrong[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      EXPECT_FALSE(signer_.verify(0, message, wrong).value()) << bit;
    }
  }
}

// Enforces: G8
TEST_P(signer_contract, rotated_key_signs_and_the_old_one_still_verifies) {
  const run::TokenMac old = signer_.sign(0, "message").value();
  ASSERT_EQ(owner_->rotate().value(), 1);
  EXPECT_EQ(signer_.current_slot().value(), 1);
  EXPECT_TRUE(signer_.verify(0, "message", old).value());
  EXPECT_EQ(signer_.sign(0, "message").value(), old);
  const run::TokenMac fresh = signer_.sign(1, "message").value();
  EXPECT_NE(fresh, old);
  EXPECT_TRUE(signer_.verify(1, "message", fresh).value());
  EXPECT_FALSE(signer_.verify(1, "message", old).value());
  EXPECT_FALSE(signer_.verify(0, "message", fresh).value());
}

// Enforces: G8
TEST_P(signer_contract, retired_key_neither_verifies_nor_signs) {
  const run::TokenMac old = signer_.sign(0, "message").value();
  ASSERT_TRUE(owner_->rotate());
  ASSERT_TRUE(owner_->retire(0));
  EXPECT_FALSE(signer_.has_key(0).value());
  EXPECT_FALSE(signer_.verify(0, "message", old).value());
  EXPECT_EQ(signer_.sign(0, "message").error().code, Code::NOT_FOUND);
}

// Enforces: G8
TEST_P(signer_contract, new_key_in_a_retired_slot_does_not_bring_old_macs_back) {
  const run::TokenMac old = signer_.sign(0, "message").value();
  ASSERT_TRUE(owner_->rotate());
  ASSERT_TRUE(owner_->retire(0));
  ASSERT_EQ(owner_->rotate().value(), 0);
  EXPECT_TRUE(signer_.has_key(0).value());
  EXPECT_FALSE(signer_.verify(0, "message", old).value());
}

TEST_P(signer_contract, no_mac_fits_a_slot_without_a_key) {
  const run::TokenMac mac = signer_.sign(0, "message").value();
  for (const unsigned slot : {1u, 15u, 16u, 255u}) {
    EXPECT_FALSE(signer_.verify(static_cast<std::uint8_t>(slot), "message", mac).value());
    EXPECT_FALSE(signer_.verify(static_cast<std::uint8_t>(slot), "message", {}).value());
  }
}

TEST_P(signer_contract, the_current_key_cannot_be_retired_and_sixteen_are_the_most) {
  EXPECT_EQ(owner_->retire(0).error().code, Code::INVALID_INPUT);
  EXPECT_EQ(owner_->retire(1).error().code, Code::NOT_FOUND);
  for (int keys = 1; keys < 16; ++keys) ASSERT_TRUE(owner_->rotate());
  EXPECT_EQ(owner_->rotate().error().code, Code::KEYS_EXHAUSTED);
  std::set<run::TokenMac> macs;
  for (unsigned slot = 0; slot < 16; ++slot) {
    macs.insert(signer_.sign(static_cast<std::uint8_t>(slot), "message").value());
  }
  EXPECT_EQ(macs.size(), 16u);
}

TEST_P(signer_contract, threads_get_the_same_macs_while_keys_change) {
  const run::TokenMac right = signer_.sign(0, "message").value();
  std::vector<int> wrong(4);
  {
    std::vector<std::jthread> threads;
    for (int& count : wrong) {
      threads.emplace_back([&] {
        for (int i = 0; i < 2'000; ++i) {
          if (signer_.sign(0, "message") != right) ++count;
          if (!signer_.verify(0, "message", right).value_or(false)) ++count;
        }
      });
    }
    for (int i = 0; i < 15; ++i) ASSERT_TRUE(owner_->rotate());
  }
  EXPECT_EQ(wrong, std::vector<int>(4));
}

INSTANTIATE_TEST_SUITE_P(
    all, signer_contract,
    ::testing::Values(Implementation{"memory", [] { return std::make_unique<MemoryOwner>(); }},
                      Implementation{"file", [] { return std::make_unique<FileOwner>(); }}),
    [](const auto& instance) { return instance.param.name; });

TEST(signer_implementations, make_the_same_macs) {
  MemoryOwner memory;
  FileOwner file;
  for (std::uint8_t slot = 0; slot < 3; ++slot) {
    for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 300u}) {
      const std::string message(size, static_cast<char>('a' + slot));
      EXPECT_EQ(memory.signer().sign(slot, message).value(),
                file.signer().sign(slot, message).value());
    }
    ASSERT_EQ(memory.rotate().value(), file.rotate().value());
  }
}

}  // namespace
}  // namespace baton
