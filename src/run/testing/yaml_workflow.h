#pragma once
// Workflows written down in a test. Only tests include this.

#include <string_view>

#include "workflow/testing/compile_alone.h"

namespace baton::run::testing {

/// REQUIRES: the text has no mistakes and needs no other file.
inline workflow::Pinned yaml_workflow(std::string_view text) {
  workflow::Compilation compilation =
      workflow::compile_alone({"w.yaml", std::string(text)}, {.is_bundled = false});
  if (compilation.has_errors()) {
    const Error error = workflow::error_of(compilation);
    panic(__FILE__, __LINE__, "a workflow of a test does not compile", error);
  }
  return *std::move(compilation.pinned);
}

}  // namespace baton::run::testing
