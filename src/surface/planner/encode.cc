#include "surface/planner/encode.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "surface/planner/words.h"

namespace baton::surface::planner {
namespace {

// Shares of limits::result_bytes_max, with room for escapes.
constexpr std::size_t text_share = 8u << 10;
constexpr std::size_t description_share = 3u << 10;
constexpr std::size_t list_share = 2u << 10;  // constraints, tasks, open tasks, files: each
constexpr std::size_t item_share = 200;

/// Adds items while they fit; false when some were left out.
class BoundedList {
 public:
  void add(json::Value item) {
    bytes_ += json::print(item).size();
    if (bytes_ > list_share) {
      whole_ = false;
    } else {
      items_.push_back(std::move(item));
    }
  }
  bool whole() const { return whole_; }
  json::Array take() { return std::move(items_); }

 private:
  json::Array items_;
  std::size_t bytes_ = 0;
  bool whole_ = true;
};

std::string shortened(std::string_view text, std::size_t share) {
  return utf8::is_valid(text) ? utf8::truncate(text, share) : std::string("(not UTF-8)");
}

/// Puts the fields of a document into `out`; false when something had to be left out.
bool add_document(json::Object& out, const plan::Plan& document) {
  json::Object all = plan::to_json(document);
  if (json::Value* header = all.find("header")) out.set("header", std::move(*header));
  bool whole = true;
  for (const std::string_view key : {"description", "direction"}) {
    const json::Value* text = all.find(key);
    if (text == nullptr) continue;
    whole = whole && text->if_string()->size() <= description_share;
    out.set(key, shortened(*text->if_string(), description_share));
  }
  for (const std::string_view key : {"constraints", "tasks"}) {
    json::Value* values = all.find(key);
    if (values == nullptr) continue;
    BoundedList list;
    for (json::Value& item : *values->if_array()) list.add(std::move(item));
    whole = whole && list.whole();
    out.set(key, list.take());
  }
  if (const json::Value* word = all.find("directive")) out.set("directive", *word);
  return whole;
}

json::Array open_tasks(const plan::Plan& document) {
  BoundedList list;
  for (const plan::PlacedTask& each : plan::all_tasks(document.tasks)) {
    if (each.task->done || !each.task->children.empty()) continue;
    list.add(json::Object{{"number", plan::path_text(each.path)},
                          {"text", shortened(each.task->text, item_share)}});
  }
  return list.take();
}

/// What is not read as part of the plan; bounded.
json::Array warnings_of(const verbs::PlanView& view) {
  json::Array out;
  const std::vector<plan::Remark>& remarks = view.outline.remarks;
  const std::size_t shown = std::min(remarks.size(), limits::problems_reported_max);
  for (std::size_t i = 0; i < shown; ++i) {
    out.emplace_back(shortened(remarks[i].text(), item_share));
  }
  if (shown < remarks.size()) out.emplace_back(cat("and ", remarks.size() - shown, " more"));
  return out;
}

json::Object fields_of(const verbs::PlanView& view) {
  const plan::Plan& document = view.document();
  const StageGuide& guide = guide_to(document);
  json::Object out{{"state", state_of(view)},
                   {"stage", guide.stage},
                   {"stage_name", guide.name},
                   {"place", shortened(view.place, item_share)},
                   {"version", plan::version_of(view.text())}};
  if (const std::string problem = problem_of(view); !problem.empty()) {
    out.set("problem", shortened(problem, item_share));
  }
  const bool whole = add_document(out, document);
  if (json::Array warnings = warnings_of(view); !warnings.empty()) {
    out.set("warnings", std::move(warnings));
  }
  const plan::PlanProgress progress = plan::progress_of(document.tasks);
  if (progress.total > 0) {
    out.set("progress", json::Object{{"done", static_cast<std::int64_t>(progress.done)},
                                     {"total", static_cast<std::int64_t>(progress.total)}});
    out.set("open_tasks", open_tasks(document));
  }
  if (!whole) out.set("shortened", true);
  json::Array next;
  for (const std::string_view tool : guide.tools) next.emplace_back(tool);
  out.set("next_tools", std::move(next));
  return out;
}

std::string text_of(const verbs::PlanView& view) {
  const StageGuide& guide = guide_to(view.document());
  const plan::PlanProgress progress = plan::progress_of(view.document().tasks);
  std::string out =
      cat("Stage ", guide.stage, " of 6: ", guide.name, ". Kept in ",
          shortened(view.place, item_share), ", version ", plan::version_of(view.text()), ".\n");
  if (progress.total > 0) out += cat(progress.done, " of ", progress.total, " tasks are done.\n");
  if (!view.text().empty()) out += cat("\n", shortened(view.text(), text_share));
  if (!out.ends_with('\n')) out += '\n';
  if (state_of(view) == name_of(plan::State::halted)) {
    out += cat("\nThe grammar of a plan ends at ", shortened(problem_of(view), item_share), ".\n");
  }
  if (const json::Array warnings = warnings_of(view); !warnings.empty()) {
    out += "\nKept as it is, and no part of the plan or against its rules:\n";
    for (const json::Value& warning : warnings) out += cat("  ", *warning.if_string(), '\n');
  }
  return out;
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string out = notes.empty() ? "" : "\n";
  for (const std::string& note : notes) out += cat("Note: ", shortened(note, item_share), ".\n");
  return out;
}

std::string files_text(const json::Array& files, bool more) {
  std::string out = files.empty() ? "No files are changed.\n" : "Changed files:\n";
  for (const json::Value& file : files) {
    out += cat("  ", *file.find("status")->if_string(), ' ', *file.find("path")->if_string(), '\n');
  }
  if (more) out += "  and more\n";
  return out;
}

}  // namespace

json::Value schema(std::string_view text) {
  // The text is a constant of ours, and every tool's schema is parsed by the tests.
  return MUST(json::parse(text));
}

json::Value result_schema() {
  return schema(R"({"type":"object","required":["state","stage","stage_name","place","next_tools"],
    "properties":{
    "state":{"type":"string","description":"empty, unknown, parsed or halted."},
    "stage":{"type":"integer","description":"0 to 6."},
    "stage_name":{"type":"string","description":"The stage in a word."},
    "place":{"type":"string","description":"Where the plan is kept."},
    "version":{"type":"string","description":"Of the text; for set_plan."},
    "problem":{"type":"string","description":"Where the text leaves the grammar."},
    "warnings":{"type":"array","description":"Lines that are kept as they are, and why.",
      "items":{"type":"string"}},
    "header":{"type":"object","description":"type, scope, breaking, title."},
    "description":{"type":"string","description":"The detailed goal."},
    "constraints":{"type":"array","description":"Pairs [key, value].","items":{}},
    "tasks":{"type":"array","description":"Tuples [done, text, subtasks].","items":{}},
    "direction":{"type":"string","description":"The text after the tasks."},
    "directive":{"type":"string","description":"The word of its ~~~ line."},
    "progress":{"type":"object","description":"done and total, counting every task."},
    "open_tasks":{"type":"array","description":"Tasks to do next: number and text.","items":{}},
    "changed_files":{"type":"array","description":"status and path of each.","items":{}},
    "more_files":{"type":"boolean","description":"true: more files are changed than are listed."},
    "shortened":{"type":"boolean","description":"Long parts were cut; plan/current has all."},
    "next_tools":{"type":"array","description":"Useful now.","items":{"type":"string"}}}})");
}

