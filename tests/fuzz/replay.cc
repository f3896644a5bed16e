// Runs every file of the folders given through a fuzz target once, in the order of their names.
// Fails when there is none: a corpus that went missing proves nothing.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** folders) {
  std::vector<std::filesystem::path> inputs;
  for (int i = 1; i < count; ++i) {
    std::error_code problem;
    for (const auto& entry : std::filesystem::directory_iterator(folders[i], problem)) {
      if (entry.is_regular_file()) inputs.push_back(entry.path());
    }
  }
  std::ranges::sort(inputs);
  for (const auto& input : inputs) {
    std::ifstream file(input, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    // The name is on the screen before anything can end the process.
    std::fprintf(stderr, "%s\n", input.c_str());
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::fprintf(stderr, "%zu inputs\n", inputs.size());
  return inputs.empty() ? 1 : 0;
}
