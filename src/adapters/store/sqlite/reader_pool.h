#pragma once
// A few connections for reading, opened when first needed and lent to one call at a time. Each
// keeps its prepared statements. Any thread.

#include <functional>
#include <vector>

#include "adapters/store/sqlite/connection.h"
#include "base/core/thread_safety.h"

namespace baton::adapters::sqlite {

class ReaderPool {
 public:
  using Open = std::function<Result<std::unique_ptr<Connection>>()>;

  /// Asked of a connection that was opened for an earlier call: whether it may still be used.
  using Check = std::function<Result<void>(Connection&)>;

  ReaderPool(Open open, std::size_t connections_max, Check check = {})
      : open_(std::move(open)), connections_max_(connections_max), check_(std::move(check)) {}

  /// A connection, given back when the lease goes away.
  class Lease {
   public:
    Lease(ReaderPool& pool, std::unique_ptr<Connection> connection)
        : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (connection_ != nullptr) pool_->give_back(std::move(connection_));
    }
    Connection& operator*() { return *connection_; }

   private:
    ReaderPool* pool_;
    std::unique_ptr<Connection> connection_;
  };

  /// Waits when all connections are lent.
  Result<Lease> take();

  /// Closes the connections that are not in use; they are opened again when needed.
  void close_idle();

 private:
  void give_back(std::unique_ptr<Connection> connection);

  Open open_;
  std::size_t connections_max_;
  Check check_;  // may be empty
  Mutex mutex_;
  Condition returned_;
  std::vector<std::unique_ptr<Connection>> idle_ GUARDED_BY(mutex_);
  std::size_t open_count_ GUARDED_BY(mutex_) = 0;
};

}  // namespace baton::adapters::sqlite
