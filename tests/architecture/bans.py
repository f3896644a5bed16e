"""Calls that this project does not make, and what it does instead.

Each ban is looked for in C++ code with comments and literals blanked. `example` is a line that
must be refused; the test of this table plants every one of them.
"""

import re
from dataclasses import dataclass
from typing import Callable

import rooms


def is_test(path):
    return rooms.is_for_tests(path) or path.startswith(("tests/", "bench/"))


def anywhere(path):
    return True


def in_tests(path):
    return is_test(path)


def in_src(path):
    return path.startswith("src/") and not is_test(path)


def in_pure(path):
    return in_src(path) and path.split("/")[1] in rooms.PURE


def src_outside(*allowed):
    return lambda path: in_src(path) and not path.startswith(allowed)


# What writes to no terminal, or hands the descriptor to what does not.
NOT_PRINTING = {"world.h", "world.cc", "main.cc", "serve/serve.cc",
                "commands/demo_server.cc", "commands/new_workflow.cc", "serve/token_file.cc"}


def past_the_terminal(path):
    return (in_src(path) and path.startswith("src/cli/")
            and path.removeprefix("src/cli/") not in NOT_PRINTING)


def near_secrets(path):
    """Files that hold MACs, keys or tokens."""
    return in_src(path) and ("src/adapters/crypto/" in path or "token" in path.split("/")[-1])


@dataclass(frozen=True)
class Ban:
    name: str
    pattern: str
    instead: str
    example: str
    where: Callable[[str], bool] = anywhere
    planted_in: str = "src/run/planted.cc"


