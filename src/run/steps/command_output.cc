#include "run/steps/command_output.h"

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::run {
namespace {

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

json::Value lines_of(std::string_view text) {
  json::Array out;
  while (!text.empty()) out.emplace_back(next_line(text));
  return out;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

Result<json::Value> pairs_of(std::string_view text) {
  json::Object out;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = next_line(text);
    if (trimmed(line).empty() || trimmed(line).starts_with('#')) continue;
    const std::size_t equals = line.find('=');
    const std::string_view name = trimmed(line.substr(0, equals));
    if (equals == std::string_view::npos || name.empty()) {
      return fail(Code::INVALID_INPUT,
                  cat("line ", number, " of the command's output is not NAME=value: ",
                      utf8::truncate(line, limits::schema_shown_bytes_max)));
    }
    out.set(name, line.substr(equals + 1));
  }
  return out;
}

}  // namespace

std::optional<OutputFormat> output_format(std::string_view name) {
  if (name == "text") return OutputFormat::text;
  if (name == "lines") return OutputFormat::lines;
  if (name == "json") return OutputFormat::json;
  if (name == "key_value") return OutputFormat::key_value;
  return std::nullopt;
}

std::string visible(std::string_view bytes) {
  std::string out;
  while (const auto bad = utf8::first_invalid(bytes)) {
    const auto byte = static_cast<std::uint8_t>(bytes[*bad]);
    out += cat(bytes.substr(0, *bad), "\\x", to_hex({&byte, 1}));
    bytes.remove_prefix(*bad + 1);
  }
  out += bytes;
  return out;
}

Result<json::Value> read_output(OutputFormat format, std::string_view output, bool is_cut) {
  if (format == OutputFormat::text) {
    std::string text = visible(output);
    if (is_cut) return text + std::string(utf8::truncation_mark);
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    return text;
  }
  if (is_cut) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("the command wrote more than the ", output.size(), " bytes that Baton keeps"),
                "make it write less, for example through head, or to a file");
  }
  if (format == OutputFormat::json) {
    if (const auto bad = utf8::first_invalid(output)) {
      return fail(Code::INVALID_UTF8,
                  cat("the command's output is not JSON: byte ", *bad, " is not UTF-8"));
    }
    auto value = json::parse(output);
    if (!value) value.error().message = cat("the command's output: ", value.error().message);
    return value;
  }
  const std::string text = visible(output);
  return format == OutputFormat::lines ? lines_of(text) : pairs_of(text);
}

}  // namespace baton::run
