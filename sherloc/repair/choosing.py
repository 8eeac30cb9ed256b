"""Chooses among candidates: the best by the tests given, then by what a reviewer has to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sherloc.schema.fix import ProducedPatch, TestRun


@dataclass(frozen=True, slots=True)
class Choice:
    """Which candidate is taken.

    Attributes:
        index: Its place in the list; None when none is good enough.
        why: The reason, in words.
    """

    index: int | None
    why: str


def choose(patches: Sequence[ProducedPatch], base: TestRun | None = None) -> Choice:
    """The best candidate, or none.

    Refused ones, and those whose tests failed, are never taken. Of the others those whose tests passed come before
    those without a run of tests; then fewer flags, fewer lines added and removed, and the smaller number of the
    candidate decide. Of several with the same diff only the first counts. The order of the list does not matter.

    Tests that fail without any change, too, decide nothing, unless more of them fail with it.

    Args:
        patches: The candidates, with the results of their tests.
        base: The tests without any change.
    """
    sound = {number: patch for number, patch in enumerate(patches) if patch.diff and not patch.problems}
    if not sound:
        return Choice(None, _none(len(patches)))
    distinct: dict[str, int] = {}
    for number in sorted(sound, key=lambda each: _rank(patches[each], base)):
        distinct.setdefault(patches[number].diff, number)
    usable = [number for number in distinct.values() if tested(patches[number], base) >= 0]
    if not usable:
        count = f"All {len(sound)} candidates fail" if len(sound) > 1 else "The only candidate fails"
        return Choice(None, f"{count} the project's tests.")
    return Choice(usable[0], _why(patches, base, usable, len(sound), len(distinct)))


def tested(patch: ProducedPatch, base: TestRun | None) -> int:
    """What its tests say of a patch.

    Args:
        patch: With a run of its tests, or none.
        base: The tests without any change.

    Returns:
        1: they passed; 0: none were run, or they fail as they do without the patch; -1: they fail because of it.
    """
    run = patch.tests
    if run is None or run.passed:
        return 0 if run is None else 1
    if base is None or base.passed or run.exit_code is None:
        return -1
    return -1 if set(run.failing) - set(base.failing) or (run.failing and not base.failing) else 0


def _rank(patch: ProducedPatch, base: TestRun | None) -> tuple[int, int, int, int]:
    return (-tested(patch, base), len(patch.flags), patch.added + patch.removed, patch.candidate)


def _none(count: int) -> str:
    if count == 0:
        return "There is no candidate."
    return "The only candidate is refused." if count == 1 else f"All {count} candidates are refused."


def _why(
    patches: Sequence[ProducedPatch], base: TestRun | None, usable: Sequence[int], sound: int, distinct: int
) -> str:
    best = patches[usable[0]]
    same = f" {sound - distinct} with the same diff as another counted once." if sound > distinct else ""
    left = f" {len(patches) - sound} refused." if len(patches) > sound else ""
    failed = distinct - len(usable)
    left += f" {failed} failed the tests." if failed else ""
    if len(patches) == 1:
        return f"There is one candidate; {_facts(best)}."
    if len(usable) == 1:
        return f"Candidate {best.candidate} is the only one left; {_facts(best)}.{same}{left}"
    decided = _decided(best, patches[usable[1]], base)
    return f"Candidate {best.candidate} of {len(patches)}: {_facts(best)}; {decided}.{same}{left}"


def _facts(patch: ProducedPatch) -> str:
    if patch.tests is None:
        return "no tests were run"
    return "its tests pass" if patch.tests.passed else "its tests fail, as they do without it"


def _decided(best: ProducedPatch, second: ProducedPatch, base: TestRun | None) -> str:
    """What put the best before the second."""
    if tested(best, base) != tested(second, base):
        return "the tests of the others do not pass"
    if len(best.flags) != len(second.flags):
        return f"it has the fewest flags ({len(best.flags)})"
    if best.added + best.removed != second.added + second.removed:
        return f"it changes the fewest lines ({best.added + best.removed})"
    return "it is the first of equals"
