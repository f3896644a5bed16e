#include "workflow/text/command_words.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/core/limits.h"

namespace baton::workflow {
namespace {

/// Programs that run nothing and read no file as code, with any arguments.
constexpr std::string_view data_programs[] = {
    "[",       "basename",  "cat",   "cksum",    "cmp",      "cp",   "cut",    "date",
    "diff",    "dirname",   "du",    "echo",     "egrep",    "exit", "expr",   "false",
    "file",    "fgrep",     "grep",  "head",     "hostname", "ls",   "md5sum", "mkdir",
    "mv",      "printf",    "pwd",   "readlink", "realpath", "rm",   "rmdir",  "seq",
    "sha1sum", "sha256sum", "sleep", "stat",     "tail",     "test", "touch",  "tr",
    "true",    "uniq",      "wc",    ":"};

/// The same, of git's commands.
constexpr std::string_view data_git_commands[] = {
    "add",      "branch",   "cat-file",  "describe", "diff",   "hash-object", "log",
    "ls-files", "rev-list", "rev-parse", "show",     "status", "tag"};

constexpr std::string_view reserved[] = {"if",    "then",  "else", "elif", "fi", "do",   "done",
                                         "while", "until", "!",    "{",    "}",  "time", "esac"};

/// Quotes inside of quotes, and code as an argument of code.
constexpr int depth_max = 4;

constexpr std::string_view code_marks = " \t\n;&|()<>`\"'";

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::ranges::find(words, word) != std::end(words);
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != 0 && equals != std::string_view::npos &&
         std::ranges::all_of(word.substr(0, equals), is_name_char);
}

struct Word {
  std::string text;
  bool has_code = false;      // a part of it is what a command in it writes
  bool follows_code = false;  // it begins where what a command writes ends
};
using SimpleCommand = std::vector<Word>;  // its program first

/// What a shell would run, as far as the text shows it.
struct Line {
  std::vector<SimpleCommand> commands;
  std::vector<Word> files;    // that are read or written by redirections
  bool has_settings = false;  // variables for a command
  /// The shell may see other commands: lines of a here-text are none, shells disagree about some
  /// quotes, and what one command writes can be the next.
  bool is_unclear = false;

  bool has_nested_code() const {
    constexpr auto has_code = &Word::has_code;
    return std::ranges::any_of(files, has_code) ||
           std::ranges::any_of(commands, [&](const SimpleCommand& each) {
             return std::ranges::any_of(each, has_code);
           });
  }
};

/// What a text is: a line of commands, or a word of one, which is a command only where it has code.
enum class Of : std::uint8_t { line, word };

class Splitter {
 public:
  explicit Splitter(std::string_view text, Of of = Of::line) : text_(text), of_(of) {
    // Backquotes within backquotes are written with backslashes.
    out_.is_unclear = text.contains('`') && text.contains('\\');
  }

  Line run() {
    while (at_ < text_.size()) step();
    end_command();
    return std::move(out_);
  }

 private:
  void step() {
    const char c = text_[at_];
    switch (c) {
      case ' ':
      case '\t':
        end_word();
        may_comment_ = true;
        break;
      case '\n':
      case ';':
      case '&':
      case '|':
        end_command();
        may_comment_ = true;
        break;
      case ')':
        if (opened_ > 0) --opened_;
        end_code();
        break;
      case '`':
        if (!is_backquoted_) begin_code();
        opened_ += is_backquoted_ ? -1 : 1;
        is_backquoted_ = !is_backquoted_;
        end_code();
        break;
      case '(':
        may_comment_ = true;
        if (word_.text.ends_with('$')) {  // of $( )
          word_.text.pop_back();
          in_word_ = !word_.text.empty();
          begin_code();
        }
        ++opened_;
        end_command();
        break;
      case '<':
      case '>': redirection(); return;
      case '\'':
        // Only some shells give a backslash in $'...' a meaning.
        if (word_.text.ends_with('$')) out_.is_unclear = true;
        in_quotes(c);
        return;
      case '"': in_quotes(c); return;
      case '\\': escape(); break;
      case '#':
        if (!in_word_ && may_comment_) {
          // Inside of backquotes it ends with them.
          at_ = std::min(text_.find_first_of("\n`", at_), text_.size());
          return;
        }
        add(c);
        break;
      default: add(c);
    }
    ++at_;
  }

