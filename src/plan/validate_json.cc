#include "plan/validate_json.h"

#include <algorithm>
#include <initializer_list>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::plan {
namespace {

using json::Value;

class Form {
 public:
  std::vector<PlanProblem> check(const Value& plan) {
    const json::Object* object = plan.if_object();
    if (object == nullptr) {
      wrong("", "an object");
      return std::move(problems_);
    }
    only(*object, "",
         {"header", "description", "constraints", "tasks", "direction", "directive", "state",
          "stage", "halt", "place", "version", "warnings"});
    if (const Value* header = object->find("header")) check_header(*header);
    text(*object, "", "description", false);
    text(*object, "", "direction", false);
    if (const Value* list = object->find("constraints")) check_constraints(*list);
    if (const Value* list = object->find("tasks")) check_tasks(*list, "tasks", 0);
    return std::move(problems_);
  }

 private:
  void wrong(std::string field, std::string_view expected) {
    problems_.push_back({std::move(field), cat("must be ", expected), "INVALID_TYPE"});
  }

  static std::string below(std::string_view where, std::string_view key) {
    return where.empty() ? std::string(key) : cat(where, '.', key);
  }

  void only(const json::Object& object, std::string_view where,
            std::initializer_list<std::string_view> keys) {
    for (const json::Member& member : object) {
      if (std::ranges::count(keys, member.key) > 0) continue;
      problems_.push_back({below(where, member.key), "there is no such field", "INVALID_VALUE"});
    }
  }

  void text(const json::Object& object, std::string_view where, std::string_view key,
            bool required) {
    const Value* value = object.find(key);
    if (value == nullptr ? !required : value->is_string() || (!required && value->is_null())) {
      return;
    }
    wrong(below(where, key), "text");
  }

  void check_header(const Value& value) {
    const json::Object* header = value.if_object();
    if (header == nullptr) return wrong("header", "an object");
    only(*header, "header", {"type", "scope", "breaking", "title"});
    text(*header, "header", "type", true);
    text(*header, "header", "scope", false);
    text(*header, "header", "title", false);
    const Value* breaking = header->find("breaking");
    if (breaking != nullptr && breaking->if_bool() == nullptr) {
      wrong("header.breaking", "true or false");
    }
  }

  void check_constraints(const Value& value) {
    const json::Array* list = value.if_array();
    if (list == nullptr) return wrong("constraints", "a list of constraints");
    for (std::size_t i = 0; i < list->size(); ++i) {
      const Value& each = (*list)[i];
      const std::string where = cat("constraints.", i);
      if (const std::string* line = each.if_string()) {
        if (!line->contains(": ")) wrong(where, "'Key: value'");
      } else if (const json::Array* pair = each.if_array()) {
        if (pair->size() != 2) wrong(where, "[key, value]");
        for (std::size_t k = 0; k < std::min<std::size_t>(pair->size(), 2); ++k) {
          if (!(*pair)[k].is_string()) wrong(cat(where, '.', k), "text");
        }
      } else if (const json::Object* object = each.if_object()) {
        only(*object, where, {"key", "value"});
        text(*object, where, "key", true);
        text(*object, where, "value", true);
      } else {
        wrong(where, "'Key: value', [key, value] or {key, value}");
      }
    }
  }

  void check_tasks(const Value& value, const std::string& where, std::size_t depth) {
    const json::Array* list = value.if_array();
    if (list == nullptr) return wrong(where, "a list of tasks");
    if (depth > limits::plan_depth_ceiling + 1) return wrong(where, "fewer levels of tasks");
    for (std::size_t i = 0; i < list->size(); ++i) {
      check_task((*list)[i], cat(where, '.', i), depth);
    }
  }

  void check_task(const Value& value, const std::string& where, std::size_t depth) {
    if (const json::Object* object = value.if_object()) {
      only(*object, where, {"done", "text", "children"});
      text(*object, where, "text", true);
      const Value* done = object->find("done");
      if (done != nullptr && !done->is_null() && done->if_bool() == nullptr) {
        wrong(cat(where, ".done"), "true or false");
      }
      const Value* children = object->find("children");
      if (children != nullptr && !children->is_null()) {
        check_tasks(*children, cat(where, ".children"), depth + 1);
      }
      return;
    }
    const json::Array* tuple = value.if_array();
    if (tuple == nullptr || tuple->size() < 2 || tuple->size() > 3) {
      return wrong(where, "[done, text, [subtasks]] or {done, text, children}");
    }
    if ((*tuple)[0].if_bool() == nullptr) wrong(cat(where, ".0"), "true or false");
    if (!(*tuple)[1].is_string()) wrong(cat(where, ".1"), "text");
    if (tuple->size() == 3) check_tasks((*tuple)[2], cat(where, ".2"), depth + 1);
  }

  std::vector<PlanProblem> problems_;
};

}  // namespace

Validation validate_json(const Value& value, const PlanConfig& config) {
  Validation out{Form().check(value), {}};
  if (!out.is_valid()) return out;
  const auto document = document_from_json(value);
  if (document) return validate(*document, config);
  out.errors.push_back({"", document.error().message, "INVALID_TYPE"});
  return out;
}

}  // namespace baton::plan
