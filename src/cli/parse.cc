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

std::unexpected<Error> needs_value(const Verb& verb, std::string_view flag) {
  return fail(Code::USAGE, cat("'", verb.name, "': ", flag, " needs a value"), see_help(verb));
}

/// What the library would refuse in words of its own, or read as several short flags.
Result<void> check_words(const Verb& verb, std::span<const Option> options,
                         std::span<const std::string> words) {
  constexpr std::string_view truths[] = {"true", "false", "1", "0"};
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string_view word = words[i];
    if (word.size() > 2 && word[0] == '-' && word[1] != '-') return unknown_flag(verb, word);
    const std::size_t equals = word.find('=');
    const auto option = std::ranges::find(options, word.substr(0, equals), &Option::name);
    if (option == options.end()) continue;
    if (option->value.empty()) {
      if (equals == std::string_view::npos) continue;
      const std::string_view value = word.substr(equals + 1);
      if (std::ranges::count(truths, value) > 0) continue;
      return fail(
          Code::USAGE,
          cat("'", verb.name, "': ", option->name, " takes true or false, not '", value, "'"),
          see_help(verb));
    }
    if (equals != std::string_view::npos) continue;
    if (++i == words.size()) return needs_value(verb, option->name);
  }
  return {};
}

/// One CLI11 option and where its values land until parsing is over.
struct Slot {
  std::string name;
  bool takes_value = false;
  bool repeats = false;
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
  slot.repeats = option.repeats;
  app.add_option(slot.name, slot.values)->allow_extra_args(false);
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
      return needs_value(verb, slot.name);
    }
    if (slot.takes_value && !slot.repeats && values.size() > 1) {
      return fail(Code::USAGE,
                  cat("'", verb.name, "': ", slot.name, " is given ", values.size(),
                      " times, the last time as '", values.back(), "'"),
                  "give it once");
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

    TRY(check_words(verb, options, words));
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    Arguments arguments = TRY(collect(verb, app, slots));
    std::vector<std::string> operands;
    bool all_operands = false;
    for (const std::string& word : app.remaining()) {
      if (!all_operands && word == "--") {
        all_operands = true;
        continue;
      }
      if (!all_operands && word.starts_with('-') && word != "-") return unknown_flag(verb, word);
      operands.push_back(word);
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
