"""The purity check sees one planted effect of each family, in compiled code."""
# Origin: 004-4

import subprocess
import unittest

import purity
import rooms
from scratch import ScratchTest

FAMILIES = purity.load(purity.LIST.read_text())

# family: (header, function body, the symbol that gives it away)
EFFECTS = {
    "clock": ("<chrono>", "std::chrono::system_clock::now();", "system_clock::now()"),
    "monotonic clock": ("<chrono>", "std::chrono::steady_clock::now();", "steady_clock::now()"),
    "C clock": ("<ctime>", "std::time(nullptr);", "time"),
    "file": ("<fstream>", 'std::ifstream("x");', "std::basic_ifstream<"),
    "C file": ("<cstdio>", 'std::fopen("x", "r");', "fopen"),
    "descriptor": ("<fcntl.h>", 'open("x", O_RDONLY);', "open"),
    "folder": ("<filesystem>", 'std::filesystem::exists("x");', "std::filesystem::status("),
    "random": ("<random>", "std::random_device()();", "std::random_device::_M_getval()"),
    "C random": ("<cstdlib>", "std::rand();", "rand"),
    "library random": ("<openssl/rand.h>", "RAND_bytes(nullptr, 0);", "RAND_bytes"),
    "thread": ("<thread>", "std::thread([] {}).join();", "std::thread::_M_start_thread("),
    "mutex": ("<mutex>", "static std::mutex m; m.lock();", "pthread_mutex_lock"),
    "thread-local": ("<cerrno>", "errno = 0;", "__errno_location"),
    "environment": ("<cstdlib>", 'std::getenv("HOME");', "getenv"),
    "socket": ("<sys/socket.h>", "socket(AF_INET, SOCK_STREAM, 0);", "socket"),
    "process": ("<cstdlib>", 'std::ignore = std::system("true");', "system"),
    "stream": ("<iostream>", "std::cout << 1;", "std::cout"),
    "text stream": ("<sstream>", "std::ostringstream() << 1.5;", "std::__cxx11::basic_ostring"),
    "printing": ("<cstdio>", 'std::puts("x");', "puts"),
    "locale": ("<cstdlib>", 'std::strtod("1", nullptr);', "strtod"),
}

HARMLESS = """
#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
struct Base { virtual ~Base() = default; virtual int get() const = 0; };
struct Derived : Base { int get() const override { return 1; } };
int f(const std::string& text) {
  std::map<std::string, std::vector<int>> tree;
  tree[text].push_back(1);
  std::unordered_map<std::string, int> table{{text, 1}};
  std::function<int()> call = [&] { return table.at(text); };
  std::shared_ptr<Base> base = std::make_shared<Derived>();
  std::variant<int, std::string> either = text + "x";
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (!dynamic_cast<Derived*>(base.get())) throw std::runtime_error(text);
  return call() + base->get() + static_cast<int>(either.index()) + static_cast<int>(number);
}
"""


class Planted(ScratchTest):
    def archive(self, source, name="planted"):
        path = self.plant(f"{name}.cc", source)
        built = path.with_suffix(".cc.o")
        subprocess.run(["g++-12", "-std=c++23", "-Og", "-w", "-c", str(path), "-o", str(built)],
                       check=True)
        library = self.root / f"lib{name}.a"
        library.unlink(missing_ok=True)
        subprocess.run(["ar", "rcs", str(library), str(built)], check=True)
        return library

    def test_each_planted_effect_is_refused(self):
        headers = sorted({header for header, _, _ in EFFECTS.values()} | {"<tuple>"})
        source = "".join(f"#include {header}\n" for header in headers) + "".join(
            f"void f{number}() {{ {body} }}\n"
            for number, (_, body, _) in enumerate(EFFECTS.values()))
        library = self.archive(source)
        for room in rooms.PURE:
            problems = purity.check({room: library}, FAMILIES)
            for family, (_, _, symbol) in EFFECTS.items():
                with self.subTest(family=family, room=room):
                    used = f"src/{room}/**/planted.cc: uses {symbol}"
                    ends = ";" if symbol.isidentifier() else ""
                    self.assertTrue(any(problem.startswith(used + ends) or
                                        (not ends and symbol in problem)
                                        for problem in problems), problems)

    def test_harmless_code_passes_in_every_pure_room(self):
        library = self.archive(HARMLESS)
        for room in rooms.PURE:
            self.assertEqual(purity.check({room: library}, FAMILIES), [])

    def test_panic_may_print_in_its_own_file_only(self):
        source = '#include <cstdio>\nvoid f() { std::fprintf(stderr, "%d", 1); }'
        self.assertEqual(purity.check({"base": self.archive(source, "assert")}, FAMILIES), [])
        self.assertTrue(purity.check({"base": self.archive(source, "json")}, FAMILIES))
        self.assertTrue(purity.check({"run": self.archive(source, "assert")}, FAMILIES))

    def test_sha256_belongs_to_base_and_libyaml_to_workflow(self):
        for symbol, owner in (("SHA256", "base"), ("yaml_parser_parse", "workflow")):
            library = self.archive(f'extern "C" void {symbol}();\nvoid f() {{ {symbol}(); }}')
            for room in rooms.PURE:
                problems = purity.check({room: library}, FAMILIES)
                self.assertEqual(bool(problems), room != owner, f"{symbol} in {room}")

    def test_a_function_of_a_room_that_may_not_be_included_is_refused(self):
        caller = self.archive("void g();\nvoid f() { g(); }", "caller")
        owner = self.archive("void g() {}", "owner")
        self.assertEqual(purity.check({"run": caller, "state": owner}, FAMILIES), [])
        self.assert_one(purity.check({"state": caller, "run": owner}, FAMILIES), "uses g()")


class List(unittest.TestCase):
    def test_every_family_has_a_reason_and_a_symbol(self):
        for family in FAMILIES:
            self.assertTrue(family.reason, family.name)
            self.assertTrue(family.exact or family.patterns, family.name)

    def test_scopes_name_pure_rooms(self):
        for family in FAMILIES:
            for scope in family.scopes:
                self.assertIn(scope.split("/")[0], rooms.PURE)

    def test_no_pattern_lets_an_effect_through(self):
        names = ("std::chrono::_V2::system_clock::now()", "std::chrono::_V2::steady_clock::now()",
                 "std::random_device::_M_getval()", "getenv", "secure_getenv", "open", "open64",
                 "openat", "fopen", "fopen64", "read", "write", "socket", "connect", "time",
                 "clock_gettime", "gettimeofday", "pthread_create", "pthread_mutex_lock", "fork",
                 "std::thread::_M_start_thread(std::unique_ptr<std::thread::_State>, void (*)())",
                 "std::basic_ifstream<char, std::char_traits<char> >::basic_ifstream()",
                 "std::cout", "std::ostream::operator<<(int)", "std::locale::locale()", "rand",
                 "RAND_bytes", "yaml_parser_set_input_file", "dlopen", "mmap", "syscall", "exit")
        for name in names:
            for family in FAMILIES:
                self.assertFalse(family.allows(name), f"[{family.name}] allows {name}")


if __name__ == "__main__":
    unittest.main()
