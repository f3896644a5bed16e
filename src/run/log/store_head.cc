#include "run/log/store_head.h"

#include <vector>

#include "base/text/text.h"

namespace baton::run {
namespace {

constexpr std::string_view what_it_is = "head1";
constexpr std::string_view digest_of_nothing = "baton store head v1\n";

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':')) {
    parts.push_back(text.substr(0, colon));
    text.remove_prefix(colon + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace

StoreHead StoreHead::empty() { return {.commit = {}, .digest = sha256(digest_of_nothing)}; }

void StoreHead::take(const Commit& next) {
  commit = next.no;
  digest = sha256(cat(digest.hex(), ' ', next.no.value, ' ', next.hash.hex(), '\n'));
}

std::string StoreHead::text() const {
  return cat(what_it_is, ':', commit.value, ':', removed_sessions, ':', digest.hex());
}

std::optional<StoreHead> StoreHead::parse(std::string_view text) {
  const auto parts = split(text);
  if (parts.size() != 4 || parts[0] != what_it_is) return std::nullopt;
  const auto commit = parse_int(parts[1]);
  const auto removed = parse_int(parts[2]);
  const auto digest = Sha256::from_hex(parts[3]);
  if (!commit || *commit < 0 || !removed || *removed < 0 || !digest) return std::nullopt;
  return StoreHead{{*commit}, *removed, *digest};
}

}  // namespace baton::run
