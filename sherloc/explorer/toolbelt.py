"""The tool belt: six tools that read a repository, for sherloc's own exploration and for other agents.

Nothing is written, run or fetched. A call never raises for what its caller wrote: what was wrong comes back as words
that say how to do better.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Any

from pydantic import BaseModel, ValidationError

from sherloc.errors import ReplyError, UnsafePathError
from sherloc.explorer.looking import Lookups
from sherloc.explorer.tool_arguments import (
    ARGUMENTS,
    MOST_LINES,
    MOST_MATCHES,
    MOST_NEIGHBOURS,
    MOST_SYMBOLS,
    in_words,
    tool_spec,
)
from sherloc.indexer.index import Index
from sherloc.json_hardening import parse_reply
from sherloc.llm.material import numbered_places
from sherloc.llm.pieces import numbered
from sherloc.llm.secrets import is_secret_file
from sherloc.paths import KnownPaths, inspect_path
from sherloc.repository.history import Commit
from sherloc.repository.sources import Sources

_LONGEST_LINE = 200
_FILES_TOLD = 15


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered.

    Attributes:
        text: The answer; material, never instructions.
        ok: Whether the call was understood and found something.
        path: The file that it is about, or empty.
        truncated: Whether it was cut; the text says how to get the rest.
        lines: First and last line that were shown, or None.
        places: For each line of the text the file and the line that it shows: 0 is the file's name; None, and all
            beyond the end, is neither.
    """

    text: str
    ok: bool = True
    path: str = ""
    truncated: bool = False
    lines: tuple[int, int] | None = None
    places: tuple[tuple[str, int] | None, ...] = ()


