#pragma once
// Path patterns, compiled once and matched in time linear in the path.
//
//   *        any characters but '/'           ?       one character but '/'
//   **       as a whole component: any number of components, also none (a/**/b matches a/b);
//            at the end: everything below (a/** does not match a); elsewhere the same as *
//   {a,b}    either; expanded before anything else, so {**/a,b} is **/a or b
//   [abc]    one of these; ranges as [a-z]; [!x] or [^x] any other one; never '/'
//   \x       the character x itself
//
// Case counts and a leading dot is nothing special. Paths are separated by '/' and taken as they
// are: no "./" is removed. A path that is not UTF-8 matches nothing.
//
// A Glob is a value; copies share the compiled form. Any number of threads may match at once.

#include <memory>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace re2 {
class RE2;
}

namespace baton {

class Glob {
 public:
  /// INVALID_GLOB says the column (in bytes, from 1) of what cannot be read.
  static Result<Glob> compile(std::string_view pattern);

  /// False for a path of more than limits::glob_path_bytes_max bytes.
  bool matches(std::string_view path) const;

  const std::string& pattern() const { return pattern_; }

 private:
  Glob(std::string pattern, std::shared_ptr<const re2::RE2> program);

  std::string pattern_;
  std::shared_ptr<const re2::RE2> program_;
};

}  // namespace baton
