#include "surface/words.h"

#include <span>

#include "base/text/text.h"

namespace baton::surface {
namespace {

struct Command {
  std::string_view line;
  std::string_view what;
};

constexpr Command verify = {"baton verify", "lists what is damaged"};
constexpr Command to_check[] = {verify};
constexpr Command to_rebuild[] = {verify, {"baton rebuild", "makes the entries again"}};
constexpr Command to_salvage[] = {verify, {"baton salvage FOLDER", "exports what is sound"}};
constexpr Command to_show[] = {{"baton show RUN", "shows its nodes"}};
constexpr Command to_resume[] = {{"baton resume RUN", "lets it continue"}};
constexpr Command to_list[] = {{"baton runs", "lists the runs"}};

std::span<const Command> commands_for(Move kind) {
  switch (kind) {
    case Move::check_store: return to_check;
    case Move::rebuild_store: return to_rebuild;
    case Move::salvage_store: return to_salvage;
    case Move::list_runs: return to_list;
    case Move::show_run: return to_show;
    case Move::resume_run: return to_resume;
    default: return {};
  }
}

}  // namespace

protocol::ToolResult answer(Result<protocol::ToolResult> result, Say say) {
  return result ? *std::move(result) : tool_error(std::move(result).error(), say);
}

protocol::ToolResult tool_error(Error error, Say say) {
  error.next = say(error.next);
  return protocol::tool_error(error);
}

std::string ask_owner(const NextMove& next) {
  std::string out;
  for (const Command& each : commands_for(next.kind)) {
    out +=
        cat(out.empty() ? "ask the user to run `" : ", and `", each.line, "`, which ", each.what);
  }
  return out.empty() ? next.text() : out;
}

std::string tell_owner(const NextMove& next) {
  std::string out;
  for (const Command& each : commands_for(next.kind)) {
    out += cat(out.empty() ? "`" : ", `", each.line, "` ", each.what);
  }
  return out.empty() ? next.text() : out;
}

}  // namespace baton::surface
