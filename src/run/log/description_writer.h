#pragma once
// Writes what is described as JSON.

#include "base/text/text.h"
#include "run/log/description_words.h"

namespace baton::run {

template <class T>
bool is_empty(const T& value) {
  if constexpr (requires { value.is_null(); }) {
    return value.is_null();
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else if constexpr (Described<T>) {
    return value == T();
  } else {
    return !value;
  }
}

template <class T>
json::Value json_of(const T& field) {
  if constexpr (Described<T>) {
    return to_json(field);
  } else if constexpr (Named<T>) {
    return name_of(field);
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return cat(field);  // 64 bits do not fit a number of JSON
  } else if constexpr (std::is_same_v<T, WallMs>) {
    return field.value;
  } else if constexpr (std::is_same_v<T, Sha256>) {
    return field.hex();
  } else if constexpr (requires { T::parse; }) {
    return field.text();  // an id
  } else if constexpr (is_optional<T>) {
    return json_of(*field);
  } else if constexpr (std::is_same_v<T, TextMap>) {
    json::Object out;
    for (const auto& [key, text] : field) out.append_new(key, text);
    return out;
  } else if constexpr (std::is_constructible_v<json::Value, const T&>) {
    return field;
  } else if constexpr (requires { to_json(field); }) {
    return to_json(field);  // frames, baselines, writes
  } else {
    json::Array out;
    out.reserve(field.size());
    for (const auto& each : field) out.push_back(json_of(each));
    return out;
  }
}

class DescriptionWriter : public Visitor<DescriptionWriter> {
 public:
  void operator()(std::string_view key, const auto& field) {
    out_.append_new(std::string(key), json_of(field));
  }
  void unless_empty(std::string_view key, const auto& field) {
    if (!is_empty(field)) (*this)(key, field);
  }
  void one_of(std::string_view key, const auto& either) {
    std::visit(
        [&](const auto& part) {
          (*this)(key, part.name);
          flat(part);
        },
        either);
  }
  void delta(const state::Delta& delta) {
    for (json::Member& list : state::to_json(delta)) {
      out_.append_new(std::move(list.key), std::move(list.value));
    }
  }
  void implied(std::string_view key, const auto& value, std::string_view) { (*this)(key, value); }

  json::Object written() && { return std::move(out_); }

 private:
  json::Object out_;
};

template <Described T>
json::Object to_json(const T& part) {
  DescriptionWriter writer;
  T::describe(part, writer);
  return std::move(writer).written();
}

}  // namespace baton::run
