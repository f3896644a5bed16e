#include "adapters/files/private_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/text/text.h"

namespace baton::adapters {
namespace {

namespace fs = std::filesystem;

struct private_file : ::testing::Test {
  private_file() {
    std::string name = (fs::temp_directory_path() / "baton-private-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~private_file() override { fs::remove_all(folder); }

  std::string path(std::string_view name) const { return cat(folder.string(), '/', name); }
  std::size_t names() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
  }

  fs::path folder;
};

TEST_F(private_file, is_made_once_and_what_is_there_counts) {
  EXPECT_TRUE(make_private(path("key"), "first").value());
  EXPECT_FALSE(make_private(path("key"), "second").value());
  const Descriptor file = open_private(path("key"), O_RDONLY, ::geteuid()).value();
  EXPECT_EQ(read_private(file, path("key"), 100).value(), "first");
  EXPECT_EQ(names(), 1U) << "a temporary file was left";
}

TEST_F(private_file, a_link_of_that_name_is_not_followed_and_not_replaced) {
  fs::create_symlink(path("elsewhere"), path("key"));
  EXPECT_FALSE(make_private(path("key"), "text").value());
  EXPECT_FALSE(fs::exists(path("elsewhere")));
  EXPECT_EQ(open_private(path("key"), O_RDONLY, ::geteuid()).error().code, Code::ENVIRONMENT);
}

TEST_F(private_file, without_its_folder_is_an_error) {
  EXPECT_EQ(make_private(path("none/key"), "text").error().code, Code::ENVIRONMENT);
}

// A second name for a moment would make another process that starts just then refuse the store, and
// a crash in that moment would leave it for good.
TEST_F(private_file, never_has_two_names) {
  constexpr int files = 300;
  std::atomic<int> next = 0;
  std::atomic<int> doubled = 0;
  std::thread observer([&] {
    for (int i = next; i < files; i = next) {
      struct stat found{};
      if (::stat(path(std::to_string(i)).c_str(), &found) == 0 && found.st_nlink != 1) ++doubled;
    }
  });
  for (; next < files; ++next) {
    const std::string temporary = path("temporary");
    std::ofstream(temporary) << "text";
    EXPECT_EQ(name_if_free(temporary, path(std::to_string(next))), true);
  }
  observer.join();
  EXPECT_EQ(doubled, 0);
}

}  // namespace
}  // namespace baton::adapters
