#pragma once
// Work, counted: every call that compares, copies or searches bytes, and every sixteen bytes of it.
// The same input gives the same count on every machine and under any load.

#include <cstdint>
#include <functional>
#include <string>

namespace baton::work {

/// What this thread has done since it began.
std::uint64_t counted();

/// An operation on an input of a size that a caller or an author chooses.
struct Operation {
  const char* name;  // as a test's name ends
  std::size_t size;  // large enough for what grows too fast to show
  /// Makes the input, and gives what is counted.
  std::function<void()> (*prepare)(std::size_t size);
};

/// The work that `operation` is for an input of `size`.
std::uint64_t work_of(const Operation& operation, std::size_t size);

/// Fails unless an input of twice the size is about twice the work, a logarithm allowed for.
void expect_about_linear(const Operation& operation);

/// For ::testing::ValuesIn.
template <class Info>
std::string name_of(const Info& info) {
  return info.param.name;
}

/// Keeps the compiler from removing the result of an operation.
template <class Value>
void use(const Value& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Numbers as texts of one length, in a scrambled order: "k0004177".
std::string key_of(std::size_t number);

}  // namespace baton::work
