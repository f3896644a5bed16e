#include "cli/run_options.h"

#include "base/text.h"

namespace baton::cli {

std::optional<std::string> option_of(const Arguments& arguments, std::string_view name) {
  const auto found = arguments.options.find(name);
  if (found == arguments.options.end()) return std::nullopt;
  return found->second.back();
}

Result<std::optional<NodeId>> node_option(const Arguments& arguments) {
  const auto given = option_of(arguments, "--node");
  if (!given) return std::nullopt;
  const auto node = NodeId::parse(*given);
  if (!node) {
    return fail(Code::INVALID_ID, cat("\"", *given, "\" is no node"),
                "`baton show` lists the nodes of a run");
  }
  return *node;
}

}  // namespace baton::cli
