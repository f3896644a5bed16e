#pragma once
// What came of playing scenarios, as text for people, as TAP 14 and as JUnit XML. Values.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::cli {

enum class TestForm : std::uint8_t { text, tap, junit };

std::optional<TestForm> test_form(std::string_view name);

struct TestOutcome {
  std::string file;  // as somebody in the current folder calls it
  std::string name;
  std::string place;    // file:line of what is wrong; empty when it passed
  std::string problem;  // in lines; empty when it passed
};

std::string print(const std::vector<TestOutcome>& outcomes, TestForm form);

}  // namespace baton::cli
