#pragma once
// What a command wrote, as a value of the form its step asks for. Pure.

#include <string>
#include <string_view>

#include "base/json/json.h"

namespace baton::run {

enum class OutputFormat : std::uint8_t { text, lines, json, key_value };

std::optional<OutputFormat> output_format(std::string_view name);

/// Bytes as text: what is not UTF-8 is shown as \xNN, so that nothing is hidden.
std::string visible(std::string_view bytes);

/// text: without the line ends behind it. lines: a list, one text for each line. json: the value.
/// key_value: an object from lines NAME=value; empty lines and those that begin with # are passed
/// over, the last of two equal names counts.
///
/// `is_cut`: there was more. A cut text ends in a mark that says so; of the other forms a part
/// would pass for the whole: LIMIT_EXCEEDED. INVALID_UTF8 and INVALID_JSON for what is not JSON,
/// INVALID_INPUT for a line without a name.
Result<json::Value> read_output(OutputFormat format, std::string_view output, bool is_cut);

}  // namespace baton::run
