#include "transport/http/message.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace baton::transport {

namespace {

/// Where the authority of a whole URL begins; 0: it is not one. Only a proxy is sent other schemes.
std::size_t authority_begin(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (ascii_lower(target.substr(0, scheme.size())) == scheme) return scheme.size();
  }
  return 0;
}

}  // namespace

std::string_view HttpRequest::path() const {
  std::string_view rest = target;
  if (const auto server = authority()) {
    rest.remove_prefix(authority_begin(target) + server->size());
    if (!rest.starts_with('/')) return "/";
  }
  return rest.substr(0, rest.find('?'));
}

std::optional<std::string_view> HttpRequest::authority() const {
  const std::size_t begin = authority_begin(target);
  if (begin == 0) return std::nullopt;
  const std::string_view rest = std::string_view(target).substr(begin);
  return rest.substr(0, rest.find_first_of("/?#"));
}

const std::string* HttpRequest::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &HttpHeader::name);
  return found == headers.end() ? nullptr : &found->value;
}

std::size_t HttpRequest::count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count(headers, name, &HttpHeader::name));
}

HttpResponse text_response(int status, std::string text) {
  text += '\n';
  return {status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(text)};
}

std::string_view reason_of(int status) {
  switch (status) {
    case 100: return "Continue";
    case 200: return "OK";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    default: return "Other";
  }
}

std::string http_date(WallMs instant) {
  constexpr std::array<std::string_view, 7> days = {"Thu", "Fri", "Sat", "Sun",
                                                    "Mon", "Tue", "Wed"};
  constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr std::int64_t day_ms = 86'400'000;
  // "1994-11-06T08:49:37.000Z"; the first day of 1970 was a Thursday.
  const std::string text = to_rfc3339(instant);
  const std::string_view parts = text;
  const std::int64_t within = (instant.value % day_ms + day_ms) % day_ms;
  const std::int64_t weekday = (((instant.value - within) / day_ms) % 7 + 7) % 7;
  const auto month = static_cast<std::size_t>((parts[5] - '0') * 10 + parts[6] - '0');
  return cat(days.at(static_cast<std::size_t>(weekday)), ", ", parts.substr(8, 2), ' ',
             months.at(month - 1), ' ', parts.substr(0, 4), ' ', parts.substr(11, 8), " GMT");
}

std::string encode_head(int status, const std::vector<HttpHeader>& headers,
                        std::string_view framing) {
  std::string out = cat("HTTP/1.1 ", status, ' ', reason_of(status), "\r\n");
  for (const HttpHeader& header : headers) out += cat(header.name, ": ", header.value, "\r\n");
  out += framing;
  out += "\r\n";
  return out;
}

}  // namespace baton::transport
