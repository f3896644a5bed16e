#include "transport/http/head_budget.h"

#include <iterator>

namespace baton::transport {

void HeadBudget::keep(Sender& sender, const std::string& peer, std::size_t bytes) {
  auto found = places_.find(&sender);
  if (found == places_.end()) {
    const auto of = peers_.try_emplace(peer).first;
    of->second.heads.push_back({&sender, 0});
    found = places_.emplace(&sender, Place{of, std::prev(of->second.heads.end())}).first;
  }
  resize(found->second, bytes);
  for (auto over = too_large(peer); over != peers_.end(); over = too_large(peer)) {
    Sender& oldest = *over->second.heads.front().sender;
    release(oldest);
    oldest.give_up_head();
  }
}

HeadBudget::Peers::iterator HeadBudget::too_large(const std::string& grown) {
  const auto own = peers_.find(grown);
  if (own != peers_.end() && own->second.bytes > peer_bytes_max_) return own;
  return bytes_ > all_bytes_max_ ? peers_.find(by_bytes_.rbegin()->second) : peers_.end();
}

void HeadBudget::release(Sender& sender) {
  const auto found = places_.find(&sender);
  if (found == places_.end()) return;
  const Place place = found->second;
  resize(place, 0);
  places_.erase(found);
  place.peer->second.heads.erase(place.head);
  if (!place.peer->second.heads.empty()) return;
  by_bytes_.erase({place.peer->second.bytes, place.peer->first});
  peers_.erase(place.peer);
}

void HeadBudget::resize(const Place& place, std::size_t bytes) {
  Peer& peer = place.peer->second;
  by_bytes_.erase({peer.bytes, place.peer->first});
  peer.bytes += bytes - place.head->bytes;
  bytes_ += bytes - place.head->bytes;
  place.head->bytes = bytes;
  by_bytes_.insert({peer.bytes, place.peer->first});
}

}  // namespace baton::transport
