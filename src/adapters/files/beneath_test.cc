#include "adapters/files/beneath.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/text/text.h"

namespace baton::adapters {
namespace {

namespace fs = std::filesystem;

struct Way {
  std::string_view name;
  Descriptor (*open)(int, std::string_view, int);
};

/// The same by the system's own way and by the one for systems that do not have it.
class beneath : public ::testing::TestWithParam<Way> {
 protected:
  beneath() {
    std::string name = (fs::temp_directory_path() / "baton-beneath-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    fs::create_directories(root_ / "in/deep");
    std::ofstream(root_ / "in/file") << "text";
    std::ofstream(root_ / "in/deep/file") << "deep";
    std::ofstream(root_ / "outside") << "secret";
    folder_ = Descriptor(::open((root_ / "in").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  ~beneath() override { fs::remove_all(root_); }

  std::string text(std::string_view path) {
    const Descriptor file = GetParam().open(folder_.number(), path, O_RDONLY);
    if (!file.is_open()) return "(not open)";
    return content_of(file, 100).value_or("(no file)");
  }
  int problem(std::string_view path, int flags = O_RDONLY) {
    errno = 0;
    return GetParam().open(folder_.number(), path, flags).is_open() ? 0 : errno;
  }

  fs::path root_;
  Descriptor folder_;
};

TEST_P(beneath, files_are_opened_at_any_depth) {
  EXPECT_EQ(text("file"), "text");
  EXPECT_EQ(text("./deep//file"), "deep");
  EXPECT_EQ(problem("deep", O_RDONLY | O_DIRECTORY), 0);
  EXPECT_EQ(problem(".", O_RDONLY | O_DIRECTORY), 0);
  EXPECT_EQ(problem("missing"), ENOENT);
  EXPECT_EQ(problem("file/x"), ENOTDIR);
  EXPECT_EQ(problem(""), ENOENT);
}

// Enforces: G19
TEST_P(beneath, no_path_leads_out) {
  EXPECT_EQ(problem("../outside"), EXDEV);
  EXPECT_EQ(problem("deep/../../outside"), EXDEV);
  EXPECT_EQ(problem((root_ / "outside").string()), EXDEV);
  EXPECT_NE(problem(std::string_view("file\0x", 6)), 0);
}

// Enforces: G19
TEST_P(beneath, no_link_is_followed_wherever_it_is_and_wherever_it_leads) {
  fs::create_symlink(root_ / "outside", root_ / "in/link");
  fs::create_symlink("file", root_ / "in/inner");
  fs::create_directory_symlink(root_, root_ / "in/up");
  fs::create_directory_symlink("deep", root_ / "in/side");
  for (const char* path : {"link", "inner", "up/outside", "side/file", "up"}) {
    EXPECT_EQ(problem(path), ELOOP) << path;
  }
  EXPECT_EQ(problem("side", O_RDONLY | O_DIRECTORY), ELOOP);
  EXPECT_EQ(problem("up", O_PATH | O_DIRECTORY), ELOOP);
}

// Enforces: G19
TEST_P(beneath, a_special_file_is_neither_waited_for_nor_read) {
  ASSERT_EQ(::mkfifo((root_ / "in/pipe").c_str(), 0600), 0);
  EXPECT_EQ(text("pipe"), "(no file)");
  EXPECT_EQ(text("deep"), "(no file)");
}

TEST_P(beneath, content_has_a_bound) {
  const Descriptor file = GetParam().open(folder_.number(), "file", O_RDONLY);
  EXPECT_EQ(content_of(file, 4), "text");
  ::lseek(file.number(), 0, SEEK_SET);
  EXPECT_EQ(content_of(file, 3), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(, beneath,
                         ::testing::Values(Way{"at_once", open_beneath},
                                           Way{"by_steps", open_by_steps}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace baton::adapters
