#include "shell_payloads.h"

#include "base/text/text.h"

namespace baton::security {
namespace {

/// Ways to run a command from within data.
std::vector<std::string> attacks(std::string_view run) {
  return {cat("$(", run, ")"),
          cat("`", run, "`"),
          cat("; ", run),
          cat("| ", run),
          cat("|| ", run),
          cat("&& ", run),
          cat("& ", run),
          cat("\n", run, "\n"),
          cat("\r\n", run),
          cat("\\\n", run),
          cat("${x:-$(", run, ")}"),
          cat("${x:=`", run, "`}"),
          cat("$((a[$(", run, ")]))"),
          cat("a[$(", run, ")]"),
          cat("x=$(", run, ")"),
          cat("<(", run, ")"),
          cat(">(", run, ")"),
          cat("() { :; }; ", run),
          cat("{ ", run, "; }"),
          cat("( ", run, " )"),
          cat(") ; ", run, " ; ("),
          cat("} ; ", run, " ; {"),
          cat("]] ; ", run, " #"),
          cat("]; ", run, "; ["),
          cat(";; esac; ", run),
          cat("fi; ", run),
          cat("done; ", run),
          cat("EOF\n", run, "\nEOF"),
          cat("eval ", run),
          cat("-e ", run)};
}

/// Ways out of the quotes that an author may have put around a value.
constexpr std::string_view openings[] = {"", "'", "\"", "'\""};

constexpr std::string_view plain[] = {"",
                                      " ",
                                      "\t",
                                      "\n",
                                      "\n\n",
                                      "  two  words  ",
                                      "a\nb",
                                      "*",
                                      "?",
                                      "[a-z]*",
                                      "~",
                                      "~root",
                                      "{a,b}",
                                      "-",
                                      "--",
                                      "-n",
                                      "-e",
                                      "--help",
                                      "-rf /",
                                      "$",
                                      "$HOME",
                                      "${HOME}",
                                      "$$",
                                      "$?",
                                      "$0",
                                      "$*",
                                      "$@",
                                      "!",
                                      "!!",
                                      "#",
                                      "# comment",
                                      "%s%n",
                                      "\\",
                                      "\\\\",
                                      "\\n",
                                      "\\0",
                                      "'",
                                      "''",
                                      "'\\''",
                                      "\"",
                                      "\"\"",
                                      "\\\"",
                                      "`",
                                      "``",
                                      "&",
                                      ";",
                                      "|",
                                      "<",
                                      ">",
                                      "(",
                                      ")",
                                      "{",
                                      "}",
                                      "\x01\x1b[0m",
                                      "\x7f",
                                      "\xff\xfe",
                                      "\xc3",
                                      "\xf0\x9f\x98\x80",
                                      "\xe2\x80\xae",
                                      "BATON_V1",
                                      "${BATON_V1}",
                                      "\"${BATON_V1}\"",
                                      "'\"${BATON_V1}\"'",
                                      "{{ x }}",
                                      "=",
                                      "a=b",
                                      "PATH=/tmp",
                                      "\v\f\r"};

}  // namespace

std::vector<std::string> shell_payloads(std::string_view recorder) {
  std::vector<std::string> out;
  for (const std::string_view each : plain) out.emplace_back(each);
  for (const std::string_view opening : openings) {
    for (const std::string& attack : attacks("recorder HIT")) out.push_back(cat(opening, attack));
  }
  for (const std::string& attack : attacks(cat(recorder, " HIT"))) {
    out.push_back(cat(attack, "'\"", attack));
  }
  out.push_back(std::string(10'000, 'x'));
  return out;
}

}  // namespace baton::security
