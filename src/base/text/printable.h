#pragma once
// Any bytes as text that a terminal shows and does not obey. Everything that Baton prints passes
// through here. Pure.

#include <string>
#include <string_view>

namespace baton {

/// `bytes` with everything that steers a terminal, reorders text or cannot be seen written as the
/// escape that JSON has for it: control characters (C0 but for line feeds and tabs, DEL, C1), bidi
/// controls, line and paragraph separators, invisible and format characters, noncharacters. A byte
/// that is not UTF-8 becomes \ufffd. A variation selector or joiner inside of an emoji stays.
///
/// The result is UTF-8 and its own printable form. The printable form of a JSON text that
/// json::print or json::canonical wrote is a JSON text of the same value.
std::string printable(std::string_view bytes);

/// The same as one line: line feeds and tabs are escaped too.
std::string printable_line(std::string_view bytes);

}  // namespace baton
