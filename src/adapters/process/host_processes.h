#pragma once
// Programs on the machine Baton runs on, each watched by a thread of its own. Any thread.

#include "ports/process_runner.h"

namespace baton::adapters {

class HostProcesses final : public ports::ProcessRunner {
 public:
  std::unique_ptr<ports::RunningProcess> start(ports::Process process) override;
  std::string identity() override;
  std::optional<bool> is_alive(std::string_view identity) override;
};

}  // namespace baton::adapters
