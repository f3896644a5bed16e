#pragma once
// What the recorder (exec_recorder.cc) wrote down.

#include <filesystem>
#include <string>
#include <vector>

namespace baton::security {

using Arguments = std::vector<std::string>;

/// All calls in that file, which is gone afterwards. None when there is no such file.
std::vector<Arguments> take_record(const std::filesystem::path& file);

}  // namespace baton::security
