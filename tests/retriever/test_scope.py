"""Which paths a scope holds."""

from __future__ import annotations

import time

import pytest

from sherloc.retriever.scope import Scope


@pytest.mark.parametrize(
    ("pattern", "path", "inside"),
    [
        ("shop", "shop/a.py", True),
        ("shop/", "shop/a.py", True),
        ("./shop", "shop/a.py", True),
        ("shop", "shop/deep/er/a.py", True),
        ("shop/*.py", "shop/a.py", True),
        ("shop/a.py", "shop/a.py", True),
        ("sho", "shop/a.py", False),
        ("shop", "shops/a.py", False),
        ("*.js", "shop/a.py", False),
        ("*.py", "shop/a.py", True),
        ("sh?p", "shop/a.py", True),
        ("sh?p/", "shop/a.py", True),
        ("*/deep", "shop/deep/a.py", True),
        ("**/a.py", "a.py", True),
        ("**/a.py", "shop/deep/a.py", True),
        ("**/a.py", "shop/ba.py", False),
        ("shop/**/a.py", "shop/a.py", True),
        ("shop/**/a.py", "shop/x/y/a.py", True),
        ("shop/**", "shop/x/y/a.py", True),
        ("app/[id]", "app/[id]/page.tsx", True),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("app/[abc]x/*", "app/bx/page.tsx", True),
        ("caf\udce9", "caf\udce9/a.py", True),
        ("caf\\xe9", "caf\udce9/a.py", True),
        ("SHOP", "shop/a.py", False),
    ],
)
def test_one_pattern(pattern: str, path: str, inside: bool) -> None:
    assert Scope([pattern]).holds(path) is inside


def test_no_pattern_is_everything() -> None:
    assert not Scope()
    assert Scope().holds("any/thing.py")


def test_any_pattern_will_do() -> None:
    scope = Scope(["shop", "*.md", "lib/a.py"])
    paths = ["shop/a.py", "b.md", "lib/a.py", "lib/b.py"]
    assert [path for path in paths if scope.holds(path)] == paths[:3]


def test_thousands_of_paths_in_thousands() -> None:
    paths = [f"package_{at % 100}/module_{at}.py" for at in range(30_000)]
    start = time.process_time()
    scope = Scope(paths[::6])
    assert sum(map(scope.holds, paths)) == 5_000
    assert time.process_time() - start < 2
