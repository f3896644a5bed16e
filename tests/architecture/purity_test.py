"""The purity check sees one planted effect of each family, in compiled code."""

import re
import subprocess
import unittest

import purity
import rooms
from scratch import ScratchTest

FAMILIES = purity.load(purity.LIST.read_text())

# One effect per line; each must be refused in every pure room.
EFFECTS = {
    "clock": "#include <chrono>\n"
             "long f() { return std::chrono::system_clock::now().time_since_epoch().count(); }",
    "monotonic clock": "#include <chrono>\n"
             "long f() { return std::chrono::steady_clock::now().time_since_epoch().count(); }",
    "C clock": "#include <ctime>\nlong f() { return std::time(nullptr); }",
    "file": '#include <fstream>\nbool f() { return std::ifstream("x").good(); }',
    "C file": '#include <cstdio>\nvoid* f() { return std::fopen("x", "r"); }',
    "descriptor": '#include <fcntl.h>\nint f() { return open("x", O_RDONLY); }',
    "folder": '#include <filesystem>\nbool f() { return std::filesystem::exists("x"); }',
    "random": "#include <random>\nunsigned f() { return std::random_device()(); }",
    "C random": "#include <cstdlib>\nint f() { return std::rand(); }",
    "library random": "extern \"C\" int RAND_bytes(unsigned char*, int);\n"
                      "int f(unsigned char* to) { return RAND_bytes(to, 8); }",
    "thread": "#include <thread>\nvoid f() { std::thread([] {}).join(); }",
    "mutex": "#include <mutex>\nstd::mutex m;\nvoid f() { m.lock(); }",
    "environment": '#include <cstdlib>\nchar* f() { return std::getenv("HOME"); }',
    "socket": "#include <sys/socket.h>\nint f() { return socket(AF_INET, SOCK_STREAM, 0); }",
    "process": '#include <cstdlib>\nint f() { return std::system("true"); }',
    "stream": "#include <iostream>\nvoid f() { std::cout << 1; }",
    "text stream": "#include <sstream>\n"
                   "std::string f(int n) { std::ostringstream s; s << n; return s.str(); }",
    "printing": '#include <cstdio>\nvoid f() { std::puts("x"); }',
    "locale": "#include <cstdlib>\ndouble f(const char* s) { return std::strtod(s, nullptr); }",
    "thread-local": "thread_local int n;\nextern thread_local int m;\nint& f() { return m; }",
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
        subprocess.run(["g++-12", "-std=c++23", "-Og", "-fPIC", "-c", str(path), "-o", str(built)],
                       check=True)
        library = self.root / f"lib{name}.a"
        library.unlink(missing_ok=True)
        subprocess.run(["ar", "rcs", str(library), str(built)], check=True)
        return library

    def test_harmless_code_passes_in_every_pure_room(self):
        library = self.archive(HARMLESS)
        for room in rooms.PURE:
            self.assertEqual(purity.check({room: library}, FAMILIES), [])

    def test_panic_may_print_in_its_own_file_only(self):
        source = '#include <cstdio>\nvoid f() { std::fprintf(stderr, "%d", 1); }'
        self.assertEqual(purity.check({"base": self.archive(source, "error")}, FAMILIES), [])
        self.assertTrue(purity.check({"base": self.archive(source, "json")}, FAMILIES))
        self.assertTrue(purity.check({"run": self.archive(source, "error")}, FAMILIES))

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


def planted(source):
    def test(self):
        problems = purity.check({"base": self.archive(source)}, FAMILIES)
        self.assertTrue(problems)
        self.assertIn("src/base/**/planted.cc: uses ", problems[0])
    return test


for family, planted_source in EFFECTS.items():
    name = "test_" + re.sub(r"\W", "_", family) + "_is_refused"
    setattr(Planted, name, planted(planted_source))


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
