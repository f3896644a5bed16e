#pragma once
// Which words of a command may name files that are run, or that say what is run: its program, the
// script of an interpreter, a file of settings. It is told by the text alone, and rather one word
// too many than one too few: only a word that turns out to be the name of a file counts. Pure.

#include <span>
#include <string>
#include <vector>

namespace baton::workflow {

struct CommandWords {
  std::vector<std::string> words;     // each once, in the order of the command
  std::vector<std::string> programs;  // that PATH is searched for and that are not among `words`
  bool is_cut = false;                // there are more than limits::command_words_max
};

/// Of a program and its arguments; what a shell is given as code is read as its words. A word
/// that a shell expands (`~/x`, `${A:-x}`, `$A/x`) is given in the parts that its text shows, and
/// `~` stands for a bare `cd`. No words, but the programs, for a command whose programs are all
/// known to take files as data: `cat`, `grep`, `git status`, ...
CommandWords file_words(std::span<const std::string> argv);

}  // namespace baton::workflow
