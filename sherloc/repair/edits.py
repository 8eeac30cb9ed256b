"""Search/replace edits on a text, and words for what does not stand in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches
from heapq import nsmallest

from sherloc.repair.texts import MAX_PLACES, find_once, with_line_ends
from sherloc.schema.proposal import ReplaceBlock

_SHOWN_LINES = 12
_SHOWN_WIDTH = 160
_SHOWN_PLACES = 5
_TYPO = 0.6
_WORD = re.compile(r"\w+")
_MAX_COMPARED = 50
_MAX_SCANNED = 1_000
_MAX_LENGTH = 500
MAX_FAILED = 5
"""More parts of a change that do not apply are not looked at: each takes time, and the first ones say enough."""


def apply_edits(path: str, text: str, edits: Sequence[ReplaceBlock], *, most: int = 1 << 40) -> tuple[str, list[str]]:
    """A text with edits done one after another; each is looked for in what the ones before it left.

    Args:
        path: For the words.
        text: The file's; not empty.
        edits: In their order.
        most: Characters; a text that grows over it is not edited any further.

    Returns:
        The new text, and what is wrong with the edits that were left out, one sentence each.
    """
    problems: list[str] = []
    for number, edit in enumerate(edits, 1):
        if len(problems) >= MAX_FAILED:
            problems.append(f"After {MAX_FAILED} edits of {path} that do not apply no more were looked at.")
            break
        if len(text) > most:
            problems.append(f"After edit {number - 1} of {len(edits)} {path} has over {most} characters: too many.")
            break
        which = f"edit {number} of {len(edits)} of {path}"
        if not edit.search:
            problems.append(f"{which}: search is empty. Copy into it the lines that shall be replaced.")
            continue
        found, short = find_once(text, edit.search)
        if not found:
            problems.append(f"{which}: search does not stand in the file. {nearest(text, edit.search)}")
        elif len(found) > 1:
            lines = [text.count("\n", 0, start) + 1 for start, _ in found[: _SHOWN_PLACES + 1]]
            often = f"{len(found)} times" if len(found) < MAX_PLACES else f"{MAX_PLACES} times or more"
            problems.append(
                f"{which}: search stands {often} in the file, {_lines(lines)}. Take lines around it into "
                "search and replace until it stands there once."
            )
        else:
            (start, end), replace = found[0], edit.replace
            if short:
                replace = replace.removesuffix("\n").removesuffix("\r")
            text = text[:start] + _replacement(text, start, end, edit.search, replace) + text[end:]
    return text, problems


def _replacement(text: str, start: int, end: int, search: str, replace: str) -> str:
    if "\r" in search and "\r" in text[start:end]:
        return replace  # who writes carriage returns where they are means what is written
    line_end = text.find("\n", max(start, end - 1))
    if line_end < 0:
        line_end = text.rfind("\n")
    return with_line_ends(text[start:end], replace, line_end > 0 and text[line_end - 1] == "\r")


def _lines(numbers: Sequence[int]) -> str:
    more = ", …" if len(numbers) > _SHOWN_PLACES else ""
    return f"at lines {', '.join(map(str, numbers[:_SHOWN_PLACES]))}{more}"


def nearest(text: str, wanted: str) -> str:
    """Where a text nearly stands in a file, and how the two differ, in a sentence or two; empty for an empty file.

    Complexity: linear in the file and in ``wanted``; at most 1,000 lines are compared with the longest one of that.
    """
    rows = text.replace("\r\n", "\n").split("\n")
    asked = wanted.replace("\r\n", "\n").strip("\n").split("\n")
    start = _nearest_start(rows, asked)
    if start is None:
        return "No line of the file is like it; copy lines from the file exactly as they are."
    shown = rows[start : start + len(asked)]
    first = next((i for i, (a, b) in enumerate(zip(asked, shown, strict=False)) if a != b), None)
    if first is None:
        return f"Nearly the same stands at line {start + 1}, where the file ends."
    same_words = [line.split() for line in asked] == [line.split() for line in shown]
    why = "only white space differs" if same_words else f"the first line that differs is {start + first + 1}"
    excerpt = "\n".join(line[:_SHOWN_WIDTH] for line in shown[max(0, first - 3) :][:_SHOWN_LINES])
    at = start + max(0, first - 3) + 1
    return (
        f"The nearest text begins at line {start + 1}; {why}: it was given as {asked[first][:_SHOWN_WIDTH]!r} and is "
        f"{shown[first][:_SHOWN_WIDTH]!r}. The file has, from line {at} on:\n{excerpt}"
    )


def _nearest_start(rows: Sequence[str], asked: Sequence[str]) -> int | None:
    """The line, 0-based, from which on most lines are like the ones asked for."""
    places: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        places.setdefault(row.strip(), []).append(number)
    votes: Counter[int] = Counter()
    for offset, line in enumerate(asked):
        bare = line.strip()
        found = places.get(bare, []) if bare else []
        for number in found if len(found) <= 50 else ():
            votes[number - offset] += 1
    if votes:
        best = max(votes.items(), key=lambda item: (item[1], -item[0]))[0]
        return max(0, best)
    longest = max(asked, key=lambda line: len(line.strip()))
    bare = longest.strip()
    near = {key: found[0] for key, found in places.items()
            if key and 0.5 <= len(key) / max(1, len(bare)) <= 2 and len(key) <= _MAX_LENGTH}  # fmt: skip
    if not bare or len(bare) > 2 * _MAX_LENGTH:
        return None
    alike = _most_alike(bare, near)
    return None if alike is None else max(0, places[alike][0] - asked.index(longest))


def _most_alike(line: str, near: Mapping[str, int]) -> str | None:
    """The line most like another one: of those that share its rarest words, else of some that are as long.

    Args:
        line: Without space around it.
        near: Lines of about its length, and where each stands first.
    """
    sharing: dict[str, list[str]] = {word: [] for word in _WORD.findall(line)}
    for key in near:
        for word in sharing.keys() & _WORD.findall(key):
            sharing[word].append(key)
    rare: dict[str, float] = {}
    for keys in sharing.values():
        for key in keys:
            rare[key] = rare.get(key, 0.0) + 1 / len(keys)
    likely = nsmallest(_MAX_COMPARED, rare, key=lambda key: (-rare[key], near[key]))
    alike = get_close_matches(line, likely, n=1, cutoff=_TYPO)
    if not alike:
        others = nsmallest(_MAX_SCANNED, near, key=lambda key: (abs(len(key) - len(line)), near[key]))
        matcher = SequenceMatcher(None, "", line)
        bounds: list[tuple[float, int, str]] = []
        for key in others:
            matcher.set_seq1(key)
            bounds.append((-matcher.quick_ratio(), near[key], key))
        likely = [key for bound, _, key in nsmallest(_MAX_COMPARED, bounds) if -bound >= _TYPO]
        alike = get_close_matches(line, likely, n=1, cutoff=_TYPO)
    return alike[0] if alike else None
