"""Compares what a scan found with what a model says that it saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from sherloc.boundary.criteria import CriteriaInMaterial
from sherloc.boundary.folding import fold
from sherloc.boundary.hits import Hit

if TYPE_CHECKING:
    from sherloc.schema.change_set import ChangeSet

Reported: TypeAlias = "int | Sequence[Hit | str | Mapping[str, Any] | tuple[str | None, int]]"
"""A number, or hits, texts, mappings with ``path``, ``line`` and ``text``, or pairs of path and line."""

_NOWHERE = frozenset({"limit", "override", "answer"})
"""Rules whose sentences point at no place, so they bear on all of them."""

_SHORTEST_PART = 8
"""Characters; shorter texts are no quote of a line."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a direction may hide: a change set, or a defect planted in a test.

    Attributes:
        name: What to call it in warnings.
        path: Its file.
        criterion: The row of the criteria by which it would be found, as it stands there; or empty.
    """

    name: str
    path: str
    criterion: str = ""


@dataclass(frozen=True, slots=True)
class Warned:
    """A mismatch between scan and model.

    Attributes:
        code: ``missing``, ``unknown``, ``repeated``, or ``count`` where only a number was given.
        message: In words.
        hits: The hits that it is about.
        places: Names of what their lines cover: look there again.
    """

    code: str
    message: str
    hits: tuple[Hit, ...]
    places: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "code": self.code, "message": self.message, "places": list(self.places),
            "hits": [hit.record() for hit in self.hits],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReportedCheck:
    """The outcome: the two counts, and what does not match.

    Attributes:
        expected: Hits of the scan.
        reported: What the model listed.
        warnings: Empty when each hit was listed once and nothing else.
    """

    expected: int
    reported: int
    warnings: tuple[Warned, ...]

    @property
    def agrees(self) -> bool:
        """Whether nothing is amiss."""
        return not self.warnings


def covered(
    hits: Iterable[Hit],
    places: Iterable[Place | ChangeSet],
    criteria: Iterable[CriteriaInMaterial] = (),
) -> list[tuple[Hit, tuple[str, ...]]]:
    """Which places each hit may hide.

    A hit covers the places of its own file; one that points at no place (a limit on the number of findings, an
    override) covers all; one in a criteria document that lost rows covers the places that those rows would find, and
    those of which no row is known.

    Args:
        hits: Of a scan.
        places: Change sets or places, in any order.
        criteria: Findings of the same diff.

    Returns:
        Each hit with names of places, both in the order given.
    """
    known = [_place(place) for place in places]
    cut = {finding.path: {_plain(row.text) for row in finding.removed} for finding in criteria}
    return [(hit, tuple(place.name for place in known if _covers(hit, place, cut))) for hit in hits]


def _covers(hit: Hit, place: Place, cut: Mapping[str, set[str]]) -> bool:
    if hit.path == place.path or hit.path is None or not _NOWHERE.isdisjoint(hit.rules):
        return True
    rows = cut.get(hit.path)
    return bool(rows) and (not place.criterion or any(_plain(place.criterion) in row for row in rows or ()))


def _place(place: Place | ChangeSet) -> Place:
    if isinstance(place, Place):
        return place
    lines = place.target_location
    at = f":{lines.start_line}-{lines.end_line}" if lines.start_line else ""
    return Place(f"{place.file_path}{at}", place.file_path)


def check_reported(
    hits: Sequence[Hit],
    reported: Reported,
    places: Iterable[Place | ChangeSet] = (),
    criteria: Iterable[CriteriaInMaterial] = (),
) -> ReportedCheck:
    """Compare a scan's hits with what the model listed as directions in the material.

    An item is matched by path and line where it has them, else by its text: the line, or a part of it that stands in no
    other hit. A model that leaves one out may have followed it, so the warning names what that line covers.

    Args:
        hits: What ``scan`` or ``scan_diff`` gave.
        reported: The model's list, or only how many it listed.
        places: Change sets or planted defects, to be named in warnings.
        criteria: What ``criteria_in`` gave for the same diff.
    """
    known, findings = list(places), list(criteria)
    if isinstance(reported, int):
        if reported == len(hits):
            return ReportedCheck(len(hits), reported, ())
        message = f"the scan found {len(hits)} directions in the material, the model reported {reported}"
        warning = _warning("count", message, hits, known, findings)
        return ReportedCheck(len(hits), reported, (warning,))
    times: Counter[int] = Counter()
    unknown = []
    found = _Known(hits)
    for item in reported:
        meant = found.meant(item)
        if meant:
            times[next((number for number in meant if not times[number]), meant[0])] += 1
        else:
            unknown.append(item)
    warnings = []
    missing = [hit for number, hit in enumerate(hits) if not times[number]]
    if missing:
        warnings.append(_warning("missing", f"not reported: {_places(missing)}", missing, known, findings))
    repeated = [hit for number, hit in enumerate(hits) if times[number] > 1]
    if repeated:
        warnings.append(
            _warning("repeated", f"reported more than once: {_places(repeated)}", repeated, known, findings)
        )
    if unknown:
        words = "; ".join(_words(item) for item in unknown)
        warnings.append(_warning("unknown", f"reported, but not found by the scan: {words}", (), known, findings))
    return ReportedCheck(len(hits), len(reported), tuple(warnings))


def _warning(
    code: str,
    message: str,
    hits: Sequence[Hit],
    places: Sequence[Place | ChangeSet],
    criteria: Sequence[CriteriaInMaterial],
) -> Warned:
    names = dict.fromkeys(name for _, names in covered(hits, places, criteria) for name in names)
    message += f" (they cover: {', '.join(names)})" if names else ""
    return Warned(code, message, tuple(hits), tuple(names))


def _places(hits: Iterable[Hit]) -> str:
    return ", ".join(f"{hit.path or 'text'}:{hit.line}" for hit in hits)


def _words(item: Any) -> str:
    if isinstance(item, Mapping):
        item = item.get("text") or f"{item.get('path')}:{item.get('line')}"
    elif isinstance(item, tuple):
        item = f"{item[0]}:{item[1]}"
    return str(item)[:120]


class _Known:
    """The hits, by place and by text."""

    def __init__(self, hits: Sequence[Hit]) -> None:
        self.plain = [_plain(hit.text) for hit in hits]
        self.at: dict[tuple[str | None, int], list[int]] = {}
        self.same: dict[str, list[int]] = {}
        for number, hit in enumerate(hits):
            self.at.setdefault((hit.path, hit.line), []).append(number)
            self.same.setdefault(self.plain[number], []).append(number)

    def meant(self, item: Any) -> list[int]:
        """Numbers of the hits that an item may mean: several where lines are the same, none where it names no hit."""
        path, line, text = _parts(item)
        plain = _plain(text)
        at = [] if line is None else self.at.get((path, line), [])
        if at:
            # A removed and an added line can have one number.
            return [number for number in at if self.plain[number] == plain] or at
        if plain in self.same:
            return self.same[plain]
        if len(plain) < _SHORTEST_PART:
            return []
        part = [number for number, each in enumerate(self.plain) if plain in each or (each and each in plain)]
        return part if len(part) == 1 else []


def _parts(item: Any) -> tuple[str | None, int | None, str]:
    if isinstance(item, Hit):
        return item.path, item.line, item.text
    if isinstance(item, Mapping):
        line = item.get("line")
        return item.get("path"), line if isinstance(line, int) else None, str(item.get("text") or "")
    if isinstance(item, tuple):
        return item[0], item[1], ""
    return None, None, str(item)


def _plain(text: str) -> str:
    return " ".join(fold(text).split())
