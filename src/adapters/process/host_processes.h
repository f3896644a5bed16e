#pragma once
// Names of processes that no other process ever has: the boot of the machine, the namespace that
// its number counts in, the number and the instant it began. Any thread.

#include <optional>
#include <string>
#include <string_view>

#include "ports/process_runner.h"

namespace baton::adapters {

std::string own_identity();

/// Nothing when it is not of this boot and namespace, or is not an identity.
std::optional<bool> is_alive(std::string_view identity);

// Programs on the machine Baton runs on, each watched by a thread of its own. Any thread.

class HostProcesses final : public ports::ProcessRunner {
 public:
  std::unique_ptr<ports::RunningProcess> start(ports::Process process) override;
  std::string identity() override;
  std::optional<bool> is_alive(std::string_view identity) override;
};

}  // namespace baton::adapters
