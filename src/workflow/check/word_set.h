#pragma once
// A closed set of words that every key of a document is asked about. Constant data; any thread.

#include <algorithm>
#include <array>
#include <string_view>

namespace baton::workflow {

template <std::size_t N>
class WordSet {
 public:
  template <class... Words>
  constexpr explicit WordSet(Words... words) : words_{words...} {
    for (const std::string_view word : words_) slots_[slot_of(word)] = true;
  }

  /// Most words of other sets are told apart by their slot, without comparing.
  constexpr bool contains(std::string_view word) const {
    return slots_[slot_of(word)] && std::ranges::find(words_, word) != words_.end();
  }

 private:
  static constexpr std::size_t slot_of(std::string_view word) {
    if (word.empty()) return 0;
    const auto first = static_cast<unsigned char>(word.front());
    const auto last = static_cast<unsigned char>(word.back());
    return (word.size() * 61 + first * 7u + last) % slot_count;
  }

  static constexpr std::size_t slot_count = 256;
  std::array<std::string_view, N> words_;
  std::array<bool, slot_count> slots_{};
};

template <class... Words>
WordSet(Words...) -> WordSet<sizeof...(Words)>;

}  // namespace baton::workflow
