#include "verbs/run/signed_states.h"

#include <gtest/gtest.h>

#include "base/text/base64.h"
#include "support/world.h"

namespace baton::testing {
namespace {

class SignedStates : public ::testing::Test {
 protected:
  World world;
  engine::Engine engine = world.engine();
  verbs::SignedStates states{[this]() -> Result<engine::Engine*> { return &engine; }};
};

TEST_F(SignedStates, sealed_text_is_read_back) {
  for (const std::string& bytes : {std::string{}, std::string("{}"), std::string(1000, '\0')}) {
    EXPECT_EQ(states.open(*states.seal(bytes, "who"), "who"), bytes);
  }
}

TEST_F(SignedStates, every_byte_and_the_binding_are_guarded) {
  const std::string sealed = *states.seal("state", "who");
  EXPECT_EQ(code_of(states.open(sealed, "whom")), "INVALID_INPUT");
  EXPECT_EQ(code_of(states.open("", "who")), "INVALID_INPUT");
  EXPECT_EQ(code_of(states.open(sealed + "-TAMPERED", "who")), "INVALID_INPUT");
  std::string bytes = *from_base64url(sealed);
  for (char& byte : bytes) {
    byte = static_cast<char>(byte ^ 1);
    EXPECT_FALSE(states.open(to_base64url(bytes), "who"));
    byte = static_cast<char>(byte ^ 1);
  }
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(states.open(to_base64url(bytes.substr(0, length)), "who"));
  }
}

TEST_F(SignedStates, end_with_time) {
  const std::string sealed = *states.seal("state", "who");
  world.manual_clock.advance_ms(limits::request_state_ms_max);
  EXPECT_TRUE(states.open(sealed, "who"));
  world.manual_clock.advance_ms(1);
  EXPECT_EQ(code_of(states.open(sealed, "who")), "INVALID_INPUT");
}

TEST_F(SignedStates, outlive_a_rotation_but_not_the_key) {
  const std::string sealed = *states.seal("state", "who");
  ASSERT_TRUE(world.signer.rotate());
  EXPECT_TRUE(states.open(sealed, "who"));
  ASSERT_TRUE(world.signer.retire(0));
  EXPECT_FALSE(states.open(sealed, "who"));
}

}  // namespace
}  // namespace baton::testing