json::Value change_schema() {
  return schema(R"({"type":"object","required":["state","stage","stage_before","version"],
    "description":"What gather_requirements answers, and:","properties":{
    "stage_before":{"type":"integer","description":"The stage before this call."},
    "notes":{"type":"array","description":"What else happened.","items":{"type":"string"}}}})");
}

bool shows_all_tasks(const plan::Plan& document) {
  BoundedList list;
  for (const plan::PlanTask& task : document.tasks) list.add(plan::to_json(task));
  return list.whole();
}

protocol::ToolResult encode(const verbs::PlanView& view) {
  return {.structured = fields_of(view),
          .text = cat(text_of(view), "\nThis text was only read. ", guidance(view), '\n')};
}

protocol::ToolResult encode(const Result<verbs::Requirements>& requirements) {
  if (!requirements) return tool_error(requirements.error(), say);
  const verbs::PlanView& view = requirements->view;
  protocol::ToolResult result{.structured = fields_of(view)};
  BoundedList list;
  for (const ports::ChangedFile& file : requirements->changed.files) {
    list.add(json::Object{{"status", std::string(1, file.status)},
                          {"path", shortened(file.path, item_share)}});
  }
  const bool more = requirements->changed.more || !list.whole();
  const json::Array files = list.take();
  result.text = cat(text_of(view), '\n', files_text(files, more), "\nNow: ", guidance(view), '\n');
  result.structured.set("changed_files", files);
  if (more) result.structured.set("more_files", true);
  return result;
}

protocol::ToolResult encode(const Result<verbs::PlanChange>& change, std::string_view what) {
  if (!change) return tool_error(change.error(), say);
  protocol::ToolResult result{.structured = fields_of(change->after)};
  result.structured.set("stage_before", change->stage_before);
  json::Array notes;
  for (const std::string& note : change->notes) notes.emplace_back(shortened(note, item_share));
  if (!notes.empty()) result.structured.set("notes", std::move(notes));
  result.text = cat(what, ' ', text_of(change->after), notes_text(change->notes),
                    "\nNow: ", guidance(change->after), '\n');
  return result;
}

}  // namespace baton::surface::planner
