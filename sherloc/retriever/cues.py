"""The structural channel: what the issue names, found where it is defined.

Each cue is a number a unit or file (0: nothing; about 1: a clear sign), kept apart so that their weights can be chosen
from data, with the signals that explain it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sherloc.indexer.index import Index
from sherloc.indexer.record import REFERENCE_KINDS
from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import Array
from sherloc.retriever.naming import files_called, files_in_folders_called, name_coverage
from sherloc.retriever.paths import PathIndex
from sherloc.schema.candidate import Signal, SignalKind
from sherloc.schema.query import Mention, Query
from sherloc.terms import STOP_WORDS, TermTable

_STRONG = frozenset({"code_span", "call", "dotted", "camel", "snake", "caps", "operator", "short"})
_RAISE = REFERENCE_KINDS.index("raise")
_MAX_DEFINITIONS = 40
_PROSE = ("description", "actual", "expected")
_MESSAGE_COVERAGE = 0.6
_PARTS = re.compile(r"[.:#/\\>()-]+")


@dataclass
class Cues:
    """Cue values by name for units and files, and the signals of each.

    ``relative_files`` are those that are weighed against the best file's score; ``similarity`` is empty or how far each
    unit's similarity to the issue lies above the floor; ``compared`` are the units that were compared with the issue,
    and a row of similarities each.
    """

    units: dict[str, Array] = field(default_factory=dict)
    files: dict[str, Array] = field(default_factory=dict)
    relative_files: dict[str, Array] = field(default_factory=dict)
    similarity: Array | None = None
    compared: tuple[Sequence[int], Array] | None = None
    unit_signals: dict[int, list[Signal]] = field(default_factory=dict)
    file_signals: dict[int, list[Signal]] = field(default_factory=dict)

    def unit_similarity(self, count: int) -> Array:
        """The similarity of each of ``count`` units, zeros when nothing was compared."""
        return np.zeros(count, np.float32) if self.similarity is None else self.similarity


class CueFinder:
    """Finds the cues of one query in one index."""

    def __init__(self, query: Query, index: Index) -> None:
        self._query = query
        self._segment: Segment = index.code
        self._paths = PathIndex(index.code)
        self._cues = Cues()

    def find(self) -> Cues:
        """All cues; linear in the query and in the definitions of the names it mentions."""
        for name in ("name", "name_block", "name_prose", "member", "qualified", "frame", "message", "raises"):
            self._cues.units[name] = np.zeros(self._segment.unit_count, np.float32)
        for name in ("path", "frame", "module", "message", "stem", "prose_stem", "folder"):
            self._cues.files[name] = np.zeros(self._segment.file_count, np.float32)
        self._names()
        self._dotted()
        self._frames()
        self._file_paths()
        self._messages()
        self._exceptions()
        self._name_words()
        return self._cues

    def _unit(
        self,
        cue: str,
        unit: int,
        value: float,
        kind: SignalKind,
        detail: str,
        *,
        line: int | None = None,
        add: bool = False,
    ) -> None:
        column = self._cues.units[cue]
        old = float(column[unit])
        column[unit] = old + value if add else max(old, value)
        self._cues.unit_signals.setdefault(unit, []).append(Signal("structural", kind, detail, value, line))

    def _file(self, cue: str, file: int, value: float, kind: SignalKind, detail: str, line: int | None = None) -> None:
        column = self._cues.files[cue]
        column[file] = max(float(column[file]), value)
        self._cues.file_signals.setdefault(file, []).append(Signal("structural", kind, detail, value, line))

    def _names(self) -> None:
        classes: dict[int, str] = {}
        for mention in self._query.mentions:
            if mention.origin == "dotted" or mention.name.lower() in STOP_WORDS:
                continue
            cue = (
                "name"
                if mention.origin in _STRONG
                else "name_block"
                if mention.origin == "code_block"
                else "name_prose"
            )
            for unit in self._definitions(mention, exact=cue != "name_prose"):
                rarity = 1 / (1 + math.log(max(1, len(self._segment.units_named(self._segment.short_names[unit])))))
                self._unit(
                    cue,
                    unit,
                    rarity,
                    "defined_name",
                    mention.name,
                    line=int(self._segment.arrays["name_line"][unit]),
                    add=True,
                )
                if self._segment.kind(unit) == "class" and cue != "name_prose":
                    classes.setdefault(unit, mention.name)
        self._members(classes)

    def _definitions(self, mention: Mention, *, exact: bool) -> list[int]:
        found = self._segment.units_named(mention.name)
        if not found and len(mention.name) > 2:
            found = [unit for name in self._segment.spellings(mention.name) for unit in self._segment.units_named(name)]
        limit = _MAX_DEFINITIONS if exact else 3
        return found if len(found) <= limit else []

    def _members(self, classes: dict[int, str]) -> None:
        if not classes:
            return
        parent = self._segment.arrays["parent"]
        inside = [(unit, int(parent[unit])) for unit in np.flatnonzero(np.isin(parent, list(classes))).tolist()]
        apart = [(unit, owner) for owner, name in classes.items() for unit in self._segment.methods_apart.get(name, ())]
        for unit, owner in inside + apart:
            twins = len(self._segment.units_named(self._segment.short_names[owner]))
            self._unit("member", unit, 1 / (1 + math.log(max(1, twins))), "class_member", classes[owner])

    def _name_words(self) -> None:
        """Names whose words the issue says, though not as a name."""
        table = TermTable()
        title = set(table.count(" ".join(s.text for s in self._query.segments if s.kind == "title")))
        prose = set().union(*(table.count(s.text) for s in self._query.segments if s.kind in _PROSE))
        self._cues.units["name_words"] = name_coverage(self._segment, dict(self._query.terms))
        self._cues.units["title_words"] = name_coverage(self._segment, dict.fromkeys(title, 1.0))
        for file in files_called(self._segment, title):
            self._file("stem", file, 1.0, "file_name", self._segment.paths[file].rsplit("/", 1)[-1])
        self._cues.files["prose_stem"][files_called(self._segment, prose)] = 1.0
        self._cues.files["folder"][files_in_folders_called(self._segment, title | prose)] = 1.0

    def _dotted(self) -> None:
        for mention in self._query.mentions:
            if mention.origin != "dotted":
                continue
            parts = [part for part in _PARTS.split(mention.name) if part]
            for outer, inner in zip(parts, parts[1:], strict=False):
                for unit in self._segment.units_named(inner):
                    if self._segment.outer_name(unit) == outer:
                        self._unit(
                            "qualified",
                            unit,
                            1.0,
                            "qualified_name",
                            f"{outer}.{inner}",
                            line=int(self._segment.arrays["name_line"][unit]),
                        )
            self._module(mention.name, parts)

    def _module(self, name: str, parts: list[str]) -> None:
        files, used = self._paths.by_module(".".join(parts))
        for file in files:
            package = self._segment.paths[file].rsplit("/", 1)[-1].startswith("__init__.")
            self._file("module", file, 1 / len(files) / (2 if package else 1), "module", ".".join(parts[:used]))
        if used and used < len(parts):
            for unit in (u for file in files for u in self._segment.units_of_file(file)):
                if self._segment.kind(unit) != "block" and self._segment.short_names[unit] == parts[used]:
                    self._unit(
                        "qualified",
                        unit,
                        1 / len(files),
                        "qualified_name",
                        name,
                        line=int(self._segment.arrays["name_line"][unit]),
                    )

    def _frames(self) -> None:
        """A frame counts the less the more of the repository's own lie deeper; those of libraries say nothing."""
        depth = 0
        for frame in self._query.frames:
            files = self._paths.by_suffix(frame.path)
            if not files:
                continue
            value = 1 / (1 + depth / 3)
            depth += 1
            detail = f"{frame.path}:{frame.line or '?'}" + (f" in {frame.function}" if frame.function else "")
            for file in files:
                self._file("frame", file, value / len(files), "traceback", detail, frame.line)
            if not frame.function:
                self._frame_line(files, frame.line, value, detail)
                continue
            name = _last_name(frame.function)
            for unit in (u for file in files for u in self._segment.units_of_file(file)):
                if self._segment.kind(unit) != "block" and self._segment.short_names[unit] == name:
                    self._unit(
                        "frame", unit, value / len(files), "traceback", detail, line=self._inside(unit, frame.line)
                    )

    def _frame_line(self, files: list[int], line: int | None, value: float, detail: str) -> None:
        """A frame that tells only a line: the innermost function there."""
        for file in files:
            around = [
                unit
                for unit in self._segment.units_of_file(file)
                if self._segment.arrays["kind"][unit] in (2, 3) and self._inside(unit, line)
            ]
            if around:
                self._unit("frame", around[-1], value / len(files), "traceback", detail, line=line)

    def _inside(self, unit: int, line: int | None) -> int | None:
        arrays = self._segment.arrays
        return line if line and int(arrays["start"][unit]) <= line <= int(arrays["end"][unit]) else None

    def _file_paths(self) -> None:
        for mention in self._query.paths:
            files = self._paths.by_suffix(mention.path)
            for file in files:
                detail = mention.path + (f":{mention.line}" if mention.line else "")
                self._file("path", file, 1 / len(files), "path", detail, mention.line)
                if mention.line:
                    for unit in self._segment.units_of_file(file):
                        if self._segment.arrays["kind"][unit] in (2, 3) and self._inside(unit, mention.line):
                            self._unit("frame", unit, 1 / len(files), "path", detail, line=mention.line)

    def _messages(self) -> None:
        table = TermTable()
        for message in self._query.messages[:8]:
            for unit, share in self._holders(table.count(message)):
                self._unit("message", unit, share, "message", message[:200])
                file = int(self._segment.unit_file[unit])
                self._file("message", file, share, "message", message[:200])

    def _holders(self, terms: Iterable[str]) -> list[tuple[int, float]]:
        """Units whose string literals hold most of a message, by rarity of its words."""
        s = self._segment
        held = np.zeros(s.unit_count, np.float32)
        total, words = 0.0, 0
        for term in sorted(set(terms)):
            units, tf = s.postings(term)
            in_string = units[tf[:, 2] > 0]
            rarity = math.log(1 + s.unit_count / (1 + len(in_string)))
            total += rarity
            words += 1
            held[in_string] += rarity
        if words < 3:
            return []
        chosen = np.flatnonzero(held >= _MESSAGE_COVERAGE * total)
        if len(chosen) > 12:
            return []
        return [(int(unit), float(held[unit] / total)) for unit in chosen if s.arrays["kind"][unit] != 4]

    def _exceptions(self) -> None:
        for name in dict.fromkeys(self._query.exceptions):
            rows = [row for row in self._segment.references_to(name) if self._segment.arrays["ref_kind"][row] == _RAISE]
            units = dict.fromkeys(int(self._segment.arrays["ref_unit"][row]) for row in rows)
            if len(units) <= 200:
                for row in rows:
                    unit = int(self._segment.arrays["ref_unit"][row])
                    self._unit(
                        "raises",
                        unit,
                        1 / (1 + math.log(len(units))),
                        "exception",
                        name,
                        line=int(self._segment.arrays["ref_line"][row]),
                    )


def _last_name(function: str) -> str:
    """The function's own name: ``Method`` of ``pkg.(*T).Method`` and of ``A::Method(int)``."""
    names = re.findall(r"\w+", re.sub(r"\([^()]*\)$", "", function))
    return names[-1] if names else ""
