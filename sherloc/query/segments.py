"""Every stretch of an issue gets its kind: prose of a section, code, log, traceback or version table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from sherloc.query.layout import Chunk, lay_out
from sherloc.query.shapes import (
    PROMPT,
    alike,
    code_score,
    is_code_language,
    is_environment,
    is_error_text,
    is_log,
    is_log_line,
    is_sentence,
    is_version_line,
)
from sherloc.query.tracebacks import Trace, find_traces
from sherloc.query.weights import QueryWeights
from sherloc.schema.query import SegmentKind


class Piece(NamedTuple):
    """A stretch of text of one kind.

    Attributes:
        kind: Its kind.
        text: Its lines.
        language: What its fence says, for code.
        trace: The traceback, for the piece that has its frames.
        generated: Whether a program wrote it: many lines of one shape.
        quoted: Whether it is a quotation.
    """

    kind: SegmentKind
    text: str
    language: str = ""
    trace: Trace | None = None
    generated: bool = False
    quoted: bool = False

    @property
    def is_code(self) -> bool:
        """Whether it is code."""
        return self.kind == "code"

    @property
    def is_prose(self) -> bool:
        """Whether somebody wrote it as prose."""
        return self.kind not in ("code", "log", "traceback", "environment")


def cut(text: str, base: SegmentKind, weights: QueryWeights) -> list[Piece]:
    """Cut a visible text into pieces, in its order.

    Args:
        text: Body or comment of an issue.
        base: The kind of prose outside of any section.
        weights: Says from how many lines alike a text counts as generated.
    """
    pieces: list[Piece] = []
    for chunk in lay_out(text, base):
        position = 0
        for trace in find_traces(chunk.lines):
            pieces.extend(_pieces(chunk, chunk.lines[position : trace.start], weights))
            pieces.extend(_trace_pieces(chunk.lines, trace))
            position = trace.end
        pieces.extend(_pieces(chunk, chunk.lines[position:], weights))
    return [piece for piece in pieces if piece.text.strip()]


def _trace_pieces(lines: Sequence[str], trace: Trace) -> list[Piece]:
    """The frames are a traceback; what was raised is what actually happens, what only wraps it is a log's word."""
    said = trace.wrapper_lines.union(trace.message_lines)
    frames = "\n".join(lines[i] for i in range(trace.start, trace.end) if i not in said)
    happened, around = (
        "\n".join(f"{raised.name}: {raised.message}" for raised in trace.raised if raised.wraps is wraps)
        for wraps in (False, True)
    )
    whole = "\n".join(lines[trace.start : trace.end])
    traceback = Piece("traceback", frames if frames.strip() else whole, trace=trace)
    return [traceback, Piece("actual", happened), Piece("log", around)]


def _pieces(chunk: Chunk, lines: Sequence[str], weights: QueryWeights) -> list[Piece]:
    if not any(line.strip() for line in lines):
        return []
    if chunk.fenced:
        return [_fenced(chunk, lines, weights)]
    return _prose(chunk, lines, weights)


def _fenced(chunk: Chunk, lines: Sequence[str], weights: QueryWeights) -> Piece:
    text = "\n".join(lines)
    generated = _is_generated(lines, weights)
    if is_code_language(chunk.language) and not generated:
        return Piece("code", text, chunk.language)
    if is_error_text(lines):
        return Piece("actual", text)
    if is_environment(lines):
        return Piece("environment", text)
    filled = [line for line in lines if line.strip()]
    code = sum(code_score(line) > 0 or bool(PROMPT.match(line)) for line in filled)
    if generated or is_log(lines) or (chunk.section == "log" and code * 2 < len(filled)):
        return Piece("log", text, generated=generated)
    if chunk.section == "environment" and code * 2 < len(filled):
        return Piece("environment", text)
    if not code and not chunk.language and sum(map(is_sentence, filled)) * 3 >= 2 * len(filled):
        return Piece(chunk.section, text)
    if code * 4 < len(filled) and len(filled) > 6:
        return Piece("log", text)
    return Piece("code", text, chunk.language)


