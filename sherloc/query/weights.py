"""Every number of the query in one table."""

from __future__ import annotations

from typing import NamedTuple

from sherloc.schema.query import SegmentKind


class QueryWeights(NamedTuple):
    """How much the words of each kind of segment count in lexical retrieval.

    A term's effective frequency is the sum over the kinds of segments of ``min(ceiling, weight * frequency)``; its
    weight is ``(k + 1) * f / (k + f)`` with ``k = saturation``. An issue of plain description therefore has BM25's
    own saturation of query terms, and a word of a log never outweighs a word of the description, however often
    it occurs.

    Attributes:
        title: Weight of the title's words; likewise for each other kind of segment.
        saturation: BM25's k3.
        code_ceiling: Most that code adds to a term's effective frequency.
        log_ceiling: Most that logs and tracebacks add, together.
        environment_ceiling: Most that version tables add.
        broad_terms: Code, logs or tracebacks with more different terms than this are weighed down by the square root
            of the excess.
        long_lines: A segment of code, log or traceback with more lines is weighed down likewise.
        alike_lines: So many lines of one shape (digits, hexadecimal numbers and quoted text masked) are output of a
            program.
        alike_share: Share of lines whose shape occurred before that makes a text output of a program.
        generated: Factor for output of a program.
        named: Weight of the terms of operators and settings.
    """

    title: float = 2.5
    description: float = 0.9
    expected: float = 1.0
    actual: float = 1.0
    reproduction: float = 1.0
    comment: float = 0.6
    code: float = 0.6
    log: float = 0.2
    traceback: float = 0.2
    environment: float = 0.01
    saturation: float = 1.0
    code_ceiling: float = 2.0
    log_ceiling: float = 0.6
    environment_ceiling: float = 0.1
    broad_terms: int = 45
    long_lines: int = 40
    alike_lines: int = 20
    alike_share: float = 0.6
    generated: float = 0.3
    named: float = 1.0

    def of(self, kind: SegmentKind) -> float:
        """The weight of a kind of segment."""
        weight: float = getattr(self, kind)
        return weight

    def ceiling(self, kind: SegmentKind) -> float:
        """Most that all segments of a kind add to a term's effective frequency."""
        if kind == "code":
            return self.code_ceiling
        if kind in ("log", "traceback"):
            return self.log_ceiling
        return self.environment_ceiling if kind == "environment" else float("inf")
