"""Text of models and strangers, made harmless for a forge: it notifies nobody, refers to nothing and hides nothing.

Forges act on what they read: ``@name`` notifies, ``#12`` writes into another issue, ``Closes #12`` closes it, GitLab
obeys a line ``/merge``, ``[skip ci]`` and ``Co-authored-by:`` count in commit messages (a squash makes one of the
description), images tell a server who looks. Each is parted by an invisible word joiner, so that people read the same
text. Code is left as it is: blocks are written with fences that nothing in them can end, and spans stand in one line,
so that a forge takes for code what this takes for code (GitHub Flavored Markdown 0.29, sections 4.5 and 6.3).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from os.path import commonprefix

from sherloc.visible import one_line, visible

BODY_LIMIT = 60_000
"""Characters; GitHub refuses a description or comment of more than 65,536."""
TITLE_LIMIT = 256
"""Characters; GitLab takes one less, and its ``Draft:`` counts too: its client cuts again."""
_JOINER = "\u2060"
_SHORT_ID = 6
# What shows nothing or deceives, and is not in ``visible``: fillers, and joiners inside words of Latin letters.
_FILLERS = re.compile("[\u034f\u115f\u1160\u3164\uffa0]|(?<=[0-9A-Za-z_@#])[\u200c\u200d]+(?=[0-9A-Za-z_@#])")
_ACTS = re.compile(
    r"""
      @(?=[^\s@])                                     # a user, a team, a commit, an address
    | \#(?=[^\s\#])                                   # an issue
    | (?:GH|GL)(?=\\*-\\*\d)                          # an issue
    | !(?=[\d\[\\*_])                                 # a merge request; an image
    | &(?=[\#\w\\])                                   # an epic; an entity, which may stand for any of these
    | :(?=\\*/|:include)                              # an address; a file of GitLab
    | [%~](?=["\w])                                   # a milestone, a label of GitLab
    | \$(?=\d)                                        # a snippet of GitLab
    | (?P<id>(?<![0-9a-z])(?=[0-9]*[a-f]|[0-9]{40})(?=[a-f]*[0-9]|[a-f]{40})[0-9a-f]{7,}(?![0-9a-z]))   # a commit
    | www(?=\\*\.)
    | <(?=[!/?a-z\\])                                 # HTML, comments, addresses
    | \](?=[(\[:])                                    # a link, or where one leads
    | \[(?=[\[^]|[a-z_]+:)                            # wiki links, footnotes, references of GitLab
    | \[(?=\s*(?:skip|ci|no|actions)[\s-]+(?:ci|skip|actions)\s*\])
    | \*{3}(?=NO_CI)
    | (?:clos|fix|resolv|implement)(?=\w{0,3}:?\s+(?:issues?\s+)?(?-i:[A-Z][A-Z0-9_]+)-\d)   # an issue of Jira
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OBEYED = re.compile(
    r"[\s>]*/(?=[a-z])|[a-z-]+-by(?=\s*:)|(?:skip-checks|request-checks|on-behalf-of|change-id)(?=\s*:)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?:(`{3,})[ \t]*([^`]*)|(~{3,})[ \t]*(.*))")
_TICKS = re.compile("`+")
_TOKEN = re.compile(r"\\[!-/:-@\[-`{-~]|`+")
_LANGUAGE = re.compile(r"[A-Za-z0-9_+.#-]{1,30}")
# A forge draws or runs these instead of showing them.
_DRAWN = frozenset("mermaid math geojson topojson stl suggestion plantuml kroki glql".split())
_MODIFIERS = re.compile("[\u0300-\u036f\u200c\u200d\u20d0-\u20ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")
_CUT = "*The rest is left out: it would be too long for the forge.*"


def harmless(text: str) -> str:
    r"""Markdown of a stranger for a description or a comment. Code blocks and spans keep their text; idempotent.

    Characters that show nothing or reorder text are written out (``\u202e``), in code too. A block loses its
    indentation, a list marker before it, and a language that a forge draws.

    Args:
        text: Markdown, or anything.
    """
    lines = _clean(text).split("\n")
    done: list[str] = []
    at = 0
    while at < len(lines):
        opening = _FENCE.fullmatch(lines[at])
        if opening is None:
            done.append(_prose(lines[at]))
            at += 1
        else:
            inside, at = _inside(lines, at + 1, opening)
            done += _block(inside, opening[3] or opening[5] or "")
    return "\n".join(done)


def harmless_line(text: str, *, limit: int = TITLE_LIMIT) -> str:
    """A stranger's text as one line for a title: plain text, cut where it is too long; idempotent.

    Args:
        text: Anything.
        limit: Most characters of the result, at least 2.
    """
    # What is cut off is not looked at, but for what could be looked ahead for.
    line = inert(one_line(_clean(text))[: 2 * limit])
    return line if len(line) <= limit else line[: _boundary(line, limit - 1)].rstrip() + "…"


def harmless_message(text: str) -> str:
    """A stranger's text as a commit message: plain lines, no trailers, nothing that steers a forge; idempotent.

    Args:
        text: The message.
    """
    return "\n".join(inert(line.rstrip()) for line in _clean(text).split("\n")).strip("\n")


def inert(line: str) -> str:
    """A line of plain text, code marks counting for nothing, in which a forge finds nothing to act on; idempotent.

    Args:
        line: Without line feeds; ``visible`` already.
    """
    line = line.replace(_JOINER, "")
    return _ACTS.sub(_parted, _start(line))


def cut_body(text: str, *, limit: int = BODY_LIMIT, notice: str = _CUT) -> str:
    """A description or comment that a forge takes: cut where a line ends if one does in its last tenth; idempotent.

    A code block that is cut is closed. No character is parted from its accents.

    Args:
        text: Markdown with every code block at the start of a line, as ``harmless`` gives it.
        limit: Most characters of the result.
        notice: Says in the end that something is missing.

    Raises:
        ValueError: The limit leaves no room beside the notice.
    """
    if len(text) <= limit:
        return text
    room = limit - len(notice) - 2
    if room < 1:
        raise ValueError(f"there is no room for a text in {limit} characters beside its notice")
    for _ in range(2):
        end = text.rfind("\n", room - room // 10, room + 1)
        kept = text[:end] if end >= 0 else _whole_spans(text[: _boundary(text, room)])
        fence = _open_fence(kept)
        if not fence:
            break
        room = limit - len(notice) - 3 - len(fence)
    closing = f"\n{fence}" if fence else ""
    return f"{kept}{closing}\n\n{notice}"


def _clean(text: str) -> str:
    text = text.replace("\r\n", "\n").replace(_JOINER, "")
    return _FILLERS.sub(lambda found: "".join(f"\\u{ord(each):04x}" for each in found.group()), visible(text))


def _parted(found: re.Match[str]) -> str:
    commit = found["id"]
    if commit:
        # No piece is long enough for a commit, even where more stood before or after its id.
        return _JOINER.join(commit[at : at + _SHORT_ID] for at in range(0, len(commit), _SHORT_ID))
    return found.group() + _JOINER


def _start(line: str) -> str:
    """What counts at the start of a line only."""
    obeyed = _OBEYED.match(line)
    return line if obeyed is None else obeyed.group() + _JOINER + line[obeyed.end() :]


def _inside(lines: list[str], at: int, opening: re.Match[str]) -> tuple[list[str], int]:
    """The lines of a block without its indentation, and where the text goes on."""
    indent = len(opening[1].expandtabs(4))
    fence = opening[2] or opening[4]
    inside = []
    while at < len(lines):
        line = lines[at].strip(" \t")
        at += 1
        if len(line) >= len(fence) and line == fence[0] * len(line):
            break
        inside.append(_dedented(lines[at - 1], indent))
    return inside, at


def _dedented(line: str, indent: int) -> str:
    while indent > 0 and line[:1] in (" ", "\t"):
        indent -= 4 if line[0] == "\t" else 1
        line = line[1:]
    return line


def _block(inside: list[str], info: str) -> Iterator[str]:
    longest = max((len(run) for line in inside for run in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    language = info.strip().partition(" ")[0]
    yield fence + (language if _LANGUAGE.fullmatch(language) and language.lower() not in _DRAWN else "")
    # GitLab looks for the end of code before commands with a pattern that knows three marks only.
    yield from map(_start, inside) if len(fence) > 3 else inside
    yield fence


def _prose(line: str) -> str:
    """A line outside of blocks: its code spans stay, and what could begin one that ends in another line does not."""
    parts = list(_parts(line))
    # The bars of a table part cells before code spans are looked for.
    in_cells = any(is_code and "|" in part for is_code, part in parts)
    joined = "".join(part if is_code and not in_cells else _ACTS.sub(_parted, part) for is_code, part in parts)
    return _start(joined)


def _parts(line: str) -> Iterator[tuple[bool, str]]:
    """Code spans and what stands between them, in order; linear in the line."""
    closings: dict[int, deque[int]] = {}
    for run in _TICKS.finditer(line):
        closings.setdefault(len(run.group()), deque()).append(run.start())
    prose: list[str] = []
    at = 0
    while token := _TOKEN.search(line, at):
        prose.append(line[at : token.start()])
        at = token.end()
        ticks = token.group()
        if ticks[0] != "`":
            prose.append(ticks)
            continue
        ends = closings.get(len(ticks), deque())
        while ends and ends[0] < at:
            ends.popleft()
        if not ends:
            prose.append("\\`" * len(ticks))
            continue
        yield False, "".join(prose)
        prose = []
        at = ends.popleft() + len(ticks)
        yield True, line[token.start() : at]
    yield False, "".join(prose) + line[at:]


def _boundary(text: str, at: int) -> int:
    """The last place up to ``at`` where no character is parted from its accents or joined parts."""
    while 0 < at < len(text) and (_MODIFIERS.match(text, at) or text[at - 1] in "\u200d" + _JOINER):
        at -= 1
    return at


def _whole_spans(text: str) -> str:
    """The text up to a code span in its last line that was cut: what stands in it would become prose."""
    line = text[text.rfind("\n") + 1 :]
    escaped = "".join(part for _, part in _parts(line))
    return text if escaped == line else text[: len(text) - len(line) + len(commonprefix((line, escaped)))]


def _open_fence(text: str) -> str:
    """The fence that is open at the end of a text, or nothing."""
    fence = ""
    for line in text.split("\n"):
        run = _TICKS.match(line)
        ticks = run.group() if run else ""
        if not fence and len(ticks) >= 3 and "`" not in line[len(ticks) :]:
            fence = ticks
        elif fence and len(ticks) >= len(fence) and not line[len(ticks) :].strip():
            fence = ""
    return fence
