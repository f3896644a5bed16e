#include "plan/format.h"

#include "base/text.h"
#include "plan/header.h"
#include "plan/line.h"

namespace baton::plan {
namespace {

void write_tasks(const std::vector<Task>& tasks, std::size_t depth, const Config& config,
                 std::string& out) {
  for (const Task& task : tasks) {
    out += cat(write_task(task, depth, config), '\n');
    write_tasks(task.children, depth + 1, config, out);
  }
}

std::string with_crlf(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

}  // namespace

std::string format(const Document& document, const Config& config) {
  if (!document.header) return {};
  std::string out = cat(write_header(*document.header, config), '\n');
  if (document.description) out += cat('\n', *document.description, '\n');
  if (!document.constraints.empty()) out += '\n';
  for (const Constraint& constraint : document.constraints) {
    out += cat(write_constraint(constraint, config), '\n');
  }
  if (!document.tasks.empty()) out += '\n';
  write_tasks(document.tasks, 0, config, out);
  if (document.direction) out += cat('\n', *document.direction, '\n');
  if (document.style.crlf) out = with_crlf(out);
  if (document.style.byte_order_mark) out.insert(0, "\xEF\xBB\xBF");
  return out;
}

}  // namespace baton::plan
