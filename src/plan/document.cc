#include "plan/document.h"

#include <algorithm>
#include <ranges>

#include "base/text.h"

namespace baton::plan {
namespace {

constexpr std::string_view fence = "~~~";

bool is_directive_word(std::string_view word) {
  constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- ";
  return !word.empty() && word.front() >= 'A' && word.front() <= 'Z' && word.back() != ' ' &&
         word.find_first_not_of(allowed) == std::string_view::npos;
}

void count(const Task& task, Progress& progress) {
  ++progress.total;
  if (task.done) ++progress.done;
  for (const Task& child : task.children) count(child, progress);
}

void place(const std::vector<Task>& tasks, const TaskPath& above, std::vector<PlacedTask>& out) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    TaskPath path = above;
    path.push_back(i);
    out.push_back({path, &tasks[i]});
    place(tasks[i].children, path, out);
  }
}

}  // namespace

std::optional<std::string_view> directive_in(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  if (line.size() < 2 * fence.size() + 3) return std::nullopt;
  if (!line.starts_with("~~~ ") || !line.ends_with(" ~~~")) return std::nullopt;
  const std::string_view word = line.substr(4, line.size() - 8);
  if (!is_directive_word(word)) return std::nullopt;
  return word;
}

std::optional<std::string_view> directive_of(const Document& document) {
  if (!document.direction) return std::nullopt;
  const std::string_view text = *document.direction;
  std::size_t end = text.size();
  while (true) {
    const std::size_t before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    if (const auto word = directive_in(text.substr(start, end - start))) return word;
    if (start == 0) return std::nullopt;
    end = start - 1;
  }
}

Progress progress_of(const std::vector<Task>& tasks) {
  Progress progress;
  for (const Task& task : tasks) count(task, progress);
  return progress;
}

std::string path_text(const TaskPath& path) {
  std::string out;
  for (const std::size_t index : path) out += cat(out.empty() ? "" : ".", index + 1);
  return out;
}

const Task& task_at(const std::vector<Task>& tasks, const TaskPath& path) {
  ASSERT(!path.empty());
  const std::vector<Task>* level = &tasks;
  for (const std::size_t index : path | std::views::take(path.size() - 1)) {
    level = &level->at(index).children;
  }
  return level->at(path.back());
}

std::vector<PlacedTask> all_tasks(const std::vector<Task>& tasks) {
  std::vector<PlacedTask> out;
  place(tasks, {}, out);
  return out;
}

}  // namespace baton::plan
