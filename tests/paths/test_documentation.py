from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import get_args

import pytest

from sherloc.paths import PROTECTED, SENTENCES, PathReason, folding, policy, spelling
from sherloc.repository import open_tree

DOCUMENT = (Path(__file__).parents[2] / "docs" / "paths.md").read_text(encoding="utf-8")


def test_every_reason_is_explained_and_documented() -> None:
    assert tuple(SENTENCES) == get_args(PathReason)
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", DOCUMENT.partition("## Reasons")[2], re.MULTILINE)
    assert dict(rows) == dict(SENTENCES)


def test_every_protected_group_is_documented() -> None:
    assert set(re.findall(r"`(\w+)`", DOCUMENT.partition("`PROTECTED`")[2].partition("\n")[0])) == set(PROTECTED)


@pytest.mark.parametrize("module", [folding, policy, spelling])
def test_examples(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


def test_the_documented_example(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "old.py").touch()
    names: dict[str, object] = {}
    for block in blocks:
        exec(block.replace("path/to/repository", tmp_path.as_posix()), names)  # noqa: S102
    assert sorted(each.name for each in (tmp_path / "src").iterdir()) == ["app.py", "new.py"]


def test_a_repositorys_tree_will_do(tmp_path: Path) -> None:
    from sherloc.paths import UnsafePathError, check_path

    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("A = 1\n")
    (tmp_path / "link").symlink_to("src")
    tree = open_tree(tmp_path)
    assert check_path("a/src/a.py:1", tree) == "src/a.py"
    for path, reason in (("link/a.py", "symlink"), ("SRC/a.py", "case_collision")):
        with pytest.raises(UnsafePathError) as caught:
            check_path(path, tree)
        assert caught.value.reason == reason
