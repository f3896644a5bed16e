#pragma once
// What validation asks of single JSON values: exact order and division of numbers, a canonical key
// for equality, code points. Pure functions.
//
// REQUIRES throughout: every double is finite.

#include <compare>
#include <string>
#include <string_view>

#include "base/json/json.h"

namespace baton::schema {

/// Exact, also between int64 and double. REQUIRES: both are numbers.
std::strong_ordering compare_numbers(const json::Value& a, const json::Value& b);

/// Whether `value` is a whole multiple of `divisor`, exactly, both taken as the decimal numbers
/// that their shortest text says. REQUIRES: both are numbers, `divisor` is above 0.
bool is_multiple(const json::Value& value, const json::Value& divisor);

/// An integer, or a double without fraction.
bool is_whole(const json::Value& value);

/// Appends a text that is the same for two values exactly when they are equal.
void append_key(std::string& out, const json::Value& value);
std::string key_of(const json::Value& value);

/// A short form of the value for a message: text is cut, containers are counted.
std::string shown(const json::Value& value);

/// `text` in double quotes, cut to schema_shown_bytes_max.
std::string in_quotes(std::string_view text);

/// `text`, cut to `bytes_max` with "..." at the cut.
std::string shortened(std::string_view text, std::size_t bytes_max);

/// "1 item", "2 items".
std::string counted(std::size_t count, std::string_view one, std::string_view many);

/// `token` with '~' and '/' written as a JSON Pointer needs them.
std::string pointer_token(std::string_view token);

}  // namespace baton::schema
