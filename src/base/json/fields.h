#pragma once
// Reads an object of known shape: each field once, with its type, and nothing left over.
//
//   Fields fields(value, "run_started");
//   const std::string workflow = TRY(fields.string("workflow"));
//   TRY(fields.done());

#include <string_view>
#include <vector>

#include "base/core/ids.h"
#include "base/core/sha256.h"
#include "base/json/json.h"

namespace baton::json {

class Fields {
 public:
  /// `what` names the object in errors; `code` is theirs. Both views must outlive this.
  Fields(const Value& value, std::string_view what, Code code = Code::INVALID_INPUT)
      : object_(value.if_object()), what_(what), code_(code) {}

  bool has(std::string_view key) const {
    return object_ != nullptr && object_->find(key) != nullptr;
  }

  Result<const Value*> any(std::string_view key);
  Result<std::string> string(std::string_view key);
  Result<std::int64_t> integer(std::string_view key);
  Result<bool> boolean(std::string_view key);
  Result<const Object*> object(std::string_view key);
  Result<const Array*> array(std::string_view key);
  Result<std::vector<std::string>> strings(std::string_view key);
  Result<Sha256> sha256(std::string_view key);

  template <class IdType>
  Result<IdType> id(std::string_view key) {
    const std::string text = TRY(string(key));
    const auto parsed = IdType::parse(text);
    if (!parsed) return wrong(key, "an id");
    return *parsed;
  }

  /// Refuses fields that the caller did not ask for.
  Result<void> done() const;

  std::unexpected<Error> wrong(std::string_view key, std::string_view expected) const;

 private:
  const Object* object_;
  std::string_view what_;
  Code code_;
  std::vector<std::string_view> taken_;
};

}  // namespace baton::json
