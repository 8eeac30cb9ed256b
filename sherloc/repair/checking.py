"""What speaks against the new content of a file, or should at least be looked at twice."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from sherloc.json_hardening import placeholder_line
from sherloc.llm.secrets import REDACTED
from sherloc.paths.policy import runs_code
from sherloc.protocols import FileState
from sherloc.repair.workshop import Workshop
from sherloc.repository import classify, inspect_content, is_generated
from sherloc.schema.path_text import shown_path
from sherloc.skeleton.names import check_names
from sherloc.skeleton.names.check import PYTHON, SCRIPTS
from sherloc.syntax import LANGUAGES, available, outline

_LARGE_POINTER = b"version https://git-lfs.github.com/spec/v1"
_ELLIPSIS = re.compile(r"[ \t]*(?:\.\.\.|…)[ \t]*")
_OPENS_BODY = re.compile(r""":(?:\s*#.*)?$|(?:\"\"\"|'''|"|')$""")
_CUT_LINES = 60
"""Files with fewer lines may be rewritten to any length."""
_CUT_SHARE = 0.4
_MAX_NAMES = 10
_TOO_DEEP = "it is nested too deeply"


@dataclass(slots=True)
class Judged:
    """Problems refuse a proposal, flags only mark it; one sentence each."""

    problems: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)


def refuse_target(path: str, before: FileState, max_bytes: int = 1 << 62) -> str:
    """Why a file that exists may not be changed, or empty.

    Args:
        path: Its name, for the words.
        before: The file.
        max_bytes: Larger ones are not changed.
    """
    data = before.data or b""
    if data.startswith(_LARGE_POINTER):
        return f"{path} is kept in Git LFS: only its pointer is in the repository, which must not be edited."
    if inspect_content(path, data) == "binary":
        return f"{path} is binary; only text can be changed."
    if len(data) > max_bytes:
        return f"{path} has {len(data)} bytes; files of up to {max_bytes} are changed."
    return ""


def check_content(state: FileState, old: str | None, new: str, *, whole: bool) -> Judged:
    """Judge one file's new text.

    Args:
        state: The file, as it is to be.
        old: The text before; None for a new file.
        new: The text after.
        whole: Whether the text was sent as a whole, and may have been cut.
    """
    judged = Judged()
    if new == old:
        return judged
    path = state.path
    if "\0" in new:
        judged.problems.append(f"{path} would hold NUL characters, which no text has: leave them out.")
        return judged
    marks = Counter(REDACTED.findall(new)) - Counter(REDACTED.findall(old or ""))
    if marks:
        judged.problems.append(
            f"{path} would hold {next(iter(marks))}, which stands for a secret that was not shown: leave that line as "
            "it is, and use search/replace edits for the parts that change."
        )
    before = set() if old is None else {line.strip() for line in old.split("\n")}
    language = classify(path).language
    line = placeholder_line(new, before) or _bare_ellipsis(new, before, language)
    if line is not None:
        judged.problems.append(
            f"{path} would hold the line {line[:100]!r}, which stands for text that was left out. Send every line, or "
            "use search/replace edits for the parts that change."
        )
    kept, sent = (old or "").count("\n"), new.count("\n")
    if whole and kept >= _CUT_LINES and sent < kept * _CUT_SHARE:
        judged.problems.append(
            f"{path} has {kept} lines and its new content only {sent}: it was probably cut. Send the whole file, or "
            "the parts that change as search/replace edits; if most of it shall go, say so by edits or a diff."
        )
    elif line is None and (language == "python" or inspect_content(path, state.data or b"") != "minified"):
        _check_syntax(judged, path, language, old, new)
    return judged


def _bare_ellipsis(new: str, before: set[str], language: str) -> str | None:
    """A line of nothing but an ellipsis that is no code: in Python it may be the whole body of a definition."""
    if language not in LANGUAGES:
        return None
    text = new.replace("\r\n", "\n")
    strings: list[tuple[int, int]] | None = None
    above, at = "", 0
    for row in text.split("\n"):
        bare = row.strip()
        if bare and _ELLIPSIS.fullmatch(row) and bare not in before:
            is_body = language == "python" and bare == "..." and _OPENS_BODY.search(above)
            if not is_body:
                strings = _strings(text, language) if strings is None else strings
                last = bisect_right(strings, (at, len(new) * 4)) - 1
                if last < 0 or at >= strings[last][1]:
                    return bare
        above = row.rstrip() if bare else above
        at += len(row.encode()) + 1
    return None


