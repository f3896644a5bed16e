#include "base/json/fields.h"

#include <algorithm>

#include "base/text/text.h"

namespace baton::json {

std::unexpected<Error> Fields::wrong(std::string_view key, std::string_view expected) const {
  return fail(code_, cat(what_, ": \"", key, "\" must be ", expected));
}

Result<const Value*> Fields::any(std::string_view key) {
  if (object_ == nullptr) return fail(code_, cat(what_, " must be an object"));
  const Value* value = object_->find(key);
  if (value == nullptr) return fail(code_, cat(what_, ": \"", key, "\" is missing"));
  taken_.push_back(key);
  return value;
}

Result<std::string> Fields::string(std::string_view key) {
  const std::string* text = TRY(any(key))->if_string();
  if (text == nullptr) return wrong(key, "a string");
  return *text;
}

Result<std::int64_t> Fields::integer(std::string_view key) {
  const std::int64_t* number = TRY(any(key))->if_int();
  if (number == nullptr) return wrong(key, "an integer");
  return *number;
}

Result<bool> Fields::boolean(std::string_view key) {
  const bool* truth = TRY(any(key))->if_bool();
  if (truth == nullptr) return wrong(key, "true or false");
  return *truth;
}

Result<const Object*> Fields::object(std::string_view key) {
  const Object* object = TRY(any(key))->if_object();
  if (object == nullptr) return wrong(key, "an object");
  return object;
}

Result<const Array*> Fields::array(std::string_view key) {
  const Array* array = TRY(any(key))->if_array();
  if (array == nullptr) return wrong(key, "an array");
  return array;
}

Result<std::vector<std::string>> Fields::strings(std::string_view key) {
  std::vector<std::string> out;
  for (const Value& element : *TRY(array(key))) {
    if (!element.is_string()) return wrong(key, "an array of strings");
    out.push_back(*element.if_string());
  }
  return out;
}

Result<Sha256> Fields::sha256(std::string_view key) {
  const auto digest = Sha256::from_hex(TRY(string(key)));
  if (!digest) return wrong(key, "64 hexadecimal digits");
  return *digest;
}

Result<void> Fields::done() const {
  if (object_ == nullptr) return fail(code_, cat(what_, " must be an object"));
  for (const Member& member : *object_) {
    if (std::ranges::find(taken_, member.key) == taken_.end()) {
      const auto near = nearest(member.key, taken_);
      return fail(code_, cat(what_, ": unknown field \"", member.key, '"'),
                  near ? cat("did you mean \"", *near, "\"?") : std::string());
    }
  }
  return {};
}

}  // namespace baton::json
