"""Where in a repository faults seldom lie: examples, scripts, documentation sources, build tools."""

from __future__ import annotations

_FOLDERS = frozenset(
    """example examples sample samples demo demos doc docs documentation benchmark benchmarks asv_benchmarks perf
    tutorial tutorials gallery galleries script scripts tool tools build_tools build-tools release extras contrib_tools
    ci .github bin hack playground sandbox""".split()
)
_TESTING = frozenset({"testing", "test", "testutils"})
_NAMES = frozenset({"setup.py", "setupext.py", "conf.py", "versioneer.py", "noxfile.py", "tasks.py", "build.rs"})


def is_aside(path: str) -> bool:
    """Whether a code file stands in a folder (first or second part of its path) or under a name of that kind."""
    parts = path.split("/")
    if len(parts) == 1:
        return parts[0] in _NAMES
    return parts[0].lower() in _FOLDERS


def is_testing(path: str) -> bool:
    """Whether a code file helps to write tests: library code, but seldom where a fault lies."""
    return not _TESTING.isdisjoint(path.lower().split("/")[:-1])


def is_package(path: str) -> bool:
    """Whether a file opens a package and mostly hands names on."""
    return path.rsplit("/", 1)[-1] == "__init__.py"
