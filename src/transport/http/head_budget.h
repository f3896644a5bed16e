#pragma once
// HeadBudget: what is kept of heads that are not complete, of all clients and of each. Their
// senders have not shown the secret yet, so any client that can connect can fill it. A full budget
// therefore refuses no newcomer: the head that has been unfinished longest is dropped, of the peer
// that keeps the most. A client whose head comes in one piece never enters the budget at all.
//
// A peer is an address or a user, as peer_of() names it. Used on the io thread only.

#include <list>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace baton::transport {

class HeadBudget {
 public:
  /// The sender of an unfinished head.
  class Sender {
   public:
    /// Its head is refused. It is out of the budget already, and must not change the budget.
    virtual void give_up_head() = 0;

   protected:
    ~Sender() = default;
  };

  HeadBudget(std::size_t all_bytes_max, std::size_t peer_bytes_max)
      : all_bytes_max_(all_bytes_max), peer_bytes_max_(peer_bytes_max) {}

  /// The head of `sender` is unfinished with `bytes`. Gives up heads until both bounds hold, this
  /// one included if it is the oldest.
  void keep(Sender& sender, const std::string& peer, std::size_t bytes);

  /// The head is complete or was refused, or its sender is gone. Also for one that never entered.
  void release(Sender& sender);

  std::size_t bytes() const { return bytes_; }

 private:
  struct Head {
    Sender* sender;
    std::size_t bytes;
  };
  struct Peer {
    std::list<Head> heads = {};  // the oldest first
    std::size_t bytes = 0;
  };
  using Peers = std::map<std::string, Peer>;
  struct Place {
    Peers::iterator peer;
    std::list<Head>::iterator head;
  };

  void resize(const Place& place, std::size_t bytes);
  /// The peer that must give up a head after `grown` has more; the end when both bounds hold.
  Peers::iterator too_large(const std::string& grown);

  const std::size_t all_bytes_max_;
  const std::size_t peer_bytes_max_;
  std::size_t bytes_ = 0;
  Peers peers_;
  std::map<Sender*, Place> places_;
  std::set<std::pair<std::size_t, std::string>> by_bytes_;  // each peer, those with most last
};

}  // namespace baton::transport
