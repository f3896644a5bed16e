#include "adapters/script/code_cache.h"

#include "base/text/text.h"

namespace baton::adapters {

Sha256 key_of(const state::Script& script) {
  // With its size before each name the parts cannot be taken for one another.
  std::string text = script.form == state::ScriptForm::expression ? "expression" : "transform";
  for (const std::string& name : script.names) text += cat(' ', name.size(), ' ', name);
  return sha256(cat(text, '\n', script.source));
}

std::shared_ptr<const Compiled> CodeCache::find(const Sha256& key) {
  const MutexLock lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->compiled;
}

std::shared_ptr<const Compiled> CodeCache::put(const Sha256& key, Compiled compiled) {
  const std::size_t bytes = compiled ? compiled->size() : compiled.error().message.size();
  auto shared = std::make_shared<const Compiled>(std::move(compiled));
  const MutexLock lock(mutex_);
  if (const auto found = places_.find(key); found != places_.end()) return found->second->compiled;
  entries_.push_front({key, shared, bytes});
  places_[key] = entries_.begin();
  bytes_ += bytes;
  while (entries_.size() > entries_max_ || (bytes_ > bytes_max_ && entries_.size() > 1)) {
    bytes_ -= entries_.back().bytes;
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
  return shared;
}

}  // namespace baton::adapters
