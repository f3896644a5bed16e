#include "surface/owner_words.h"

#include "base/text/text.h"

namespace baton::surface {
namespace {

std::string_view place_of(run::ChangedHow how) {
  return how == run::ChangedHow::terminal ? " in a terminal" : "";
}

/// Each line is marked, so that the user's text cannot pass for the server's.
std::string quoted(std::string_view text) {
  std::string out = "> ";
  for (const char each : text) {
    out += each;
    if (each == '\n') out += "> ";
  }
  return out + '\n';
}

}  // namespace

std::string add_owner_words(json::Object& out, const run::Reply& reply,
                            const std::optional<run::RunHeld>& hold) {
  std::string text;
  if (hold) {
    out.set("hold", json::Object{{"state", name_of(hold->hold)}, {"reason", hold->reason}});
    const bool is_paused = hold->hold == run::Hold::paused;
    text += cat("The user ", is_paused ? "paused" : "cancelled", " this run. Do no step of it",
                is_paused ? " until the user has resumed it.\n" : "; ask the user what to do.\n");
    if (!hold->reason.empty()) text += cat("The reason:\n", quoted(hold->reason));
    text += '\n';
  }
  json::Array guidance;
  for (const run::Guidance& each : reply.guidance) {
    guidance.emplace_back(json::Object{
        {"text", each.text}, {"by", each.source.principal}, {"how", name_of(each.source.how)}});
    text += cat("The user (", each.source.principal, place_of(each.source.how),
                ") says about this run:\n", quoted(each.text));
  }
  if (guidance.empty()) return text;
  out.set("guidance", std::move(guidance));
  return cat(text, "Follow this from now on; where it differs from a step, it counts.\n\n");
}

}  // namespace baton::surface
