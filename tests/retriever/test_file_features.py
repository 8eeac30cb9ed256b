"""Features of files by hand, on a segment of three files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from sherloc.indexer.builder import build_index
from sherloc.indexer.segment import Segment
from sherloc.repository import open_tree
from sherloc.retriever.cues import Cues
from sherloc.retriever.file_features import FILE_FEATURES, file_features
from sherloc.retriever.fusion import Fused
from sherloc.settings import Settings

Make = Callable[..., Path]
FILES = {
    "a/__init__.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n",
    "a/b/deep.py": "def three():\n    return 3\n",
    "none.py": "A = 1\n",
}


def segment_of(root: Path) -> Segment:
    return build_index(open_tree(root), Settings()).code


def test_each_column(make_repository: Make) -> None:
    s = segment_of(make_repository(FILES))
    assert s.paths == ["a/__init__.py", "a/b/deep.py", "none.py"]
    assert s.qualified_names == ["", "one", "two", "", "three", ""]
    units = np.array([0.0, 2.0, 1.0, 0.0, 4.0, 0.0])
    fused = Fused(units, np.array([4.0, 8.0, 0.0]), units / 2, np.zeros(6), np.array([0.5, 0.25, 0.0]))
    cues = Cues(
        units={"name": np.array([0.0, 0.0, 1.0, 0.0, 0.5, 0.0])},
        files={"path": np.array([0.25, 0.0, 0.0])},
        relative_files={"recent": np.array([0.5, 1.0, 0.0])},
        compared=([1, 2], np.array([[0.75, 0.8, 0.9], [0.25, 0.8, 0.9]])),
    )
    files, rows = file_features(s, fused, cues, np.array([1.0, 0.5, 1.0]))
    assert files.tolist() == [1, 0]  # what has no score is no candidate
    column = {name: rows[:, at].tolist() for at, name in enumerate(FILE_FEATURES)}
    assert column["score"] == [8, 4] and column["share"] == [1, 0.5] and column["rank"] == [0, 1]
    assert column["gap"] == [0, 0.5]
    assert column["lexical"] == [0.25, 0.5] and column["lexical_rank"] == [1, 0]
    assert column["best_unit"] == [2, 1] and column["second_unit"] == [0, 0.5] and column["third_unit"] == [0, 0]
    assert column["own"] == [1, 0.5] and column["own_rank"] == [0, 1]
    assert column["units"] == np.log1p([2, 3]).tolist() and column["penalty"] == [0.5, 1]
    assert column["similarity"] == [-0.2, 0.75] and column["similarity_of_three"] == [-0.2, 0.5]
    assert column["similarity_lead"] == [-0.95, 0] and column["similarity_rank"] == [1, 0]
    assert column["compared"] == [0, 2]
    assert column["in_ten"] == column["in_thirty"] == [1, 2]
    assert column["depth"] == [2, 1] and column["is_init"] == [0, 1]
    assert column["lines"] == np.log1p([2, 6]).tolist()
    assert column["unit_name"] == [0.5, 1] and column["unit_frame"] == [0, 0]
    assert column["file_path"] == [0, 0.25] and column["file_stem"] == [0, 0]
    assert column["relative_recent"] == [1, 0.5] and column["relative_alike"] == [0, 0]


def test_at_most_forty_files_are_put_in_order(make_repository: Make) -> None:
    s = segment_of(make_repository({f"m{number:02}.py": "A = 1\n" for number in range(50)}))
    fused = Fused(np.zeros(50), np.arange(50.0), np.zeros(50), np.zeros(50), np.zeros(50))
    files, rows = file_features(s, fused, Cues(compared=([], np.zeros((0, 3)))), np.ones(50))
    assert files.tolist() == list(range(49, 9, -1)) and rows.shape == (40, len(FILE_FEATURES))


def test_no_file_gives_no_row(make_repository: Make) -> None:
    s = segment_of(make_repository({"one.py": "A = 1\n"}))
    files, rows = file_features(s, Fused(*[np.zeros(1)] * 5), Cues(compared=([], np.zeros((0, 3)))), np.ones(1))
    assert files.tolist() == [] and rows.shape == (0, len(FILE_FEATURES))
