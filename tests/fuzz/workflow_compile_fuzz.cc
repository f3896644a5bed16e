// Links: workflow
// The compiler. The first byte chooses the format; the rest is a workflow file, which also answers
// every need. What compiles reads back from its pinned text, and compiles to the same text again.

#include "base/core/result.h"
#include "workflow/compile.h"
#include "workflow/show/outline.h"

namespace baton::workflow {

namespace {

constexpr const char* names[] = {"w.yaml", "w.json", "w.md", ".aromcp/w.yaml"};

Compilation compile(const SourceText& source) {
  Compiler compiler(source, {});
  for (;;) {
    auto next = compiler.next();
    if (auto* done = std::get_if<Compilation>(&next)) return std::move(*done);
    const auto kind = std::get<NeedSource>(next).kind;
    const bool is_document = kind == NeedSource::Kind::workflow || kind == NeedSource::Kind::file;
    compiler.supply(is_document ? std::vector{source} : std::vector<SourceText>());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const SourceText source{names[data[0] % 4],
                          std::string(reinterpret_cast<const char*>(data + 1), size - 1)};
  const Compilation first = compile(source);
  const Compilation second = compile(source);
  ASSERT(first.findings.diagnostics == second.findings.diagnostics);
  ASSERT(first.has_errors() == second.has_errors());
  if (first.has_errors()) {
    ASSERT(!first.findings.diagnostics.empty());
    return 0;
  }
  ASSERT(first.pinned->hash == second.pinned->hash);
  // It was pinned a moment ago.
  const Pinned back = MUST(unpin(first.pinned->text, first.pinned->hash));
  ASSERT(back.workflow == first.pinned->workflow);
  ASSERT(!outline_of(back.workflow).empty());
  ASSERT(!mermaid_of(back.workflow).empty());
  return 0;
}

}  // namespace baton::workflow
