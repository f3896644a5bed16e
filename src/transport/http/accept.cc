#include "transport/http/accept.h"

#include <algorithm>

#include "base/text/text.h"

namespace baton::transport {
namespace {

/// The text up to `separator`, which is removed with it. One in a quoted string does not count.
std::string_view take_until(std::string_view& text, char separator) {
  bool quoted = false;
  std::size_t at = 0;
  for (; at < text.size() && (quoted || text[at] != separator); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (text[at] == '\\' && quoted) ++at;
  }
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(text.size(), at + 1));
  return trimmed(taken);
}

/// Whether one of a range's parameters says that it is not taken: q=0, q=0.0 and so on.
bool refuses(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view each = take_until(parameters, ';');
    const bool is_quality = each.starts_with("q=") && each.size() > 2;
    if (is_quality && each.find_first_not_of("0.", 2) == std::string_view::npos) return true;
  }
  return false;
}

/// What the ranges say of one form so far.
class Verdict {
 public:
  explicit Verdict(std::string_view type)
      : type_(type), family_(type.substr(0, type.find('/') + 1)) {}

  void hear(std::string_view range, bool taken) {
    const int rank = rank_of(range);
    if (rank < rank_ || rank == 0) return;
    // Of ranges that say the same with other parameters one that is taken is enough.
    taken_ = rank == rank_ ? taken_ || taken : taken;
    rank_ = rank;
  }
  bool taken() const { return taken_; }

 private:
  /// How specific a range is for this form; 0: it does not cover it.
  int rank_of(std::string_view range) const {
    if (range == type_) return 3;
    if (range.starts_with(family_) && range.substr(family_.size()) == "*") return 2;
    return range == "*/*" ? 1 : 0;
  }

  std::string_view type_;
  std::string_view family_;  // with its slash
  int rank_ = 0;
  bool taken_ = false;
};

}  // namespace

Accepted accepted_by(const HttpRequest& request) {
  if (request.header("accept") == nullptr) return {};
  Verdict json("application/json");
  Verdict stream("text/event-stream");
  for (const HttpHeader& header : request.headers) {
    if (header.name != "accept") continue;
    const std::string value = ascii_lower(header.value);
    for (std::string_view rest = value; !rest.empty();) {
      std::string_view parameters = take_until(rest, ',');
      const std::string_view range = take_until(parameters, ';');
      const bool taken = !refuses(parameters);
      json.hear(range, taken);
      stream.hear(range, taken);
    }
  }
  return {json.taken(), stream.taken()};
}

}  // namespace baton::transport
