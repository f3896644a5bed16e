#pragma once
// Ids and hashes for tests. Only tests include this.

#include "base/core/ids.h"
#include "base/core/sha256.h"
#include "base/testing/json_generator.h"

namespace baton::run::testing {

template <class IdType, class Choose>
IdType any_id(Choose& choose) {
  IdType id;
  for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(choose(256));
  return id;
}

/// The n-th id of its kind, for tests that name their nodes.
template <class IdType>
IdType id_of(std::size_t n) {
  IdType id;
  id.bytes[0] = 1;
  id.bytes[14] = static_cast<std::uint8_t>(n >> 8);
  id.bytes[15] = static_cast<std::uint8_t>(n & 0xFF);
  return id;
}

template <class Choose>
Sha256 any_hash(Choose& choose) {
  return sha256(json::testing::any_string(choose));
}

}  // namespace baton::run::testing
