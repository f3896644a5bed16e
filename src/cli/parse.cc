#include "cli/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.h"

namespace baton::cli {
namespace {

std::string see_help(const Verb& verb) { return cat("see 'baton help ", verb.name, "'"); }

std::unexpected<Error> unknown_flag(const Verb& verb, std::string_view word) {
  const std::string_view flag = word.substr(0, word.find('='));
  std::vector<std::string_view> names;
  const std::vector<Option> options = options_of(verb);
  for (const Option& option : options) names.push_back(option.name);
  const auto near = nearest(flag, names);
  return fail(Code::USAGE, cat("'", verb.name, "' has no flag '", flag, "'"),
              near ? cat("did you mean '", *near, "'?") : see_help(verb));
}

/// One CLI11 option and where its values land until parsing is over.
struct Slot {
  std::string name;
  bool takes_value = false;
  bool flag = false;
  std::vector<std::string> values;
};

void declare(CLI::App& app, const Option& option, Slot& slot) {
  slot.name = option.name;
  slot.takes_value = !option.value.empty();
  if (!slot.takes_value) {
    const std::string spelling = option.name == "--help" ? "--help,-h" : slot.name;
    app.add_flag(spelling, slot.flag);
    return;
  }
  CLI::Option* added = app.add_option(slot.name, slot.values)->allow_extra_args(false);
  if (!option.repeats) added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

Result<Arguments> collect(const Verb& verb, const CLI::App& app, const std::vector<Slot>& slots) {
  Arguments arguments;
  for (const Slot& slot : slots) {
    if (app.get_option(slot.name)->count() == 0) continue;
    std::vector<std::string> values = slot.values;
    if (!slot.takes_value) values = {slot.flag ? "true" : "false"};
    const auto is_no_value = [&](const std::string& value) {
      return value.empty() || std::ranges::count(slots, value, &Slot::name) > 0;
    };
    if (values.empty() || std::ranges::any_of(values, is_no_value)) {
      return fail(Code::USAGE, cat("'", verb.name, "': ", slot.name, " needs a value"),
                  see_help(verb));
    }
    arguments.options.emplace(slot.name, std::move(values));
  }
  return arguments;
}

}  // namespace

Result<Arguments> parse_arguments(const Verb& verb, std::span<const std::string> words) {
  try {
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    const std::vector<Option> options = options_of(verb);
    std::vector<Slot> slots(options.size());
    for (std::size_t i = 0; i < options.size(); ++i) declare(app, options[i], slots[i]);

    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    Arguments arguments = TRY(collect(verb, app, slots));
    std::vector<std::string> operands;
    for (const std::string& word : app.remaining()) {
      if (word.starts_with('-') && word != "-" && word != "--") return unknown_flag(verb, word);
      if (word != "--") operands.push_back(word);
    }
    if (arguments.has("--help")) return arguments;
    const std::size_t operands_max = verb.operand.name.empty()  ? 0
                                     : verb.second.name.empty() ? 1
                                                                : 2;
    if (operands.size() > operands_max && !verb.operand.repeats) {
      return fail(Code::USAGE,
                  cat("'", verb.name, "' does not take '", operands[operands_max], "'"),
                  see_help(verb));
    }
    if (verb.operand.required && operands.empty()) {
      return fail(Code::USAGE, cat("'", verb.name, "' needs ", verb.operand.name), see_help(verb));
    }
    if (!operands.empty()) arguments.operand = operands[0];
    if (operands.size() > 1) arguments.second = operands[1];
    arguments.operands = std::move(operands);
    return arguments;
  } catch (const CLI::ParseError& problem) {
    return fail(Code::USAGE, cat("'", verb.name, "': ", problem.what()), see_help(verb));
  }
}

}  // namespace baton::cli
