#include "cli/serve/change_watch.h"

#include <algorithm>
#include <list>
#include <set>
#include <system_error>
#include <thread>

#include "base/core/limits.h"
#include "base/core/thread_safety.h"
#include "engine/load/load.h"

namespace baton::cli {
namespace {

/// Until something comes. The feed wakes for nothing else.
constexpr std::int64_t year_ms = 365LL * 86'400'000;

/// The thread of one time in which there were subscribers.
class Listener {
 public:
  Listener(std::shared_ptr<Backend> backend, std::optional<run::CommitNo> seen, ChangedUris changed,
           std::vector<std::string> all, ChangeWatch::Publish publish)
      : backend_(std::move(backend)),
        seen_(seen),
        changed_(std::move(changed)),
        all_(std::move(all)),
        publish_(std::move(publish)),
        thread_([this] { listen(); }) {}
  ~Listener() {
    stop();
    thread_.join();
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Does not wait for the thread, which may be publishing to who calls this.
  void stop() {
    std::shared_ptr<ports::ChangeFeed> feed;
    {
      const MutexLock lock(mutex_);
      is_stopped_ = true;
      feed = feed_;
    }
    changed_state_.notify_all();
    if (feed) feed->stop();
  }

  bool is_done() const { return is_done_; }

 private:
  void listen() {
    while (!is_stopped()) {
      // A store that cannot be read now can be later.
      if (const auto heard = hear(); !heard) pause();
    }
    is_done_ = true;
  }

  Result<void> hear() {
    engine::Engine* engine = TRY(backend_->engine());
    const auto feed = TRY(feed_of());
    if (!feed) {  // no other process can write to this store
      pause();
      return {};
    }
    if (!seen_) {
      // Nothing is known of what was there when the first client subscribed.
      seen_ = TRY(engine->store.last_commit());
      tell({all_.begin(), all_.end()});
    }
    const run::CommitNo newest = TRY(feed->wait_past(*seen_, year_ms));
    if (newest > *seen_ && !is_stopped()) tell(TRY(changes_of(engine->store)));
    return {};
  }

  Result<std::shared_ptr<ports::ChangeFeed>> feed_of() {
    {
      const MutexLock lock(mutex_);
      if (feed_ || is_opened_) return feed_;
    }
    std::shared_ptr<ports::ChangeFeed> feed = TRY(backend_->changes());
    const MutexLock lock(mutex_);
    feed_ = std::move(feed);
    is_opened_ = true;
    if (feed_ && is_stopped_) feed_->stop();
    return feed_;
  }

  Result<std::set<std::string>> changes_of(ports::EventReader& store) {
    std::set<std::string> out;
    while (true) {
      const auto page = store.store_log(*seen_, limits::log_page_commits);
      if (!page && engine::is_damage(page.error())) {
        // Who reads the resource hears what is wrong.
        seen_ = TRY(store.last_commit());
        return std::set<std::string>(all_.begin(), all_.end());
      }
      if (TRY(page).empty()) return out;
      for (const run::Commit& commit : *page) {
        seen_ = commit.no;
        const auto events = run::decode_events(commit.body);
        const auto uris = events ? changed_(*events) : all_;
        out.insert(uris.begin(), uris.end());
      }
    }
  }

  void tell(const std::set<std::string>& uris) {
    for (const std::string& uri : uris) {
      if (!is_stopped()) publish_(protocol::ResourceUpdated{uri});
    }
  }

  bool is_stopped() {
    const MutexLock lock(mutex_);
    return is_stopped_;
  }

  void pause() {
    MutexLock lock(mutex_);
    changed_state_.wait_for(mutex_, std::chrono::milliseconds(limits::change_poll_ms),
                            [this]() REQUIRES(mutex_) { return is_stopped_; });
  }

  const std::shared_ptr<Backend> backend_;
  std::optional<run::CommitNo> seen_;  // of the thread alone
  const ChangedUris changed_;
  const std::vector<std::string> all_;
  const ChangeWatch::Publish publish_;
  Mutex mutex_;
  Condition changed_state_;
  bool is_stopped_ GUARDED_BY(mutex_) = false;
  bool is_opened_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<ports::ChangeFeed> feed_ GUARDED_BY(mutex_);
  std::atomic<bool> is_done_ = false;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace

struct ChangeWatch::Shared {
  const std::shared_ptr<Backend> backend;
  const std::vector<std::string> uris;
  const ChangedUris changed;
  const Publish publish;

  Mutex mutex;
  std::size_t watchers GUARDED_BY(mutex) = 0;
  bool is_over GUARDED_BY(mutex) = false;
  // The last one listens while there are watchers; those before it are ending.
  std::list<std::unique_ptr<Listener>> listeners GUARDED_BY(mutex);

  Shared(std::shared_ptr<Backend> of, std::vector<std::string> watched, ChangedUris changes,
         Publish to)
      : backend(std::move(of)),
        uris(std::move(watched)),
        changed(std::move(changes)),
        publish(std::move(to)) {}

  void begin() {
    // What was there already is no news. A store that cannot be opened now has none to compare
    // with.
    std::optional<run::CommitNo> seen;
    if (const auto engine = backend->engine()) {
      if (const auto last = (*engine)->store.last_commit()) seen = *last;
    }
    const MutexLock lock(mutex);
    if (watchers++ > 0 || is_over) return;
    // Only those that have ended: another one may be publishing to who calls this.
    std::erase_if(listeners, [](const auto& each) { return each->is_done(); });
    try {
      listeners.push_back(std::make_unique<Listener>(backend, seen, changed, uris, publish));
    } catch (const std::system_error&) {
      return;  // no thread can be made: who is subscribed hears nothing, and can still read
    }
  }

  void end() {
    const MutexLock lock(mutex);
    if (--watchers == 0 && !listeners.empty()) listeners.back()->stop();
  }
};

ChangeWatch::ChangeWatch(std::shared_ptr<Backend> backend, std::vector<std::string> uris,
                         ChangedUris changed, Publish publish)
    : shared_(std::make_shared<Shared>(std::move(backend), std::move(uris), std::move(changed),
                                       std::move(publish))) {}

ChangeWatch::~ChangeWatch() {
  std::list<std::unique_ptr<Listener>> ending;
  {
    const MutexLock lock(shared_->mutex);
    shared_->is_over = true;
    ending.swap(shared_->listeners);
  }
}

std::shared_ptr<void> ChangeWatch::watch(std::string_view uri) {
  if (std::ranges::count(shared_->uris, uri) == 0) return nullptr;
  shared_->begin();
  const auto end = [shared = std::weak_ptr(shared_)](void*) {
    if (const auto alive = shared.lock()) alive->end();
  };
  return std::shared_ptr<void>(shared_.get(), end);
}

}  // namespace baton::cli
