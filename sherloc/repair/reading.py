"""From what a generator answered to a proposal: JSON, a bare unified diff, or blocks of search and replace."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sherloc.errors import AmbiguousOutput, NoJsonFound, ProposalError, TruncatedOutput
from sherloc.json_hardening import check_ending, parse_reply
from sherloc.json_hardening.peel import THINK, THINK_BLOCK
from sherloc.repair.diffs import read_patch
from sherloc.repair.replies import ProposalReply
from sherloc.schema.proposal import PatchProposal, ProposedCommit, ProposedFile, ReplaceBlock

_NO_REASON = "The proposal came without JSON, which has no place for a reason."
_MAX_REASONING = 10_000
_KEYS = r"is_?fixable|fixable|commit_?groups?|commits|修正可能|可修复"
_JSON = re.compile(
    rf"[{{｛]\s*[\"'“]?(?:{_KEYS}|reasoning|reason|summary|title|files|pr_?description)[\"'”]?\s*[:：]", re.I
)
_DIFF = re.compile(r"^(?:\+\+\+ [^\n]*\n@@|diff --git \S)", re.MULTILINE)
_DIFF_HEAD = re.compile(r"^(?:diff --git |Index: |--- [^\n]+\n\+\+\+ )", re.MULTILINE)
_FENCE = re.compile(r"(`{3,}|~{3,})([^`\n]*)$")
_THOUGHT_END = re.compile(rf"^</{THINK}>", re.MULTILINE | re.IGNORECASE)
_SEARCH = re.compile(r"<{5,9} ?SEARCH>?\s*$")
_MIDDLE = re.compile(r"={7}\s*$")
_REPLACE = re.compile(r">{5,9} ?REPLACE\s*$")
_ANY_BLOCK = re.compile(r"^<{5,9} ?SEARCH", re.MULTILINE)
_LABELS = re.compile(r"(?:(?:[#*>-]|(?:file|path|filename|ファイル|文件)\s*[:：])\s*)*", re.IGNORECASE)


def read_proposal(text: str, stop_reason: str | None = None) -> PatchProposal:
    """Read what a patch generator answered.

    JSON is read as ``json_hardening`` does it, with the names that models use for the fields; texts of files are never
    altered. Else the reply is one unified diff (git's or plain, in fences or not, with prose around it), or blocks of
    ``<<<<<<< SEARCH``, ``=======`` and ``>>>>>>> REPLACE`` with a path before them; then the prose is the reasoning.

    Args:
        text: The answer, untrusted.
        stop_reason: Why the model stopped, in sherloc's words or a provider's; None when it is not known.

    Raises:
        ReplyError: It cannot be read: cut off, refused, nothing of the kind in it, or more than one answer.
        ProposalError: It contradicts itself or says nothing.

    Takes linear time in the text.
    """
    check_ending(text, stop_reason)
    body = _after_thoughts(text)
    bare = body.lstrip()
    if bare.startswith(("{", "[", "｛")) or (bare.startswith("```json") and _JSON.search(body)):
        return _from_json(text, stop_reason)
    json = _JSON.search(body)
    diff = _DIFF_HEAD.search(body) if _DIFF.search(body) else None
    blocks = _ANY_BLOCK.search(body)
    starts = sorted(
        (found.start(), kind) for kind, found in (("json", json), ("diff", diff), ("blocks", blocks)) if found
    )
    if not starts or starts[0][1] == "json":
        return _nothing_else(text, stop_reason)
    read = _read_diff if starts[0][1] == "diff" else _read_blocks
    found = read(body)
    rest = found.prose
    if _JSON.search(rest) or _DIFF_HEAD.search(rest) or _ANY_BLOCK.search(rest):
        raise AmbiguousOutput("the reply mixes JSON, diffs and search/replace blocks; send one of them", text=text)
    return PatchProposal(is_fixable=True, reasoning=rest.strip()[:_MAX_REASONING], commit_groups=(found.commit,))


def _from_json(text: str, stop_reason: str | None) -> PatchProposal:
    # Placeholders are looked for where the files are known.
    return parse_reply(text, ProposalReply, stop_reason, originals=None).value.proposal()


def _nothing_else(text: str, stop_reason: str | None) -> PatchProposal:
    try:
        return _from_json(text, stop_reason)
    except NoJsonFound as error:
        raise NoJsonFound(
            "the reply holds no proposal: send the JSON that was asked for, or one unified diff", text=error.text
        ) from error


def _after_thoughts(text: str) -> str:
    """A reply without the thoughts at its beginning; lines of diffs and blocks never begin with such a tag."""
    block = THINK_BLOCK.match(text.lstrip())
    if block is not None:
        return text.lstrip()[block.end() :]
    *_, last = (None, *_THOUGHT_END.finditer(text))
    return text[last.end() :] if last is not None else text


@dataclass(frozen=True, slots=True)
class _Found:
    """A commit out of a reply, and what stood around it."""

    commit: ProposedCommit
    prose: str


def _read_diff(text: str) -> _Found:
    """The diff in a reply: all fenced blocks that are diffs, or from its first head to the end."""
    kept: list[str] = []
    prose: list[str] = []
    fence = ""
    block: list[str] = []
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence and mark and mark[1].startswith(fence) and not mark[2].strip():
            (kept if _DIFF.search("\n".join(block)) else prose).extend(block)
            fence, block = "", []
        elif fence:
            block.append(line)
        elif mark:
            fence = mark[1]
        else:
            prose.append(line)
    if fence:
        if _DIFF.search("\n".join(block)):
            raise TruncatedOutput("the reply ends inside a diff", text=text, needs_more_tokens=True)
        prose += block
    if not kept:
        start = _DIFF_HEAD.search(text)
        assert start is not None
        kept, prose = text[start.start() :].split("\n"), text[: start.start()].split("\n")
    diff = "\n".join(kept).strip("\n") + "\n"
    names = {path for patch in read_patch(diff)[0] for path in (patch.old, patch.new) if path}
    files = tuple(ProposedFile(path=name, reason=_NO_REASON) for name in sorted(names))
    return _Found(ProposedCommit(message="", files=files, diff=diff), "\n".join(prose))


def _read_blocks(text: str) -> _Found:
    """The blocks of search and replace in a reply, by file."""
    edits: dict[str, list[ReplaceBlock]] = {}
    prose: list[str] = []
    before: list[str] = []
    sides: list[list[str]] = []
    path, number = "", 0
    for line in text.split("\n"):
        if not sides and _SEARCH.match(line):
            number += 1
            path = _path_before(before) or path
            if not path:
                raise ProposalError(
                    (f"search/replace block {number} has no path: write the path on the line before it.",)
                )
            sides = [[]]
        elif sides and _MIDDLE.match(line):
            sides.append([])
        elif sides and _REPLACE.match(line):
            edits.setdefault(path, []).append(_block(sides, path, number))
            prose += before
            sides, before = [], []
        else:
            (sides[-1] if sides else before).append(line)
    if sides:
        raise TruncatedOutput("the reply ends inside a search/replace block", text=text, needs_more_tokens=True)
    files = tuple(ProposedFile(path=name, edits=tuple(found), reason=_NO_REASON) for name, found in edits.items())
    words = [line for line in (*prose, *before) if not _FENCE.match(line) and _as_path(line) not in edits]
    return _Found(ProposedCommit(message="", files=files), "\n".join(words))


def _block(sides: list[list[str]], path: str, number: int) -> ReplaceBlock:
    if len(sides) != 2:
        raise ProposalError(
            (f"search/replace block {number} ({path}) has {len(sides) - 1} lines of =======: it must have one. Send "
             "JSON or a unified diff when the text itself has such a line.",)
        )  # fmt: skip
    search, replace = ("".join(f"{line}\n" for line in side) for side in sides)
    return ReplaceBlock(search=search, replace=replace)


def _path_before(lines: list[str]) -> str:
    """The path that the lines before a block name last; empty when they name none."""
    for line in reversed([line for line in lines if line.strip()][-3:]):
        fence = _FENCE.match(line)
        if fence is None:
            return _as_path(line)
        if path := _as_path(re.split(r"[ :]", fence[2].strip())[-1]):
            return path
    return ""


def _as_path(line: str) -> str:
    """A line as a path, without what surrounds it in Markdown; empty when it is none."""
    bare = _LABELS.sub("", line.strip(), count=1).rstrip("*: ").strip("`\"' ")
    return bare if bare and " " not in bare and ("." in bare or "/" in bare) else ""
