# ruff: noqa: E501  # sources stand on one line
"""Names of patches: what exists is never reported, what does not is."""

from __future__ import annotations

from difflib import unified_diff

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.skeleton.names import NameCheck, check_names
from sherloc.skeleton.names.patches import patched_files, texts_before

PYTHON = {
    "shop/__init__.py": "",
    "shop/price.py": '''"""Prices."""

RATE = 2


def price_of(item, *, currency="EUR"):
    return item.price


def anything(**options):
    return options


class Base:
    limit = 3

    def reset(self, hard=False):
        self.state = None


class Shelf(Base):
    def __init__(self, size):
        self.size = size

    def fill(self, item):
        self.reset(hard=True)
        return self.size
''',
    "shop/main.py": """import os

import numpy as np

from shop import price
from shop.price import Shelf, price_of


def run(items):
    shelf = Shelf(3)
    total = sum(price_of(item) for item in items)
    return total
""",
}
SCRIPT = {
    "src/shelf.ts": """export interface Item { price: number }

export class Shelf {
  private items: Item[] = [];

  constructor(readonly size: number) {}

  add(item: Item): void {
    this.items.push(item);
  }

  total(): number {
    return this.items.length * this.size;
  }
}

export function makeShelf(options: { size: number }): Shelf {
  return new Shelf(options.size);
}
""",
    "src/main.ts": """import { Shelf, makeShelf } from "./shelf";
import axios from "axios";

export function run(count: number): Shelf {
  const shelf = makeShelf({ size: count });
  return shelf;
}
""",
}


def patch_of(path: str, before: str, after: str) -> str:
    return "".join(unified_diff(before.splitlines(True), after.splitlines(True), f"a/{path}", f"b/{path}", n=2))


def check(files: dict[str, str], path: str, old: str, new: str) -> NameCheck:
    assert old in files[path]
    language = "python" if path.endswith(".py") else "typescript"
    patch = patch_of(path, files[path], files[path].replace(old, new, 1))
    return check_names(patch, files, dict.fromkeys(files, language))


GOOD_PYTHON = [
    ("shop/main.py", "    return total\n", "    shelf.fill(items[0])\n    return total\n"),
    ("shop/main.py", "    return total\n", "    return price_of(items[0], currency='USD') + price.RATE\n"),
    ("shop/main.py", "    return total\n", "    return np.errstate(everything=1).whatever\n"),
    ("shop/main.py", "    return total\n", "    return os.fspath(total).removeprefix('x')\n"),
    ("shop/main.py", "    return total\n", "    new = dict(fresh=1)\n    return price.anything(whatever=new)\n"),
    ("shop/main.py", "    return total\n", "    def helper(extra):\n        return extra\n    return helper(extra=1)\n"),
    ("shop/price.py", "        return self.size\n", "        return self.size + self.limit, self.state, self.__class__\n"),
    ("shop/price.py", "        self.size = size\n", "        self.size = size\n        self.brand_new = 1\n"),
    ("shop/main.py", "    return total\n", "    return shelf.reset(hard=1)\n"),
    ("shop/main.py", "import os\n", "import os\nfrom shop import price as prices, main\n"),
]  # fmt: skip
BAD_PYTHON = [
    ("shop/main.py", "    return total\n", "    return summarise(total)\n", "call", "summarise"),
    ("shop/main.py", "    return total\n", "    return price_of(items[0], money='USD')\n", "keyword", "money"),
    ("shop/main.py", "    return total\n", "    return price.price_for(items)\n", "call", "price_for"),
    ("shop/main.py", "    return total\n", "    return price.RATES\n", "attribute", "RATES"),
    ("shop/main.py", "    return total\n", "    return shelf.fill_up(items)\n", "call", "fill_up"),
    ("shop/main.py", "    return total\n", "    return shelf.fill(total, currency=1)\n", "keyword", "currency"),
    ("shop/main.py", "    shelf = Shelf(3)\n", "    shelf = Shelf(width=3)\n", "keyword", "width"),
    ("shop/main.py", "from shop.price import Shelf", "from shop.price import Shelves", "import", "Shelves"),
    ("shop/price.py", "        return self.size\n", "        return self.sizes\n", "attribute", "sizes"),
    ("shop/price.py", "self.reset(hard=True)", "self.reset(harder=True)", "keyword", "harder"),
    ("shop/price.py", "self.reset(hard=True)", "self.price_of(1)", "call", "price_of"),
]
GOOD_SCRIPT = [
    ("src/main.ts", "  return shelf;\n", "  shelf.add({ price: 1 });\n  return shelf;\n"),
    ("src/main.ts", "  return shelf;\n", "  axios.anything(count);\n  document.querySelector('x');\n  return shelf;\n"),
    ("src/main.ts", "  return shelf;\n", "  const fresh = (own: number) => own;\n  fresh(1);\n  return shelf;\n"),
    ("src/shelf.ts", "    this.items.push(item);\n", "    this.items.push(item);\n    this.total();\n"),
]
BAD_SCRIPT = [
    ("src/main.ts", "  return shelf;\n", "  shelf.append(1);\n  return shelf.summarise();\n", "attribute", "summarise"),
    ("src/main.ts", "  return shelf;\n", "  return remakeShelf(shelf);\n", "call", "remakeShelf"),
    ("src/main.ts", "import { Shelf, makeShelf }", "import { Shelf, createShelf, makeShelf }", "import", "createShelf"),
    ("src/main.ts", "makeShelf({ size: count })", "makeShelf({ breadth: count })", "keyword", "breadth"),
    ("src/shelf.ts", "    this.items.push(item);\n", "    this.makeShelf(item);\n", "attribute", "makeShelf"),
]