BANS = (
    Ban("std::regex", r"\bstd::regex\w*", "use RE2: std::regex takes exponential time",
        "std::regex pattern(text);"),
    Ban("number parsing that throws or ignores trailing text",
        r"\b(?:std::)?(?:sto(?:i|l|ll|ul|ull|f|d|ld)|ato(?:i|l|ll|f)"
        r"|strto(?:l|ll|ul|ull|f|d|ld)|v?f?sscanf)\s*\(",
        "use parse_int (base/text/text.h) or std::from_chars",
        "const int n = std::stoi(text);"),
    Ban("unbounded C text", r"\b(?:std::)?(?:strcpy|strcat|strncpy|strncat|strtok|v?sprintf|gets)"
        r"\s*\(", "use std::string and cat (base/text/text.h)", "strcpy(to, from);"),
    Ban("formatting libraries", r"\b(?:fmt::|std::v?format\s*\(|std::print(?:ln)?\s*\()",
        "use cat (base/text/text.h)", 'auto text = std::format("{}", 1);'),
    Ban("printing", r"(?<![\w.>])(?:std::)?(?:printf|fprintf|vprintf|vfprintf|puts|fputs|putchar"
        r"|perror)\s*\(|\bstd::(?:cout|cerr|clog)\b",
        "use the Log port, or write_text of cli/world.h, which makes text safe for a terminal",
        'std::printf("%d", n);', src_outside("src/base/core/assert.cc")),
    Ban("printing what is not printable", r"\bwrite_bytes\s*\(|[.>]descriptor\s*\(\s*\)"
        r"|(?<![\w.>])(?:::)?(?:write|writev|pwrite|dprintf|vdprintf)\s*\(",
        "use write_text, write_painted or write_data of cli/world.h: they make text safe for a "
        "terminal. Files, pipes and transports of our own are listed here",
        "write_bytes(descriptor, text);", past_the_terminal, "src/cli/planted.cc"),
    Ban("streams", r"#\s*include\s*<(?:iostream|sstream|iomanip|ostream|istream)>",
        "use cat (base/text/text.h), std::from_chars and the Log port",
        "#include <sstream>", in_src),
    Ban("rand", r"(?<![\w:.>])(?:std::)?(?:s?rand|[dlm]rand48|random)\s*\(",
        "use the Entropy port; in tests a seeded generator", "const int n = rand();"),
    Ban("std::random_device", r"\bstd::random_device\b|\bgetentropy\s*\(|\bgetrandom\s*\(",
        "use the Entropy port; in tests a seeded generator", "std::random_device source;",
        lambda path: not path.startswith("src/adapters/")),
    Ban("system", r"(?<![\w.>:])(?:std::|::)?(?:system|popen)\s*\(",
        "use the ProcessRunner port, which passes argv and kills the group",
        'system("ls");', in_src),
    Ban("wall clock", r"\bsystem_clock\b|\bgettimeofday\s*\(|\bclock_gettime\s*\("
        r"|(?<![\w.>])(?:std::|::)?time\s*\(\s*(?:nullptr|NULL|0|&\w+)\s*\)",
        "use the Clock port", "const auto t = std::chrono::system_clock::now();",
        src_outside("src/adapters/")),
    Ban("monotonic clock", r"\b(?:steady_clock|high_resolution_clock)::now\b",
        "use the Clock port", "const auto t = std::chrono::steady_clock::now();",
        src_outside("src/adapters/", "src/transport/", "src/cli/")),
    Ban("calendar functions", r"\b(?:std::)?(?:gmtime|localtime|mktime|strftime)(?:_r)?\s*\(",
        "use base/core/time.h", "gmtime(&t);", in_src),
    Ban("getenv", r"\b(?:std::)?(?:secure_)?getenv\s*\(",
        "take the setting as an argument; cli reads the environment once",
        'getenv("HOME");', src_outside("src/cli/")),
    Ban("sleeping in a test", r"\b(?:sleep_for|sleep_until)\b|(?<![\w.>])(?:u|nano)?sleep\s*\(",
        "wait for the event itself, or move the test's clock",
        "std::this_thread::sleep_for(1ms);", in_tests, "src/run/planted_test.cc"),
    Ban("sleeping", r"\b(?:sleep_for|sleep_until)\b|(?<![\w.>])(?:u|nano)?sleep\s*\(",
        "wait on a condition or ask the Clock port",
        "std::this_thread::sleep_for(1ms);", src_outside("src/adapters/")),
    Ban("comparing secrets in variable time", r"\bmemcmp\s*\(|\bstd::equal\s*\("
        r"|\bmac_?\s*[!=]=|[!=]=\s*(?:\w+[.>])*mac_?\b",
        "use CRYPTO_memcmp: the time of memcmp tells how many bytes were right",
        "if (memcmp(a, b, 8) == 0) {}", near_secrets, "src/adapters/crypto/planted.cc"),
    Ban("using namespace", r"\busing\s+namespace\b", "name what is used",
        "using namespace std;"),
    # Not meant: an object made in room that is there already, and one whose constructor is private
    # and whose owner stands before it: std::unique_ptr<Run> run(new Run()).
    Ban("new", r"(?<!operator )(?<!\()\bnew\b(?!\s*>)(?!\s*\(\w+\))(?=\s*[\w:(\[])",
        "use std::make_unique or a value", "auto* run = new Run();"),
    Ban("delete", r"(?<!operator )\bdelete\b(?!\s*[;,)])", "let a std::unique_ptr own it",
        "delete run;"),
    Ban("malloc", r"(?<![\w.>])(?:std::|::)?(?:malloc|calloc|realloc|strdup|alloca)\s*\(",
        "use std::vector or std::string", "void* room = malloc(10);",
        lambda path: not path.endswith(".c")),
    Ban("assert", r"(?<![\w.>])assert\s*\(|#\s*include\s*<(?:cassert|assert\.h)>",
        "use ASSERT (base/core/result.h), which stays on in every build", "assert(n > 0);", in_src),
    Ban("branching on message text",
        r"\bmessage\s*[!=]=|\bmessage\s*\.\s*(?:find|contains|starts_with|ends_with|compare)\s*\(",
        "branch on the error's code", 'if (error.message.contains("full")) {}', in_src),
    Ban("reading a compiled step by the names of its JSON",
        r"(?:\.|->)fields\s*\.\s*(?:find|contains)\s*\("
        r"|\bto_json\(\s*\*?\w*[sS]tep\w*\s*\)\s*(?:\.|->)\s*find\s*\(",
        "read the payload of its type: step.as<workflow::Loop>() (workflow/steps)",
        'const Value* items = step.fields.find("items");',
        src_outside("src/workflow/steps/", "src/run/steps/")),
    Ban("a choice by the type of a step",
        r"\bkind(?:\(\))?\s*[!=]=\s*(?:workflow::)?StepKind::(?!prompt\b)|\bcase StepKind::"
        r"|\bkind\(\)\s*[!=]=|\bswitch\s*\([^;{]*\bkind\(\)\s*\)",
        "say it of each type in run/steps, and ask behaviour_of(step)",
        "if (step.kind() == StepKind::loop) return true;",
        # The words of a surface may differ by type.
        src_outside("src/workflow/", "src/run/steps/", "src/surface/atomic/encode.cc")),
    Ban("build time in the binary", r"\b__(?:DATE|TIME|TIMESTAMP)__\b",
        "leave it out: two builds give the same bytes", "const char* when = __DATE__;"),
    Ban("machine instructions", r"\basm\b|\b__rdtscp?\b|\b_rd(?:rand|seed)\w*|\b__builtin_ia32_\w+"
        r"|(?<![\w.>])(?:::)?syscall\s*\(",
        "a pure room reads no counter and calls no kernel", "const auto t = __rdtsc();", in_pure),
    Ban("disabled test", r"\bGTEST_SKIP\b|\bDISABLED_\w+", "fix the test or remove it",
        "TEST(run, " + "DISABLED_" + "finishes) {}"),
)

COMPILED = tuple((ban, re.compile(ban.pattern)) for ban in BANS)


def violations(path, code):
    """(offset, ban) for each banned call in blanked C++ code."""
    for ban, pattern in COMPILED:
        if ban.where(path):
            for match in pattern.finditer(code):
                yield match.start(), ban
