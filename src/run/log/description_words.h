#pragma once
// The words that descriptions of events are made of. description.h reads and writes by them.

#include <charconv>

#include "base/json/fields.h"
#include "base/text/text.h"
#include "run/log/event.h"

namespace baton::run {

/// The words of a description. A visitor says what a plain field means to it, as operator(), and
/// those other words that are more to it than that.
template <class Self>
class Visitor {
 public:
  /// Left out when it is empty, zero, false or null.
  void unless_empty(std::string_view key, auto& field) { self()(key, field); }
  /// Always written, but an older log may lack it.
  void may_lack(std::string_view key, auto& field) { self()(key, field); }
  /// From 0 to `most`.
  void at_most(std::string_view key, auto& field, std::int64_t /*most*/) { self()(key, field); }
  void counted(std::string_view key, auto& field) {
    self()(key, field);
    self().must(key, "a number that is not negative", [&] { return field >= 0; });
  }
  /// The fields of a part among those of the whole.
  template <class Part>
  void flat(Part& part) {
    std::remove_const_t<Part>::describe(part, self());
  }
  /// The name of the alternative, and its fields among those of the whole.
  void one_of(std::string_view /*key*/, auto& either) {
    std::visit([&](auto& part) { self().flat(part); }, either);
  }
  /// The two lists of what was done to a state (state/delta.h).
  void delta(auto& /*delta*/) {}
  /// Follows from other fields, and is written all the same.
  void implied(std::string_view /*key*/, const auto& /*value*/, std::string_view /*expected*/) {}
  /// What else holds of a field that is right by its type.
  void must(std::string_view /*key*/, std::string_view /*expected*/, const auto& /*holds*/) {}

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

/// Whether it refers to the value, which may be missing.
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_optional<std::shared_ptr<const T>> = true;

using TextMap = std::map<std::string, std::string, std::less<>>;
using CapabilityMap = std::map<Capability, KnownCapability>;

}  // namespace baton::run
