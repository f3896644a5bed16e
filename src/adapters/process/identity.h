#pragma once
// Names of processes that no other process ever has: the boot of the machine, the namespace that
// its number counts in, the number and the instant it began. Any thread.

#include <optional>
#include <string>
#include <string_view>

namespace baton::adapters {

std::string own_identity();

/// Nothing when it is not of this boot and namespace, or is no identity.
std::optional<bool> is_alive(std::string_view identity);

}  // namespace baton::adapters
