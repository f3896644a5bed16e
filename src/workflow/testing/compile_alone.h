#pragma once
// The compilation of a text that needs no other. Only tests and benchmarks include this.

#include "workflow/compile.h"

namespace baton::workflow {

inline Compilation compile_alone(SourceText source, CompileOptions options = {}) {
  Compiler compiler(std::move(source), options);
  for (;;) {
    auto next = compiler.next();
    if (auto* done = std::get_if<Compilation>(&next)) return std::move(*done);
    compiler.supply({});
  }
}

}  // namespace baton::workflow
