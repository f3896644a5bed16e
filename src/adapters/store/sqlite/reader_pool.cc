#include "adapters/store/sqlite/reader_pool.h"

namespace baton::adapters::sqlite {

Result<ReaderPool::Lease> ReaderPool::take() {
  MutexLock lock(mutex_);
  returned_.wait(mutex_, [this]() REQUIRES(mutex_) {
    return !idle_.empty() || open_count_ < connections_max_;
  });
  if (!idle_.empty()) {
    std::unique_ptr<Connection> connection = std::move(idle_.back());
    idle_.pop_back();
    lock.unlock();
    Lease lease(*this, std::move(connection));
    if (check_) TRY(check_(*lease));
    return lease;
  }
  ++open_count_;
  lock.unlock();
  auto opened = open_();
  if (!opened) {
    lock.lock();
    --open_count_;
    lock.unlock();
    returned_.notify_one();
    return std::unexpected(opened.error());
  }
  return Lease(*this, *std::move(opened));
}

void ReaderPool::close_idle() {
  std::vector<std::unique_ptr<Connection>> closing;
  {
    const MutexLock lock(mutex_);
    closing.swap(idle_);
    open_count_ -= closing.size();
  }
  returned_.notify_all();
}

void ReaderPool::give_back(std::unique_ptr<Connection> connection) {
  {
    const MutexLock lock(mutex_);
    idle_.push_back(std::move(connection));
  }
  returned_.notify_one();
}

}  // namespace baton::adapters::sqlite
