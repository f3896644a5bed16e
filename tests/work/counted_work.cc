#include "counted_work.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>

namespace baton::work {
namespace {

thread_local std::uint64_t work = 0;

void count(std::size_t bytes) { work += 1 + bytes / 16; }

}  // namespace

extern "C" {

// NOLINTBEGIN: the linker chooses these names.
void* __real_memcpy(void* to, const void* from, std::size_t bytes);
void* __real_memmove(void* to, const void* from, std::size_t bytes);
void* __real_memset(void* to, int byte, std::size_t bytes);
int __real_memcmp(const void* a, const void* b, std::size_t bytes);
void* __real_memchr(const void* in, int byte, std::size_t bytes);
std::size_t __real_strlen(const char* text);

void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
  count(bytes);
  return __real_memcpy(to, from, bytes);
}

void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
  count(bytes);
  return __real_memmove(to, from, bytes);
}

void* __wrap_memset(void* to, int byte, std::size_t bytes) {
  count(bytes);
  return __real_memset(to, byte, bytes);
}

int __wrap_memcmp(const void* a, const void* b, std::size_t bytes) {
  count(bytes);
  return __real_memcmp(a, b, bytes);
}

void* __wrap_memchr(const void* in, int byte, std::size_t bytes) {
  void* found = __real_memchr(in, byte, bytes);
  // Only what was looked at counts.
  count(found == nullptr ? bytes
                         : static_cast<std::size_t>(static_cast<const char*>(found) -
                                                    static_cast<const char*>(in)));
  return found;
}

std::size_t __wrap_strlen(const char* text) {
  const std::size_t length = __real_strlen(text);
  count(length);
  return length;
}
// NOLINTEND

}  // extern "C"

std::uint64_t counted() { return work; }

std::uint64_t work_of(const Operation& operation, std::size_t size) {
  const std::function<void()> run = operation.prepare(size);
  const std::uint64_t before = counted();
  run();
  return counted() - before;
}

void expect_about_linear(const Operation& operation) {
  const std::uint64_t once = work_of(operation, operation.size);
  const std::uint64_t twice = work_of(operation, 2 * operation.size);
  // Sorting and trees add a logarithm: of 2n one more than of n.
  const auto bits = static_cast<double>(std::bit_width(operation.size));
  const double most = 2.2 * (bits + 1) / bits;
  ASSERT_GT(once, 0u) << operation.name << ": nothing was counted";
  EXPECT_LE(static_cast<double>(twice), most * static_cast<double>(once))
      << operation.name << ": an input of " << operation.size << " is " << once
      << " units of work, one of " << 2 * operation.size << " is " << twice;
}

std::string key_of(std::size_t number) {
  // Odd, so that no two numbers below the modulus meet.
  constexpr std::size_t modulus = 1u << 22;
  std::string digits = std::to_string((number * 2'654'435'761u) % modulus);
  return "k" + std::string(7 - digits.size(), '0') + digits;
}

}  // namespace baton::work
