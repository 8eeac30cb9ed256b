"""Chooses among candidates: the best by the tests given, then by what a reviewer has to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sherloc.schema.fix import ProducedPatch


@dataclass(frozen=True, slots=True)
class Choice:
    """Which candidate is taken.

    Attributes:
        index: Its place in the list; None when none is good enough.
        why: The reason, in words.
    """

    index: int | None
    why: str


def choose(patches: Sequence[ProducedPatch]) -> Choice:
    """The best candidate, or none.

    Refused ones, and those whose tests failed, are never taken. Of the others those whose tests passed come before
    those without a run of tests; then fewer flags, fewer lines added and removed, and the smaller number of the
    candidate decide. Of several with the same diff only the first counts. The order of the list does not matter.

    Args:
        patches: The candidates, with the results of their tests.
    """
    sound = {number: patch for number, patch in enumerate(patches) if patch.diff and not patch.problems}
    if not sound:
        return Choice(None, _none(len(patches)))
    distinct: dict[str, int] = {}
    for number in sorted(sound, key=lambda each: _rank(patches[each])):
        distinct.setdefault(patches[number].diff, number)
    usable = [number for number in distinct.values() if _tested(patches[number]) >= 0]
    if not usable:
        count = f"All {len(distinct)} candidates fail" if len(distinct) > 1 else "The only candidate fails"
        return Choice(None, f"{count} the project's tests.")
    return Choice(usable[0], _why(patches, usable, len(sound), len(distinct)))


def _tested(patch: ProducedPatch) -> int:
    """1: the tests passed; 0: none were run; -1: they failed."""
    return 0 if patch.tests is None else 1 if patch.tests.passed else -1


def _rank(patch: ProducedPatch) -> tuple[int, int, int, int]:
    return (-_tested(patch), len(patch.flags), patch.added + patch.removed, patch.candidate)


def _none(count: int) -> str:
    if count == 0:
        return "There is no candidate."
    return "The only candidate is refused." if count == 1 else f"All {count} candidates are refused."


def _why(patches: Sequence[ProducedPatch], usable: Sequence[int], sound: int, distinct: int) -> str:
    best = patches[usable[0]]
    facts = "its tests pass" if _tested(best) > 0 else "no tests were run"
    same = f" {sound - distinct} with the same diff as another counted once." if sound > distinct else ""
    left = f" {len(patches) - sound} refused." if len(patches) > sound else ""
    failed = distinct - len(usable)
    left += f" {failed} failed the tests." if failed else ""
    if len(usable) == 1:
        return f"Candidate {best.candidate} is the only one left; {facts}.{same}{left}"
    return f"Candidate {best.candidate} of {len(patches)}: {facts}; {_decided(best, patches[usable[1]])}.{same}{left}"


def _decided(best: ProducedPatch, second: ProducedPatch) -> str:
    """What put the best before the second."""
    if _tested(best) != _tested(second):
        return "the others were not tested"
    if len(best.flags) != len(second.flags):
        return f"it has the fewest flags ({len(best.flags)})"
    if best.added + best.removed != second.added + second.removed:
        return f"it changes the fewest lines ({best.added + best.removed})"
    return "it is the first of equals"