def _is_generated(lines: Sequence[str], weights: QueryWeights) -> bool:
    filled = sum(1 for line in lines if line.strip())
    return filled > weights.alike_lines and alike(lines) >= max(weights.alike_share * filled, weights.alike_lines)


def _prose(chunk: Chunk, lines: Sequence[str], weights: QueryWeights) -> list[Piece]:
    labels = _labels(lines, chunk.section)
    pieces: list[Piece] = []
    numbers = range(len(lines))
    for label, run in groupby(numbers, key=lambda i: labels[i]):
        piece = _labelled(label, "\n".join(lines[i] for i in run), chunk, weights)
        if pieces and pieces[-1].kind == piece.kind == "environment":
            piece = Piece("environment", f"{pieces.pop().text}\n{piece.text}")
        pieces.append(piece)
    return pieces


def _labelled(label: str, text: str, chunk: Chunk, weights: QueryWeights) -> Piece:
    lines = text.split("\n")
    if _is_generated(lines, weights):
        return Piece("log", text, generated=True)
    if label == "code":
        return Piece("code", text)
    if label == "log":
        return Piece("log", text)
    if label == "env":
        return Piece("environment", text)
    kind = chunk.section
    if kind in ("environment", "log") and any(map(is_sentence, lines)):
        kind = "description"
    return Piece(kind, text, quoted=chunk.quoted)


def _labels(lines: Sequence[str], section: SegmentKind) -> list[str]:
    """Label each line ``text``, ``code``, ``log`` or ``env``; a blank line goes with the line before it."""
    raw: list[str] = []
    for i in range(len(lines)):
        raw.append(_label(lines, i, raw[-1] if raw else ""))
    _absorb_output(lines, raw)
    labels = ["text"] * len(lines)
    for label, start, end in _runs(raw):
        filled = sum(1 for i in range(start, end) if raw[i])
        strong = any(raw[i] in ("prompt", "strong", "indent") for i in range(start, end))
        if label == "code" and (filled >= 2 or strong):
            labels[start:end] = ["code"] * (end - start)
        elif label == "log" and filled >= 2:
            labels[start:end] = ["log"] * (end - start)
        elif label == "env" and (filled >= 2 or section == "environment"):
            labels[start:end] = ["env"] * (end - start)
    return labels


def _label(lines: Sequence[str], i: int, previous: str) -> str:
    line = lines[i]
    if not line.strip():
        return ""
    if PROMPT.match(line):
        return "prompt"
    if is_version_line(line):
        return "env"
    if is_log_line(line):
        return "log"
    score = code_score(line)
    in_code = previous in ("indent", "code", "strong")
    if line.startswith(("    ", "\t")) and (score or in_code or not lines[i - 1].strip()) and not is_sentence(line):
        return "indent"
    return ("text", "code", "strong")[score]


def _absorb_output(lines: Sequence[str], raw: list[str]) -> None:
    """What stands right under a prompt is its output, unless it reads as prose."""
    for i in range(1, len(raw)):
        if raw[i - 1] == "prompt" and raw[i] and raw[i] != "prompt" and not is_sentence(lines[i]):
            raw[i] = "prompt"


def _runs(raw: Sequence[str]) -> list[tuple[str, int, int]]:
    """Runs of one family of labels; blank lines inside a run belong to it, those at its end do not."""
    runs: list[tuple[str, int, int]] = []
    for i, label in enumerate(raw):
        family = "code" if label in ("prompt", "indent", "strong", "code") else label
        if not family:
            continue
        if runs and runs[-1][0] == family and i - runs[-1][2] <= 2:
            runs[-1] = (family, runs[-1][1], i + 1)
        else:
            runs.append((family, i, i + 1))
    return runs
