#include "workflow/shell_lexer.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "workflow/expression.h"

namespace baton::workflow {
namespace {

bool is_any(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool keeps_command_position(std::string_view word) {
  return is_any(word, {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "time",
                       // Programs that run another one.
                       "sudo", "env", "command", "exec", "nohup", "nice", "builtin", "xargs",
                       "doas", "setsid", "timeout"});
}

/// Programs that take code, and the letters of the options after which it stands; "*" for always.
struct CodeTaker {
  std::string_view program;
  std::string_view options;
};
constexpr std::array<CodeTaker, 22> code_takers = {
    {{"eval", "*"},  {"trap", "*"},     {"ssh", "*"},   {"let", "*"},    {"alias", "*"},
     {"sh", "c"},    {"bash", "c"},     {"dash", "c"},  {"zsh", "c"},    {"ksh", "c"},
     {"ash", "c"},   {"su", "c"},       {"fish", "c"},  {"python", "c"}, {"python3", "c"},
     {"perl", "eE"}, {"ruby", "e"},     {"node", "ep"}, {"php", "r"},    {"lua", "e"},
     {"deno", "*"},  {"osascript", "e"}}};

std::string_view base_name(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

/// 5, 10s: what stands before the program of `timeout`, or before a redirection.
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

  struct Context {
    In in = In::command;
    bool in_parentheses = false;  // of $( ) or ( )
    bool at_program = true;       // the next word is one that is run
    bool in_word = false;
    bool in_brackets = false;  // of [[ ]]
    std::string word;          // what is literal of it
    bool takes_code = false;   // the command runs its arguments as code
    std::string_view code_options;
    int depth = 0;  // of brackets within ${ } or $(( ))
  };

  Context& top() { return stack_.back(); }

  void problem(std::size_t at, std::string message) {
    out_.problems.push_back({at, std::move(message)});
  }

  void copy(std::size_t count) {
    out_.command += text_.substr(at_, count);
    at_ += count;
  }

  void push(In in, bool in_parentheses = false) {
    Context context;
    context.in = in;
    context.in_parentheses = in_parentheses;
    stack_.push_back(std::move(context));
  }

  // --- slots ------------------------------------------------------------------------------------

  /// Why no quoting is safe here; empty when one is.
  std::string_view unsafe_here() const {
    const Context& context = stack_.back();
    switch (context.in) {
      case In::braces: return "inside ${ }";
      case In::arithmetic: return "inside arithmetic";
      case In::backticks: return "inside backticks; write $( )";
      case In::command:
      case In::double_quotes:
      case In::single_quotes: break;
    }
    for (const Context& each : stack_) {
      if (each.in == In::command && each.takes_code) return "in an argument that is run as code";
      if (each.in == In::command && each.in_brackets) return "inside [[ ]]; write [ ]";
    }
    const auto command = std::ranges::find_if(
        stack_.rbegin(), stack_.rend(), [](const Context& each) { return each.in == In::command; });
    if (command->at_program && !is_assignment(command->word)) {
      return "in the place of the program";
    }
    if (at_ > 0 && text_[at_ - 1] == '\\' && context.in != In::single_quotes) {
      return "behind a backslash";
    }
    if (case_in_parentheses_) return "behind a `case` inside $( )";
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
          copy(1);
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
    if (top().depth == 0 && text_.substr(at_).starts_with("))")) {
      copy(2);
      leave();
      return;
    }
    if (c == '(') ++top().depth;
    if (c == ')' && top().depth > 0) --top().depth;
    copy(1);
  }

  void leave() {
    stack_.pop_back();
    top().in_word = true;
  }

  void dollar() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("$((")) {
      copy(3);
      push(In::arithmetic);
    } else if (rest.starts_with("$(")) {
      copy(2);
      push(In::command, true);
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
      copy(1);
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
        end_command();
        copy(1);
        heredocs();
        return;
      case ';':
      case '&':
      case '|':
        end_command();
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
    if (text_.substr(at_).starts_with("((") && top().at_program && !top().in_word) {
      copy(2);
      push(In::arithmetic);
      return;
    }
    end_command();
    copy(1);
    push(In::command, true);
  }

  void close_parenthesis() {
    end_command();
    copy(1);
    if (stack_.size() > 1 && top().in_parentheses) leave();
  }

  void redirection() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<(") || rest.starts_with(">(")) {
      copy(2);
      top().in_word = true;
      push(In::command, true);
      return;
    }
    const bool program_before = top().at_program;
    end_word();
    // What follows is a file, whatever stood before.
    top().at_program = false;
    after_redirection_ = program_before;
    if (rest.starts_with("<<<")) {
      copy(3);
    } else if (rest.starts_with("<<")) {
      copy(rest.starts_with("<<-") ? 3 : 2);
      delimiter();
    } else {
      copy(1);
    }
  }

  void delimiter() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) copy(1);
    std::string word;
    while (at_ < text_.size() && !std::string_view(" \t\n;&|<>()").contains(text_[at_])) {
      const char c = text_[at_];
      if (c != '\'' && c != '"' && c != '\\') word += c;
      copy_without_slots(at_ + 1, "as the end mark of a heredoc");
    }
    delimiters_.push_back(std::move(word));
  }

  /// The bodies of the heredocs of the line that has just ended.
  void heredocs() {
    for (const std::string& mark : delimiters_) {
      while (at_ < text_.size()) {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
        std::string_view line = text_.substr(at_, end - at_);
        if (line.ends_with('\n')) line.remove_suffix(1);
        while (line.starts_with('\t')) line.remove_prefix(1);
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
    if (context.at_program) {
      context.at_program = keeps_command_position(context.word) || is_assignment(context.word) ||
                           is_amount(context.word) || context.word.starts_with('-');
    } else if (after_redirection_) {
      context.at_program = true;
    }
    after_redirection_ = false;
    note_code(context);
    context.in_word = false;
    context.word.clear();
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

  void end_command() {
    end_word();
    Context& context = top();
    context.at_program = true;
    context.takes_code = false;
    context.code_options = {};
  }

  std::string_view text_;
  Scanned slots_;
  std::size_t next_slot_ = 0;
  std::size_t at_ = 0;
  std::vector<Context> stack_;
  std::vector<std::string> delimiters_;
  bool after_redirection_ = false;
  bool case_in_parentheses_ = false;
  LoweredShell out_;
};

}  // namespace

LoweredShell lower_shell(std::string_view command) { return Lexer(command).run(); }

}  // namespace baton::workflow
