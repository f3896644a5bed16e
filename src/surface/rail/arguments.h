#pragma once
// Reading what the tools' schemas have let through: types and names are right by now.

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "run/decide.h"

namespace baton::surface::rail {

/// A schema written as JSON text in the source.
json::Value schema(std::string_view text);

std::optional<std::string> text_argument(const json::Object& arguments, std::string_view key);
json::Object object_argument(const json::Object& arguments, std::string_view key);
run::PreferencesDelta preferences_argument(const json::Object& arguments);

/// `output`, `context` and `preferences` of an advance or a checkpoint.
run::Input input_arguments(const json::Object& arguments);

}  // namespace baton::surface::rail
