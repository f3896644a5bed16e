#include "cli/parse.h"

#include <algorithm>

#include "base/text/text.h"

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

std::unexpected<Error> not_a_truth(const Verb& verb, const Option& option, std::string_view value) {
  return fail(Code::USAGE,
              cat("'", verb.name, "': ", option.name, " takes true or false, not '", value, "'"),
              see_help(verb));
}

/// Sorts the words into options and operands.
Result<Arguments> sorted(const Verb& verb, std::span<const Option> options,
                         std::span<const std::string> words) {
  Arguments out;
  bool only_operands = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (only_operands || word == "-" || !word.starts_with('-')) {
      out.operands.emplace_back(word);
      continue;
    }
    if (word == "--") {
      only_operands = true;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = word == "-h" ? "--help" : word.substr(0, equals);
    const auto option = std::ranges::find(options, name, &Option::name);
    if (option == options.end()) return unknown_flag(verb, word);
    const bool has_value = equals != std::string_view::npos;
    std::vector<std::string>& values = out.options[std::string(name)];
    if (option->value.empty()) {
      const std::string_view value = has_value ? word.substr(equals + 1) : "true";
      const bool on = value == "true" || value == "1";
      if (!on && value != "false" && value != "0") return not_a_truth(verb, *option, value);
      values = {on ? "true" : "false"};
      continue;
    }
    if (!has_value && ++i == words.size()) return needs_value(verb, name);
    const std::string_view value = has_value ? word.substr(equals + 1) : words[i];
    const bool is_option = std::ranges::count(options, value, &Option::name) > 0;
    if (value.empty() || is_option) return needs_value(verb, name);
    values.emplace_back(value);
  }
  return out;
}

Result<void> check_repeats(const Verb& verb, std::span<const Option> options,
                           const Arguments& arguments) {
  for (const Option& option : options) {
    const auto given = arguments.options.find(option.name);
    if (given == arguments.options.end() || option.repeats || given->second.size() == 1) continue;
    return fail(Code::USAGE,
                cat("'", verb.name, "': ", option.name, " is given ", given->second.size(),
                    " times, the last time as '", given->second.back(), "'"),
                "give it once");
  }
  return {};
}

}  // namespace

Result<Arguments> parse_arguments(const Verb& verb, std::span<const std::string> words) {
  const std::vector<Option> options = options_of(verb);
  Arguments arguments = TRY(sorted(verb, options, words));
  TRY(check_repeats(verb, options, arguments));
  if (arguments.has("--help")) return arguments;
  const std::vector<std::string>& operands = arguments.operands;
  const std::size_t operands_max = verb.operand.name.empty() ? 0 : verb.second.name.empty() ? 1 : 2;
  if (operands.size() > operands_max && !verb.operand.repeats) {
    return fail(Code::USAGE, cat("'", verb.name, "' does not take '", operands[operands_max], "'"),
                see_help(verb));
  }
  if (verb.operand.required && operands.empty()) {
    return fail(Code::USAGE, cat("'", verb.name, "' needs ", verb.operand.name), see_help(verb));
  }
  if (verb.second.required && operands.size() < 2) {
    return fail(Code::USAGE, cat("'", verb.name, "' needs ", verb.second.name), see_help(verb));
  }
  if (!operands.empty()) arguments.operand = operands[0];
  if (operands.size() > 1) arguments.second = operands[1];
  return arguments;
}

}  // namespace baton::cli
