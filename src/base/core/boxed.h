#pragma once
// Boxed<T>: an optional value on the heap. An empty one takes the space of a pointer; a copy copies
// the value. For members that few of many objects have.

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace baton {

template <class T>
class Boxed {
 public:
  Boxed() = default;
  template <class U = T>
    requires(std::constructible_from<T, U &&> && !std::same_as<std::remove_cvref_t<U>, Boxed>)
  Boxed(U&& value) : value_(std::make_unique<T>(std::forward<U>(value))) {}
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(const Boxed& other) { return *this = Boxed(other); }
  Boxed& operator=(Boxed&&) noexcept = default;
  ~Boxed() = default;

  explicit operator bool() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// nullptr when it is empty.
  const T* get() const { return value_.get(); }

  T& emplace() { return *(value_ = std::make_unique<T>()); }

  bool operator==(const Boxed& other) const {
    if (!*this || !other) return !*this && !other;
    return **this == *other;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace baton
