"""Features by hand, on a segment of two files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from sherloc.indexer.builder import build_index
from sherloc.indexer.segment import Segment
from sherloc.repository import open_tree
from sherloc.retriever.cues import Cues
from sherloc.retriever.features import FEATURES, features, may_move
from sherloc.retriever.fusion import Fused
from sherloc.settings import Settings

Make = Callable[..., Path]

ONE = '''class Reader:
    """Reads."""

    def __init__(self):
        self.a = 1

    def _read(self):
        def inner():
            return 1

        return inner
'''
TWO = "def _read():\n    return 2\n"


def segment_of(root: Path) -> Segment:
    return build_index(open_tree(root), Settings()).code


def test_each_column(make_repository: Make) -> None:
    s = segment_of(make_repository({"one.py": ONE, "two.py": TWO}))
    names = ["", "Reader", "Reader.__init__", "Reader._read", "Reader._read.inner", "", "_read"]
    assert s.qualified_names == names
    own = np.array([0.0, 1.0, 2.0, 4.0, 1.0, 0.0, 3.0])
    fused = Fused(own, np.array([5.0, 10.0]), own / 2, np.array([0, 0.5, 0.2, 0.4, 0.1, 0, 0.8]), np.zeros(2))
    cues = Cues(units={"name": np.arange(7.0), "touched": np.array([0, 0, 0.5, 0.25, 0, 0, 0])})
    cues.relative_files["alike"] = np.array([0.75, 0.125])
    similarity = np.array([[0.9, 0.1, 0.2, 0.1, 0.4], [0.9, 0.3, 0.2, 0.5, 0.4], [0.9, 0.7, 0.2, 0.6, 0.8]]).T
    units, rows = features(s, fused, cues, [1, 2, 3, 4, 6], similarity)
    assert units.tolist() == [2, 3, 4, 6]  # the class is no function
    column = {name: rows[:, at].tolist() for at, name in enumerate(FEATURES)}
    assert column["own_share"] == [0.5, 1.0, 0.25, 0.75]
    assert column["for_file"] == [1.0, 2.0, 0.5, 1.5]
    assert column["lines"] == np.log1p([2, 5, 2, 2]).tolist()
    assert column["is_method"] == [1, 1, 0, 0]
    assert column["file_share"] == [0.5, 0.5, 0.5, 1.0]
    assert column["file_rank"] == [1, 1, 1, 0]
    assert column["own_rank"] == [2, 0, 3, 1]
    assert column["own_in_file"] == [0.5, 1.0, 0.25, 1.0]
    assert column["lexical_in_file"] == [0.5, 1.0, 0.25, 1.0]
    assert column["others_in_file"] == [3, 3, 3, 1]
    assert column["name"] == [2, 3, 4, 6] and column["frame"] == [0, 0, 0, 0]
    assert column["class_lexical"] == [0.5, 0.5, 0.0, 0.0]
    assert column["is_dunder"] == column["is_constructor"] == [1, 0, 0, 0]
    assert column["is_private"] == [0, 1, 0, 1]
    assert column["namesakes"] == np.log1p([1, 2, 1, 2]).tolist()
    assert column["place"] == [0.4, 0.6, 0.8, 0.5]
    assert column["is_nested"] == [0, 0, 1, 0]
    assert np.allclose(column["similarity_lead"], [-0.3, -0.2, -0.3, 0.0])
    assert np.allclose(column["similarity_in_file"], [-0.1, 0.0, -0.1, 0.0])
    assert column["similarity_rank"] == [2, 1, 3, 0]
    assert column["window"] == [0.3, 0.2, 0.5, 0.4] and column["window_rank"] == [2, 3, 0, 1]
    assert np.allclose(column["window_lead"], [-0.2, -0.3, 0.0, -0.1])
    assert column["title_window"] == [0.7, 0.2, 0.6, 0.8] and column["title_window_rank"] == [1, 3, 2, 0]
    assert np.allclose(column["title_window_lead"], [-0.1, -0.6, -0.2, 0.0])
    assert column["touched"] == [0.5, 0.25, 0, 0] and column["touched_in_file"] == [1, 0.5, 0, 0]
    assert column["touched_most"] == column["touched_times"] == [0, 0, 0, 0]
    assert column["file_alike"] == [0.75, 0.75, 0.75, 0.125]


def test_only_what_a_traceback_names_stays() -> None:
    rows = np.zeros((4, len(FEATURES)))
    rows[2, FEATURES.index("frame")] = 0.25
    assert may_move(rows).tolist() == [True, True, False, True]


def test_no_function_gives_no_row(make_repository: Make) -> None:
    s = segment_of(make_repository({"one.py": "A = 1\n"}))
    fused = Fused(np.ones(1), np.ones(1), np.ones(1), np.ones(1), np.ones(1))
    units, rows = features(s, fused, Cues(), [0], np.ones((1, 3)))
    assert units.tolist() == [] and rows.shape == (0, len(FEATURES))
