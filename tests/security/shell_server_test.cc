// The same through the whole of Baton: a value that an agent sends as an input of a trusted
// workflow, in every kind of quotes and in argv, to a real server. What its commands executed is
// what the author wrote.

#include <gtest/gtest.h>

#include <fstream>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "exec_record.h"
#include "shell_payloads.h"
#include "support/server.h"

namespace baton::security {
namespace {

namespace fs = std::filesystem;

class shell_server : public ::testing::Test {
 protected:
  shell_server() : place_(MUST(crash::make_place(scratch_.path()))) {
    fs::create_symlink(BATON_EXEC_RECORDER, recorder_);
    // Commands get no variable of the server that its owner does not name.
    fs::create_directories(place_.folder / ".config/baton");
    std::ofstream(place_.folder / ".config/baton/config.yaml") << "commands.env: [RECORD]\n";
    std::ofstream file(place_.workflows() / "inject.yaml");
    file << "id: inject\ninputs: {v: {type: string}}\nsteps:\n";
    auto step = [&, count = 0](const std::string& words) mutable {
      file << "  - id: s" << ++count << "\n    type: shell_command\n    " << words << '\n';
    };
    const std::string recorder = recorder_.string();
    step(cat("command: ", recorder, " {{ inputs.v }}"));
    step(cat("command: ", recorder, " \"a {{ inputs.v }} b\""));
    step(cat("command: ", recorder, " 'a {{ inputs.v }} b'"));
    step(
        cat("command: X={{ inputs.v }}; ", recorder, " \"$X\" \"$(printf '%s.' {{ inputs.v }})\""));
    step(cat("argv: [", recorder, ", '{{ inputs.v }}', 'x={{ inputs.v }}']"));
    file << "  - {id: end, prompt: The end.}\n";
  }

  crash::Scratch scratch_;
  crash::Place place_;
  const fs::path recorder_ = scratch_.path() / "recorder";
};

// Enforces: G14
TEST_F(shell_server, only_what_the_author_wrote_is_executed) {
  const auto server = MUST(crash::Server::start(
      {.binary = std::getenv("BATON_BINARY"),
       .place = place_,
       .wrapper = {},
       .environment = {"BATON_ALLOW_SHELL=true",
                       cat("RECORD=", (scratch_.path() / "record").string())}}));
  const std::string name = recorder_.string();
  const std::vector<std::string> payloads = shell_payloads(name);
  int tried = 0;
  for (std::size_t i = 0; i < payloads.size(); i += 7) {
    const std::string& value = payloads[i];
    if (!utf8::is_valid(value)) continue;  // no message of the protocol can hold it
    ++tried;
    const crash::Answer answer = MUST(server->call(
        {"start_workflow", {{"workflowId", "inject"}, {"context", json::Object{{"v", value}}}}}));
    ASSERT_EQ(answer.code, "") << answer.text << "\nvalue: " << value;
    ASSERT_TRUE(answer.result.contains("The end.")) << answer.result;
    const std::vector<Arguments> expected = {{name, value},
                                             {name, cat("a ", value, " b")},
                                             {name, cat("a ", value, " b")},
                                             {name, value, cat(value, '.')},
                                             {name, value, cat("x=", value)}};
    ASSERT_EQ(take_record(scratch_.path() / "record"), expected) << "value: " << value;
  }
  EXPECT_GE(tried, 20);
  EXPECT_TRUE(server->end().has_value());
}

}  // namespace
}  // namespace baton::security
