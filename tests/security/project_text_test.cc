// Projects whose files lead elsewhere: private text is behind a link, a setting, a pipe. 0 of it in
// any answer is the only passing count.

#include "project_world.h"

namespace baton::security {
namespace {

constexpr std::string_view secret = "the-secret-of-the-owner";

class project_text : public ProjectWorld {
 protected:
  project_text() {
    write_file(hidden() / "notes.md", cat("---\nname: notes\n---\n", secret, "\n"));
    write_file(hidden() / "agents/reviewer.md", cat(secret, "\n"));
    write_file(hidden() / "rules/all.md", cat(secret, "\n"));
    write_file(hidden() / "workflows/hidden.yaml",
               cat("id: hidden\nsteps: [{id: a, prompt: ", secret, "}]\n"));
    write_file(hidden() / "config.yaml", "token_ttl: 3\n");
    write_file(hidden() / "plan.md", cat("feat: ", secret, "\n"));
  }

  fs::path hidden() const { return scratch_.path() / "private"; }

  void reset() {
    // It may have refused to start.
    if (server_ != nullptr) static_cast<void>(server_->end());
    server_.reset();
    fs::remove_all(project());
    write_file(project() / "own.yaml", "id: own\nsteps: [{id: a, agent: reviewer, prompt: Do.}]\n");
    write_file(project() / ".git/HEAD", "ref: refs/heads/main\n");
  }

  /// Everything that a project's text can come out by.
  std::string all_answers() {
    std::string out = run(project(), {"list", "--json"});
    out += run(project(), {"validate", "own.yaml"});
    out += run(project(), {"inspect", "hidden"});
    out += run(project(), {"plan", "show"});
    serve(project(), {"--surface", "all"});
    for (const crash::Call& call :
         {crash::Call{"list_workflows", {}},
          crash::Call{"inspect_workflow", {{"workflowId", "hidden"}}},
          crash::Call{"start_workflow", {{"workflowId", "hidden"}}},
          crash::Call{"start_workflow", {{"workflowId", "own"}}},
          crash::Call{"start_workflow", {{"workflowId", "baton.code-review"}}}}) {
      const auto answer = server_->call(call);
      if (!answer) return out;  // the server did not start, which says nothing
      out += answer->result + answer->text;
    }
    return out;
  }
};

// Enforces: G19
TEST_F(project_text, nothing_private_is_read_through_a_link_at_any_level) {
  for (const auto& [to, at] : std::vector<std::pair<std::string, std::string>>{
           {"", ".baton"},
           {"", ".aromcp"},
           {"workflows", ".baton/workflows"},
           {"workflows", ".baton/workflows/workflows"},
           {"workflows", ".aromcp/workflows"},
           {"workflows/hidden.yaml", ".baton/workflows/hidden.yaml"},
           {"agents", ".baton/agents"},
           {"agents", "agents"},
           {"agents/reviewer.md", ".baton/agents/reviewer.md"},
           {"rules", ".baton/rules"},
           {"rules", "rules"},
           {"plan.md", ".baton/plan.md"}}) {
    reset();
    fs::create_directories((project() / at).parent_path());
    fs::create_symlink(to.empty() ? hidden() : hidden() / to, project() / at);
    EXPECT_FALSE(all_answers().contains(secret)) << at << " to " << to;
  }
}

// Enforces: G19
TEST_F(project_text, nothing_private_is_read_by_a_setting_of_the_project) {
  for (const std::string& setting :
       {cat("content_dir: ", hidden().string()), std::string("content_dir: ../private"),
        cat("workflows: [", hidden().string(), "]"),
        std::string("workflows: [../private/workflows]"), std::string("content_dir: inner"),
        std::string("workflows: [inner/workflows]")}) {
    reset();
    fs::create_symlink(hidden(), project() / "inner");
    write_file(project() / ".baton/config.yaml", setting + '\n');
    EXPECT_FALSE(all_answers().contains(secret)) << setting;
  }
}

// Enforces: G19
TEST_F(project_text, setting_outside_the_project_is_reported) {
  reset();
  write_file(project() / ".baton/config.yaml", cat("content_dir: ", hidden().string(), '\n'));
  const std::string shown = run(project(), {"config"});
  EXPECT_TRUE(shown.contains("is ignored, because it is outside the project")) << shown;
  serve(project());
  EXPECT_FALSE(MUST(server_->call({"list_workflows", {}})).is_error());
  EXPECT_TRUE(server_->end());
  server_.reset();
  EXPECT_TRUE(text_of(errors()).contains("project_content_dir_ignored")) << text_of(errors());
}

// Enforces: G19
TEST_F(project_text, what_the_user_names_may_be_anywhere) {
  reset();
  configure(cat("content_dir: ", hidden().string(), '\n'));
  EXPECT_TRUE(all_answers().contains(secret));
}

// Enforces: G19
TEST_F(project_text, pipes_instead_of_files_are_not_waited_for) {
  for (const char* at :
       {".baton/config.yaml", ".baton/workflows/x.yaml", ".baton/agents/reviewer.md",
        ".baton/rules/x.md", ".baton/bindings.json", ".baton/plan.md"}) {
    reset();
    fs::create_directories((project() / at).parent_path());
    ASSERT_EQ(::mkfifo((project() / at).c_str(), 0600), 0);
    all_answers();  // ends
  }
}

}  // namespace
}  // namespace baton::security
