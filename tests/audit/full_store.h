#pragma once
// A store with something in every table, from every surface: forks, blocked attempts, commands,
// tasks of sub-agents and of MCP clients, adopted nodes, snapshots, texts, a revoked run, removed
// sessions. Small, so that hundreds of copies can be checked.

#include <filesystem>

namespace baton::audit {

/// Makes it at `path`, closed and with all of it in the file itself.
void make_full_store(const std::filesystem::path& path);

}  // namespace baton::audit
