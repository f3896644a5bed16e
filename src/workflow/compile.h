#pragma once
// The compiler: text in, a pinned workflow or diagnostics out. It is asked for the next thing until
// it is done; it names each file it needs, and a verb fetches it.
//
//   Compiler compiler({"w.yaml", text}, {});
//   for (;;) {
//     auto next = compiler.next();
//     if (auto* need = std::get_if<NeedSource>(&next)) compiler.supply(fetch(*need));
//     else return std::get<Compilation>(std::move(next));
//   }
//
// Pure and deterministic: the same texts give the same bytes on every machine. One thread.

#include <map>
#include <set>
#include <variant>

#include "workflow/check/check_names.h"
#include "workflow/check/diagnostic_text.h"
#include "workflow/lower/lower.h"

namespace baton::workflow {

/// Bumped whenever the same text may compile to other bytes or diagnostics.
inline constexpr int compiler_version = 3;

struct NeedSource {
  enum class Kind : std::uint8_t {
    workflow,  // by id
    file,      // an import: a path beside `from`, or an id
    persona,   // by name
    rules,     // all that always apply; `name` is empty
    bindings,  // the project's bindings.json; `name` is empty
  };
  Kind kind = Kind::workflow;
  std::string name;
  std::string from;                      // the name of the file that asks
  std::vector<std::string> other_names;  // of a workflow, when none has that one
};

struct CompileOptions {
  bool is_bundled = false;  // may have an id that begins with baton.
};

struct Compilation {
  Findings findings;             // every diagnostic, with the texts they point into
  std::optional<Pinned> pinned;  // nothing when there are errors
  Dialect dialect = Dialect::native;
  std::string id;  // also of a file with mistakes, when it could be read
  std::vector<StepOrigin> provenance;
  std::vector<FoundExpression> expressions;
  std::vector<ShellUse> commands;
  /// Where steps, inputs and fields of the state are, by their names; of a step's key that a run
  /// may refuse, by both with a line's end between them.
  std::map<std::string, SourcePlace, std::less<>> places;

  bool has_errors() const { return !pinned.has_value(); }
};

class Compiler {
 public:
  Compiler(SourceText source, CompileOptions options);

  /// What is needed next, or what came out.
  std::variant<NeedSource, Compilation> next();

  /// The answer to the last need; empty when nothing has that name.
  void supply(std::vector<SourceText> texts);

 private:
  void load_main();
  void look_for_needs(const WorkflowDocument& document);
  void look_for_needs(const SyntaxNode& node, const WorkflowDocument& document);
  void want(NeedSource::Kind kind, std::string name, std::uint32_t file,
            std::vector<std::string> other_names = {});
  std::uint32_t add(SourceText text);
  void check_identity();
  Compilation finish();

  CompileOptions options_;
  Sources sources_;
  Diagnostics diagnostics_;
  std::optional<WorkflowDocument> main_;
  Library library_;
  std::vector<NeedSource> needs_;  // still to be asked
  std::set<std::pair<NeedSource::Kind, std::string>> asked_;
  std::optional<NeedSource> waiting_;
  std::map<std::string, SourcePlace, std::less<>> persona_places_;
  bool loaded_ = false;
};

/// All errors as one WORKFLOW_INVALID, a line each.
Error error_of(const Compilation& compilation);

/// sequential, parallel or hybrid, by the dependencies of its steps.
std::string_view shape_of(const CompiledWorkflow& workflow);

}  // namespace baton::workflow
