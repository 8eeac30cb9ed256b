from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.repair.choosing import choose
from sherloc.schema.fix import ProducedPatch, TestRun


def patch(
    candidate: int, diff: str = "", tests: bool | None = None, *, flags: int = 0, lines: int = 2, refused: bool = False
) -> ProducedPatch:
    run = None if tests is None else TestRun(command="t", exit_code=0 if tests else 1, passed=tests)
    return ProducedPatch(
        candidate=candidate, generator="g", diff="" if refused else diff or f"d{candidate}", added=lines, removed=0,
        flags=("f",) * flags, problems=("p",) if refused else (), tests=None if refused else run,
    )  # fmt: skip


def test_none() -> None:
    assert choose([]).why == "There is no candidate."
    assert choose([patch(0, refused=True)]).why == "The only candidate is refused."
    assert choose([patch(0, refused=True), patch(1, refused=True)]).why == "All 2 candidates are refused."
    only = choose([patch(0, tests=False)])
    assert (only.index, only.why) == (None, "The only candidate fails the project's tests.")
    all_fail = choose([patch(0, tests=False), patch(1, tests=False), patch(2, refused=True)])
    assert (all_fail.index, all_fail.why) == (None, "All 2 candidates fail the project's tests.")


def test_the_only_one() -> None:
    choice = choose([patch(0, refused=True), patch(1, tests=False), patch(2, tests=True)])
    assert choice.index == 2
    assert choice.why == "Candidate 2 is the only one left; its tests pass. 1 refused. 1 failed the tests."
    assert choose([patch(0)]).why == "There is one candidate; no tests were run."


def test_the_order_of_reasons() -> None:
    assert choose([patch(0, tests=False, lines=1), patch(1, lines=1), patch(2, tests=True, lines=90)]).index == 2
    assert choose([patch(0, tests=False), patch(1, lines=50)]).index == 1
    by_flags = choose([patch(0, tests=True, flags=2, lines=1), patch(1, tests=True, flags=1, lines=9)])
    assert (by_flags.index, by_flags.why) == (1, "Candidate 1 of 2: its tests pass; it has the fewest flags (1).")
    by_lines = choose([patch(0, tests=True, lines=9), patch(1, tests=True, lines=4)])
    assert (by_lines.index, by_lines.why) == (1, "Candidate 1 of 2: its tests pass; it changes the fewest lines (4).")
    equal = choose([patch(3), patch(2)])
    assert (equal.index, equal.why) == (1, "Candidate 2 of 2: no tests were run; it is the first of equals.")


def test_the_same_diff_counts_once() -> None:
    choice = choose([patch(0, "same", True), patch(1, "same", True), patch(2, "other", True, lines=3)])
    assert choice.index == 0
    assert choice.why == (
        "Candidate 0 of 3: its tests pass; it changes the fewest lines (2). "
        "1 with the same diff as another counted once."
    )


patches = st.lists(
    st.builds(
        lambda diff, tests, flags, lines, refused: (diff, tests, flags, lines, refused),
        st.sampled_from(["a", "b", "c"]), st.sampled_from([True, False, None]), st.integers(0, 2), st.integers(0, 3),
        st.booleans(),
    ),
    max_size=6,
)  # fmt: skip


@settings(max_examples=40)
@given(patches, st.randoms(use_true_random=False))
def test_any_order_gives_the_same(drawn: list[tuple[str, bool | None, int, int, bool]], random: object) -> None:
    made = [
        patch(number, diff, tests, flags=flags, lines=lines, refused=refused)
        for number, (diff, tests, flags, lines, refused) in enumerate(drawn)
    ]
    first = choose(made)
    shuffled = list(made)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    second = choose(shuffled)
    assert first.why == second.why
    assert (first.index is None) == (second.index is None)
    if first.index is not None and second.index is not None:
        taken = made[first.index]
        assert taken == shuffled[second.index]
        assert not taken.problems and (taken.tests is None or taken.tests.passed)
    else:
        assert all(each.problems or (each.tests is not None and not each.tests.passed) for each in made)
