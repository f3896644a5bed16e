// The same texts, valid and damaged, read by us, by nlohmann-json and by Node: where we accept,
// they accept the same value; where they accept and we do not, we have a stated reason.

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/json/json.h"
#include "base/testing/json_generator.h"
#include "base/testing/project_file.h"
#include "base/text/text.h"

namespace baton::json {
namespace {

constexpr std::size_t batch = 6000;

/// Valid texts in all layouts, and as many damaged ones.
std::vector<std::string> texts() {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < batch; ++i) {
    testing::SeededChoices choose(i);
    const Value value = testing::any_value(choose);
    std::string text = i % 3 == 0 ? print_pretty(value) : print(value);
    text = testing::respaced(text, choose);
    if (i % 2 == 1) text = testing::damaged(text, choose);
    out.push_back(text);
  }
  return out;
}

/// Strictness of ours that other readers do not share.
bool is_stricter_than_others(const Error& error) {
  if (error.code == Code::LIMIT_EXCEEDED) return true;
  for (const char* reason : {"duplicate key", "lone surrogate", "too large for a double"}) {
    if (error.message.contains(reason)) return true;
  }
  return false;
}

Value from_nlohmann(const nlohmann::json& other) {
  switch (other.type()) {
    case nlohmann::json::value_t::boolean: return other.get<bool>();
    case nlohmann::json::value_t::number_integer: return other.get<std::int64_t>();
    case nlohmann::json::value_t::number_unsigned: {
      const auto number = other.get<std::uint64_t>();
      if (number > INT64_MAX) return static_cast<double>(number);
      return static_cast<std::int64_t>(number);
    }
    case nlohmann::json::value_t::number_float: return other.get<double>();
    case nlohmann::json::value_t::string: return other.get<std::string>();
    case nlohmann::json::value_t::array: {
      Array array;
      for (const auto& element : other) array.push_back(from_nlohmann(element));
      return array;
    }
    case nlohmann::json::value_t::object: {
      Object object;
      for (const auto& [key, value] : other.items()) object.set(key, from_nlohmann(value));
      return object;
    }
    default: return nullptr;
  }
}

TEST(json_differential, nlohmann_reads_the_same_values) {
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (const std::string& text : texts()) {
    const auto ours = parse(text);
    const auto theirs = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (ours) {
      ++accepted;
      // A byte order mark is skipped there and refused here, so this never happens.
      ASSERT_FALSE(theirs.is_discarded()) << text;
      ASSERT_EQ(*ours, from_nlohmann(theirs)) << text;
    } else if (!is_stricter_than_others(ours.error())) {
      ++refused;
      ASSERT_TRUE(theirs.is_discarded() || text.starts_with("\xEF\xBB\xBF")) << text;
    }
  }
  EXPECT_GT(accepted, batch / 2);
  EXPECT_GT(refused, batch / 4);
}

/// Every integer as the double that ECMAScript would read.
Value with_doubles(const Value& value) {
  if (value.is_number()) return value.as_double();
  if (const Array* array = value.if_array()) {
    Array out;
    for (const Value& element : *array) out.push_back(with_doubles(element));
    return out;
  }
  if (const Object* object = value.if_object()) {
    Object out;
    for (const Member& member : *object) out.append_new(member.key, with_doubles(member.value));
    return out;
  }
  return value;
}

std::vector<std::string> answers_of_node(const std::vector<std::string>& questions) {
  std::string folder = (std::filesystem::temp_directory_path() / "baton-json-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return {};
  const std::string path = folder + "/texts";
  {
    std::ofstream file(path);
    for (const std::string& text : questions) {
      file << to_hex({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}) << '\n';
    }
  }
  const std::string command =
      cat("node '", project_file("src/base/testing/json_oracle.js"), "' '", path, "'");
  std::vector<std::string> answers;
  std::string pending;
  if (FILE* pipe = popen(command.c_str(), "r")) {
    char buffer[65536];
    while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe))
      pending.append(buffer, got);
    EXPECT_EQ(pclose(pipe), 0) << command;
  }
  std::filesystem::remove_all(folder);
  for (std::size_t at = 0; at < pending.size();) {
    const std::size_t end = pending.find('\n', at);
    answers.push_back(pending.substr(at, end - at));
    at = end == std::string::npos ? end : end + 1;
  }
  return answers;
}

TEST(json_differential, node_reads_the_same_values_and_writes_the_same_canonical_text) {
  const std::vector<std::string> questions = texts();
  const std::vector<std::string> answers = answers_of_node(questions);
  ASSERT_EQ(answers.size(), questions.size()) << "node did not answer every text";
  std::size_t compared = 0;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto ours = parse(questions[i]);
    if (!ours) {
      ASSERT_TRUE(answers[i] == "no" || is_stricter_than_others(ours.error()))
          << questions[i] << '\n'
          << ours.error().message;
      continue;
    }
    ASSERT_EQ(answers[i], cat("ok ", *canonical(with_doubles(*ours)))) << questions[i];
    const auto text = canonical(*ours);
    ++compared;
    if (text) {
      ASSERT_EQ(answers[i], cat("ok ", *text)) << questions[i];
    } else {
      ASSERT_EQ(text.error().code, Code::NUMBER_INEXACT);
    }
  }
  EXPECT_GT(compared, batch / 2);
}

}  // namespace
}  // namespace baton::json