@pytest.mark.parametrize(("path", "old", "new"), GOOD_PYTHON + GOOD_SCRIPT)
def test_what_exists_is_not_reported(path: str, old: str, new: str) -> None:
    files = PYTHON if path.endswith(".py") else SCRIPT
    found = check(files, path, old, new)
    assert found.unknown == () and found.skipped == () and found.checked > 0 or "brand_new" in new


@pytest.mark.parametrize(("path", "old", "new", "kind", "name"), BAD_PYTHON + BAD_SCRIPT)
def test_what_does_not_exist_is_reported(path: str, old: str, new: str, kind: str, name: str) -> None:
    files = PYTHON if path.endswith(".py") else SCRIPT
    found = check(files, path, old, new)
    assert [(each.kind, each.name, each.path) for each in found.unknown] == [(kind, name, path)]
    line = files[path].replace(old, new, 1).split("\n")[found.unknown[0].line - 1]
    assert name in line


def test_new_files_and_other_languages() -> None:
    new = "--- /dev/null\n+++ b/shop/new.py\n@@ -0,0 +1,2 @@\n+from shop.price import price_of\n+price_of(1, coin=2)\n"
    found = check_names(new, PYTHON, dict.fromkeys(PYTHON, "python"))
    assert [(each.kind, each.name, each.line) for each in found.unknown] == [("keyword", "coin", 2)]
    other = "--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-a\n+b\n"
    assert check_names(other, PYTHON, {}).skipped == (("a.go", "names of its language are not checked"),)
    assert check_names("", PYTHON, {}).unknown == ()


def test_a_patch_that_is_in_already_and_one_that_does_not_fit() -> None:
    path, old, new = "shop/main.py", "    return total\n", "    return summarise(total)\n"
    patch = patch_of(path, PYTHON[path], PYTHON[path].replace(old, new))
    done = {**PYTHON, path: PYTHON[path].replace(old, new)}
    assert [each.name for each in check_names(patch, done, dict.fromkeys(done, "python")).unknown] == ["summarise"]
    other = {**PYTHON, path: "x = 1\n"}
    found = check_names(patch, other, dict.fromkeys(other, "python"))
    assert "does not fit" in found.skipped[0][1]


def test_what_cannot_be_parsed_is_skipped_with_a_reason() -> None:
    patch = "--- /dev/null\n+++ b/shop/new.py\n@@ -0,0 +1,1 @@\n+def f(:\n"
    assert "cannot be parsed" not in check_names(patch, PYTHON, dict.fromkeys(PYTHON, "python")).skipped[0][0]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=14),
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=14),
    st.integers(0, 3),
)
def test_a_patch_is_applied_as_patch_does(before: list[str], after: list[str], context: int) -> None:
    old, new = "\n".join(before) + "\n", "\n".join(after) + "\n"
    patch = "".join(unified_diff(old.splitlines(True), new.splitlines(True), "a/x.py", "b/x.py", n=context))
    added = sum(line.startswith("+") and not line.startswith("+++") for line in patch.split("\n"))
    found = patched_files(patch, {"x.py": old})
    if added:
        assert found[0].text == new and found[0].fits and len(found[0].added) == added
        rows = new.split("\n")
        assert all(1 <= line <= len(rows) for line in found[0].added)
    else:
        assert found == []


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=10, unique=True),
    st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=12, unique=True),
    st.integers(0, 3),
)
def test_a_patch_that_is_there_is_taken_out(before: list[str], after: list[str], context: int) -> None:
    old, new = "\n".join(before) + "\n", "\n".join(after) + "\n"
    patch = "".join(unified_diff(old.splitlines(True), new.splitlines(True), "a/x.py", "b/x.py", n=context))
    assert texts_before(patch, {"x.py": new}) == ({"x.py": old} if old != new else {})
    assert texts_before(patch, {"x.py": old}) == {}


@pytest.mark.parametrize(("path", "old", "new", "kind", "name"), BAD_PYTHON + BAD_SCRIPT)
@pytest.mark.parametrize("context", [0, 2])
def test_a_patch_that_is_there_already_gives_the_same_result(
    path: str, old: str, new: str, kind: str, name: str, context: int
) -> None:
    files = PYTHON if path.endswith(".py") else SCRIPT
    languages = dict.fromkeys(files, "python" if path.endswith(".py") else "typescript")
    after = files[path].replace(old, new, 1)
    rows = files[path].splitlines(True), after.splitlines(True)
    patch = "".join(unified_diff(*rows, f"a/{path}", f"b/{path}", n=context))
    found = check_names(patch, {**files, path: after}, languages)
    assert [(each.kind, each.name) for each in found.unknown] == [(kind, name)]
    assert found == check_names(patch, files, languages)


def test_files_that_a_patch_made_or_removed_count_as_before_it() -> None:
    made = "def brand_new():\n    return nothing_has_this()\n"
    patch = patch_of("shop/new.py", "", made).replace("--- a/shop/new.py", "--- /dev/null")
    gone = patch_of("shop/main.py", PYTHON["shop/main.py"], "").replace("+++ b/shop/main.py", "+++ /dev/null")
    after = {**PYTHON, "shop/new.py": made}
    del after["shop/main.py"]
    there = check_names(patch + gone, after, dict.fromkeys(after, "python"))
    assert [(each.path, each.line, each.name) for each in there.unknown] == [("shop/new.py", 2, "nothing_has_this")]
    assert there == check_names(patch + gone, PYTHON, dict.fromkeys(PYTHON, "python"))
