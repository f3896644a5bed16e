#include "cli/config/policy_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/config/config.h"
#include "cli/config/signed_policy.h"

namespace baton::cli {
namespace {

using enum run::PolicySource;
using run::PolicySetting;
using ::testing::ElementsAre;

Layer says(ConfigSource source, std::string name, std::vector<std::string> values) {
  return {source, "/base", {{std::move(name), std::move(values), "x:1"}}};
}

Error refused(const Layer& layer) { return merge(std::vector{layer}, {}).error(); }

// Enforces: G31
TEST(policy_words, of_each_layer_have_its_source) {
  const std::vector<Layer> layers = {
      says(ConfigSource::flag, "policy", {"commands=never"}),
      says(ConfigSource::environment, "policy", {"commands=all,ceiling.risk=balanced"}),
      says(ConfigSource::project_file, "commands", {"all"}),
      says(ConfigSource::user_file, "commands", {"trusted"}),
      says(ConfigSource::moved_policy, "effects.on_fork", {"repeat"}),
      says(ConfigSource::policy_file, "effects.on_fork", {"reuse"})};
  const Config config = *merge(layers, {});
  EXPECT_THAT(config.policy_words(),
              ElementsAre(PolicyWord{user_policy, PolicySetting::on_fork, "reuse", "x:1"},
                          PolicyWord{user_config, PolicySetting::on_fork, "repeat", "x:1"},
                          PolicyWord{user_config, PolicySetting::commands, "trusted", "x:1"},
                          PolicyWord{project, PolicySetting::commands, "all", "x:1"},
                          PolicyWord{environment, PolicySetting::commands, "all", "x:1"},
                          PolicyWord{environment, PolicySetting::risk, "balanced", "x:1"},
                          PolicyWord{flag, PolicySetting::commands, "never", "x:1"}));
  const run::Policy policy = run::resolve(config.policy_statements());
  EXPECT_EQ(policy.on_fork.value, run::OnFork::reuse);
  EXPECT_EQ(policy.commands.value, run::CommandRule::never);
}

TEST(policy_words, say_where_every_command_is_allowed) {
  const Config config = *merge(std::vector{says(ConfigSource::flag, "allow_shell", {"true"})}, {});
  EXPECT_THAT(config.policy_words(),
              ElementsAre(PolicyWord{allow_shell, PolicySetting::commands, "all", "x:1"}));
  EXPECT_EQ(run::resolve(config.policy_statements()).commands.value, run::CommandRule::all);
}

TEST(policy_words, that_are_wrong_are_refused_with_what_is_near) {
  const Error value = refused(says(ConfigSource::project_file, "commands", {"nevr"}));
  EXPECT_EQ(value.code, Code::CONFIG_INVALID);
  EXPECT_EQ(value.next.text(), "did you mean 'never'?");
  EXPECT_EQ(refused(says(ConfigSource::flag, "policy", {"commands=nevr"})).code, Code::USAGE);
  EXPECT_EQ(refused(says(ConfigSource::flag, "policy", {"commands"})).code, Code::USAGE);
  EXPECT_EQ(refused(says(ConfigSource::environment, "policy", {"command=never"})).next.text(),
            "did you mean 'commands'?");
  EXPECT_EQ(refused(says(ConfigSource::policy_file, "comands", {"never"})).next.text(),
            "did you mean 'commands'?");
  EXPECT_EQ(refused(says(ConfigSource::policy_file, "allow_shell", {"true"})).next.text(),
            "put it into config.yaml");
  EXPECT_EQ(refused(says(ConfigSource::user_file, "comands", {"never"})).next.text(),
            "did you mean 'commands'?");
  EXPECT_EQ(refused(says(ConfigSource::user_file, "policy", {"commands=never"})).code,
            Code::CONFIG_INVALID);
}

// Enforces: G31
TEST(signed_policy, counts_and_the_file_beside_it_only_tightens) {
  const std::vector<PolicyWord> said = {
      {user_policy, PolicySetting::commands, "all", "policy.yaml:1"},
      {user_policy, PolicySetting::on_fork, "ask", "policy.yaml:2"}};
  const auto words = words_in_force(said, "commands: never\neffects.on_fork: reuse\n");
  const run::Policy policy = run::resolve(statements_of(*words));
  EXPECT_EQ(policy.commands.value, run::CommandRule::never);
  EXPECT_EQ(policy.on_fork.value, run::OnFork::ask);
  EXPECT_THAT(policy.commands.sources, ElementsAre(user_policy));
  EXPECT_THAT(policy.on_fork.sources, ElementsAre(user_config));
  // No policy was signed yet: the file still cannot loosen.
  EXPECT_EQ(run::resolve(statements_of(*words_in_force(said, ""))).commands.value,
            run::CommandRule::trusted);
  // A file that is missing takes nothing away.
  EXPECT_EQ(run::resolve(statements_of(*words_in_force({}, "commands: never\n"))).commands.value,
            run::CommandRule::never);
}

TEST(signed_policy, is_a_policy) {
  EXPECT_TRUE(check_policy_text("commands: never\n", "policy.yaml"));
  EXPECT_EQ(check_policy_text("comands: never\n", "policy.yaml").error().code,
            Code::CONFIG_INVALID);
  EXPECT_FALSE(words_in_force({}, "allow_shell: true\n"));
}

}  // namespace
}  // namespace baton::cli
