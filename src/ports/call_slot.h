#pragma once
// The slot that a thread takes among those that run calls. A thread that waits for what other
// threads do frees its slot, so that another one runs meanwhile. Each thread has its own.

namespace baton::ports {

class CallSlot {
 public:
  virtual ~CallSlot() = default;
  /// Called by the thread that has the slot, one after the other, with no lock held.
  virtual void free_slot() = 0;
  virtual void take_slot() = 0;
};

/// The slot of this thread from here to the end of the block.
class HeldSlot {
 public:
  explicit HeldSlot(CallSlot& slot) : before_(held()) { held() = &slot; }
  ~HeldSlot() { held() = before_; }
  HeldSlot(const HeldSlot&) = delete;
  HeldSlot& operator=(const HeldSlot&) = delete;

 private:
  friend class FreedSlot;
  static CallSlot*& held() {
    static thread_local CallSlot* slot = nullptr;
    return slot;
  }

  CallSlot* const before_;
};

/// This thread waits from here to the end of the block. Does nothing in a thread without a slot.
class FreedSlot {
 public:
  FreedSlot() : slot_(HeldSlot::held()) {
    if (slot_ != nullptr) slot_->free_slot();
  }
  ~FreedSlot() {
    if (slot_ != nullptr) slot_->take_slot();
  }
  FreedSlot(const FreedSlot&) = delete;
  FreedSlot& operator=(const FreedSlot&) = delete;

 private:
  CallSlot* const slot_;
};

}  // namespace baton::ports