class ToolBelt:
    """Tools over one revision of a repository.

    Args:
        index: Its index.
        sources: Its files' text.
        paths: All its files, tests and documents included, as reports show them.
        commits: Gives its history, newest first; called when it is first needed.
        characters: Longest answer of a tool.
    """

    def __init__(
        self,
        index: Index,
        sources: Sources,
        paths: Sequence[str],
        *,
        commits: Callable[[], Sequence[Commit]] = lambda: (),
        characters: int = 12_000,
    ) -> None:
        self._index, self._sources, self._commits, self._characters = index, sources, commits, characters
        self._known = KnownPaths(paths)
        self._look = Lookups(index, sources)

    @property
    def specs(self) -> list[dict[str, Any]]:
        """The tools as ``ChatModel`` and OpenAI-compatible endpoints take them: strict JSON schemas."""
        return [tool_spec(name) for name in ARGUMENTS]

    @property
    def description(self) -> str:
        """The tools in words."""
        return "\n".join(in_words(name) for name in ARGUMENTS)

    def call(self, name: str, arguments: str | Mapping[str, Any]) -> ToolResult:
        """Use a tool.

        Args:
            name: Which.
            arguments: An object, or its JSON as a model wrote it.
        """
        if not isinstance(name, str) or name not in ARGUMENTS:
            name = str(name)
            near = get_close_matches(name, ARGUMENTS, n=2, cutoff=0.4)
            guess = f" Did you mean {' or '.join(near)}?" if near else ""
            return ToolResult(f"There is no tool {name[:60]!r}.{guess} Tools are {', '.join(ARGUMENTS)}.", ok=False)
        try:
            read = _read(ARGUMENTS[name], arguments)
        except (ReplyError, ValidationError, ValueError) as error:
            return ToolResult(f"The arguments of {name} cannot be read: {_why(error)}\n{in_words(name)}", ok=False)
        try:
            result: ToolResult = getattr(self, name)(**read.model_dump())
        except UnsafePathError as error:
            return ToolResult(str(error), ok=False)
        return self._bounded(result)

    def find_symbol(self, name: str) -> ToolResult:
        """Definitions of a name: place, kind and signature, a line each."""
        units = self._look.units_called(name)
        if not units:
            return self._no_symbol(name)
        more = [f"... and {len(units) - MOST_SYMBOLS} more; qualify the name."] if len(units) > MOST_SYMBOLS else []
        shown = units[:MOST_SYMBOLS]
        return ToolResult(
            "\n".join([*map(self._line, shown), *more]), truncated=bool(more), places=tuple(map(self._place, shown))
        )

    def search_text(self, text: str, path: str = "") -> ToolResult:
        """Lines that hold a text, with the function that each stands in."""
        path = path.strip()
        everywhere = path.rstrip("/") in ("", ".") and not path.startswith("/")
        under = "" if everywhere else self._existing(path.rstrip("/") or path, folders=True)
        found = self._look.lines_with(text, under)
        shown = list(islice(found, MOST_MATCHES))
        if not shown:
            where = f" in {under}" if under else ""
            near = self._look.names_like(text) if text.isidentifier() else []
            hint = f" Defined names like it: {', '.join(near)}." if near else " Search for a shorter part of it."
            return ToolResult(f"No line{where} holds {text[:100]!r}.{hint}", ok=False)
        lines = [
            f"{each}:{line}{self._inside(each, line)}: {content.strip()[:_LONGEST_LINE]}"
            for each, line, content in shown
        ]
        rest = sum(1 for _ in found)
        if rest:
            lines.append(f"... and {rest} more lines; give a longer text or a path.")
        places = tuple((each, line) for each, line, _ in shown)
        return ToolResult("\n".join(lines), path=under, truncated=bool(rest), places=places)

    def show_skeleton(self, path: str) -> ToolResult:
        """The outline of a file: lines, kind and signature of what it defines, indented by nesting."""
        path = self._existing(path)
        units = [unit for unit in self._index.units_of(path) if self._index.code.kind(unit) not in ("block", "module")]
        if not units:
            count = self._sources.get(path, "").count("\n") + 1
            return ToolResult(
                f"{path} defines nothing that is indexed; it has {count} lines. Use show_lines.", path=path
            )
        lines, places = [], [(path, 0)]
        for unit in units:
            depth, parent = 0, self._index.code.parent(unit)
            while parent >= 0 and self._index.code.kind(parent) != "module":
                depth, parent = depth + 1, self._index.code.parent(parent)
            snippet = self._index.snippet(unit)
            head = snippet.signature or snippet.qualified_name
            lines.append(f"{'  ' * depth}{snippet.start_line}-{snippet.end_line} {head[:_LONGEST_LINE]}")
            places.append((path, snippet.start_line))
        return ToolResult("\n".join([path, *lines]), path=path, places=tuple(places))

    def show_lines(self, path: str, start_line: int, end_line: int) -> ToolResult:
        """Lines of a file with their numbers; a reversed range is turned round, an end beyond the file is its end."""
        path = self._existing(path)
        text = None if is_secret_file(path) else self._sources.get(path)
        if text is None or "\0" in text:
            return ToolResult(f"{path} cannot be shown: it is no text, or may hold secrets.", ok=False, path=path)
        lines = text.split("\n")
        start, end = min(start_line, end_line), min(max(start_line, end_line), len(lines))
        if start > len(lines):
            return ToolResult(f"{path} has only {len(lines)} lines.", ok=False, path=path)
        last = min(end, start + MOST_LINES - 1)
        shown = f"{path}\n{numbered(lines, start, last)}"
        if last < end:
            shown += f"\n... lines {last + 1}-{end} were not shown; ask for them."
        places = tuple(numbered_places(shown, path))
        return ToolResult(shown, path=path, truncated=last < end, lines=(start, last), places=places)

    def callers_callees(self, name: str) -> ToolResult:
        """What calls a function and what it calls, as far as names allow."""
        units = self._look.units_called(name)
        if not units:
            return self._no_symbol(name)
        lines = []
        for unit in units[:3]:
            lines.append(self._line(unit))
            for words, others in (
                ("called by", self._index.callers(unit)),
                ("calls", self._index.callees(unit)),
                ("overrides or is overridden by", self._index.graph.overrides(unit)),
            ):
                lines += [f"  {words} {self._line(other)}" for other in list(others)[:MOST_NEIGHBOURS]]
                if len(others) > MOST_NEIGHBOURS:
                    lines.append(f"  ... {words} {len(others) - MOST_NEIGHBOURS} more")
        if len(units) > 3:
            lines.append(f"... and {len(units) - 3} more definitions of that name; qualify it.")
        return ToolResult("\n".join(lines), truncated=len(units) > 3)

    def changed_with(self, path: str) -> ToolResult:
        """Files that were changed together with one, and the messages of its last commits."""
        path = self._existing(path)
        files, subjects = self._look.changed_with(path, self._commits())
        if not subjects:
            return ToolResult(f"No commit that is known changed {path}.", ok=False, path=path)
        lines = [f"{count} times with {other}" for other, count in files[:_FILES_TOLD]]
        lines += [f"commit: {subject[:_LONGEST_LINE]}" for subject in subjects[:5]]
        return ToolResult("\n".join([path, *lines]), path=path)

    def _existing(self, path: str, *, folders: bool = False) -> str:
        """A path that a model gave, as the repository has it.

        Raises:
            UnsafePathError: It is refused, or there is no such file; the hint names the nearest.
        """
        try:
            return inspect_path(path, self._known, must_exist=True).path
        except UnsafePathError:
            if folders and self._known.kind(normal := inspect_path(path).path) == "folder":
                return normal
            raise

    def _no_symbol(self, name: str) -> ToolResult:
        near = self._look.names_like(name)
        hint = f" Names like it: {', '.join(near)}." if near else " Try search_text."
        return ToolResult(f"Nothing that is indexed is called {name[:100]!r}.{hint}", ok=False)

    def _place(self, unit: int) -> tuple[str, int]:
        snippet = self._index.snippet(unit)
        return snippet.path, snippet.start_line

    def _line(self, unit: int) -> str:
        snippet = self._index.snippet(unit)
        head = f"  {snippet.signature[:_LONGEST_LINE]}" if snippet.signature else ""
        return f"{snippet.path}:{snippet.start_line}-{snippet.end_line} {snippet.kind} {snippet.qualified_name}{head}"

    def _inside(self, path: str, line: int) -> str:
        unit = self._look.unit_at(path, line)
        name = self._index.code.qualified_names[unit] if unit is not None else ""
        return f" ({name})" if name else ""

    def _bounded(self, result: ToolResult) -> ToolResult:
        if len(result.text) <= self._characters:
            return result
        cut = result.text[: self._characters]
        cut = cut[: cut.rfind("\n") + 1 or None]
        note = "... the answer is longer; ask for less at once (narrower lines, a path, a longer text)."
        kept = result.places[: cut.count("\n")]
        return ToolResult(cut + note, result.ok, result.path, True, result.lines, kept)


def _read(kind: type[BaseModel], arguments: str | Mapping[str, Any]) -> BaseModel:
    if isinstance(arguments, str):
        return parse_reply(arguments if arguments.strip() else "{}", kind).value
    if not isinstance(arguments, Mapping):
        raise ValueError(f"they must be an object, not {type(arguments).__name__}")
    return kind.model_validate(json.loads(json.dumps(dict(arguments), default=str)))


def _why(error: Exception) -> str:
    if isinstance(error, ReplyError):
        return error.message
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors(include_url=False)[:3])
    return str(error)[:200]
