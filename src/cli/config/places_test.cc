#include "cli/config/places.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

TEST(store_folder, missing_folders_are_made_for_the_owner_only_and_others_keep_their_rights) {
  char pattern[] = "/tmp/baton-folder-XXXXXX";
  const fs::path scratch = mkdtemp(pattern);
  fs::permissions(scratch, fs::perms(0755));
  EXPECT_TRUE(make_store_folder(scratch / "a/b/baton.db"));
  EXPECT_TRUE(make_store_folder(scratch / "a/b/baton.db"));
  EXPECT_EQ(fs::status(scratch).permissions(), fs::perms(0755));
  EXPECT_EQ(fs::status(scratch / "a").permissions(), fs::perms(0700));
  EXPECT_EQ(fs::status(scratch / "a/b").permissions(), fs::perms(0700));
  EXPECT_FALSE(fs::exists(scratch / "a/b/baton.db"));

  std::ofstream(scratch / "file") << "x";
  EXPECT_EQ(make_store_folder(scratch / "file/b/baton.db").error().code, Code::ENVIRONMENT);
  fs::remove_all(scratch);
}

}  // namespace
}  // namespace baton::cli
