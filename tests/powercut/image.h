#pragma once
// One image: the files a cut has left, put where SQLite's own VFS can open them, and judged
// against what the clients had been told. One thread at a time per folder.

#include <filesystem>

#include "workload.h"

namespace baton::powercut {

/// A folder of its own for images, in memory where there is such a place; removed at the end.
class ImageFolder {
 public:
  ImageFolder();
  ~ImageFolder();
  ImageFolder(const ImageFolder&) = delete;
  ImageFolder& operator=(const ImageFolder&) = delete;

  /// Empties the folder and writes the files; gives the path of the store.
  std::string put(const Files& files);

 private:
  std::filesystem::path path_;
};

/// A call and its reply.
struct Told {
  Request request;
  surface::SignedReply reply;
};

/// Empty, or what of all that was told does not hold at `place`: a reply is lost or another, or
/// the store is not whole.
std::string broken_promise(World& place, const std::vector<Told>& told);

enum class Finding : std::uint8_t { none, lost_reply, other };
struct Verdict {
  Finding finding = Finding::none;
  std::string problem;
  bool ok() const { return finding == Finding::none; }
};

/// After `ops_done` operations the power went (or the process died) and `path` is what is left:
/// every acknowledged act is there with its reply, nothing is there in part, and every client can
/// go on.
Verdict judge(const Recording& recording, std::size_t ops_done, const std::string& path,
              Dice& dice);

inline constexpr std::int64_t images_per_workload = 250;

/// The images of one workload. They follow from its seed and their number alone.
class Cutter {
 public:
  /// `recording` must outlive this.
  explicit Cutter(const Recording& recording) : recording_(recording), disk_(recording.profile) {}

  /// The operation at which the power goes in the k-th image, 0 to images_per_workload - 1:
  /// evenly all over the recording, a little off from seed to seed.
  std::size_t place(std::int64_t k) const;

  /// REQUIRES: k rises from call to call, so that the disk is fed only once.
  Verdict judge_cut(std::int64_t k, ImageFolder& folder);

 private:
  const Recording& recording_;
  Disk disk_;
  std::size_t fed_ = 0;
};

}  // namespace baton::powercut
