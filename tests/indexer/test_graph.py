"""Which files an import can mean."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sherloc.indexer.builder import build_index
from sherloc.repository import open_tree
from sherloc.settings import load_settings

FILES = {
    "pkg/__init__.py": "",
    "pkg/annotations.py": "def note():\n    return 1\n",
    "pkg/uses.py": "from __future__ import annotations\nfrom pkg.annotations import note\n\ndef use():\n    note()\n",
    "pkg/plain.py": "from __future__ import annotations, division\n\n\ndef plain():\n    return 2\n",
    "pkg/division.py": "def half(x):\n    return x / 2\n",
}


@pytest.mark.parametrize(
    ("path", "imported"), [("pkg/uses.py", ["pkg/annotations.py"]), ("pkg/plain.py", []), ("pkg/division.py", [])]
)
def test_features_of_the_language_are_no_files(
    make_repository: Callable[..., Path], path: str, imported: list[str]
) -> None:
    index = build_index(open_tree(make_repository(FILES)), load_settings({"cache": {"workers": 1}}))
    graph, paths = index.graph, index.code.paths
    assert [paths[n] for n in graph.imported_files(paths.index(path))] == imported


def test_a_file_named_like_a_feature_is_imported_by_those_who_name_it(make_repository: Callable[..., Path]) -> None:
    index = build_index(open_tree(make_repository(FILES)), load_settings({"cache": {"workers": 1}}))
    graph, paths = index.graph, index.code.paths
    assert [paths[n] for n in graph.importing_files(paths.index("pkg/annotations.py"))] == ["pkg/uses.py"]
