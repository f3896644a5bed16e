#include "cli/config/config.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::cli {
namespace {

using Values = std::vector<std::string>;

const ConfigLocations around{"/home/u", "/home/u/.local/share/baton/baton.db"};

std::string origin_of(ConfigSource source) {
  switch (source) {
    case ConfigSource::flag: return "flag";
    case ConfigSource::environment: return "variable";
    case ConfigSource::project_file: return "project:1";
    case ConfigSource::user_file: return "user:1";
    case ConfigSource::moved_policy: return "moved:1";
    case ConfigSource::policy_file: return "policy:1";
  }
  return "";
}

Layer layer(ConfigSource source, std::string name, Values values) {
  return {source, "/base", {{std::move(name), std::move(values), origin_of(source)}}};
}

Result<Config> merge_one(ConfigSource source, std::string name, Values values) {
  return merge(std::vector{layer(source, std::move(name), std::move(values))}, around);
}

const Effective& effective(const Config& config, std::string_view name) {
  for (const Effective& each : config.all()) {
    if (each.setting->name == name) return each;
  }
  return config.all()[0];
}

TEST(config, without_layers_every_setting_has_its_default) {
  const Config config = *merge({}, around);
  ASSERT_EQ(config.all().size(), settings().size());
  for (const Effective& each : config.all()) EXPECT_EQ(each.origin, "default");
  EXPECT_EQ(config.store(), "/home/u/.local/share/baton/baton.db");
  EXPECT_EQ(config.surfaces(), Values{"rail"});
  EXPECT_EQ(config.token_life_minutes(), 10);
  EXPECT_FALSE(config.verbose());
  EXPECT_TRUE(config.workflows().empty());
  EXPECT_EQ(config.content_dir(), "");
}

TEST(config, a_higher_layer_overrides_all_lower_ones) {
  std::vector<Layer> layers = {layer(ConfigSource::flag, "token_ttl", {"1"}),
                               layer(ConfigSource::environment, "token_ttl", {"2"}),
                               layer(ConfigSource::project_file, "token_ttl", {"3"}),
                               layer(ConfigSource::user_file, "token_ttl", {"4"})};
  for (std::int64_t expected = 1; !layers.empty(); ++expected) {
    const Config config = *merge(layers, around);
    EXPECT_EQ(config.token_life_minutes(), expected);
    EXPECT_EQ(effective(config, "token_ttl").origin, origin_of(layers[0].source));
    layers.erase(layers.begin());
  }
}

TEST(config, a_list_of_a_higher_layer_replaces_the_lower_one) {
  const std::vector<Layer> layers = {layer(ConfigSource::flag, "workflows", {"a"}),
                                     layer(ConfigSource::user_file, "workflows", {"b", "c"})};
  EXPECT_EQ(merge(layers, around)->workflows(), Values{"/base/a"});
}

TEST(config, a_hidden_value_is_checked_too) {
  const std::vector<Layer> layers = {layer(ConfigSource::flag, "token_ttl", {"1"}),
                                     layer(ConfigSource::user_file, "token_ttl", {"never"})};
  EXPECT_EQ(merge(layers, around).error().code, Code::CONFIG_INVALID);
}

TEST(config, token_life_has_limits) {
  const auto life = [](std::int64_t minutes) {
    return merge_one(ConfigSource::flag, "token_ttl", {cat(minutes)});
  };
  EXPECT_FALSE(life(0));
  EXPECT_EQ(life(1)->token_life_minutes(), 1);
  EXPECT_EQ(life(limits::token_life_minutes_max)->token_life_minutes(), 10'080);
  EXPECT_FALSE(life(limits::token_life_minutes_max + 1));
  EXPECT_FALSE(merge_one(ConfigSource::flag, "token_ttl", {"ten"}));
}

TEST(config, paths_are_made_absolute_where_they_were_given) {
  EXPECT_EQ(merge_one(ConfigSource::flag, "db", {"x/../b.db"})->store(), "/base/b.db");
  EXPECT_EQ(merge_one(ConfigSource::flag, "db", {"/b.db"})->store(), "/b.db");
  EXPECT_EQ(merge_one(ConfigSource::user_file, "db", {"~/b.db"})->store(), "/home/u/b.db");
  for (const std::string url : {"postgres://host/x", "postgresql://u@h/d", "file:///x.db"}) {
    EXPECT_EQ(merge_one(ConfigSource::flag, "db", {url}).error().code, Code::USAGE) << url;
  }
  const Layer in_home = layer(ConfigSource::flag, "db", {"~/b.db"});
  EXPECT_FALSE(merge(std::vector{in_home}, {"", ""}));
}

TEST(config, the_variable_of_a_list_separates_by_colons) {
  EXPECT_EQ(merge_one(ConfigSource::environment, "workflows", {"a:/b"})->workflows(),
            (Values{"/base/a", "/b"}));
  EXPECT_EQ(merge_one(ConfigSource::flag, "workflows", {"a:b"})->workflows(), Values{"/base/a:b"});
}

TEST(config, surfaces_come_as_a_list_with_commas_or_all) {
  EXPECT_EQ(merge_one(ConfigSource::flag, "surface", {"planner,rail,planner"})->surfaces(),
            (Values{"planner", "rail"}));
  EXPECT_EQ(merge_one(ConfigSource::user_file, "surface", {"atomic", "planner"})->surfaces(),
            (Values{"atomic", "planner"}));
  EXPECT_EQ(merge_one(ConfigSource::flag, "surface", {"all"})->surfaces(),
            (Values{"rail", "atomic", "planner"}));
  const Error error = merge_one(ConfigSource::flag, "surface", {"rail,plannre"}).error();
  EXPECT_EQ(error.code, Code::USAGE);
  EXPECT_EQ(error.next.text(), "did you mean 'planner'?");
  EXPECT_FALSE(merge_one(ConfigSource::flag, "surface", {"rail,"}));
}

TEST(config, a_surface_that_is_not_offered_is_refused_with_those_that_are) {
  const Error error = merge_one(ConfigSource::flag, "surface", {"broker"}).error();
  EXPECT_EQ(error.code, Code::USAGE);
  EXPECT_EQ(error.next.text(), "use rail, atomic, planner or all, or several separated by commas");
  EXPECT_EQ(merge_one(ConfigSource::environment, "surface", {"broker"}).error().code,
            Code::CONFIG_INVALID);
}

TEST(config, every_word_of_a_closed_set_can_be_given) {
  for (const Setting& setting : settings()) {
    for (const std::string_view choice : choices_of(setting)) {
      EXPECT_TRUE(merge_one(ConfigSource::flag, std::string(setting.name), {std::string(choice)}))
          << choice;
    }
  }
}

TEST(config, a_boolean_is_true_or_false) {
  EXPECT_TRUE(merge_one(ConfigSource::environment, "verbose", {"1"})->verbose());
  EXPECT_FALSE(merge_one(ConfigSource::user_file, "verbose", {"false"})->verbose());
  EXPECT_FALSE(merge_one(ConfigSource::user_file, "verbose", {"no"}));
}

TEST(config, a_project_may_not_decide_where_runs_are_kept) {
  const Error error = merge_one(ConfigSource::project_file, "db", {"x.db"}).error();
  EXPECT_EQ(error.code, Code::CONFIG_INVALID);
  EXPECT_EQ(error.message, "project:1: a project may not set 'db'");
  EXPECT_TRUE(merge_one(ConfigSource::user_file, "db", {"x.db"}));
}

/// A setting whose values are in an order, the strictest first, and its default among them.
struct Ordered {
  std::string name;
  Values strictest_first;
  std::string fallback;
};

// Enforces: G15
TEST(config, a_project_may_tighten_what_the_user_or_the_default_says_and_never_loosen_it) {
  const Ordered ordered[] = {
      {"autonomy", {"guided", "full_auto_stop_on_user_deps", "full_auto_never_stop"}, "guided"},
      {"risk_policy", {"conservative", "balanced", "aggressive"}, "conservative"},
      {"token_ttl", {"5", "10", "20"}, "10"},
      {"verbose", {"true", "false"}, "false"}};
  for (const Ordered& each : ordered) {
    const auto rank = [&](const std::string& value) {
      return std::ranges::find(each.strictest_first, value) - each.strictest_first.begin();
    };
    // Every combination of sources, with every value or none of each.
    Values choices = each.strictest_first;
    choices.emplace_back();
    for (const std::string& flag : choices) {
      for (const std::string& variable : choices) {
        for (const std::string& project : choices) {
          for (const std::string& user : choices) {
            std::vector<Layer> layers;
            const auto add = [&](ConfigSource source, const std::string& value) {
              if (!value.empty()) layers.push_back(layer(source, each.name, {value}));
            };
            add(ConfigSource::flag, flag);
            add(ConfigSource::environment, variable);
            add(ConfigSource::project_file, project);
            add(ConfigSource::user_file, user);
            const Effective found = effective(*merge(layers, around), each.name);
            const std::string own = user.empty() ? each.fallback : user;
            const bool is_looser = !project.empty() && rank(project) > rank(own);
            const bool is_decided = !flag.empty() || !variable.empty();
            std::string expected = own;
            if (!project.empty() && !is_looser) expected = project;
            if (!variable.empty()) expected = variable;
            if (!flag.empty()) expected = flag;
            const std::string sources = cat(each.name, ": flag ", flag, ", variable ", variable,
                                            ", project ", project, ", user ", user);
            EXPECT_EQ(found.values, Values{expected}) << sources;
            EXPECT_EQ(found.ignored.has_value(), is_looser && !is_decided) << sources;
            if (found.ignored) {
              EXPECT_EQ(found.ignored->values, Values{project}) << sources;
              EXPECT_EQ(found.ignored->origin, "project:1") << sources;
            }
          }
        }
      }
    }
  }
}

TEST(config, a_project_chooses_among_the_surfaces_that_the_user_names) {
  const auto chosen = [](const Values& project, const Values& user) {
    std::vector<Layer> layers = {layer(ConfigSource::project_file, "surface", project)};
    if (!user.empty()) layers.push_back(layer(ConfigSource::user_file, "surface", user));
    return effective(*merge(layers, around), "surface");
  };
  EXPECT_EQ(chosen({"planner"}, {}).values, Values{"planner"}) << "the default names none";
  EXPECT_EQ(chosen({"planner"}, {"all"}).values, Values{"planner"});
  EXPECT_EQ(chosen({"rail"}, {"rail", "atomic"}).values, Values{"rail"});
  const Effective more = chosen({"rail", "planner"}, {"rail"});
  EXPECT_EQ(more.values, Values{"rail"});
  EXPECT_EQ(more.ignored->values, (Values{"rail", "planner"}));
}

TEST(config, a_project_decides_nothing_about_trust_addresses_and_the_store) {
  for (const std::string name : {"db", "http", "token_file", "allow_host", "allow_shell"}) {
    EXPECT_EQ(merge_one(ConfigSource::project_file, name, {"x"}).error().code, Code::CONFIG_INVALID)
        << name;
  }
}

TEST(config, an_ignored_value_of_a_project_is_checked_too) {
  EXPECT_EQ(merge_one(ConfigSource::project_file, "autonomy", {"bold"}).error().code,
            Code::CONFIG_INVALID);
}

// Enforces: G19
TEST(config, a_folder_that_a_project_names_counts_only_inside_of_it) {
  for (const std::string name : {"workflows", "content_dir"}) {
    const auto said = [&](std::string value) {
      return *merge_one(ConfigSource::project_file, name, {std::move(value)});
    };
    EXPECT_EQ(effective(said("flows"), name).values, Values{"/base/flows"});
    EXPECT_TRUE(effective(said("flows"), name).is_projects);
    EXPECT_EQ(effective(said("/base/flows"), name).values, Values{"/base/flows"});
    for (const std::string outside :
         {"..", "../x", "/", "/etc", "~/notes", "flows/../../x", "/base2/x"}) {
      const Config config = said(outside);
      EXPECT_TRUE(effective(config, name).values.empty()) << outside;
      EXPECT_EQ(effective(config, name).origin, "default");
      ASSERT_TRUE(effective(config, name).ignored) << outside;
      EXPECT_EQ(effective(config, name).ignored->origin, "project:1");
    }
    // The user may name any.
    const std::vector<Layer> layers = {layer(ConfigSource::project_file, name, {"/etc"}),
                                       layer(ConfigSource::user_file, name, {"/notes"})};
    EXPECT_EQ(effective(*merge(layers, around), name).values, Values{"/notes"});
    EXPECT_FALSE(effective(*merge(layers, around), name).is_projects);
    EXPECT_EQ(effective(*merge_one(ConfigSource::flag, name, {"/notes"}), name).values,
              Values{"/notes"});
    EXPECT_EQ(effective(*merge_one(ConfigSource::environment, name, {"/notes"}), name).values,
              Values{"/notes"});
  }
}

TEST(config, an_unknown_setting_gets_the_nearest_one) {
  const Error error = merge_one(ConfigSource::user_file, "token_tll", {"1"}).error();
  EXPECT_EQ(error.message, "user:1: there is no setting 'token_tll'");
  EXPECT_EQ(error.next.text(), "did you mean 'token_ttl'?");
}

TEST(config, a_single_value_cannot_be_a_list) {
  EXPECT_FALSE(merge_one(ConfigSource::user_file, "db", {"a", "b"}));
  EXPECT_FALSE(merge_one(ConfigSource::user_file, "db", {}));
}

}  // namespace
}  // namespace baton::cli
