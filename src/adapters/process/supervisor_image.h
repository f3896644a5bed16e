#pragma once
// The supervisor's program, as a file in memory that can be executed. Any thread.

namespace baton::adapters {

/// Its path, for this process and those that it is about to become; nullptr when there can be no
/// such file here.
const char* supervisor_program();

}  // namespace baton::adapters
