#include "plan/document.h"

#include <algorithm>
#include <ranges>

#include "base/core/limits.h"
#include "base/json/fields.h"
#include "base/text/text.h"

namespace baton::plan {
namespace {

constexpr std::string_view fence = "~~~";

bool is_directive_word(std::string_view word) {
  constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- ";
  return !word.empty() && word.front() >= 'A' && word.front() <= 'Z' && word.back() != ' ' &&
         word.find_first_not_of(allowed) == std::string_view::npos;
}

void count(const PlanTask& task, PlanProgress& progress) {
  ++progress.total;
  if (task.done) ++progress.done;
  for (const PlanTask& child : task.children) count(child, progress);
}

void place(const std::vector<PlanTask>& tasks, const TaskPath& above,
           std::vector<PlacedTask>& out) {
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

std::optional<std::string_view> directive_of(const Plan& document) {
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

PlanProgress progress_of(const std::vector<PlanTask>& tasks) {
  PlanProgress progress;
  for (const PlanTask& task : tasks) count(task, progress);
  return progress;
}

std::string path_text(const TaskPath& path) {
  std::string out;
  for (const std::size_t index : path) out += cat(out.empty() ? "" : ".", index + 1);
  return out;
}

const PlanTask& task_at(const std::vector<PlanTask>& tasks, const TaskPath& path) {
  ASSERT(!path.empty());
  const std::vector<PlanTask>* level = &tasks;
  for (const std::size_t index : path | std::views::take(path.size() - 1)) {
    level = &level->at(index).children;
  }
  return level->at(path.back());
}

std::vector<PlacedTask> all_tasks(const std::vector<PlanTask>& tasks) {
  std::vector<PlacedTask> out;
  place(tasks, {}, out);
  return out;
}

namespace {

json::Value header_json(const Header& header) {
  json::Object out{{"type", header.type}};
  if (header.scope) out.set("scope", *header.scope);
  out.set("breaking", header.breaking);
  if (header.title) out.set("title", *header.title);
  return out;
}

std::unexpected<Error> wrong(std::string_view where, std::string_view expected) {
  return fail(Code::INVALID_INPUT, cat(where, ": expected ", expected));
}

Result<std::vector<PlanTask>> read_tasks(const json::Value& value, const std::string& where,
                                         std::size_t depth);

/// One task's parts, whichever way it was written; null for a part that is absent.
struct TaskParts {
  const json::Value* done = nullptr;
  const json::Value* text = nullptr;
  const json::Value* children = nullptr;
};

Result<TaskParts> parts_of(const json::Value& value, const std::string& where) {
  if (const json::Array* tuple = value.if_array()) {
    if (tuple->size() < 2 || tuple->size() > 3) {
      return wrong(where, "[done, text, [subtasks]]");
    }
    return TaskParts{&(*tuple)[0], &(*tuple)[1], tuple->size() == 3 ? &(*tuple)[2] : nullptr};
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return wrong(where, "[done, text, [subtasks]] or {done, text, children}");
  for (const json::Member& member : *object) {
    if (member.key != "done" && member.key != "text" && member.key != "children") {
      return wrong(cat(where, '.', member.key), "only done, text and children");
    }
  }
  return TaskParts{object->find("done"), object->find("text"), object->find("children")};
}

Result<PlanTask> read_task(const json::Value& value, const std::string& where, std::size_t depth) {
  const TaskParts parts = TRY(parts_of(value, where));
  PlanTask task;
  if (parts.done != nullptr && !parts.done->is_null()) {
    if (parts.done->if_bool() == nullptr) return wrong(cat(where, ".done"), "true or false");
    task.done = *parts.done->if_bool();
  }
  if (parts.text == nullptr || !parts.text->is_string()) return wrong(cat(where, ".text"), "text");
  task.text = *parts.text->if_string();
  if (parts.children != nullptr && !parts.children->is_null()) {
    task.children = TRY(read_tasks(*parts.children, cat(where, ".children"), depth + 1));
  }
  return task;
}

Result<std::vector<PlanTask>> read_tasks(const json::Value& value, const std::string& where,
                                         std::size_t depth) {
  const json::Array* list = value.if_array();
  if (list == nullptr) return wrong(where, "a list of tasks");
  // One level below the deepest, so that the validator can name what is too deep.
  if (depth > limits::plan_depth_ceiling + 1) return wrong(where, "fewer levels of tasks");
  std::vector<PlanTask> tasks;
  for (std::size_t i = 0; i < list->size(); ++i) {
    tasks.push_back(TRY(read_task((*list)[i], cat(where, '.', i), depth)));
  }
  return tasks;
}

Result<Constraint> read_constraint(const json::Value& value, const std::string& where) {
  if (const std::string* text = value.if_string()) {
    std::string_view line = *text;
    if (line.starts_with("- ")) line.remove_prefix(2);
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) return wrong(where, "'Key: value'");
    return Constraint{std::string(line.substr(0, colon)), std::string(line.substr(colon + 2))};
  }
  if (const json::Array* pair = value.if_array()) {
    if (pair->size() != 2 || !(*pair)[0].is_string() || !(*pair)[1].is_string()) {
      return wrong(where, "[key, value]");
    }
    return Constraint{*(*pair)[0].if_string(), *(*pair)[1].if_string()};
  }
  json::Fields fields(value, where);
  Constraint constraint;
  constraint.key = TRY(fields.string("key"));
  constraint.value = TRY(fields.string("value"));
  TRY(fields.done());
  return constraint;
}

Result<std::optional<std::string>> optional_text(json::Fields& fields, std::string_view key) {
  if (!fields.has(key)) return std::nullopt;
  const json::Value* value = TRY(fields.any(key));
  if (value->is_null()) return std::nullopt;
  return std::optional(TRY(fields.string(key)));
}

}  // namespace

json::Value to_json(const PlanTask& task) {
  json::Array children;
  for (const PlanTask& child : task.children) children.push_back(to_json(child));
  return json::Array{task.done, task.text, std::move(children)};
}

json::Object to_json(const Plan& document) {
  json::Object out;
  if (document.header) out.set("header", header_json(*document.header));
  if (document.description) out.set("description", *document.description);
  if (!document.constraints.empty()) {
    json::Array constraints;
    for (const Constraint& constraint : document.constraints) {
      constraints.push_back(json::Array{constraint.key, constraint.value});
    }
    out.set("constraints", std::move(constraints));
  }
  if (!document.tasks.empty()) {
    json::Array tasks;
    for (const PlanTask& task : document.tasks) tasks.push_back(to_json(task));
    out.set("tasks", std::move(tasks));
  }
  if (document.direction) out.set("direction", *document.direction);
  if (const auto word = directive_of(document)) out.set("directive", *word);
  return out;
}

Result<Header> header_from_json(const json::Value& value) {
  json::Fields fields(value, "header");
  Header header{TRY(fields.string("type"))};
  header.scope = TRY(optional_text(fields, "scope"));
  if (fields.has("breaking")) header.breaking = TRY(fields.boolean("breaking"));
  header.title = TRY(optional_text(fields, "title"));
  TRY(fields.done());
  return header;
}

Result<std::vector<PlanTask>> tasks_from_json(const json::Value& value) {
  return read_tasks(value, "tasks", 0);
}

Result<std::vector<Constraint>> constraints_from_json(const json::Value& value) {
  const json::Array* list = value.if_array();
  if (list == nullptr) return wrong("constraints", "a list of constraints");
  std::vector<Constraint> constraints;
  for (std::size_t i = 0; i < list->size(); ++i) {
    constraints.push_back(TRY(read_constraint((*list)[i], cat("constraints.", i))));
  }
  return constraints;
}

Result<Plan> document_from_json(const json::Value& value) {
  json::Fields fields(value, "plan");
  Plan document;
  if (fields.has("header")) document.header = TRY(header_from_json(*TRY(fields.any("header"))));
  document.description = TRY(optional_text(fields, "description"));
  if (fields.has("constraints")) {
    document.constraints = TRY(constraints_from_json(*TRY(fields.any("constraints"))));
  }
  if (fields.has("tasks")) document.tasks = TRY(tasks_from_json(*TRY(fields.any("tasks"))));
  document.direction = TRY(optional_text(fields, "direction"));
  // The fields that `plan parse` adds about the text may be sent back; they are ignored.
  for (const std::string_view key :
       {"directive", "state", "stage", "halt", "place", "version", "warnings"}) {
    if (fields.has(key)) TRY(fields.any(key));
  }
  TRY(fields.done());
  return document;
}

}  // namespace baton::plan
