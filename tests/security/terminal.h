#pragma once
// Runs a program as a shell script or a terminal would: with its streams on pipes, or on a pseudo
// terminal. One thread at a time.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace baton::security {

enum class Streams { pipes, terminal };

struct Shown {
  std::string output;
  std::string errors;  // on a terminal it is a part of the output
  int exit = -1;       // 128 + n after signal n

  std::string all() const { return output + errors; }
};

struct Program {
  std::vector<std::string> words;        // the program first
  std::vector<std::string> environment;  // NAME=value; nothing else is there
  std::filesystem::path directory;
  std::string input = {};
  /// Once this was printed the program is told to stop (SIGTERM). Empty: it ends by itself.
  std::string stop_after = {};
};

/// Runs it to its end.
Shown run(const Program& program, Streams streams);

/// What a terminal must not be given, in words; empty when there is nothing of the kind. The
/// program's own colours are allowed if `colours`.
std::string danger_in(std::string_view bytes, bool colours = false);

}  // namespace baton::security
