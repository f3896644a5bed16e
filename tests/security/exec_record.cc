#include "exec_record.h"

#include <fstream>
#include <sstream>

#include "base/text/text.h"

namespace baton::security {

std::vector<Arguments> take_record(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  std::filesystem::remove(file);
  std::string rest = text.str();
  const auto next = [&] {
    const std::size_t end = rest.find('\0');
    std::string word = rest.substr(0, end);
    rest.erase(0, end + 1);
    return word;
  };
  std::vector<Arguments> out;
  while (!rest.empty()) {
    Arguments call;
    for (std::int64_t left = *parse_int(next()); left > 0; --left) call.push_back(next());
    out.push_back(std::move(call));
  }
  return out;
}

}  // namespace baton::security
