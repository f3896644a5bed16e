#pragma once
// The closed sets of the language, one table each. The compiler, `baton builtins`, `baton schema`
// and the documents are all made from these. Constant data; any thread.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json/json.h"

namespace baton::workflow {

using Words = std::span<const std::string_view>;

/// What every member of a set has.
struct Builtin {
  std::string_view id;    // the bare name, such as "loop_control"
  std::string_view help;  // one sentence
};

/// A key of a feature's `config`.
struct FeatureSetting {
  std::string_view id;
  Words values;  // the first is meant when it is left out
};

/// Text that a feature puts into the prompt blocks of every step that has them.
struct Feature {
  std::string_view id;
  std::string_view help;
  std::string_view constraint;             // empty for none
  std::string_view verify;                 // empty for none
  std::span<const FeatureSetting> config;  // of `{id, config}`; empty when it is a toggle only
};

/// Text that a prompt names instead of repeating.
struct Ref {
  std::string_view id;
  std::string_view help;
  std::string_view text;
};

/// What an artifact of that contract looks like.
struct Contract {
  std::string_view id;
  std::string_view help;
  std::string_view schema;  // JSON Schema, as text
};

/// Steps that a template_call becomes.
struct Template {
  std::string_view id;
  std::string_view help;
  Words arguments;         // those that it takes; all required
  std::string_view steps;  // YAML, with ${name} for arguments
};

std::span<const Feature> features();
std::span<const Ref> refs();
std::span<const Contract> contracts();
std::span<const Template> templates();
std::span<const Builtin> condition_operators();
std::span<const Builtin> capabilities();
std::span<const Builtin> divergence_reasons();

/// The bare name in `set` of a name that may be spelled `baton.<set>.x`, `wr.<set>.x` or `x`.
std::string_view bare_name(std::string_view name, std::string_view set);

template <class T>
const T* find_builtin(std::span<const T> set, std::string_view id) {
  for (const T& each : set) {
    if (each.id == id) return &each;
  }
  return nullptr;
}

}  // namespace baton::workflow
