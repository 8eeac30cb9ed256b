"""What an exploration ends with: findings read, each location checked, the rest left out with a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import AliasChoices, BaseModel, Field

from sherloc.errors import UnsafePathError
from sherloc.explorer.looking import Lookups
from sherloc.json_hardening import Confidence, LineRange, ReplyPath
from sherloc.llm.pieces import one_line
from sherloc.paths import KnownPaths, inspect_path
from sherloc.schema.change_set import TargetLocation
from sherloc.schema.finding import Finding
from sherloc.schema.report import Diagnostic

_MOST_ITEMS = 8
_LONGEST_ITEM = 200
_WIDEST = 60


class FindingReply(BaseModel):
    """A finding as a model writes it."""

    file_path: ReplyPath = Field(validation_alias=AliasChoices("file_path", "path", "file"))
    function_name: str | None = Field(default="", validation_alias=AliasChoices("function_name", "function"))
    target_lines: LineRange | Literal[""] | None = Field(
        default=None, validation_alias=AliasChoices("target_lines", "lines")
    )
    quote: str = ""
    confidence: Confidence = 0.5
    root_cause: str = ""
    fix_idea: str = Field(default="", validation_alias=AliasChoices("fix_idea", "solution_idea", "fix"))
    dependencies: list[str] = []
    tests_to_run: list[str] = Field(
        default=[], validation_alias=AliasChoices("tests_to_run", "tests", "testing_impact")
    )


class FindingsReply(BaseModel):
    """How an exploration ends."""

    findings: list[FindingReply]
    reasoning: str = ""
    directions_in_material: list[str] = []


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
        return found[:most], notes

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
        lines = text.split("\n")
        unit = self._named(given.function_name or "", path)
        first, last = self._lines(given, lines, unit)
        unit = unit if unit is not None else self._look.unit_at(path, first)
        name = self._look.code.qualified_names[unit] if unit is not None else ""
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

    def _lines(self, given: FindingReply, lines: Sequence[str], unit: int | None) -> tuple[int, int]:
        """Lines in the file: where the quote stands, else as numbered, else the named function's first ones.

        Raises:
            ValueError: Nothing of it stands in the file.
        """
        quote = next((" ".join(line.split()) for line in given.quote.split("\n") if line.strip()), "")
        start = given.target_lines.start_line if given.target_lines else 0
        length = given.target_lines.end_line - start if given.target_lines else 0
        if quote:
            places = [n for n, line in enumerate(lines, 1) if quote == " ".join(line.split())]
            if places and not any(start <= place <= start + length for place in places):
                start, length = min(places, key=lambda place: (abs(place - start), place)), min(length, _WIDEST)
        if 1 <= start <= len(lines):
            return start, min(start + length, len(lines))
        if unit is not None:
            arrays = self._look.code.arrays
            first = int(arrays["start"][unit])
            return first, min(int(arrays["end"][unit]), len(lines), first + _WIDEST)
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
                kept[found.path + (f"::{name}" if name else "")] = None
            elif self._look.units_called(item) or (tests and "/" not in path and "." not in path):
                kept[item] = None
            else:
                notes.append(_refused(f"{item} is not in the repository"))
        return tuple(kept)


def _refused(why: str) -> Diagnostic:
    return Diagnostic(
        code="finding_refused", severity="info", message=f"Of an exploration's findings was left out: {why[:300]}"
    )