  void add(char c) {
    if (!in_word_) word_.follows_code = is_behind_code_;
    word_.text += c;
    in_word_ = true;
  }

  void escape() {
    ++at_;
    if (at_ == text_.size() || text_[at_] == '\n') return;
    add(text_[at_]);
  }

  /// What the code that begins here writes is a command, unless it is a part of a word.
  void begin_code() {
    const bool is_command = command_.empty() && !in_word_;
    if (is_command && (of_ == Of::line || opened_ > 0)) out_.is_unclear = true;
  }

  void end_code() {
    end_command();
    may_comment_ = false;  // the word that the substitution stands in may go on
    is_behind_code_ = true;
  }

  void in_quotes(char mark) {
    if (!in_word_) word_.follows_code = is_behind_code_;
    in_word_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != mark; ++at_) {
      const std::string_view rest = text_.substr(at_);
      if (mark == '"' && rest.size() > 1 && rest[0] == '\\' &&
          std::string_view("\\\"$`").contains(rest[1])) {
        ++at_;
      } else if (mark == '"' && (rest.starts_with("$(") || rest[0] == '`')) {
        word_.has_code = true;
      } else if (mark == '"' && has_choice(rest)) {
        out_.is_unclear = true;
      }
      add(text_[at_]);
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  /// ${NAME:-x} and its like, where x may have quotes of its own.
  static bool has_choice(std::string_view text) {
    if (!text.starts_with("${")) return false;
    const auto end = std::ranges::find_if_not(text.substr(2), is_name_char);
    return end == text.end() || *end != '}';
  }

  /// What follows is a file, and no program.
  void redirection() {
    if (word_.text.find_first_not_of("0123456789") == std::string::npos) {
      word_ = {};  // the number of what is redirected
      in_word_ = false;
    }
    end_word();
    if (text_.substr(at_).starts_with("<<")) out_.is_unclear = true;
    while (at_ < text_.size() && std::string_view("<>&|").contains(text_[at_])) ++at_;
    may_comment_ = false;
    is_file_ = true;
  }

  void end_word() {
    is_behind_code_ = false;
    if (!in_word_) return;
    in_word_ = false;
    Word word = std::exchange(word_, {});
    if (std::exchange(is_file_, false)) {
      out_.files.push_back(std::move(word));
    } else if (command_.empty() && is_one_of(word.text, reserved)) {
      // A program follows.
    } else {
      if (command_.empty() && is_assignment(word.text)) out_.has_settings = true;
      command_.push_back(std::move(word));
    }
  }

  void end_command() {
    end_word();
    is_file_ = false;
    if (!command_.empty()) out_.commands.push_back(std::exchange(command_, {}));
  }

  std::string_view text_;
  Of of_;
  std::size_t at_ = 0;
  int opened_ = 0;  // parentheses and backquotes
  bool is_backquoted_ = false;
  bool is_behind_code_ = false;
  Word word_;
  bool in_word_ = false;
  bool may_comment_ = true;  // a word that begins here may be a comment
  bool is_file_ = false;
  SimpleCommand command_;
  Line out_;
};

bool is_data_text(std::string_view text, Of of, int depth);

bool is_data_git(const SimpleCommand& command) {
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string_view word = command[i].text;
    if (word == "--no-pager") continue;
    return is_one_of(word, data_git_commands);
  }
  return false;
}

bool is_data(const SimpleCommand& command, int depth) {
  std::string_view program = command.front().text;
  for (const std::string_view folder : {"/usr/bin/", "/bin/"}) {
    if (program.starts_with(folder)) program.remove_prefix(folder.size());
  }
  if (program == "git" ? !is_data_git(command) : !is_one_of(program, data_programs)) return false;
  // Which of these signs are a command's own, and which only stand beside it, is not known here.
  constexpr std::string_view signs = "'\"\\#";
  return std::ranges::all_of(command, [&](const Word& word) {
    if (!word.has_code) return true;
    return word.text.find_first_of(signs) == std::string::npos &&
           is_data_text(word.text, Of::word, depth + 1);
  });
}

bool is_data_text(std::string_view text, Of of, int depth) {
  if (depth > depth_max) return false;
  const Line line = Splitter(text, of).run();
  return !line.has_settings && !line.is_unclear &&
         std::ranges::none_of(line.files, [](const Word& word) { return word.has_code; }) &&
         std::ranges::all_of(line.commands,
                             [&](const SimpleCommand& each) { return is_data(each, depth); });
}

class Collector {
 public:
  void word(std::string_view text, int depth) {
    if (text.find_first_of(code_marks) != std::string_view::npos && depth < depth_max) {
      line(text, depth + 1);
    }
    piece(text);
    if (text.starts_with('-') && !text.starts_with("--") && text.size() > 2) piece(text.substr(2));
    if (text.find_first_of(piece_marks) != std::string_view::npos) pieces(text);
  }

