#include "adapters/script/compile.h"

#include <algorithm>
#include <tuple>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::adapters {
namespace {

using state::Script;
using state::ScriptFault;
using state::ScriptForm;
using state::ScriptProblem;

/// What is put around a source. It is on lines of its own, so that a comment at its end ends
/// there, and a place in it has the same column.
struct SourceWrapper {
  std::string_view before_names;
  std::string_view after_names;
  std::string_view end;
};

// A source that closes what it did not open fits into one of these frames, but not into both.
constexpr SourceWrapper expression_frames[] = {
    {"\"use strict\";(function({", "}){return (\n", "\n)})"},
    {"\"use strict\";(function({", "}){return [\n", "\n]})"},
};
constexpr SourceWrapper truth_frames[] = {
    {"\"use strict\";(function({", "}){return !!(\n", "\n)})"},
    {"\"use strict\";(function({", "}){return [\n", "\n]})"},
};
// In a block of its own, a body may declare what is also the name of a field.
constexpr SourceWrapper body_frames[] = {
    {"\"use strict\";(function({", "}){{\n", "\n}})"},
    {"\"use strict\";(function({", "}){do{\n", "\n}while(0)})"},
};

std::string framed(const SourceWrapper& frame, std::string_view names, std::string_view source) {
  return cat(frame.before_names, names, frame.after_names, source, frame.end);
}

std::size_t line_count(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
}

std::string_view without_trailing_space(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(0, text.find_last_not_of(space) + 1);
}

Compiled compile_framed(ScriptSandbox& sandbox, const SourceWrapper (&frames)[2],
                        std::string_view names, std::string_view source) {
  std::string bytecode;
  for (const SourceWrapper& frame : frames) {
    const SandboxAnswer answer = sandbox.compile(framed(frame, names, source));
    if (answer.outcome != WASM_DONE) return std::unexpected(problem_of(answer.outcome));
    if (answer.threw) {
      ScriptProblem problem{ScriptFault::syntax, message_of(answer.text), {}, 0, 0};
      locate(problem, answer.stack, source);
      return std::unexpected(std::move(problem));
    }
    if (bytecode.empty()) bytecode = answer.text;
  }
  return bytecode;
}

std::expected<std::string, ScriptProblem> names_of(const Script& script) {
  std::string out;
  for (const std::string& name : script.names) {
    if (!state::is_script_name(name)) {
      return std::unexpected(ScriptProblem{
          ScriptFault::syntax, cat("'", name, "' is not a valid name in a script"), {}, 0, 0});
    }
    if (!out.empty()) out += ',';
    out += name;
  }
  return out;
}

}  // namespace

ScriptProblem problem_of(wasm_outcome outcome) {
  switch (outcome) {
    case WASM_DEADLINE:
      return {ScriptFault::time, "the script took too long and was stopped",
              "let it do less, or split it", 0, 0};
    case WASM_STACK: return {ScriptFault::stack, "the script calls itself too deeply", {}, 0, 0};
    case WASM_REFUSED:
      return {ScriptFault::memory, "the script exceeded its memory limit", {}, 0, 0};
    default: return {ScriptFault::memory, "the script crashed the engine; stopped", {}, 0, 0};
  }
}

void locate(ScriptProblem& problem, std::string_view stack, std::string_view source) {
  constexpr std::string_view mark = "script:";
  const std::size_t at = stack.find(mark);
  if (at == std::string_view::npos) return;
  std::size_t line = 0;
  std::size_t column = 0;
  const char* end = stack.data() + stack.size();
  const auto [next, failed] = std::from_chars(stack.data() + at + mark.size(), end, line);
  if (failed != std::errc() || next == end || *next != ':') return;
  if (std::from_chars(next + 1, end, column).ec != std::errc() || line < 2) return;
  const std::size_t lines = line_count(source);
  problem.line = line - 1;  // the first line is the frame's
  problem.column = column;
  if (problem.line <= lines) return;
  // The frame's end was read as part of the script.
  problem.line = lines;
  const std::size_t last = source.rfind('\n');
  problem.column = source.size() - (last == std::string_view::npos ? 0 : last + 1) + 1;
  if (problem.fault == ScriptFault::syntax) problem.message = "the script ends too early";
}

std::string message_of(std::string_view text) {
  std::string out(text.substr(0, limits::script_message_bytes_max));
  // Half of a pair, or half of a character that was cut.
  for (auto bad = utf8::first_invalid(out); bad; bad = utf8::first_invalid(out)) {
    out.replace(*bad, 1, "?");
  }
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return out;
}

Compiled compile_script(ScriptSandbox& sandbox, const Script& script) {
  if (script.source.size() > limits::script_source_bytes_max) {
    return std::unexpected(
        ScriptProblem{ScriptFault::size,
                      cat("the script has more than ", limits::script_source_bytes_max, " bytes"),
                      {},
                      0,
                      0});
  }
  if (utf8::first_invalid(script.source)) {
    return std::unexpected(ScriptProblem{ScriptFault::syntax, "the script is not UTF-8", {}, 0, 0});
  }
  std::string_view source = without_trailing_space(script.source);
  if (source.empty()) {
    return std::unexpected(ScriptProblem{ScriptFault::syntax, "there is no script", {}, 1, 1});
  }
  const auto names = names_of(script);
  if (!names) return std::unexpected(names.error());
  const ScriptDeadline deadline(limits::script_ms_max);
  std::string_view expression = source;
  if (expression.ends_with(';')) expression.remove_suffix(1);
  const bool is_truth = script.form == ScriptForm::truth;
  Compiled value =
      compile_framed(sandbox, is_truth ? truth_frames : expression_frames, *names, expression);
  if (value || value.error().fault != ScriptFault::syntax || script.form != ScriptForm::transform) {
    return value;
  }
  Compiled body = compile_framed(sandbox, body_frames, *names, source);
  if (body || body.error().fault != ScriptFault::syntax) return body;
  // Whichever of the two was read further is what was meant.
  const auto place = [](const ScriptProblem& problem) {
    return std::tie(problem.line, problem.column);
  };
  return place(body.error()) > place(value.error()) ? body : value;
}

}  // namespace baton::adapters
