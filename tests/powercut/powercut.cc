// Cuts the power under a store, many times, and looks what is left.
//
//   powercut --images 2000 --seed 1        0: every image kept its promises
//   powercut --self-test                   0: with syncs that do nothing, a lost reply was seen
//   powercut --seed 1 --image 1234         one image again, in full words
//
// An image is numbered; its workload, the operation at which the power goes and the damage follow
// from the seed and that number. Each run begins with the self-test: a harness that would not see
// a lost reply has nothing to say.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <span>

#include "base/text/text.h"
#include "image.h"

namespace baton::powercut {
namespace {

constexpr std::int64_t self_test_images = 100;
// A store that loses replies shows it at once; more of the same tells nothing.
constexpr std::int64_t violations_max = 50;

struct Arguments {
  std::int64_t images = 2'000;
  std::int64_t seed = 1;
  std::int64_t image = -1;
  std::int64_t jobs = 2;
  bool is_self_test = false;
};

std::optional<Arguments> read_arguments(std::span<char*> words) {
  Arguments out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    std::int64_t* number = nullptr;
    if (word == "--images") number = &out.images;
    if (word == "--seed") number = &out.seed;
    if (word == "--image") number = &out.image;
    if (word == "--jobs") number = &out.jobs;
    if (word == "--self-test") {
      out.is_self_test = true;
    } else if (number != nullptr && i + 1 < words.size()) {
      const auto value = parse_int(words[++i]);
      if (!value || *value < 0) return std::nullopt;
      *number = *value;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::uint64_t workload_seed(const Arguments& arguments, std::int64_t image) {
  return mix(static_cast<std::uint64_t>(arguments.seed),
             static_cast<std::uint64_t>(image / images_per_workload));
}

struct Tally {
  std::atomic<std::int64_t> images = 0;
  std::atomic<std::int64_t> violations = 0;
  std::mutex mutex;  // guards printing
};

void report(Tally& tally, const Arguments& arguments, std::int64_t image,
            const Recording& recording, std::size_t place, const std::string& problem) {
  const std::lock_guard lock(tally.mutex);
  ++tally.violations;
  std::printf(
      "image %lld: cut at operation %zu of %zu on %s: %s\n  again: powercut --seed %lld"
      " --image %lld\n",
      static_cast<long long>(image), place, recording.ops.size(), recording.profile.text().c_str(),
      problem.c_str(), static_cast<long long>(arguments.seed), static_cast<long long>(image));
}

/// Images [first, last) of one workload.
void judge_images(const Arguments& arguments, const Recording& recording, std::int64_t first,
                  std::int64_t last, Tally& tally) {
  Cutter cutter(recording);
  ImageFolder folder;
  for (std::int64_t image = first; image < last && tally.violations < violations_max; ++image) {
    const std::int64_t k = image % images_per_workload;
    const Verdict verdict = cutter.judge_cut(k, folder);
    ++tally.images;
    if (!verdict.ok()) {
      report(tally, arguments, image, recording, cutter.place(k), verdict.problem);
    }
  }
}

/// Whether a lost reply is seen when no sync does anything.
bool self_test(const Arguments& arguments) {
  const Recording recording =
      run_workload({.seed = workload_seed(arguments, 0), .steps = 60, .syncs_work = false});
  Cutter cutter(recording);
  ImageFolder folder;
  for (std::int64_t i = 0; i < self_test_images; ++i) {
    const Verdict verdict = cutter.judge_cut(i * images_per_workload / self_test_images, folder);
    if (verdict.finding != Finding::lost_reply) continue;
    std::printf("self-test: without syncs, image %lld shows it: %s\n", static_cast<long long>(i),
                verdict.problem.c_str());
    return true;
  }
  std::printf("self-test: without syncs, %lld images showed no lost reply: this run is void\n",
              static_cast<long long>(self_test_images));
  return false;
}

struct Batch {
  Recording recording;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Workloads are recorded alone (their randomness is the process's) and judged side by side.
void judge_all(const Arguments& arguments, Tally& tally) {
  std::int64_t first = arguments.image >= 0 ? arguments.image : 0;
  const std::int64_t end = arguments.image >= 0 ? arguments.image + 1 : arguments.images;
  while (first < end && tally.violations < violations_max) {
    std::vector<Batch> batches;
    while (first < end && batches.size() < static_cast<std::size_t>(arguments.jobs)) {
      const std::int64_t last =
          std::min(end, (first / images_per_workload + 1) * images_per_workload);
      batches.push_back({run_workload({.seed = workload_seed(arguments, first)}), first, last});
      for (const std::string& problem : batches.back().recording.problems) {
        report(tally, arguments, first, batches.back().recording, 0, problem);
      }
      first = last;
    }
    std::vector<std::thread> workers;
    for (const Batch& batch : batches) {
      workers.emplace_back(
          [&] { judge_images(arguments, batch.recording, batch.first, batch.last, tally); });
    }
    for (std::thread& worker : workers) worker.join();
  }
}

int run(const Arguments& arguments) {
  const auto began = std::chrono::steady_clock::now();
  const bool is_sharp = self_test(arguments);
  if (arguments.is_self_test || !is_sharp) return is_sharp ? 0 : 1;
  Tally tally;
  judge_all(arguments, tally);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("seed %lld: %.0f images/s\n", static_cast<long long>(arguments.seed),
              static_cast<double>(tally.images) / took.count());
  std::printf("{\"test\":\"powercut\",\"seed\":%lld,\"images\":%lld,\"violations\":%lld}\n",
              static_cast<long long>(arguments.seed), static_cast<long long>(tally.images),
              static_cast<long long>(tally.violations));
  std::printf("powercut: %lld images, %lld violations\n", static_cast<long long>(tally.images),
              static_cast<long long>(tally.violations));
  return tally.violations == 0 ? 0 : 1;
}

}  // namespace
}  // namespace baton::powercut

int main(int count, char** words) {
  const auto arguments = baton::powercut::read_arguments({words + 1, words + count});
  if (!arguments || arguments->jobs < 1) {
    std::fputs("powercut [--images N] [--seed S] [--image K] [--jobs J] [--self-test]\n", stderr);
    return 2;
  }
  return baton::powercut::run(*arguments);
}
