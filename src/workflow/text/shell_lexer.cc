#include "workflow/text/shell_lexer.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "workflow/text/expression.h"

namespace baton::workflow {
namespace {

bool is_any(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool keeps_command_position(std::string_view word) {
  return is_any(word, {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "time",
                       // Programs that run another one.
                       "sudo", "env", "command", "exec", "nohup", "nice", "builtin", "xargs",
                       "doas", "setsid", "timeout", "coproc", "stdbuf", "ionice", "chroot",
                       // Options of find that do.
                       "-exec", "-execdir", "-ok", "-okdir"});
}

/// Programs that take code, and the letters of the options before it; "*" for always.
struct CodeTaker {
  std::string_view program;
  std::string_view options;
};
constexpr std::array<CodeTaker, 25> code_takers = {
    {{"env", "S"},   {"printf", "v"}, {"test", "v"},    {"eval", "*"},  {"trap", "*"},
     {"ssh", "*"},   {"let", "*"},    {"alias", "*"},   {"sh", "c"},    {"bash", "c"},
     {"dash", "c"},  {"zsh", "c"},    {"ksh", "c"},     {"ash", "c"},   {"su", "c"},
     {"fish", "c"},  {"python", "c"}, {"python3", "c"}, {"perl", "eE"}, {"ruby", "e"},
     {"node", "ep"}, {"php", "r"},    {"lua", "e"},     {"deno", "*"},  {"osascript", "e"}}};

/// What a program takes other than plain data, when it is the program of the command.
enum class Takes : std::uint8_t {
  code,   // all its arguments
  first,  // its first argument is code, or a file of code; a shell without one reads code
  names   // names of variables, which may hold code; an assignment is plain
};
struct ProgramRule {
  std::string_view program;
  Takes takes = Takes::code;
  std::string_view value_options = {};  // before the first argument, these have plain values
};
constexpr ProgramRule program_rules[] = {
    {".", Takes::code},           {"source", Takes::code},     {"read", Takes::code},
    {"unset", Takes::code},       {"mapfile", Takes::code},    {"readarray", Takes::code},
    {"watch", Takes::code},       {"parallel", Takes::code},   {"export", Takes::names},
    {"readonly", Takes::names},   {"local", Takes::names},     {"declare", Takes::names},
    {"typeset", Takes::names},    {"sh", Takes::first},        {"bash", Takes::first},
    {"dash", Takes::first},       {"zsh", Takes::first},       {"ksh", Takes::first},
    {"ash", Takes::first},        {"fish", Takes::first},      {"python", Takes::first},
    {"python3", Takes::first},    {"perl", Takes::first},      {"ruby", Takes::first},
    {"node", Takes::first},       {"php", Takes::first},       {"lua", Takes::first},
    {"sed", Takes::first},        {"awk", Takes::first, "vF"}, {"gawk", Takes::first, "vF"},
    {"mawk", Takes::first, "vF"}, {"nawk", Takes::first, "vF"}};

/// Variables that say which programs are run, or what shells and programs do before they begin.
bool steers_programs(std::string_view name) {
  return name.starts_with("LD_") || is_any(name, {"PATH",
                                                  "IFS",
                                                  "ENV",
                                                  "BASH_ENV",
                                                  "PS4",
                                                  "PROMPT_COMMAND",
                                                  "SHELLOPTS",
                                                  "EDITOR",
                                                  "VISUAL",
                                                  "PAGER",
                                                  "GIT_EDITOR",
                                                  "GIT_PAGER",
                                                  "GIT_SSH",
                                                  "GIT_SSH_COMMAND",
                                                  "GIT_EXTERNAL_DIFF",
                                                  "GIT_ASKPASS",
                                                  "SSH_ASKPASS",
                                                  "NODE_OPTIONS",
                                                  "PYTHONSTARTUP",
                                                  "PYTHONPATH",
                                                  "PERL5OPT",
                                                  "RUBYOPT"});
}

std::string_view base_name(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

/// 5, 10s: the text before the program of `timeout`, or before a redirection.
bool is_amount(std::string_view word) {
  if (!word.empty() && std::string_view("smhd").contains(word.back())) word.remove_suffix(1);
  return !word.empty() && word.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  return std::ranges::all_of(word.substr(0, equals), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text), slots_(scan_expressions(text)) {
    if (slots_.problem) problem(slots_.problem->at, std::string(slots_.problem->message));
    stack_.push_back({});
  }

  LoweredShell run() {
    while (at_ < text_.size()) {
      if (next_slot_ < slots_.expressions.size() && slots_.expressions[next_slot_].begin == at_) {
        slot(slots_.expressions[next_slot_++]);
        continue;
      }
      plain();
    }
    if (top().in == In::command) end_command(Ending::other);
    return std::move(out_);
  }

 private:
  enum class In : std::uint8_t {
    command,
    double_quotes,
    single_quotes,
    braces,
    arithmetic,
    backticks
  };

  enum class Ending : std::uint8_t { pipe, other };

  struct Context {
    In in = In::command;
    bool in_parentheses = false;   // of $( ) or ( )
    bool is_part_of_word = false;  // $( ), <( )
    bool at_program = true;        // the next word is one that is run
    bool in_word = false;
    bool in_brackets = false;  // of [[ ]]
    std::string word;          // what is literal of it
    bool takes_code = false;   // the command runs its arguments as code
    std::string_view code_options;
    bool first_is_code = false;  // the next argument is code
    bool takes_names = false;
    bool is_value = false;      // the word before is an option with a plain value
    bool after_option = false;  // the word before is an option of a program that runs another one
    bool has_words = false;
    std::string_view value_options;
    std::optional<std::size_t> slot_at;  // of the first one in the pipeline
    int depth = 0;                       // of brackets within ${ } or $(( ))
  };

  Context& top() { return stack_.back(); }

  void problem(std::size_t at, std::string message) {
    out_.problems.push_back({at, std::move(message)});
  }

  void copy(std::size_t count) {
    out_.command += text_.substr(at_, count);
    at_ += count;
  }

  void push(In in, bool in_parentheses = false, bool is_part_of_word = false) {
    Context context;
    context.in = in;
    context.in_parentheses = in_parentheses;
    context.is_part_of_word = is_part_of_word;
    stack_.push_back(std::move(context));
  }

  // --- slots ------------------------------------------------------------------------------------

  /// Why no quoting is safe here; empty when one is.
  std::string_view unsafe_here() const {
    for (const Context& each : stack_) {
      if (each.in == In::braces) return "inside ${ }";
      if (each.in == In::arithmetic) return "inside arithmetic";
      if (each.in == In::backticks) return "inside backticks; write $( )";
      if (each.in == In::command && each.takes_code) return "in an argument that is run as code";
      if (each.in == In::command && each.in_brackets) return "inside [[ ]]; write [ ]";
    }
    const auto command = std::ranges::find_if(
        stack_.rbegin(), stack_.rend(), [](const Context& each) { return each.in == In::command; });
    if (const std::string_view why = unsafe_in(*command); !why.empty()) return why;
    const char before = at_ == 0 ? ' ' : text_[at_ - 1];
    if (before == '\\' && stack_.back().in != In::single_quotes) return "behind a backslash";
    if (before == '$' && stack_.back().in != In::single_quotes) return "behind a dollar sign";
    if (case_in_parentheses_) return "behind a `case` inside $( )";
    return {};
  }

  static std::string_view unsafe_in(const Context& command) {
    if (is_assignment(command.word)) {
      const std::string_view name =
          std::string_view(command.word).substr(0, command.word.find('='));
      if (steers_programs(name)) return "in a variable that says what is run";
      if (command.at_program || command.takes_names) return {};
    }
    if (command.at_program) return "as the program";
    if (command.takes_names) return "as the name of a variable";
    if (command.first_is_code && !command.is_value) return "in an argument that is run as code";
    return {};
  }

  void slot(const Expression& found) {
    if (const std::string_view why = unsafe_here(); !why.empty()) {
      problem(found.begin, cat("a value cannot be put into a command ", why));
    }
    const std::string variable = cat("BATON_V", out_.slots.size() + 1);
    switch (top().in) {
      case In::double_quotes: out_.command += cat("${", variable, '}'); break;
      case In::single_quotes: out_.command += cat("'\"${", variable, "}\"'"); break;
      default: out_.command += cat("\"${", variable, "}\"");
    }
    out_.slots.push_back(
        {variable, std::string(text_.substr(found.begin, found.end - found.begin))});
    top().in_word = true;
    for (Context& each : stack_) {
      if (!each.slot_at) each.slot_at = found.begin;
    }
    at_ = found.end;
  }

  /// Reports the slots of a stretch that is copied as it is.
  void copy_without_slots(std::size_t end, std::string_view where) {
    while (next_slot_ < slots_.expressions.size() && slots_.expressions[next_slot_].begin < end) {
      problem(slots_.expressions[next_slot_].begin,
              cat("a value cannot be put into a command ", where));
      ++next_slot_;
    }
    copy(end - at_);
  }

  // --- plain text -------------------------------------------------------------------------------

  void plain() {
    switch (top().in) {
      case In::command: command_char(); return;
      case In::double_quotes: double_quoted_char(); return;
      case In::single_quotes:
        if (text_[at_] == '\'')
          close_quotes();
        else
          quoted_char();
        return;
      case In::braces: brace_char(); return;
      case In::arithmetic: arithmetic_char(); return;
      case In::backticks:
        if (text_[at_] == '\\')
          escaped();
        else if (text_[at_] == '`')
          close_quotes();
        else
          copy(1);
        return;
    }
  }

  void close_quotes() {
    copy(1);
    leave();
  }

  /// Quotes change nothing about which word it is.
  void quoted_char() {
    Context& around = stack_[stack_.size() - 2];
    if (around.in == In::command) around.word += text_[at_];
    copy(1);
  }

  /// A backslash and what it escapes, unless that is a slot, which must not be passed over.
  void escaped() {
    const bool is_alone = at_ + 1 == text_.size() || text_.substr(at_ + 1).starts_with("{{");
    copy(is_alone ? 1 : 2);
  }

  /// Inside ${ } nothing can be put, so only its end matters.
  void brace_char() {
    const char c = text_[at_];
    if (c == '\\') {
      escaped();
      return;
    }
    // In double quotes around the braces a single quote is a letter.
    const bool in_quotes = stack_[stack_.size() - 2].in == In::double_quotes;
    if (c == '"' || (c == '\'' && !in_quotes)) {
      copy(1);
      push(c == '"' ? In::double_quotes : In::single_quotes);
      return;
    }
    if (c == '{') ++top().depth;
    copy(1);
    if (c == '}' && top().depth-- == 0) leave();
  }

  void arithmetic_char() {
    const char c = text_[at_];
    if (top().depth == 0 && !top().in_brackets && text_.substr(at_).starts_with("))")) {
      copy(2);
      leave();
      return;
    }
    if (top().in_brackets && top().depth == 0 && c == ']') {
      close_quotes();
      return;
    }
    if (c == '(' || (c == '[' && top().in_brackets)) ++top().depth;
    if ((c == ')' || (c == ']' && top().in_brackets)) && top().depth > 0) --top().depth;
    copy(1);
  }

  void leave() {
    // Behind ( ) a new word begins; all else is part of one.
    const bool is_word = !top().in_parentheses || top().is_part_of_word;
    stack_.pop_back();
    top().in_word = is_word;
  }

  void dollar() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("$((")) {
      copy(3);
      push(In::arithmetic);
    } else if (rest.starts_with("$[")) {
      copy(2);
      push(In::arithmetic);
      top().in_brackets = true;
    } else if (rest.starts_with("$(")) {
      copy(2);
      push(In::command, true, true);
    } else if (rest.starts_with("${") && !rest.starts_with("${{")) {
      copy(2);
      push(In::braces);
    } else {
      copy(1);
      top().in_word = true;
    }
  }

  void double_quoted_char() {
    const char c = text_[at_];
    if (c == '\\') {
      escaped();
    } else if (c == '"') {
      close_quotes();
    } else if (c == '$') {
      dollar();
    } else if (c == '`') {
      copy(1);
      push(In::backticks);
    } else {
      quoted_char();
    }
  }

  void command_char() {
    const char c = text_[at_];
    switch (c) {
      case ' ':
      case '\t':
        end_word();
        copy(1);
        return;
      case '\n':
        end_command(Ending::other);
        copy(1);
        heredocs();
        return;
      case '|': {
        const bool is_or =
            text_.substr(at_).starts_with("||") || (at_ > 0 && text_[at_ - 1] == '|');
        end_command(is_or ? Ending::other : Ending::pipe);
        copy(1);
        return;
      }
      case ';':
      case '&':
        end_command(Ending::other);
        copy(1);
        return;
      case '(': parenthesis(); return;
      case ')': close_parenthesis(); return;
      case '\'': begin_quotes(In::single_quotes); return;
      case '"': begin_quotes(In::double_quotes); return;
      case '`': begin_quotes(In::backticks); return;
      case '$': dollar(); return;
      case '<':
      case '>': redirection(); return;
      case '#':
        if (!top().in_word) {
          copy_without_slots(std::min(text_.find('\n', at_), text_.size()), "inside a comment");
          return;
        }
        break;
      case '\\':
        if (text_.substr(at_ + 1).starts_with('\n')) {
          copy(2);  // the line continues, within a word too
          return;
        }
        top().in_word = true;
        if (at_ + 1 < text_.size() && !text_.substr(at_ + 1).starts_with("{{")) {
          top().word += text_[at_ + 1];
          copy(2);
        } else {
          copy(1);
        }
        return;
      default: break;
    }
    top().in_word = true;
    top().word += c;
    copy(1);
  }

  void begin_quotes(In in) {
    if (at_ > 0 && text_[at_ - 1] == '$' && in != In::backticks) {
      problem_if_slots_follow("inside $'...' or $\"...\"");
    }
    copy(1);
    top().in_word = true;
    push(in);
  }

  void problem_if_slots_follow(std::string_view where) {
    const char quote = text_[at_];
    const std::size_t end = std::min(text_.find(quote, at_ + 1), text_.size());
    for (std::size_t i = next_slot_; i < slots_.expressions.size(); ++i) {
      if (slots_.expressions[i].begin < end) {
        problem(slots_.expressions[i].begin, cat("a value cannot be put into a command ", where));
      }
    }
  }

  void parenthesis() {
    if (text_.substr(at_).starts_with("((") && !top().in_word) {
      copy(2);
      push(In::arithmetic);
      return;
    }
    end_command(Ending::other);
    copy(1);
    push(In::command, true);
  }

  void close_parenthesis() {
    end_command(Ending::other);
    copy(1);
    if (stack_.size() > 1 && top().in_parentheses) leave();
  }

  void redirection() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<(") || rest.starts_with(">(")) {
      copy(2);
      top().in_word = true;
      push(In::command, true, true);
      return;
    }
    if (!top().word.empty() && top().word.find_first_not_of("0123456789") == std::string::npos) {
      top().in_word = false;  // the number of what is redirected
      top().word.clear();
    }
    end_word();
    // What follows is always a file.
    if (!after_redirection_) after_redirection_ = top().at_program;
    top().at_program = false;
    if (rest.starts_with("<<<")) {
      copy(3);
    } else if (rest.starts_with("<<")) {
      const bool is_indented = rest.starts_with("<<-");
      copy(is_indented ? 3 : 2);
      delimiter(is_indented);
      top().at_program = *std::exchange(after_redirection_, std::nullopt);
    } else {
      const bool is_double = rest.size() > 1 && std::string_view("&|>").contains(rest[1]);
      copy(is_double ? 2 : 1);
    }
  }

  void delimiter(bool is_indented) {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) copy(1);
    std::string word;
    while (at_ < text_.size() && !std::string_view(" \t\n;&|<>()").contains(text_[at_])) {
      const char c = text_[at_];
      if (c != '\'' && c != '"' && c != '\\') word += c;
      copy_without_slots(at_ + 1, "as the end mark of a heredoc");
    }
    delimiters_.push_back({std::move(word), is_indented});
  }

