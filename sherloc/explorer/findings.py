"""What an exploration ends with: findings read, each location checked, the rest left out with a word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AliasChoices, Field

from sherloc.errors import UnsafePathError
from sherloc.explorer.looking import Lookups
from sherloc.json_hardening import ConfidenceReader, LineRange, LooseList, LooseModel, ReplyPath
from sherloc.llm.pieces import one_line
from sherloc.paths import KnownPaths, inspect_path
from sherloc.schema.change_set import TargetLocation
from sherloc.schema.finding import Finding
from sherloc.schema.report import Diagnostic

_MOST_ITEMS = 8
_LONGEST_ITEM = 200
_WIDEST = 60
_NAME_OF_TEST = re.compile(r"\w[\w:.-]*(?:\[[\w .,:=+-]*\])?")
"""Nothing of a shell's or a terminal's may stand in what somebody may run."""
_CONFIDENCE = ConfidenceReader(words=(("high", 0.9), ("medium", 0.6), ("low", 0.3)))


class FindingReply(LooseModel):
    """A finding as a model writes it."""

    file_path: ReplyPath = Field(validation_alias=AliasChoices("file_path", "path", "file"))
    function_name: str | None = Field(default="", validation_alias=AliasChoices("function_name", "function"))
    target_lines: LineRange | Literal[""] | None = Field(
        default=None, validation_alias=AliasChoices("target_lines", "lines")
    )
    quote: str = ""
    confidence: Annotated[float, _CONFIDENCE] = 0.5
    root_cause: str = ""
    fix_idea: str = Field(default="", validation_alias=AliasChoices("fix_idea", "solution_idea", "fix"))
    dependencies: LooseList[str] = []
    tests_to_run: LooseList[str] = Field(
        default=[], validation_alias=AliasChoices("tests_to_run", "tests", "testing_impact")
    )


class FindingsReply(LooseModel):
    """How an exploration ends."""

    findings: LooseList[FindingReply]
    reasoning: str = ""
    directions_in_material: LooseList[str] = []


@dataclass(frozen=True, slots=True)
class CheckedFinding:
    """A finding whose location exists, and the number of the snippet around it (None outside of indexed code)."""

    finding: Finding
    unit: int | None


class FindingChecker:
    """Holds findings against the repository.

    Args:
        look: Answers what stands where.
        sources: Path to text.
        known: All paths.
        content_ids: Path to the content's id.
    """

    def __init__(
        self, look: Lookups, sources: Mapping[str, str], known: KnownPaths, content_ids: Mapping[str, str]
    ) -> None:
        self._look, self._sources, self._known, self._ids = look, sources, known, content_ids

    def check(self, given: Sequence[FindingReply], most: int) -> tuple[list[CheckedFinding], list[Diagnostic]]:
        """Findings that stand up to the files, surest first, and what was left out of them.

        Args:
            given: As the model gave them.
            most: At most so many.
        """
        found: list[CheckedFinding] = []
        notes: list[Diagnostic] = []
        for each in given[: 2 * most]:
            try:
                found.append(self._checked(each, notes))
            except (UnsafePathError, ValueError) as error:
                notes.append(_refused(str(error).partition("\n")[0]))
        found.sort(key=lambda each: (-each.finding.confidence, each.finding.file_path))
        return _apart(found, notes)[:most], notes

    def unit_in(self, path: str, first: int, last: int) -> int | None:
        """Number of the snippet that most of some lines lie in, or None outside of indexed code."""
        return self._look.unit_in(path, first, last)

    def name_of(self, unit: int) -> str:
        """The qualified name of a snippet."""
        return self._look.code.qualified_names[unit]

    def _checked(self, given: FindingReply, notes: list[Diagnostic]) -> CheckedFinding:
        path = inspect_path(given.file_path, self._known, must_exist=True).path
        text = self._sources.get(path)
        if text is None:
            raise ValueError(f"{path} cannot be read")
        lines = text.removesuffix("\n").split("\n")
        named = self._named(given.function_name or "", path)
        first, last, said = self._lines(given, lines, named)
        unit = named if named is not None and self._holds(named, first, last) else self._look.unit_at(path, first)
        name = self._look.code.qualified_names[unit] if unit is not None else ""
        said += self._about_name(given.function_name or "", named, unit, path, first)
        notes += [_corrected(path, each) for each in said]
        finding = Finding(
            file_path=path,
            target_location=TargetLocation(start_line=first, end_line=last, function_name=name),
            confidence=given.confidence,
            root_cause=one_line(given.root_cause),
            fix_idea=one_line(given.fix_idea),
            dependencies=self._places(given.dependencies, notes),
            tests_to_run=self._places(given.tests_to_run, notes, tests=True),
            content_hash=self._ids.get(path, ""),
        )
        return CheckedFinding(finding, unit)

    def _named(self, name: str, path: str) -> int | None:
        """The snippet that a name means in a file."""
        units = self._look.units_called(name) if name.strip() else []
        code = self._look.code
        return next((unit for unit in units if code.paths[int(code.unit_file[unit])] == path), None)

    def _holds(self, unit: int, first: int, last: int) -> bool:
        """Whether a snippet and some lines of its file meet."""
        arrays = self._look.code.arrays
        return int(arrays["start"][unit]) <= last and first <= int(arrays["end"][unit])

    def _about_name(self, given: str, named: int | None, unit: int | None, path: str, first: int) -> list[str]:
        """What to say where the function that was named is not the one that the lines are in."""
        if not given.strip() or (named is not None and unit == named):
            return []
        name = self.name_of(unit) if unit is not None else ""
        why = "stands elsewhere" if named is not None else "is not defined there"
        became = name or "(module code)"
        return [f"the name {one_line(given, _LONGEST_ITEM)!r}, which {why}, became {became!r}, by line {first}"]

    def _lines(self, given: FindingReply, lines: Sequence[str], unit: int | None) -> tuple[int, int, list[str]]:
        """Lines in the file: where the quote stands, else as numbered, else the named function's first ones.

        Returns:
            First and last line, and what was corrected, in words.

        Raises:
            ValueError: Nothing of it stands in the file.
        """
        quote = next((" ".join(line.split()) for line in given.quote.split("\n") if line.strip()), "")
        start = given.target_lines.start_line if given.target_lines else 0
        length = given.target_lines.end_line - start if given.target_lines else 0
        shown = f"lines {start}-{start + length}" if start else "no lines"
        said: list[str] = []
        if quote:
            places = [n for n, line in enumerate(lines, 1) if quote == " ".join(line.split())]
            if places and not any(start <= place <= start + length for place in places):
                found, length = min(places, key=lambda place: (abs(place - start), place)), min(length, _WIDEST)
                said += [f"{shown} became line {found}, where the quoted text stands"] if start else []
                start = found
            elif not places:
                said.append("the quoted text stands nowhere in the file")
        if 1 <= start <= len(lines):
            if start + length > len(lines):
                said.append(f"lines {start}-{start + length} were cut at the end of the file, line {len(lines)}")
            return start, min(start + length, len(lines)), said
        if unit is not None:
            arrays = self._look.code.arrays
            first, end = int(arrays["start"][unit]), min(int(arrays["end"][unit]), len(lines))
            last = min(end, first + _WIDEST)
            if start:
                said.append(f"{shown} became {first}-{last}, those of {self.name_of(unit)}; the file has {len(lines)}")
            return first, last, said
        raise ValueError(f"its lines are not in {given.file_path[:_LONGEST_ITEM]}, which has {len(lines)}")

    def _places(self, given: Sequence[str], notes: list[Diagnostic], *, tests: bool = False) -> tuple[str, ...]:
        """What of some places exists; names of tests that are no paths stay as they are."""
        kept: dict[str, None] = {}
        for each in given[:_MOST_ITEMS]:
            item = one_line(each, _LONGEST_ITEM).strip("` ")
            path, _, name = item.partition("::")
            path = path.split(" ")[0] if " " in path and "/" in path.split(" ")[0] else path
            try:
                found = inspect_path(path, self._known)
            except UnsafePathError as error:
                notes.append(_refused(error.message))
                continue
            if found.kind == "file":
                known = not name or self._stands_in(name, found.path)
                kept[f"{found.path}::{name}" if name and known else found.path] = None
                if not known:
                    notes.append(_refused(f"{name}, of {found.path}, does not stand there"))
            elif self._look.units_called(item) or (tests and _NAME_OF_TEST.fullmatch(item)):
                kept[item] = None
            else:
                notes.append(_refused(f"{item} is not in the repository"))
        return tuple(kept)

    def _stands_in(self, name: str, path: str) -> bool:
        """Whether each part of a name (``Class::test[case]``, ``Class.method``) is a word of a file."""
        words = re.findall(r"\w+", name.partition("[")[0])
        text = self._sources.get(path)
        plain = _NAME_OF_TEST.fullmatch(name) is not None and bool(words)
        return plain and (text is None or all(re.search(rf"\b{re.escape(word)}\b", text) for word in words))


def _apart(found: Sequence[CheckedFinding], notes: list[Diagnostic]) -> list[CheckedFinding]:
    """Findings of which no two meet in a snippet: a later one is joined to the surer one that it overlaps."""
    kept: list[CheckedFinding] = []
    for each in found:
        at = next((at for at, other in enumerate(kept) if _meet(other, each)), None)
        if at is None:
            kept.append(each)
            continue
        kept[at] = CheckedFinding(_joined(kept[at].finding, each.finding), kept[at].unit)
        lines = each.finding.target_location
        said = f"lines {lines.start_line}-{lines.end_line} overlap those of a surer one, which it was joined to"
        notes.append(_corrected(each.finding.file_path, said))
    return kept


def _meet(one: CheckedFinding, other: CheckedFinding) -> bool:
    mine, theirs = one.finding.target_location, other.finding.target_location
    if one.finding.file_path != other.finding.file_path or one.unit != other.unit:
        return False
    return (mine.start_line or 0) <= (theirs.end_line or 0) and (theirs.start_line or 0) <= (mine.end_line or 0)


def _joined(first: Finding, second: Finding) -> Finding:
    """Two findings as one: the lines of both, the words of both."""
    mine, theirs = first.target_location, second.target_location
    place = mine.model_copy(
        update={
            "start_line": min(mine.start_line or 1, theirs.start_line or 1),
            "end_line": max(mine.end_line or 1, theirs.end_line or 1),
        }
    )
    return first.model_copy(
        update={
            "target_location": place,
            "root_cause": _both(first.root_cause, second.root_cause),
            "fix_idea": _both(first.fix_idea, second.fix_idea),
            "dependencies": tuple(dict.fromkeys((*first.dependencies, *second.dependencies))),
            "tests_to_run": tuple(dict.fromkeys((*first.tests_to_run, *second.tests_to_run))),
        }
    )


def _both(one: str, other: str) -> str:
    return one_line(" ".join(dict.fromkeys(filter(None, (one, other)))))


def _corrected(path: str, what: str) -> Diagnostic:
    return Diagnostic(
        code="finding_corrected", severity="info", path=path, message=f"Of an exploration's finding {what[:400]}."
    )


def _refused(why: str) -> Diagnostic:
    return Diagnostic(
        code="finding_refused", severity="info", message=f"Of an exploration's findings was left out: {why[:300]}"
    )
