#pragma once
// The command line of a harness: `--name value` pairs, whole numbers or text. A value; any thread.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace baton::crash {

class Options {
 public:
  /// Nothing when a word is not a known name or has no value.
  static std::optional<Options> read(int argc, char** argv,
                                     std::initializer_list<std::string_view> names);

  std::string text(std::string_view name, std::string_view otherwise = {}) const;
  /// The number given, or `otherwise`; a text that is not a number ends the program.
  std::int64_t number(std::string_view name, std::int64_t otherwise) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// The server to try: --baton, else the environment's BATON_BINARY.
std::string baton_binary(const Options& options);

}  // namespace baton::crash
