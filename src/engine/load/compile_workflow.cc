#include "engine/load/compile_workflow.h"

#include "base/text/text.h"
#include "workflow/read/read.h"

namespace baton::engine {
namespace {

using workflow::NeedSource;
using workflow::SourceText;

/// The file that defines the workflow `id`: one called like it, else any.
Result<std::vector<SourceText>> workflow_text(ports::WorkflowSource& source,
                                              const std::string& id) {
  if (!workflow::is_valid_name(id)) return std::vector<SourceText>();
  for (const bool everywhere : {false, true}) {
    for (ports::WorkflowFile& file : everywhere ? TRY(source.all()) : TRY(source.named(id))) {
      source.read(file);
      workflow::Diagnostics ignored;
      const auto document = workflow::load_document({file.path, file.text}, 0, ignored);
      if (document && document->id == id) return std::vector{SourceText{file.path, file.text}};
    }
  }
  return std::vector<SourceText>();
}

Result<std::vector<SourceText>> fetch(ports::WorkflowSource& source, const NeedSource& need) {
  using Kind = ports::WantedText::Kind;
  ports::WantedText wanted{Kind::persona, need.name, need.from};
  switch (need.kind) {
    case NeedSource::Kind::workflow: return workflow_text(source, need.name);
    case NeedSource::Kind::file:
      // A path beside the file, or the id of a workflow.
      if (!workflow::format_of(need.name)) return workflow_text(source, need.name);
      wanted.kind = Kind::beside;
      break;
    case NeedSource::Kind::persona: break;
    case NeedSource::Kind::rules: wanted.kind = Kind::rules; break;
    case NeedSource::Kind::bindings: wanted.kind = Kind::bindings; break;
  }
  std::vector<SourceText> out;
  for (ports::WorkflowFile& file : TRY(source.find(wanted))) {
    if (file.problem.empty()) out.push_back({std::move(file.path), std::move(file.text)});
    // A higher source hides a lower one's persona; rules add up.
    if (wanted.kind != Kind::rules && !out.empty()) break;
  }
  return out;
}

}  // namespace

Result<CompiledFile> compile_workflow(ports::WorkflowSource& source, ports::WorkflowFile file) {
  if (!file.is_read && file.text.empty() && file.problem.empty()) source.read(file);
  CompiledFile out;
  if (!file.problem.empty()) {
    workflow::Diagnostic problem{
        Code::ENVIRONMENT, workflow::Severity::error, {}, file.problem, {}};
    out.compilation.findings = {{{file.path, ""}}, {std::move(problem)}, 0};
    return out;
  }
  workflow::Compiler compiler({std::move(file.path), std::move(file.text)},
                              {.is_bundled = file.source == "bundled"});
  for (;;) {
    auto next = compiler.next();
    if (auto* done = std::get_if<workflow::Compilation>(&next)) {
      out.compilation = std::move(*done);
      return out;
    }
    out.needed_others = true;
    compiler.supply(TRY(fetch(source, std::get<NeedSource>(next))));
  }
}

}  // namespace baton::engine
