#pragma once
// One HTTP request and one response as values. No owner, any thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"

namespace baton::transport {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpRequest {
  std::string method;               // as sent: names of methods are case-sensitive
  std::string target;               // as sent, not decoded: path and query, or a whole http URL
  std::vector<HttpHeader> headers;  // names in lower case, values without outer blanks
  std::string body = {};
  std::string principal = {};  // who asks, as the Authenticator says
  bool http_1_0 = false;       // then a stream ends with its connection
  bool keep_alive = true;

  /// The target's path, without its query.
  std::string_view path() const;

  /// The server that the target names, `name[:port]`; nothing when it begins with its path.
  std::optional<std::string_view> authority() const;

  /// The first header of that name (in lower case); nullptr when there is none.
  const std::string* header(std::string_view name) const;
  std::size_t count(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::vector<HttpHeader> headers = {};
  std::string body = {};
};

/// A response of one line of text for people.
HttpResponse text_response(int status, std::string text);

/// The standard words for a status that Baton sends.
std::string_view reason_of(int status);

/// An instant as the header Date has it: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(WallMs instant);

/// The response's head with the blank line that ends it; `framing` are the headers that say how the
/// body is delimited, each with its line end.
std::string encode_head(int status, const std::vector<HttpHeader>& headers,
                        std::string_view framing);

}  // namespace baton::transport
