#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "cli/app.h"
#include "cli/parts.h"
#include "cli/testing/memory_world.h"

namespace baton::cli {
namespace {

/// A command that asks for a store is told that there is none.
class NoStore final : public Backend {
 public:
  Result<engine::Engine*> engine() override { return fail(Code::STORE_FAILED, "no store"); }
  Result<engine::Engine*> existing() override { return engine(); }
  ports::KeyAdmin& keys() override { panic(__FILE__, __LINE__, "no keys"); }
  ports::StoreAdmin& store_admin() override { panic(__FILE__, __LINE__, "no files"); }
  ports::TrustAdmin& trust() override { panic(__FILE__, __LINE__, "no list"); }
  Result<void> check_sandbox() override { return {}; }
  ports::WorkflowSource& workflows() override { panic(__FILE__, __LINE__, "no workflows"); }
  ports::AuxStore* aux() override { return nullptr; }
};

std::string refusal_of_count(std::int64_t count) {
  MemoryWorld memory;
  memory.world().arguments = {"runs", "--db", "x.db", "--count", cat(count)};
  Parts parts;
  parts.open_backend = [](const Config&) { return std::make_shared<NoStore>(); };
  EXPECT_NE(run(memory.world(), parts).exit, ExitCode::ok);
  return memory.errors();
}

TEST(runs, the_number_of_runs_listed_has_a_bound_that_is_named) {
  EXPECT_TRUE(refusal_of_count(limits::listed_runs_max).contains("STORE_FAILED"));
  EXPECT_EQ(refusal_of_count(limits::listed_runs_max + 1),
            cat("baton: --count takes a whole number from 1 to ", limits::listed_runs_max, '\n'));
  EXPECT_EQ(refusal_of_count(0), refusal_of_count(limits::listed_runs_max + 1));
}

}  // namespace
}  // namespace baton::cli
