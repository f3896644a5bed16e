#include "transport/http/framing.h"

#include <algorithm>
#include <charconv>

#include "base/text/text.h"

namespace baton::transport {
namespace {

// Of a chunk's size. Leading zeros count, so that no reader's number overflows before ours.
constexpr std::size_t size_digits_max = 16;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_token_char(char c) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         others.find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::unexpected<HttpResponse> bad(std::string text) {
  return std::unexpected(text_response(400, std::move(text)));
}

std::expected<BodyFraming, HttpResponse> by_length(const HttpRequest& head) {
  const std::string& text = *head.header("content-length");
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  // Equal lengths sent twice are refused too: such a client does not know what it sends.
  if (!is_number || head.count("content-length") != 1) {
    return bad("Content-Length must be one number.");
  }
  return BodyFraming{.bytes = bytes};
}

/// Takes the next element of a list with commas from the front of `list`.
std::string_view next_element(std::string_view& list) {
  const std::size_t comma = std::min(list.find(','), list.size());
  const std::string_view element = without_blanks(list.substr(0, comma));
  list.remove_prefix(std::min(comma + 1, list.size()));
  return element;
}

std::expected<BodyFraming, HttpResponse> by_codings(const HttpRequest& head) {
  if (head.http_1_0) return bad("HTTP/1.0 has no Transfer-Encoding.");
  if (head.header("content-length") != nullptr) {
    return bad("Send Transfer-Encoding or Content-Length, not both.");
  }
  bool is_chunked = false;
  bool is_unknown = false;
  for (const HttpHeader& header : head.headers) {
    if (header.name != "transfer-encoding") continue;
    std::string_view list = header.value;
    // A comma at the end announces an element that is not there.
    if (list.empty() || list.ends_with(',')) return bad("Transfer-Encoding is malformed.");
    while (!list.empty()) {
      const std::string_view element = next_element(list);
      const std::string coding = ascii_lower(without_blanks(element.substr(0, element.find(';'))));
      if (!is_token(coding)) return bad("Transfer-Encoding is malformed.");
      // Nothing may follow chunked, itself and parameters of it included.
      if (is_chunked) return bad("The transfer coding chunked must be the last one.");
      is_chunked = coding == "chunked";
      if (is_chunked && element.size() != coding.size()) return bad("chunked has no parameters.");
      is_unknown = is_unknown || !is_chunked;
    }
  }
  if (is_unknown) {
    return std::unexpected(text_response(501, "The only supported transfer coding is chunked."));
  }
  return BodyFraming{.is_chunked = true};
}

/// A quoted string at the front of `text` is taken from it.
bool take_quoted(std::string_view& text) {
  std::size_t at = 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  if (at >= text.size()) return false;
  text.remove_prefix(at + 1);
  return true;
}

bool take_token(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_token_char);
  const auto size = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(size);
  return size > 0;
}

void take_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

/// `;name` and `;name=value`, any number of them. Blanks may be around the signs, but not at the
/// end of the line.
bool are_extensions(std::string_view text) {
  while (!text.empty()) {
    take_blanks(text);
    if (!text.starts_with(';')) return false;
    text.remove_prefix(1);
    take_blanks(text);
    if (!take_token(text)) return false;
    std::string_view after = text;
    take_blanks(after);
    if (!after.starts_with('=')) continue;
    text = after.substr(1);
    take_blanks(text);
    const bool is_taken = text.starts_with('"') ? take_quoted(text) : take_token(text);
    if (!is_taken) return false;
  }
  return true;
}

}  // namespace

HeadScanner::Found HeadScanner::scan(std::string_view bytes) {
  while (scanned_ < bytes.size()) {
    const char c = bytes[scanned_++];
    if (after_return_) {
      if (c != '\n') return Found::malformed;
      after_return_ = false;
      if (at_line_start_) return Found::end;
      at_line_start_ = true;
      // The request line is not a field.
      if (++lines_ > limits::http_fields_max + 1) return Found::too_many_fields;
    } else if (c == '\r') {
      after_return_ = true;
    } else {
      if (is_control(c) || (at_line_start_ && is_blank(c))) return Found::malformed;
      at_line_start_ = false;
    }
  }
  return Found::nothing_yet;
}

std::expected<BodyFraming, HttpResponse> framing_of(const HttpRequest& head) {
  if (head.header("transfer-encoding") != nullptr) return by_codings(head);
  if (head.header("content-length") != nullptr) return by_length(head);
  return BodyFraming{};
}

std::optional<ChunkLine> chunk_line_of(std::string_view line) {
  if (has_control(line) || line.ends_with('\r')) return std::nullopt;
  ChunkLine out;
  const char* const begin = line.data();
  const auto [end, error] = std::from_chars(begin, begin + line.size(), out.size, 16);
  const auto digits = static_cast<std::size_t>(end - begin);
  if (error != std::errc() || digits > size_digits_max) return std::nullopt;
  line.remove_prefix(digits);
  if (!are_extensions(line)) return std::nullopt;
  out.extension_bytes = line.size();
  return out;
}

bool is_field_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
  return !has_control(line) && !line.ends_with('\r');
}

bool has_control(std::string_view unfinished) {
  if (unfinished.ends_with('\r')) unfinished.remove_suffix(1);
  return std::ranges::any_of(unfinished, is_control);
}

}  // namespace baton::transport
