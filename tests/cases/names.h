#pragma once
// Names for text that differs from run to run. Each token and id gets a name by kind and order of
// first sight (<<ack1>>, <<run2>>), so that equal values have equal names and different ones have
// different names; instants and durations are all alike (<<time>>, <<ms>>).
// One thread at a time.

#include <map>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "case_file.h"

namespace baton::cases {

class Names {
 public:
  /// From here on `value` is shown as <<name>>. Longer values win over shorter ones.
  void define(std::string name, std::string value);

  /// Defines what the pattern's group finds in `text`; NOT_FOUND when it finds nothing.
  Result<void> capture(const Capture& capture, std::string_view text);

  /// `text` with every volatile part replaced by its name; new tokens and ids get theirs.
  std::string shorten(std::string_view text);

  /// `text` with every known name replaced by its value; NOT_FOUND for an unknown one.
  Result<std::string> expand(std::string_view text) const;

  /// The same for the lines of calls and their answers, where <<ack1>> is written $ack1.
  std::string shorten_call(std::string_view text);
  Result<std::string> expand_call(std::string_view text) const;

 private:
  void learn(std::string_view text);

  std::map<std::string, std::string, std::less<>> values_;  // by name
  std::map<std::string, std::size_t, std::less<>> counts_;  // how many names of a kind there are
};

}  // namespace baton::cases
