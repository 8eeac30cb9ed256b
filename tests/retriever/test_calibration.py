from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from sherloc.retriever.calibration import FILES, file_chances, unit_chances

_SCORES = st.lists(st.floats(1e-6, 10), max_size=60).map(lambda scores: sorted(scores, reverse=True))


@given(_SCORES)
def test_chances_are_chances_and_never_rise_with_rank(scores: list[float]) -> None:
    files = file_chances(scores, [(0.0, 0.0, 0.0)] * len(scores))
    units = unit_chances(scores, list(range(len(scores))))
    for chances in (files, units):
        assert len(chances) == len(scores)
        assert all(0 < chance < 1 for chance in chances)
        assert chances == sorted(chances, reverse=True)


def test_a_clear_lead_is_surer_than_a_narrow_one() -> None:
    none = [(0.0, 0.0, 0.0)] * 3
    assert file_chances([2.0, 0.5, 0.4], none)[0] > 0.9 > 0.6 > file_chances([2.0, 1.99, 1.98], none)[0]


def test_the_first_file_by_hand() -> None:
    total = -0.187 - 1.029 * 1 + 3.275 * math.log(2) - 0.609 * 0 + 0.364 * 2 - 0.155 * 1
    chances = file_chances([2.0, 1.0], [(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)])
    assert math.isclose(chances[0], 1 / (1 + math.exp(-total)))


def test_after_the_modelled_ranks_chances_go_on_falling() -> None:
    chances = file_chances([1.0] * (FILES + 3), [(0.0, 0.0, 0.0)] * (FILES + 3))
    assert chances[FILES - 1] > chances[FILES] > chances[FILES + 1] > chances[FILES + 2] > 0


def test_the_first_function_by_hand() -> None:
    total = 3.076 - 5.439 * 1 + 3.89 * math.log(2) - 0.962 * 0 + 0.855 * 2 - 0.179 * math.log(2)
    assert math.isclose(unit_chances([2.0, 1.0], [1, 0])[0], 1 / (1 + math.exp(-total)))
