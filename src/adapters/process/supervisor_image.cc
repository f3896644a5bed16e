#include "adapters/process/supervisor_image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "adapters/files/descriptor.h"
#include "adapters/process/supervisor.h"
#include "base/text/text.h"

// The program as it was linked, between two names.
asm(R"(
  .pushsection .rodata
  .balign 16
  .global baton_supervisor_begin
  .global baton_supervisor_end
baton_supervisor_begin:
  .incbin ")" BATON_SUPERVISOR R"("
baton_supervisor_end:
  .popsection
)");
extern "C" const char baton_supervisor_begin[];
extern "C" const char baton_supervisor_end[];

namespace baton::adapters {
namespace {

Descriptor file_in_memory() {
  const Descriptor low(::memfd_create(supervisor_name(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  // Under a number that the command does not get.
  Descriptor file(::fcntl(low.number(), F_DUPFD_CLOEXEC, supervisor_control_fd + 1));
  std::string_view rest(baton_supervisor_begin, baton_supervisor_end);
  while (file.is_open() && !rest.empty()) {
    const ssize_t put = ::write(file.number(), rest.data(), rest.size());
    if (put <= 0) return {};
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  constexpr int forever = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (file.is_open() && ::fcntl(file.number(), F_ADD_SEALS, forever) != 0) return {};
  return file;
}

}  // namespace

const char* supervisor_program() {
  static const Descriptor file = file_in_memory();
  static const std::string path = cat("/proc/self/fd/", file.number());
  return file.is_open() ? path.c_str() : nullptr;
}

}  // namespace baton::adapters
