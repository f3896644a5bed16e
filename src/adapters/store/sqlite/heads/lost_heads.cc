#include "adapters/store/sqlite/heads/lost_heads.h"

#include <map>

#include "base/text/text.h"

namespace baton::adapters::sqlite {
namespace {

constexpr const char* last_commits =
    "SELECT s.id, s.anchor, max(c.seq) FROM commits c"
    " JOIN sessions s ON s.session_no = c.session_no"
    " WHERE c.commit_no <= ?1 AND s.anchor >= 1 GROUP BY c.session_no";

}  // namespace

Result<std::vector<std::string>> lost_heads(
    Connection& connection, const std::optional<AnchorMark>& mark,
    const std::vector<std::pair<std::int64_t, AnchoredHead>>& records) {
  std::vector<std::string> out;
  if (!mark) return out;
  std::map<std::int64_t, const AnchoredHead*> by_anchor;
  for (const auto& [anchor, head] : records) by_anchor.emplace(anchor, &head);
  Query query(connection, last_commits);
  query.bind(mark->synced.value);
  while (TRY(query.step())) {
    const SessionId session{query.bytes<16>(0)};
    const auto found = by_anchor.find(query.integer(1));
    const run::Seq last{query.integer(2)};
    if (found == by_anchor.end()) {
      out.push_back(cat("the heads have no record of ", session.text()));
    } else if (found->second->session == session && found->second->seq < last) {
      out.push_back(cat("the heads have no record of commit ", last.value, " of ", session.text(),
                        ": they end with commit ", found->second->seq.value));
    }
  }
  TRY(query.sound());
  return out;
}

}  // namespace baton::adapters::sqlite
