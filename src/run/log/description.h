#pragma once
// What the log keeps is described once, beside its type:
//
//   struct GapResolved {
//     RunId run; ...
//     static constexpr std::string_view name = "gap_resolved";
//     static void describe(auto& e, auto& v) { v("run", e.run); v.unless_empty("why", e.why); }
//   };
//
// `v` is a visitor. description_writer.h has the one that writes JSON, this file the one that reads
// it, run/log/rename.cc one that changes ids, run/testing/event_generator.h one that draws values.
// The order of the fields is the order in which problems are found. Values only.
//
// Only description.cc, state.cc, rename.cc and tests include this: a visitor is compiled for every
// type.

#include "base/json/fields.h"
#include "base/text/text.h"
#include "run/log/description_writer.h"

namespace baton::run {

/// 64 bits as text, which has one spelling.
inline Result<std::uint64_t> bits_in(json::Fields& f, std::string_view key) {
  const std::string text = TRY(f.string(key));
  std::uint64_t bits = 0;
  std::from_chars(text.data(), text.data() + text.size(), bits);
  if (cat(bits) != text) return f.wrong(key, "a decimal number");
  return bits;
}

inline Result<TextMap> texts_in(json::Fields& f, std::string_view key) {
  TextMap out;
  for (const json::Member& each : *TRY(f.object(key))) {
    if (!each.value.is_string()) return f.wrong(key, "texts");
    out.emplace(each.key, *each.value.if_string());
  }
  return out;
}

template <class T>
Result<T> read(json::Fields& f, std::string_view key) {
  if constexpr (Described<T>) {
    return from_json<T>(*TRY(f.any(key)));
  } else if constexpr (Named<T>) {
    return member_of<T>(f, key);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return f.string(key);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return f.integer(key);
  } else if constexpr (std::is_same_v<T, bool>) {
    return f.boolean(key);
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return bits_in(f, key);
  } else if constexpr (std::is_same_v<T, WallMs>) {
    return WallMs{TRY(f.integer(key))};
  } else if constexpr (std::is_same_v<T, Sha256>) {
    return f.sha256(key);
  } else if constexpr (requires { T::parse; }) {
    return f.id<T>(key);
  } else if constexpr (std::is_same_v<T, json::Value>) {
    return *TRY(f.any(key));
  } else if constexpr (std::is_same_v<T, json::Object>) {
    return *TRY(f.object(key));
  } else if constexpr (std::is_same_v<T, TextMap>) {
    return texts_in(f, key);
  } else if constexpr (std::is_same_v<T, std::vector<CursorFrame>>) {
    return frames_from_json(*TRY(f.any(key)));
  } else if constexpr (std::is_same_v<T, Baseline>) {
    return baseline_from(*TRY(f.array(key)));
  } else if constexpr (std::is_same_v<T, std::vector<state::Write>>) {
    return writes_from(*TRY(f.array(key)));
  } else if constexpr (std::is_same_v<T, CapabilityMap>) {
    return read_capabilities(*TRY(f.array(key)));
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return f.strings(key);
  } else if constexpr (is_list<T>) {
    T out;
    for (const json::Value& each : *TRY(f.array(key))) {
      out.push_back(TRY(from_json<typename T::value_type>(each)));
    }
    return out;
  } else if constexpr (std::is_same_v<T, std::shared_ptr<const json::Value>>) {
    return std::make_shared<const json::Value>(*TRY(f.any(key)));
  } else {
    return read<typename T::value_type>(f, key);  // an optional
  }
}

/// Keeps the first problem and reads nothing after it.
class DescriptionReader : public Visitor<DescriptionReader> {
 public:
  explicit DescriptionReader(json::Fields& fields) : fields_(fields) {}

  template <class T>
  void operator()(std::string_view key, T& field) {
    if (!problem_) keep(read<T>(fields_, key), field);
  }
  void unless_empty(std::string_view key, auto& field) {
    if (fields_.has(key)) (*this)(key, field);
  }
  void unless_empty(std::string_view key, json::Value& field) {
    if (!fields_.has(key)) return;
    (*this)(key, field);
    must(key, "left out, or not null", [&] { return !field.is_null(); });
  }
  void may_lack(std::string_view key, auto& field) { unless_empty(key, field); }
  template <class T>
  void at_most(std::string_view key, T& field, std::int64_t most) {
    std::int64_t number = 0;
    (*this)(key, number);
    must(key, cat("0 to ", most), [&] { return number >= 0 && number <= most; });
    field = static_cast<T>(number);
  }
  template <class... Parts>
  void one_of(std::string_view key, std::variant<Parts...>& either) {
    std::string name;
    (*this)(key, name);
    const bool is_known =
        ((name == Parts::name && (flat(either.template emplace<Parts>()), true)) || ...);
    must(key, joined<Parts...>(), [&] { return is_known; });
  }
  void delta(state::Delta& delta) {
    json::Value sets;
    json::Value computed;
    (*this)("sets", sets);
    (*this)("computed", computed);
    if (problem_) return;
    keep(state::delta_from_json(json::Object{{"sets", sets}, {"computed", computed}}), delta);
  }
  void implied(std::string_view key, auto value, std::string_view expected) {
    auto read = value;
    (*this)(key, read);
    must(key, expected, [&] { return read == value; });
  }
  void must(std::string_view key, std::string_view expected, const auto& holds) {
    if (!problem_ && !holds()) problem_ = fields_.wrong(key, expected).error();
  }

  /// Refuses fields that no description names.
  Result<void> done() {
    if (problem_) return std::unexpected(*std::move(problem_));
    return fields_.done();
  }

 private:
  template <class First, class... Rest>
  static std::string joined() {
    return cat(First::name, cat(" or ", Rest::name)...);
  }

  template <class T>
  void keep(Result<T> found, T& field) {
    if (found) {
      field = *std::move(found);
    } else {
      problem_ = std::move(found).error();
    }
  }

  json::Fields& fields_;
  std::optional<Error> problem_;
};

template <Described T>
Result<void> read_into(T& part, json::Fields& fields) {
  DescriptionReader reader(fields);
  T::describe(part, reader);
  return reader.done();
}

template <Described T>
Result<T> from_json(const json::Value& value) {
  json::Fields fields(value, T::name, Code::STORE_CORRUPT);
  T part;
  TRY(read_into(part, fields));
  return part;
}

}  // namespace baton::run
