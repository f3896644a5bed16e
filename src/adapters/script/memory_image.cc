#include "adapters/script/memory_image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text/text.h"

namespace baton::adapters {
namespace {

constexpr std::size_t page_bytes = 4096;

bool is_zero(const std::uint8_t* page) {
  static constexpr std::uint8_t zeros[page_bytes] = {};
  return std::memcmp(page, zeros, page_bytes) == 0;
}

/// Pages of zeros stay holes, which cost nothing.
bool write_pages(int file, const wasm_image& image) {
  if (ftruncate(file, static_cast<off_t>(image.size)) != 0) return false;
  for (std::size_t at = 0; at < image.size; at += page_bytes) {
    if (is_zero(image.data + at)) continue;
    if (pwrite(file, image.data + at, page_bytes, static_cast<off_t>(at)) !=
        static_cast<ssize_t>(page_bytes)) {
      return false;
    }
  }
  return fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
}

}  // namespace

Result<std::shared_ptr<MemoryImage>> MemoryImage::take(const wasm_sandbox& sandbox) {
  const wasm_image image = wasm_sandbox_image(&sandbox);
  const int file = memfd_create("baton-sandbox", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  void* bytes = MAP_FAILED;
  if (file >= 0 && write_pages(file, image)) {
    bytes = mmap(nullptr, image.size, PROT_READ, MAP_PRIVATE, file, 0);
  }
  if (bytes == MAP_FAILED) {
    const int why = errno;
    if (file >= 0) close(file);
    return fail(Code::ENVIRONMENT, cat("cannot keep a sandbox: ", std::strerror(why)));
  }
  const auto* kept = static_cast<const std::uint8_t*>(bytes);
  return std::shared_ptr<MemoryImage>(new MemoryImage(file, kept, image.size, image.stack_pointer));
}

MemoryImage::~MemoryImage() {
  munmap(const_cast<std::uint8_t*>(bytes_), size_);
  close(file_);
}

std::vector<wasm_range> MemoryImage::used_by(const wasm_sandbox& sandbox) const {
  const wasm_image image = wasm_sandbox_image(&sandbox);
  std::vector<wasm_range> out;
  for (std::size_t at = 0; at < size_; at += page_bytes) {
    const bool is_used =
        !is_zero(bytes_ + at) || std::memcmp(bytes_ + at, image.data + at, page_bytes) != 0;
    if (!is_used) continue;
    if (!out.empty() && out.back().offset + out.back().size == at) {
      out.back().size += page_bytes;
    } else {
      out.push_back({at, page_bytes});
    }
  }
  return out;
}

}  // namespace baton::adapters
