#pragma once
// Prompts as data: what prompts/list shows and the function that prompts/get runs.
//
// A PromptTable is immutable after make(); any thread may read it. Handlers run on worker threads,
// many at once.

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/result.h"
#include "protocol/call.h"
#include "protocol/features/completion.h"
#include "protocol/features/content.h"

namespace baton::protocol {

struct PromptArgument {
  std::string name = {};
  std::string title = {};
  std::string description = {};
  bool required = false;
  Completer complete = {};
};

struct PromptMessage {
  std::string role;  // "user" or "assistant"
  json::Object content;
};

struct PromptResult {
  std::string description = {};
  std::vector<PromptMessage> messages;
};

using PromptAnswer = std::variant<PromptResult, NeedInput, RpcError>;
using PromptHandler = std::function<PromptAnswer(const Call&)>;

struct Prompt {
  std::string name = {};  // [a-z][a-z0-9_]*, at most limits::tool_name_bytes_max
  std::string title = {};
  std::string description = {};
  std::vector<PromptArgument> arguments = {};
  std::vector<Icon> icons = {};
  PromptHandler handler = {};  // required arguments are there, and all are strings
};

class PromptTable {
 public:
  PromptTable() = default;

  /// Fails on a bad or repeated name, a missing description or handler, an argument given twice.
  static Result<PromptTable> make(std::vector<Prompt> prompts);

  const Prompt* find(std::string_view name) const;
  const std::vector<Prompt>& all() const { return prompts_; }

 private:
  std::vector<Prompt> prompts_;
};

}  // namespace baton::protocol