  /// The bodies of the heredocs of the line that has just ended.
  void heredocs() {
    for (const auto& [mark, is_indented] : delimiters_) {
      while (at_ < text_.size()) {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
        std::string_view line = text_.substr(at_, end - at_);
        if (line.ends_with('\n')) line.remove_suffix(1);
        while (is_indented && line.starts_with('\t')) line.remove_prefix(1);
        const bool is_last = line == mark;
        copy_without_slots(end, "inside a heredoc");
        if (is_last) break;
      }
    }
    delimiters_.clear();
  }

  void end_word() {
    Context& context = top();
    if (!context.in_word) return;
    if (context.word == "[[") context.in_brackets = true;
    if (context.word == "]]") context.in_brackets = false;
    if (context.word == "case" && context.in_parentheses) case_in_parentheses_ = true;
    if (after_redirection_) {
      context.at_program = *after_redirection_;
    } else if (context.at_program) {
      note_program(context);
    } else {
      note_argument(context);
    }
    after_redirection_.reset();
    note_code(context);
    context.in_word = false;
    context.has_words = true;
    context.word.clear();
  }

  /// Whether the next word is the program again: one that follows an option
  /// may be the option's value.
  static void note_program(Context& context) {
    const bool is_option = context.word.starts_with('-');
    context.at_program = keeps_command_position(context.word) || is_assignment(context.word) ||
                         is_amount(context.word) || is_option || context.after_option;
    context.after_option = is_option;
    const std::string_view name = base_name(context.word);
    for (const ProgramRule& rule : program_rules) {
      if (rule.program != name) continue;
      context.takes_code = context.takes_code || rule.takes == Takes::code;
      context.takes_names = rule.takes == Takes::names;
      context.first_is_code = rule.takes == Takes::first;
      context.value_options = rule.value_options;
    }
  }

