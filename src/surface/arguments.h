#pragma once
// What every surface's tools are written with: schemas as text, arguments that the schema has let
// through (types and names are right by now), and the ways to answer. Values; any thread.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "engine/engine.h"
#include "protocol/features/tool.h"

namespace baton::surface {

/// Gives the engine, opening what is not open yet: a server answers before it has touched a file.
/// Any thread; the same engine every time.
using EngineSource = std::function<Result<engine::Engine*>()>;

/// Who makes a call, and whether a question could reach the user through their client.
engine::Principal principal_of(const protocol::Call& call);

/// A schema written as JSON text in the source.
json::Value schema(std::string_view text);

std::optional<std::string> text_argument(const json::Object& arguments, std::string_view key);
json::Object object_argument(const json::Object& arguments, std::string_view key);

run::PreferencesDelta preferences_argument(const json::Object& arguments);

/// What a run may use at most. INVALID_INPUT for a limit that there is not, or that is no number.
Result<run::Budget> budget_argument(const json::Object& arguments);

// As short as it can be: agents read all of what is listed.
inline constexpr std::string_view budget_property =
    R"("budget":{"type":"object","description":)"
    R"("Limits: steps, minutes, attempts, bytes, tokens."})";

/// `output`, `context`, `preferences` and the tokens used of an advance or a checkpoint.
run::StepInput input_arguments(const json::Object& arguments);

/// Of a tool that changes nothing.
inline constexpr protocol::ToolAnnotations reads_only = {
    .read_only = true, .destructive = false, .idempotent = true, .open_world = false};

/// A task of a run, as a sub-agent names it in place of a workflow: "<run id>/<task id>".
struct NamedTask {
  std::string run;
  std::string task;
};
/// Nothing for the name of a workflow: none begins with "run_" and has a slash.
std::optional<NamedTask> named_task(std::string_view text);

}  // namespace baton::surface
