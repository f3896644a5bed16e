#pragma once
// Overloaded: one visitor from several lambdas, for std::visit.

namespace baton {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace baton
