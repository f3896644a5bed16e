#pragma once
// Parts: the concrete pieces that the composition root chose, for the verbs to use.

namespace baton::cli {

struct Parts {};

}  // namespace baton::cli
