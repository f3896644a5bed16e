// Links: base
// JSON: what is accepted prints and reads back the same, in every layout; what is refused is
// refused with a message that is text.

#include "base/json/json.h"
#include "base/text/utf8.h"

namespace baton {

namespace {

void check_error(const Error& error) {
  ASSERT(error.code == Code::INVALID_JSON || error.code == Code::LIMIT_EXCEEDED);
  ASSERT(utf8::is_valid(error.message));
  ASSERT(error.message.size() < 200);
}

void check_value(const json::Value& value) {
  const std::string text = json::print(value);
  ASSERT(utf8::is_valid(text));
  // Printed by us, so that it can be read: the next lines say that it always can.
  const json::Value again = MUST(json::parse(text));
  ASSERT(again == value);
  ASSERT(json::print(again) == text);
  ASSERT(MUST(json::parse(json::print_pretty(value))) == value);

  const auto canonical = json::canonical(value);
  ASSERT(canonical == json::canonical(again));
  if (!canonical) {
    ASSERT(canonical.error().code == Code::NUMBER_INEXACT);
    return;
  }
  ASSERT(MUST(json::canonical(MUST(json::parse(*canonical)))) == *canonical);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = json::parse(text);
  if (value) {
    ASSERT(utf8::is_valid(text));
    check_value(*value);
  } else {
    check_error(value.error());
  }
  return 0;
}

}  // namespace baton
