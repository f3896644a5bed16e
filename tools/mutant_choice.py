"""Which mutants a change calls for: those it may have made harmless, or blind their test to.

A mutant is touched by a change of itself, of a file that it breaks, or of a source of the test that
it names. The change that came last comes first.
"""

import fnmatch
import functools
import hashlib
import re

import project

COMMITS = 10  # how far back to look when it is not said
TEST = re.compile(r"^[ \t]*(?:TYPED_)?(?:TEST\w*|RC_GTEST\w*)\((\w+), *(\w+)", re.MULTILINE)


def changes(root, base):
    """The files of each change since `base`, the last first; what is not committed is the first."""
    listed = project.git(root, "status", "--porcelain", "-z", "--no-renames",
                         "--untracked-files=all")
    if listed is None:
        return []
    found = [{entry[3:] for entry in listed.split("\0") if entry}]
    span = [f"{base}..HEAD"] if base else ["-n", str(COMMITS)]
    log = project.git(root, "log", "--no-renames", "--name-only", "--format=%x00", *span)
    if log is None:
        return None if base else found
    return found + [set(names.split("\n")) - {""} for names in log.split("\0")[1:]]


@functools.cache
def tests_in(root, path):
    """The tests that a source holds, as `suite.name`."""
    return [f"{suite}.{name}" for suite, name in TEST.findall(project.read(root, path) or "")]


def fits(mutant, tests):
    """Whether the mutant's filter takes one of the tests."""
    for pattern in mutant.filter.split("-")[0].split(":"):
        # A test with parameters is called `instance/suite.name/parameter`.
        bare = re.sub(r"^[^/.*]*/|/[^/.]*$", "", pattern)
        if any(fnmatch.fnmatchcase(full, pattern)
               for test in tests for full in (test, f"x/{test}/x")):
            return True
        if any(fnmatch.fnmatchcase(test, bare) for test in tests):
            return True
    return False


@functools.cache
def sources_of(root, test):
    """The sources that the test of this name may be made of."""
    paths = project.files(root)
    rooms = [path for path in paths if path.startswith(f"src/{test}/")
             and path.endswith("_test.cc")]
    if rooms:
        return rooms
    folders = [path.removesuffix("CMakeLists.txt") for path in paths
               if re.match(r"tests/.*CMakeLists\.txt$", path) and re.search(
                   rf"(?:NAME |_test\(){re.escape(test)}\b", project.read(root, path) or "")]
    return [path for folder in folders for path in paths
            if path.startswith(folder) and path.endswith((".cc", ".h", ".c", ".py"))]


def test_sources(root, mutant):
    """The sources of the named test: those with a test that the filter takes, if there are any."""
    sources = sources_of(root, mutant.test)
    if not mutant.filter:
        return sources
    return [path for path in sources if fits(mutant, tests_in(root, path))] or sources


def touched(root, mutants, base):
    """The mutants that changes since `base` touched, the last change first; None: no such base."""
    steps = changes(root, base)
    if steps is None:
        return None
    head = (project.git(root, "rev-parse", "HEAD") or "").strip()
    ranked = []
    for mutant in mutants:
        reasons = ({f"tests/mutants/{mutant.name}"}, set(mutant.paths()),
                   set(test_sources(root, mutant)))
        hits = [(step, kind) for step, files in enumerate(steps)
                for kind, reason in enumerate(reasons) if files & reason]
        if hits:
            # A header makes much to build; among equals, another commit tries others.
            headers = sum(path.endswith(".h") for path in mutant.paths())
            turn = hashlib.sha256(f"{head} {mutant.name}".encode()).digest()
            ranked.append((*min(hits), headers, turn, mutant))
    return [each[-1] for each in sorted(ranked, key=lambda each: each[:-1])]
