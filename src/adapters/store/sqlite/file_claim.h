#pragma once
// A claim that one process has at a time, as a lock on a file beside the store. Its end ends the
// claim, however it ends. Any thread.

#include <cstdint>
#include <memory>
#include <string>

namespace baton::adapters::sqlite {

/// Released with the last copy. Null when another process has it for all of `wait_ms`. Given as
/// well where the file cannot be used: it saves work and nothing more.
std::shared_ptr<void> claim_file(const std::string& path, std::int64_t wait_ms);

}  // namespace baton::adapters::sqlite
