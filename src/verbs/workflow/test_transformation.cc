#include "verbs/workflow/test_transformation.h"

#include <array>
#include <cstring>
#include <set>

#include "state/mentions.h"

namespace baton::verbs {

TriedTransformation test_transformation(ports::ScriptHost& scripts, ports::Clock& clock,
                                        ports::Entropy& entropy, const std::string& transform,
                                        const json::Object& scope) {
  state::Evaluation asked;
  asked.script = {transform, state::ScriptForm::transform, {}};
  // A name that does not occur costs time to compile and is never read.
  std::set<std::string_view> mentioned;
  for (const state::Mention& each : state::mentions_of(transform)) mentioned.insert(each.name);
  for (const json::Member& each : scope) {
    const bool is_used = mentioned.contains(each.key) && state::is_script_name(each.key);
    if (is_used) asked.script.names.push_back(each.key);
  }
  asked.scope = json::print(scope);
  std::array<std::uint8_t, sizeof asked.draw.seed> seed{};
  entropy.fill(seed);
  asked.draw.now = clock.wall();
  std::memcpy(&asked.draw.seed, seed.data(), seed.size());
  const MonoMs start = clock.mono();
  auto result = std::move(scripts.evaluate({&asked, 1}, {})[0]);
  const std::int64_t elapsed = clock.mono().value - start.value;
  if (!result) {
    return {std::unexpected(state::error_of(result.error(), asked.script.source)), elapsed};
  }
  return {*std::move(result), elapsed};
}

}  // namespace baton::verbs
