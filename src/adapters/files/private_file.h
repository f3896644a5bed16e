#pragma once
// Small files beside a store that only their owner may use: made whole or not at all, never through
// a link, and refused when another user planted them. Any thread.

#include <sys/stat.h>

#include <expected>
#include <string>
#include <string_view>

#include "adapters/files/descriptor.h"
#include "base/core/result.h"

namespace baton::adapters {

/// Whether a file that was found belongs to this user, or to the owner of the store beside it when
/// an administrator runs Baton. ENVIRONMENT: not a regular file, of another user, or shared by a
/// hard link.
Result<void> check_private(const struct stat& found, const std::string& path, uid_t store_owner);

/// Whether the file of a store itself, if there is one, is a regular file of this user and no link:
/// for an administrator too, who would leave files behind that the owner cannot use. ENVIRONMENT.
Result<void> check_store_file(const std::string& path);

/// Makes the empty file of a new store, 0600, where there is none. What cannot be made is for who
/// opens it to say.
void make_store_file(const std::string& path);

/// Opens an existing file with `flags` (O_RDONLY, O_RDWR) and checks it. ENVIRONMENT; NOT_FOUND
/// when there is none.
Result<Descriptor> open_private(const std::string& path, int flags, uid_t store_owner);

/// Makes `path` with this content, 0600 and durable, unless something has that name already: then
/// the content there counts. Of several processes one wins. Gives whether it was this one.
Result<bool> make_private(const std::string& path, std::string_view content);

/// Gives a finished temporary file its name, unless something has that name already: then the
/// temporary file is removed. Returns whether the name is new; the system's error code otherwise.
/// Where the file system can, the file has one name at any moment, so that no other process ever
/// finds it with two, not even after a crash in between.
std::expected<bool, int> name_if_free(const std::string& temporary, const std::string& path);

/// The whole content, at most `bytes_max`; LIMIT_EXCEEDED past it.
Result<std::string> read_private(const Descriptor& file, const std::string& path,
                                 std::size_t bytes_max);

/// Makes a name that was created, renamed or removed in the file's folder last.
Result<void> sync_folder_of(const std::string& path);

/// Who owns the file at `path`; this process's user when there is none.
uid_t owner_of(const std::string& path);

}  // namespace baton::adapters
