#include "protocol/features/prompt.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "protocol/names.h"

namespace baton::protocol {
namespace {

Result<void> check(const Prompt& prompt) {
  if (!is_offered_name(prompt.name)) {
    return fail(Code::INTERNAL, cat("'", prompt.name, "' is not a prompt name: [a-z][a-z0-9_]*"));
  }
  if (prompt.description.empty() ||
      prompt.description.size() > limits::tool_description_bytes_max) {
    return fail(Code::INTERNAL, cat("prompt ", prompt.name, " has no usable description"));
  }
  if (!prompt.handler) return fail(Code::INTERNAL, cat("prompt ", prompt.name, " has no handler"));
  std::set<std::string_view> names;
  for (const PromptArgument& argument : prompt.arguments) {
    if (argument.name.empty() || !names.insert(argument.name).second) {
      return fail(Code::INTERNAL,
                  cat("prompt ", prompt.name, " has an argument without a name of its own"));
    }
  }
  return {};
}

}  // namespace

Result<PromptTable> PromptTable::make(std::vector<Prompt> prompts) {
  PromptTable table;
  for (Prompt& prompt : prompts) {
    TRY(check(prompt));
    if (table.find(prompt.name) != nullptr) {
      return fail(Code::INTERNAL, cat("two prompts are named ", prompt.name));
    }
    table.prompts_.push_back(std::move(prompt));
  }
  return table;
}

const Prompt* PromptTable::find(std::string_view name) const {
  const auto found = std::ranges::find(prompts_, name, &Prompt::name);
  return found == prompts_.end() ? nullptr : &*found;
}

}  // namespace baton::protocol
