#include "cli/config/signed_policy.h"

#include <algorithm>
#include <iterator>

#include "cli/config/config.h"
#include "cli/config/load.h"

namespace baton::cli {
namespace {

Result<std::vector<PolicyWord>> words_of_policy(std::string_view text, const std::string& path) {
  std::vector<Given> given = TRY(read_config(text, path));
  const Layer layer{ConfigSource::policy_file, "/", std::move(given)};
  return TRY(merge(std::span(&layer, 1), {})).policy_words();
}

}  // namespace

Result<std::vector<PolicyWord>> words_in_force(std::vector<PolicyWord> said,
                                               std::string_view text) {
  std::vector<PolicyWord> out = TRY(words_of_policy(text, std::string(signed_policy_origin)));
  for (PolicyWord& word : out) word.origin = std::string(signed_policy_origin);
  for (PolicyWord& word : said) {
    if (word.source != run::PolicySource::user_policy) continue;
    word.source = run::PolicySource::user_config;  // it may only tighten, as that one
    word.is_unsigned = true;
  }
  std::ranges::move(said, std::back_inserter(out));
  return out;
}

Result<void> check_policy_text(std::string_view text, const std::string& path) {
  TRY(words_of_policy(text, path));
  return {};
}

}  // namespace baton::cli
