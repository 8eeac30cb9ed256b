from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc import Locator, locate
from sherloc.retriever.features import FEATURES
from sherloc.retriever.file_features import FILE_FEATURES
from sherloc.retriever.ranker import FILE_TREES, TREES, Trees, load_trees, reordered

Make = Callable[..., Path]
FILES = {
    "shop/basket.py": 'def add(item):\n    """Put into the basket."""\n    return total(item)\n',
    "shop/price.py": "def total(item):\n    return item.price\n",
    "shop/tax.py": "def basket_tax(item):\n    return 1\n",
}
ISSUE = "Wrong total of the basket\n\nThe tax is missing."

# Two trees: is column 1 at most 0.5 -> 1, else is column 0 at most 2 -> 2, else 4; and a lone leaf of 10.
SMALL = Trees(
    roots=np.array([0, 5]),
    feature=np.array([1, 0, 0, 0, 0, 0]),
    threshold=np.array([0.5, 0.0, 2.0, 0.0, 0.0, 0.0]),
    left=np.array([1, 1, 3, 3, 4, 5]),
    right=np.array([2, 1, 4, 3, 4, 5]),
    value=np.array([0.0, 1.0, 0.0, 2.0, 4.0, 10.0]),
    depth=2,
)


def test_trees_are_walked_to_their_leaves() -> None:
    rows = np.array([[9.0, 0.5], [2.0, 0.6], [2.1, 0.6]])
    assert SMALL.predict(rows).tolist() == [11.0, 12.0, 14.0]
    assert SMALL.predict(np.zeros((0, 2))).tolist() == []


def walk(trees: Trees, root: int, row: np.ndarray) -> float:
    at = root
    while trees.left[at] != at:
        at = int(trees.left[at] if row[trees.feature[at]] <= trees.threshold[at] else trees.right[at])
    return float(trees.value[at])


SHIPPED = pytest.mark.parametrize(("path", "columns"), [(TREES, FEATURES), (FILE_TREES, FILE_FEATURES)])


@SHIPPED
def test_the_shipped_trees_step_by_step(path: Path, columns: tuple[str, ...]) -> None:
    trees = load_trees(path, columns)
    rows = np.random.default_rng(1).normal(0.3, 1, (40, len(columns)))
    wanted = [sum(walk(trees, int(root), row) for root in trees.roots) for row in rows]
    assert trees.predict(rows) == pytest.approx(wanted)
    assert path.stat().st_size < 1_000_000
    assert trees.feature.min() >= 0 and trees.feature.max() < len(columns)


@SHIPPED
def test_trees_of_other_features_are_refused(path: Path, columns: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=f"{path.name} was trained on other features"):
        load_trees(path, columns[::-1])


def test_scores_are_shared_out_in_the_learned_order() -> None:
    scores = np.array([0.5, 3.0, 2.0, 1.0, 9.0])
    found = reordered(scores, np.array([0, 1, 2]), np.array([7.0, 1.0, 5.0]))
    assert found.tolist() == [3.0, 0.5, 2.0, 1.0, 9.0]
    # equal values keep the order by hand
    assert reordered(scores, np.array([0, 1, 2]), np.zeros(3)).tolist() == scores.tolist()


@given(st.lists(st.tuples(st.floats(0, 9), st.floats(-9, 9), st.booleans()), min_size=1, max_size=30))
def test_only_who_has_which_score_changes(rows: list[tuple[float, float, bool]]) -> None:
    scores = np.array([score for score, _, _ in rows])
    units = np.array([at for at, row in enumerate(rows) if row[2]], np.int64)
    learned = np.array([row[1] for row in rows if row[2]])
    found = reordered(scores, units, learned)
    others = np.setdiff1d(np.arange(len(rows)), units)
    assert Counter(found[units].tolist()) == Counter(scores[units].tolist())
    assert found[others].tolist() == scores[others].tolist()
    best = units[np.lexsort((units, -found[units]))]
    values = dict(zip(units.tolist(), learned.tolist(), strict=True))
    for one, two in zip(best.tolist(), best.tolist()[1:], strict=False):
        assert values[one] >= values[two] or found[one] == found[two]


def test_files_and_functions_keep_the_scores_that_there_are(make_repository: Make) -> None:
    root = make_repository(FILES)
    learned, by_hand = (locate(ISSUE, root, settings={"retrieval": {"learned_ranking": on}}) for on in (True, False))
    for level in ("ranked_files", "ranked_functions"):
        one, other = (getattr(report, level) for report in (learned, by_hand))
        assert [place.score for place in one] == [place.score for place in other]


def test_a_scope_shares_out_the_scores_of_what_is_in_it(make_repository: Make) -> None:
    words = ("basket", "tax", "total", "item", "price", "missing", "wrong")
    root = make_repository(
        {
            f"p{number % 5}/{words[number % 7]}_{number}.py": "".join(
                f"def {words[(number + at) % 7]}_{words[number * at % 7]}(tax):\n    return basket\n\n\n"
                for at in range(1 + number % 4)
            )
            for number in range(35)
        }
    )
    learned, by_hand = (Locator(root, settings={"retrieval": {"learned_ranking": on}}) for on in (True, False))
    with learned, by_hand:
        for scope in ((f"p{one}", f"p{other}") for one in range(5) for other in range(one, 5)):
            one, other = (locator.locate(ISSUE, scope=scope) for locator in (learned, by_hand))
            # What is said of a file is of its best function, which may be another one.
            firsts = [report.ranked_files[0] for report in (one, other)]
            assert firsts[0] == firsts[1].model_copy(update={"signals": firsts[0].signals})
            assert [file.score for file in one.ranked_files] == [file.score for file in other.ranked_files]
            scores = [[place.score for place in report.ranked_functions] for report in (one, other)]
            assert scores[0] == scores[1]