  static void note_argument(Context& context) {
    const std::string_view word = context.word;
    if (is_any(word, {"-exec", "-execdir", "-ok", "-okdir"})) context.at_program = true;
    if (word.starts_with('-') && !context.is_value) {
      context.is_value = word.size() == 2 && context.value_options.contains(word[1]);
      return;
    }
    if (!context.is_value) context.first_is_code = false;
    context.is_value = false;
  }

  static void note_code(Context& context) {
    if (context.word.starts_with('-') && !context.code_options.empty() &&
        context.word.find_first_of(context.code_options) != std::string::npos) {
      context.takes_code = true;
    }
    const std::string_view name = base_name(context.word);
    for (const CodeTaker& each : code_takers) {
      if (name != each.program) continue;
      if (each.options == "*")
        context.takes_code = true;
      else
        context.code_options = each.options;
    }
  }

  void end_command(Ending ending) {
    end_word();
    Context& context = top();
    // A shell without arguments runs what it reads.
    if (context.first_is_code && context.slot_at) {
      problem(*context.slot_at, "a value cannot be inserted into the input of a shell");
    }
    const bool goes_on = ending == Ending::pipe || !context.has_words;
    Context next;
    next.in_parentheses = context.in_parentheses;
    next.is_part_of_word = context.is_part_of_word;
    next.in_brackets = context.in_brackets;
    if (goes_on) next.slot_at = context.slot_at;
    context = std::move(next);
  }

  std::string_view text_;
  Scanned slots_;
  std::size_t next_slot_ = 0;
  std::size_t at_ = 0;
  std::vector<Context> stack_;
  struct Heredoc {
    std::string mark;
    bool is_indented = false;  // by tabs, which do not count
  };
  std::vector<Heredoc> delimiters_;
  std::optional<bool> after_redirection_;  // whether a program can follow the file's name
  bool case_in_parentheses_ = false;
  LoweredShell out_;
};

}  // namespace

LoweredShell lower_shell(std::string_view command) { return Lexer(command).run(); }

}  // namespace baton::workflow