  void word(const Word& each, int depth) {
    word(each.text, depth);
    if (!each.follows_code) return;
    // As behind a variable: $(pwd)/x.sh is a file of the folder.
    std::string_view rest = each.text;
    while (rest.starts_with('/')) rest.remove_prefix(1);
    word(rest, depth);
  }

  void line(std::string_view text, int depth) {
    const Line split = Splitter(text).run();
    for (const SimpleCommand& command : split.commands) {
      if (command.size() == 1 && command.front().text == "cd") piece("~");
      for (const Word& each : command) word(each, depth);
    }
    for (const Word& each : split.files) word(each, depth);
    if (split.is_unclear || split.has_nested_code()) every_piece(text);
  }

  void program(std::string_view name) {
    if (name.contains('/') || !programs_.emplace(name).second) return;
    if (programs_.size() > limits::command_words_max) {
      out_.is_cut = true;
      return;
    }
    out_.programs.emplace_back(name);
  }

  /// Those of a line whose programs take files as data.
  void programs(std::string_view text, int depth) {
    for (const SimpleCommand& command : Splitter(text).run().commands) {
      program(command.front().text);
      for (const Word& each : command) {
        if (each.has_code && depth < depth_max) programs(each.text, depth + 1);
      }
    }
  }

  CommandWords take() { return std::move(out_); }

 private:
  /// Characters between names of files: --config=x, a:b, @x, $FOLDER/x.
  static constexpr std::string_view piece_marks = "=:,@${}";
  /// The same within ${FOLDER:-x} and its like.
  static constexpr std::string_view choice_marks = "=:,@${}+-?%#";

  void pieces(std::string_view text) {
    cut(text, piece_marks);
    if (text.contains("${")) cut(text, choice_marks);
  }

  void cut(std::string_view text, std::string_view marks) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of(marks), text.size());
      std::string_view part = text.substr(0, end);
      while (part.starts_with('-')) part.remove_prefix(1);
      piece(part);
      while (part.starts_with('/')) part.remove_prefix(1);  // behind a variable
      piece(part);
      if (end == text.size()) return;
      const bool is_variable = text[end] == '$';
      text.remove_prefix(end + 1);
      while (is_variable && !text.empty() && is_name_char(text.front())) text.remove_prefix(1);
    }
  }

  /// All that may be a name in a text, however its quotes, comments and code are within each other.
  void every_piece(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of(" \t\n;&|()<>`\"'\\#"), text.size());
      const std::string_view part = text.substr(0, end);
      piece(part);
      if (part.find_first_of(piece_marks) != std::string_view::npos) pieces(part);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void piece(std::string_view text) {
    if (text.starts_with('~') && text.contains('/')) piece(text.substr(text.find('/') + 1));
    if (text.empty() || text.starts_with('-') || text == ".") return;
    if (text.contains('\0') || !seen_.emplace(text).second) return;
    if (out_.words.size() == limits::command_words_max) {
      out_.is_cut = true;
      return;
    }
    out_.words.emplace_back(text);
  }

  std::set<std::string, std::less<>> seen_;
  std::set<std::string, std::less<>> programs_;
  CommandWords out_;
};

}  // namespace

CommandWords file_words(std::span<const std::string> argv) {
  Collector out;
  if (argv.empty()) return out.take();
  if (argv.size() == 3 && argv[0] == "sh" && argv[1] == "-c") {
    out.program(argv[0]);
    if (is_data_text(argv[2], Of::line, 0)) {
      out.programs(argv[2], 0);
    } else {
      out.line(argv[2], 0);
    }
    return out.take();
  }
  SimpleCommand command;
  for (const std::string& each : argv) command.push_back({each});
  if (is_data(command, 0)) {
    out.program(argv[0]);
    return out.take();
  }
  for (const std::string& each : argv) out.word(each, 0);
  return out.take();
}

}  // namespace baton::workflow
