#include "protocol/features/completion.h"

namespace baton::protocol {

Completer complete_from(std::vector<std::string> choices) {
  return [choices = std::move(choices)](
             const CompletionQuery& query) -> Result<std::vector<std::string>> {
    std::vector<std::string> fitting;
    for (const std::string& choice : choices) {
      if (choice.starts_with(query.value)) fitting.push_back(choice);
    }
    return fitting;
  };
}

}  // namespace baton::protocol
