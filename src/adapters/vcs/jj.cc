#include "adapters/vcs/jj.h"

#include <iterator>

#include "adapters/vcs/git_command.h"
#include "adapters/vcs/text_file.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

constexpr std::string_view owner_prefix = "jj ";

// A repository of Jujutsu has settings too; these count more, and leave no program to start: no
// monitor of files, no signing, no tool that shows differences.
constexpr std::string_view no_programs[] = {
    "--config=fsmonitor.backend=none",     "--config=core.fsmonitor=none",
    "--config=signing.backend=none",       "--config=signing.behavior=drop",
    "--config=ui.diff-formatter=:summary", "--config=ui.paginate=never"};

}  // namespace

JjPlan::JjPlan(std::filesystem::path root, Environment environment)
    : root_(std::move(root)), environment_(vcs_environment(std::move(environment), root_)) {}

Result<CommandResult> JjPlan::jj(std::vector<std::string> words, std::string_view input,
                                 bool may_cut) const {
  std::vector<std::string> all = {"jj", "--no-pager", "--color=never", "--quiet"};
  all.insert(all.end(), std::begin(no_programs), std::end(no_programs));
  all.insert(all.end(), std::make_move_iterator(words.begin()),
             std::make_move_iterator(words.end()));
  const VcsCommand command{.words = std::move(all),
                           .directory = root_,
                           .environment = environment_,
                           .input = std::string(input),
                           .may_cut = may_cut};
  CommandResult result = TRY(run_command(command));
  if (result.exit != 0) return nonzero_exit(command, result);
  return result;
}

Result<ports::Description> JjPlan::read() {
  // Looking must not record the files of the working copy.
  const CommandResult shown = TRY(jj({"log", "--ignore-working-copy", "--no-graph", "-r", "@", "-T",
                                      "change_id ++ \"\\n\" ++ description"}));
  const std::size_t end = shown.output.find('\n');
  const std::string change = shown.output.substr(0, end);
  return ports::Description{
      .place = cat("the description of the Jujutsu change ", change.substr(0, 12)),
      .owner = cat(owner_prefix, change),
      .text = end == std::string::npos ? std::string() : shown.output.substr(end + 1)};
}

Result<ports::Replaced> JjPlan::replace(const ports::Description& expected, std::string_view text) {
  const FileLock lock = TRY(FileLock::take(root_ / ".jj" / "baton-plan.lock"));
  if (TRY(read()) != expected) return ports::Replaced::changed_meanwhile;
  TRY(jj({"describe", "--stdin", expected.owner.substr(owner_prefix.size())}, text));
  return ports::Replaced::yes;
}

Result<ports::ChangedFiles> JjPlan::changed_files() {
  const CommandResult listed = TRY(jj({"diff", "-r", "@", "--summary"}, {}, true));
  ports::ChangedFiles out;
  out.more = listed.cut;
  std::string_view rest = listed.output;
  while (rest.size() > 2) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;
    if (out.files.size() == limits::plan_changed_files_max) {
      out.more = true;
      break;
    }
    if (end > 2) out.files.push_back({rest[0], std::string(rest.substr(2, end - 2))});
    rest.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace baton::adapters
