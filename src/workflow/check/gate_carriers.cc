#include "workflow/check/gate_carriers.h"

#include "base/core/gate_limits.h"
#include "base/text/text.h"

namespace baton::workflow {
namespace {

struct Carriers {
  std::string_view key;
  std::string_view hint;
};

constexpr Carriers carriers[] = {
    {"gate",
     "a prompt, user_input, mcp_call, shell_command, agent_shell_command or apply_hints step may "
     "have \"gate\"; put it on one before or after this step"},
    {"effect",
     "a prompt, mcp_call, shell_command, agent_shell_command or apply_hints step may have "
     "\"effect\"; remove it here"},
    {"on_fork",
     "a prompt, mcp_call, shell_command, agent_shell_command or apply_hints step may have "
     "\"on_fork\"; remove it here"},
    {"undo", "only a shell_command that the server runs may have \"undo\"; remove it here"},
    {"despite_gaps",
     "only a shell_command that the server runs may have \"despite_gaps\"; remove it here"},
    {"waivable", "only a prompt with \"evidence\" may have \"waivable\"; remove it here"}};

}  // namespace

std::string_view steps_with_key(std::string_view key) {
  for (const Carriers& each : carriers) {
    if (each.key == key) return each.hint;
  }
  return {};
}

void report_lost_keys(const SyntaxNode& call, Diagnostics& diagnostics) {
  for (const Carriers& each : carriers) {
    const SyntaxNode* found = call.find(each.key);
    if (found == nullptr) continue;
    diagnostics.error(Code::WORKFLOW_UNKNOWN_KEY, found->key_at,
                      cat("the steps of the template come in place of this one, which cannot have "
                          "\"",
                          each.key, '"'),
                      cat("remove it here, and write it at a step of the template, or at one "
                          "before or after this step"));
  }
}

std::optional<std::int64_t> gate_minutes(const SyntaxNode& life) {
  if (life.is_integer()) return life.integer;
  if (!life.is_text() || life.text.size() < 2) return std::nullopt;
  const std::string_view text = life.text;
  std::int64_t unit = 0;
  switch (text.back()) {
    case 'm': unit = 1; break;
    case 'h': unit = 60; break;
    case 'd': unit = 24 * 60; break;
    default: return std::nullopt;
  }
  const auto count = parse_int(text.substr(0, text.size() - 1));
  if (!count || *count < 1) return std::nullopt;
  // More than the limit in every unit, and far from the end of the numbers.
  if (*count > limits::gate_expires_minutes_max) return limits::gate_expires_minutes_max + 1;
  return *count * unit;
}

}  // namespace baton::workflow
