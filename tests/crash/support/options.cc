#include "support/options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/text/text.h"

namespace baton::crash {

std::optional<Options> Options::read(int argc, char** argv,
                                     std::initializer_list<std::string_view> names) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view word = argv[i];
    const bool is_known = word.starts_with("--") && std::ranges::count(names, word.substr(2)) == 1;
    if (!is_known || i + 1 == argc) {
      std::fputs("usage:", stderr);
      for (const std::string_view name : names)
        std::fputs(cat(" [--", name, " X]").c_str(), stderr);
      std::fputs("\n", stderr);
      return std::nullopt;
    }
    options.values_.emplace(word.substr(2), argv[i + 1]);
  }
  return options;
}

std::string Options::text(std::string_view name, std::string_view otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string(otherwise) : found->second;
}

std::int64_t Options::number(std::string_view name, std::int64_t otherwise) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return otherwise;
  const auto number = parse_int(found->second);
  if (number) return *number;
  std::fputs(cat("--", name, " takes a number\n").c_str(), stderr);
  std::exit(2);
}

std::string baton_binary(const Options& options) {
  const char* variable = std::getenv("BATON_BINARY");
  return options.text("baton", variable != nullptr ? variable : "build/dev/baton");
}

}  // namespace baton::crash
