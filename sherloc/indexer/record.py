"""What parsing one file gives, as plain columns: keyed by content, so without its path.

Columns are plain arrays and joined strings, so that tens of thousands of files can be put together without making an
object for each definition.
"""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass, field

FORMAT = 11
"""Part of every key: a record or index of another format is never read."""

KINDS = ("module", "class", "function", "method", "block")
REFERENCE_KINDS = ("call", "import", "raise", "decorator", "base")
FIELDS = ("code", "doc", "string", "name")
SEPARATOR = "\x00"

COLUMNS = {
    "start": "I", "end": "I", "parent": "i", "name_line": "I",
    "post_unit": "I", "post_term": "I", "post_tf": "I",
    "ref_unit": "I", "ref_line": "I", "ref_name": "I", "ref_prefix": "I", "ref_alias": "I",
    "kind": "B", "ref_kind": "B",
}  # fmt: skip
"""Type codes; the single bytes last, so that the numbers stand at multiples of four."""
TEXTS = ("qualified_names", "short_names", "signatures", "docstrings", "terms", "symbols")


@dataclass(slots=True)
class FileRecord:
    """Columns of one file.

    ``columns``: see ``COLUMNS``; units (kind, start, end, parent, name_line) are numbered from 0, the module first.
    Postings are one row a (unit, term); ``post_tf`` holds the term's frequency in each of ``FIELDS`` (at most
    255), a byte each, the first lowest. References name symbols.
    ``problems`` are (code, detail) pairs to report. ``lines`` is the file's number of lines,
    ``generated`` whether it says that a program wrote it.
    """

    lines: int = 0
    generated: bool = False
    columns: dict[str, array[int]] = field(default_factory=lambda: {n: array(c) for n, c in COLUMNS.items()})
    texts: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in TEXTS})
    problems: list[tuple[str, str]] = field(default_factory=list)

    def encode(self) -> bytes:
        """The record as bytes: a JSON head, then the columns."""
        parts = [self.columns[name].tobytes() for name in COLUMNS]
        parts += [SEPARATOR.join(self.texts[name]).encode("utf-8", "surrogatepass") for name in TEXTS]
        head = {
            "lines": self.lines,
            "generated": self.generated,
            "problems": self.problems,
            "sizes": [len(part) for part in parts],
            "counts": [len(self.texts[name]) for name in TEXTS],
        }
        return b"\n".join([json.dumps(head).encode(), b"".join(parts)])
