#pragma once
// The place that a thread takes among those that run calls. A thread that waits for what other
// threads do steps aside, so that another one runs in its place. Each thread has its own.

namespace baton::ports {

class Place {
 public:
  virtual ~Place() = default;
  /// Called by the thread that has the place, one after the other, with no lock held.
  virtual void step_aside() = 0;
  virtual void come_back() = 0;
};

/// The place of this thread from here to the end of the block.
class TakenPlace {
 public:
  explicit TakenPlace(Place& place) : before_(taken()) { taken() = &place; }
  ~TakenPlace() { taken() = before_; }
  TakenPlace(const TakenPlace&) = delete;
  TakenPlace& operator=(const TakenPlace&) = delete;

 private:
  friend class Aside;
  static Place*& taken() {
    static thread_local Place* place = nullptr;
    return place;
  }

  Place* const before_;
};

/// This thread waits from here to the end of the block. Nothing for one without a place.
class Aside {
 public:
  Aside() : place_(TakenPlace::taken()) {
    if (place_ != nullptr) place_->step_aside();
  }
  ~Aside() {
    if (place_ != nullptr) place_->come_back();
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

 private:
  Place* const place_;
};

}  // namespace baton::ports
