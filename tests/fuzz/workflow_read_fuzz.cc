// Links: workflow
// The readers of workflow files. The first byte chooses the format. A document that is read prints
// to JSON which reads back the same; every diagnostic can be shown in every form.

#include "base/core/limits.h"
#include "base/core/result.h"
#include "base/text/utf8.h"
#include "workflow/check/diagnostic_text.h"
#include "workflow/read/read.h"

namespace baton::workflow {

namespace {

constexpr const char* names[] = {"w.yaml", "w.json", "w.md"};

void check_forms(const SourceText& source, const Diagnostics& diagnostics) {
  const Findings findings{{source}, diagnostics.sorted(), diagnostics.left_out()};
  for (const std::string_view name : diagnostic_form_names()) {
    ASSERT(!print(std::vector{findings}, *diagnostic_form(name)).empty() ||
           findings.diagnostics.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const SourceText source{names[data[0] % 3],
                          std::string(reinterpret_cast<const char*>(data + 1), size - 1)};
  Diagnostics diagnostics;
  const auto node = read_source(source, 0, diagnostics);
  ASSERT(node.has_value() || diagnostics.has_errors());
  check_forms(source, diagnostics);
  if (!node || diagnostics.has_errors()) return 0;
  Diagnostics none;
  const auto again = read_source({"again.json", json::print(node->to_json())}, 0, none);
  // Escapes may make the JSON longer than a file may be.
  if (!again) return 0;
  ASSERT(again->to_json() == node->to_json());
  return 0;
}

}  // namespace baton::workflow
