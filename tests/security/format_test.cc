// The examples of docs/formats are what the program does.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "adapters/crypto/key_ring.h"
#include "base/testing/project_file.h"
#include "base/text/text.h"
#include "token_world.h"

namespace baton::security {
namespace {

constexpr std::string_view counting_key =
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

std::string document(std::string_view name) {
  std::ostringstream out;
  out << std::ifstream(project_file(cat("docs/formats/", name))).rdbuf();
  return out.str();
}

run::UnverifiedToken example() {
  return {.kind = run::TokenKind::ack,
          .key_slot = 2,
          .node = {0x0123456789},
          .ordinal = 5,
          .count = 3,
          .life_minutes = 600,
          .mac = {}};
}

NodeId example_node() {
  NodeId node;
  for (std::uint8_t i = 0; i < 16; ++i) node.bytes[i] = i;
  return node;
}

TEST(token_format, the_example_is_right) {
  TokenWorld world(1);
  std::ofstream(world.keys().path()) << "{\"version\":1,\"keys\":[{\"slot\":2,\"state\":\"current\""
                                     << ",\"key\":\"" << counting_key << "\"}]}";
  run::UnverifiedToken token = example();
  const std::string preimage = run::mac_preimage(token, example_node(), "review", "local");
  token.mac = world.signer().sign(2, preimage).value();
  EXPECT_EQ(to_hex(token.mac), "6c3fa0c6a5f390a6");
  EXPECT_EQ(run::encode_token(token), "ack1yfk3eedp9nne8frwdsl6p3497wg2vumglex");
  EXPECT_EQ(run::decode_token("ack1zgqjx3t83y2qxqjcdsl6p3497wg2vh758fp").value(), token);
}

TEST(token_format, the_document_shows_it) {
  const std::string text = document("token.md");
  for (const std::string_view shown :
       {counting_key, std::string_view("4,886,718,345 = `0x0123456789`"),
        std::string_view("00000003 61636b\n0000000a 12012345678914030258\n"
                         "00000010 000102030405060708090a0b0c0d0e0f\n00000006 726576696577\n"
                         "00000005 6c6f63616c\n"),
        std::string_view("`6c3fa0c6a5f390a6`"),
        std::string_view("\nack1zgqjx3t83y2qxqjcdsl6p3497wg2vh758fp\nack1yfk3eedp9nne8frwdsl6p3497w"
                         "g2vumglex\n")}) {
    EXPECT_NE(text.find(shown), std::string::npos) << shown;
  }
}

TEST(key_ring_format, the_documents_example_is_what_is_written) {
  const std::string text = document("keyring.md");
  const std::size_t begin = text.find("{\"version\"");
  ASSERT_NE(begin, std::string::npos);
  const std::string shown = text.substr(begin, text.find("```", begin) - begin);
  const auto ring = adapters::KeyRing::parse(shown);
  ASSERT_TRUE(ring);
  EXPECT_EQ(ring->print().text, shown);
}

}  // namespace
}  // namespace baton::security