def _strings(text: str, language: str) -> list[tuple[int, int]]:
    """Where strings are, bytes; without a grammar all may be one."""
    if not available(language):
        return [(0, len(text) * 4 + 1)]
    zones = outline(language, text.encode()).zones
    return sorted((zone.start_byte, zone.end_byte) for zone in zones if zone.kind != "comment")


def _check_syntax(judged: Judged, path: str, language: str, old: str | None, new: str) -> None:
    """A file that could be parsed before must be so afterwards; of a new one a doubt is only a flag."""
    found = _syntax_error(language, new)
    if found is None or (old is not None and _syntax_error(language, old) is not None):
        return
    number, words = found
    rows = new.split("\n")
    shown = rows[number - 1].strip()[:120] if number <= len(rows) else ""
    said = f"{path} would not parse: {words} at line {number} of the new file ({shown!r})."
    if old is not None or words == _TOO_DEEP or (language == "python" and outline(language, new.encode()).errors):
        judged.problems.append(f"{said} Correct it, and check brackets and indentation.")
    else:
        judged.flags.append(said)


def _syntax_error(language: str, text: str) -> tuple[int, str] | None:
    """Line and words of a text's first syntax error."""
    if language not in LANGUAGES or not available(language):
        return None
    text = text.replace("\r\n", "\n")
    if language == "python":
        # The interpreter's own parser knows indentation; the grammar knows newer and older Pythons.
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
        except SyntaxError as error:
            return error.lineno or 1, error.msg
        except (RecursionError, MemoryError):
            return 1, _TOO_DEEP
        except ValueError:
            return None
        return None
    errors = outline(language, text.encode()).errors
    return (errors[0][0], "there is a syntax error") if errors else None


def check_patch_names(base: Workshop, diff: str, changed: Mapping[str, FileState]) -> Judged:
    """Look for names that a change uses and nothing defines; not in minified files, which only take time.

    Args:
        base: Holds the code that the change is for.
        diff: The whole change.
        changed: Path to file, as it is to be.
    """
    legible = {path: state for path, state in changed.items() if inspect_content(path, state.data or b"") != "minified"}
    if len(legible) < len(changed):
        diff = base.diff(base.base, base.tree_of(base.base, tuple(legible.values())))
    wanted = {classify(path).language for path, state in legible.items() if state.data is not None}
    groups = [set(group) for group in (PYTHON, SCRIPTS) if wanted & set(group)]
    languages = {shown_path(entry.path): classify(entry.path).language for entry in base.tree.entries}
    languages = {path: each for path, each in languages.items() if any(each in group for group in groups)}
    if not groups:
        return Judged()
    base.sources.load(languages)
    judged = Judged()
    for unknown in check_names(diff, base.sources, languages).unknown:
        word = re.compile(rf"(?<![\w.]){re.escape(unknown.name)}\b")
        if word.search(base.sources.get(unknown.path, "")):
            continue  # the file used it before
        judged.problems.append(
            f"{unknown.path} line {unknown.line} uses {unknown.name}, which is not known: {unknown.reason}. Use a name "
            "that exists, or define it."
        )
    del judged.problems[_MAX_NAMES:]
    return judged


def flag_file(state: FileState, before: FileState) -> list[str]:
    """What a reviewer should know of a file that differs in the end.

    Args:
        state: The file as it is to be.
        before: As it was.
    """
    path = state.path
    flags = []
    if runs_code(path):
        flags.append(f"{path} is run by tools that build or test the project: look at it before you run anything.")
    if state.data is None:
        return [*flags, f"{path} is deleted."]
    if before.data is not None and state.mode != before.mode:
        flags.append(f"{path} changes its mode from {before.mode} to {state.mode}.")
    elif before.data is None and state.mode == "100755":
        flags.append(f"{path} is new and can be executed.")
    if before.data is not None and is_generated(before.data):
        flags.append(f"{path} says that a program generates it: the change may be lost.")
    if state.data.startswith((b"\xff\xfe", b"\xfe\xff")):
        flags.append(f"{path} is UTF-16: git shows its change as that of a binary file.")
    if inspect_content(path, state.data) == "minified":
        flags.append(f"{path} is minified: its change cannot be reviewed.")
    return flags
