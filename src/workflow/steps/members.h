#pragma once
// The members of a compiled step, described once for reading and writing: each payload names its
// members to an `io`, which is a reader or a writer. A member that is Boxed or optional may be left
// out of the JSON, any other must be there. Only compiled.cc and compiled_form.cc include this.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/boxed.h"
#include "base/json/fields.h"

namespace baton::workflow {

struct Step;

template <class T>
concept HasNames = requires(T value) { names_of(value); };

template <class T>
inline constexpr bool may_be_absent = false;
template <class T>
inline constexpr bool may_be_absent<Boxed<T>> = true;
template <class T>
inline constexpr bool may_be_absent<std::optional<T>> = true;

class MemberReader {
 public:
  explicit MemberReader(json::Fields& fields) : fields_(fields) {}

  template <class T>
  void operator()(std::string_view key, T& out) {
    if (!read_) return;
    if constexpr (may_be_absent<T>) {
      if (fields_.has(key)) read_ = read(key, out.emplace());
    } else {
      read_ = read(key, out);
    }
  }

  /// A flag that is written only when it is true.
  void when_true(std::string_view key, bool& out) {
    if (fields_.has(key)) (*this)(key, out);
  }
  /// A list that is written only when it has something in it.
  void when_filled(std::string_view key, std::vector<std::string>& out) {
    if (fields_.has(key)) (*this)(key, out);
  }

  const Result<void>& result() const { return read_; }

 private:
  Result<void> read(std::string_view key, std::string& out) {
    out = TRY(fields_.string(key));
    return {};
  }
  Result<void> read(std::string_view key, std::int64_t& out) {
    out = TRY(fields_.integer(key));
    return {};
  }
  Result<void> read(std::string_view key, bool& out) {
    out = TRY(fields_.boolean(key));
    return {};
  }
  Result<void> read(std::string_view key, std::vector<std::string>& out) {
    out = TRY(fields_.strings(key));
    return {};
  }
  Result<void> read(std::string_view key, json::Value& out) {
    out = *TRY(fields_.any(key));
    return {};
  }
  Result<void> read(std::string_view key, json::Array& out) {
    out = *TRY(fields_.array(key));
    return {};
  }
  Result<void> read(std::string_view key, json::Object& out) {
    out = *TRY(fields_.object(key));
    return {};
  }
  template <HasNames T>
  Result<void> read(std::string_view key, T& out) {
    const std::string name = TRY(fields_.string(key));
    const auto names = names_of(out);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != name) continue;
      out = static_cast<T>(i);
      return {};
    }
    return fields_.wrong(key, "a known name");
  }
  template <class T>
    requires requires(MemberReader& io, T& value) { T::members(io, value); }
  Result<void> read(std::string_view key, T& out) {
    json::Fields inner(*TRY(fields_.any(key)), key, Code::STORE_CORRUPT);
    MemberReader reader(inner);
    T::members(reader, out);
    TRY(reader.result());
    return inner.done();
  }

  json::Fields& fields_;
  Result<void> read_;
};

/// A value that was made for the writing.
struct MadeValue {
  json::Value value;
};

struct StepMember {
  std::string_view key;
  std::variant<std::string_view, bool, std::int64_t, const json::Value*, const json::Array*,
               MadeValue, const std::vector<Step>*>
      value;
};

class MemberWriter {
 public:
  template <class T>
  void operator()(std::string_view key, const T& value) {
    if constexpr (may_be_absent<T>) {
      if (value) write(key, *value);
    } else {
      write(key, value);
    }
  }
  void when_true(std::string_view key, bool value) {
    if (value) write(key, value);
  }
  void when_filled(std::string_view key, const std::vector<std::string>& value) {
    if (!value.empty()) write(key, value);
  }

  /// Views point into what was written.
  std::vector<StepMember> members;

 private:
  void write(std::string_view key, const std::string& text) {
    members.push_back({key, std::string_view(text)});
  }
  void write(std::string_view key, bool value) { members.push_back({key, value}); }
  void write(std::string_view key, std::int64_t value) { members.push_back({key, value}); }
  void write(std::string_view key, const json::Value& value) { members.push_back({key, &value}); }
  void write(std::string_view key, const json::Array& value) { members.push_back({key, &value}); }
  void write(std::string_view key, const json::Object& value) {
    members.push_back({key, MadeValue{value}});
  }
  void write(std::string_view key, const std::vector<std::string>& texts) {
    members.push_back({key, MadeValue{json::Array(texts.begin(), texts.end())}});
  }
  template <HasNames T>
  void write(std::string_view key, T value) {
    members.push_back({key, names_of(value)[static_cast<std::size_t>(value)]});
  }
  template <class T>
    requires requires(MemberWriter& io, const T& value) { T::members(io, value); }
  void write(std::string_view key, const T& value) {
    MemberWriter inner;
    T::members(inner, value);
    members.push_back({key, MadeValue{object_of(std::move(inner.members))}});
  }

 public:
  static json::Object object_of(std::vector<StepMember> members);
};

}  // namespace baton::workflow
