#include "run/log/searchable.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/core/overloaded.h"
#include "base/text/search.h"

namespace baton::run {
namespace {

/// Adds the texts of an artifact, not the names of its members.
void add_texts(const json::Value& content, std::string& out) {
  std::vector<const json::Value*> todo{&content};
  while (!todo.empty() && out.size() < limits::search_text_bytes_max) {
    const json::Value& next = *todo.back();
    todo.pop_back();
    if (const std::string* text = next.if_string()) {
      out += *text;
      out += '\n';
    } else if (const json::Array* array = next.if_array()) {
      for (const json::Value& element : *array) todo.push_back(&element);
    } else if (const json::Object* object = next.if_object()) {
      for (const json::Member& member : *object) todo.push_back(&member.value);
    }
  }
}

void note(RunSurroundings& around, const ObservationRecorded& seen) {
  switch (seen.key) {
    case ObservationKey::workspace_path: around.workspace = seen.value; break;
    case ObservationKey::repo_root: around.repo_root = seen.value; break;
    case ObservationKey::git_branch: around.branch = seen.value; break;
    case ObservationKey::git_head_sha: around.head_sha = seen.value; break;
    case ObservationKey::principal: around.principal = seen.value; break;
  }
}

}  // namespace

Searchable searchable(std::span<const Event> events) {
  Searchable out;
  std::string text;
  for (const Event& event : events) {
    std::visit(Overloaded{
                   [&](const RunStarted& e) {
                     if (e.task) return;  // sub-agents' runs are not in the index
                     out.started = e;
                     out.run = e.run;
                     text += e.goal;
                     text += '\n';
                   },
                   [&](const NodeCreated& e) { out.run = e.run; },
                   [&](const ObservationRecorded& e) { note(out.around, e); },
                   [&](const TokensRevoked& e) { out.revoked.push_back(e.run); },
                   [&](const NodeOutputAppended& e) {
                     out.run = e.run;
                     if (const auto* notes = std::get_if<Notes>(&e.payload)) {
                       text += notes->markdown;
                       text += '\n';
                     } else {
                       add_texts(std::get<Artifact>(e.payload).content, text);
                     }
                   },
                   [](const auto&) {},
               },
               event);
  }
  out.words = search_tokens(text);
  std::ranges::sort(out.words);
  const auto rest = std::ranges::unique(out.words);
  out.words.erase(rest.begin(), rest.end());
  return out;
}

}  // namespace baton::run
