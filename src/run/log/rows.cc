#include "run/log/rows.h"

#include "base/text/text.h"

namespace baton::run {

Sha256 commit_hash(const Commit& commit) {
  // Lengths precede the two texts, so that no two commits have the same preimage.
  std::string preimage = "baton commit 1\n";
  preimage += commit.previous.hex();
  preimage += commit.session.text();
  preimage += cat('\n', commit.seq.value, '\n', commit.at.value, '\n', commit.dedupe_key.size(),
                  '\n', commit.dedupe_key, '\n', commit.body.size(), '\n');
  preimage += commit.body;
  return sha256(preimage);
}

}  // namespace baton::run
