#include "engine/load/compile_workflow.h"

#include <algorithm>

#include "base/text/text.h"
#include "workflow/read/read.h"

namespace baton::engine {
namespace {

using workflow::NeedSource;
using workflow::SourceText;

/// The file that defines a workflow of one of the names, the earliest of them: one called like it,
/// else any.
Result<std::vector<SourceText>> workflow_text(ports::WorkflowSource& source,
                                              const std::vector<std::string>& names) {
  std::size_t best = names.size();
  std::vector<SourceText> out;
  const auto look = [&](std::vector<ports::WorkflowFile> files) {
    for (ports::WorkflowFile& file : files) {
      if (best == 0) return;
      source.read(file);
      workflow::Diagnostics ignored;
      const auto document = workflow::load_document({file.path, file.text}, 0, ignored);
      if (!document) continue;
      const auto found = std::ranges::find(names, document->id);
      const auto rank = static_cast<std::size_t>(found - names.begin());
      if (rank >= best) continue;
      best = rank;
      out = {SourceText{file.path, file.text}};
    }
  };
  for (const std::string& name : names) {
    if (workflow::is_valid_name(name)) look(TRY(source.named(name)));
  }
  const bool is_possible =
      std::ranges::any_of(names, [](const auto& each) { return workflow::is_valid_name(each); });
  if (out.empty() && is_possible) look(TRY(source.all()));
  return out;
}

std::vector<std::string> names_of(const NeedSource& need) {
  std::vector<std::string> out{need.name};
  out.insert(out.end(), need.other_names.begin(), need.other_names.end());
  return out;
}

}  // namespace

Result<std::vector<SourceText>> fetch(ports::WorkflowSource& source, const NeedSource& need) {
  using Kind = ports::WantedText::Kind;
  ports::WantedText wanted{Kind::persona, need.name, need.from};
  switch (need.kind) {
    case NeedSource::Kind::workflow: return workflow_text(source, names_of(need));
    case NeedSource::Kind::file:
      // A path beside the file, or the id of a workflow.
      if (!workflow::format_of(need.name)) return workflow_text(source, names_of(need));
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

Sha256 digest_of(std::span<const SourceText> texts) {
  std::string all;
  for (const SourceText& each : texts) {
    all += cat(each.name.size(), ':', each.name, each.text.size(), ':', each.text);
  }
  return sha256(all);
}

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
    NeedSource& need = std::get<NeedSource>(next);
    std::vector<SourceText> texts = TRY(fetch(source, need));
    out.asked.push_back({std::move(need), digest_of(texts)});
    compiler.supply(std::move(texts));
  }
}

}  // namespace baton::engine
