#pragma once
// Assurance: how sure it is that a decision is a person's word. Values.

#include "run/log/types.h"

namespace baton::run {

enum class Assurance : std::uint8_t {
  claimed,    // the agent says so, with the user's own words
  asked,      // the client showed a form, and the answer came back from it
  present,    // a person at a terminal, or at the console
  sealed,     // signed by the owner's approval key
  identified  // by a principal with a name of their own; reserved
};
template <>
inline constexpr Names<5> names_of<Assurance> = {"claimed", "asked", "present", "sealed",
                                                 "identified"};

/// Whether a decision with the assurance `had` is enough where `least` is asked for. `sealed` and
/// `identified` are above the others and not ordered between themselves.
constexpr bool is_enough(Assurance had, Assurance least) {
  if (least == Assurance::sealed || least == Assurance::identified) return had == least;
  return had >= least;
}

}  // namespace baton::run
