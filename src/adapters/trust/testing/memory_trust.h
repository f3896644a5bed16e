#pragma once
// Trust that lasts as long as this object, for tests. Any thread.

#include "adapters/trust/project.h"
#include "adapters/trust/trust_list.h"
#include "base/core/thread_safety.h"

namespace baton::adapters {

class MemoryTrust final : public ports::TrustAdmin {
 public:
  Result<ports::TrustVerdict> judge(const Sha256& workflow, const std::string& folder) override {
    return judge(workflow, folder, {});
  }
  Result<ports::TrustVerdict> judge(const Sha256& workflow, const std::string& folder,
                                    const ports::NamedFiles& command) override {
    const MutexLock lock(mutex_);
    if (!list_.has(workflow)) return ports::TrustVerdict{};
    const ports::Project project = TRY(project_at(folder));
    return judged(list_, workflow, project, TRY(files_named(project, std::span(&command, 1), {})));
  }
  Result<ports::Binding> look(const std::string& folder,
                              std::span<const ports::NamedFiles> commands) override {
    ports::Binding out{TRY(project_at(folder)), {}};
    out.files = TRY(files_named(out.project, commands, {}));
    return out;
  }
  Result<std::vector<ports::TrustedWorkflow>> list() override {
    const MutexLock lock(mutex_);
    return list_.all();
  }
  Result<void> add(const ports::TrustedWorkflow& workflow) override {
    const MutexLock lock(mutex_);
    TRY(list_.add(workflow));
    return {};
  }
  Result<bool> revoke(const Sha256& workflow) override {
    const MutexLock lock(mutex_);
    return list_.remove(workflow);
  }

 private:
  Mutex mutex_;
  TrustList list_ GUARDED_BY(mutex_);
};

}  // namespace baton::adapters
