"""What parsing one file gives, as plain columns: keyed by content, so without its path.

Columns are plain arrays and joined strings, so that tens of thousands of files can be put together without making an
object for each definition.
"""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass, field

FORMAT = 6
"""Part of every key: a record or index of another format is never read."""

KINDS = ("module", "class", "function", "method", "block")
REFERENCE_KINDS = ("call", "import", "raise", "decorator", "base")
FIELDS = ("code", "doc", "string", "name")
SEPARATOR = "\x00"

_COLUMNS = {
    "kind": "B", "start": "I", "end": "I", "parent": "i", "name_line": "I",
    "post_unit": "I", "post_term": "I", "post_tf": "I",
    "ref_unit": "I", "ref_kind": "B", "ref_line": "I", "ref_name": "I", "ref_prefix": "I", "ref_alias": "I",
}  # fmt: skip
_TEXTS = ("qualified_names", "short_names", "signatures", "docstrings", "terms", "symbols")


@dataclass(slots=True)
class FileRecord:
    """Columns of one file.

    ``columns``: see ``_COLUMNS``; units (kind, start, end, parent, name_line) are numbered from 0, the module first.
    Postings are one row a (unit, term); ``post_tf`` holds the term's frequency in each of ``FIELDS`` (at most
    255), a byte each, the first lowest. References name symbols.
    ``problems`` are (code, detail) pairs to report. ``lines`` is the file's number of lines,
    ``generated`` whether it says that a program wrote it.
    """

    lines: int = 0
    generated: bool = False
    columns: dict[str, array[int]] = field(default_factory=lambda: {n: array(c) for n, c in _COLUMNS.items()})
    texts: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in _TEXTS})
    problems: list[tuple[str, str]] = field(default_factory=list)

    def encode(self) -> bytes:
        """The record as bytes: a JSON head, then the columns."""
        parts = [self.columns[name].tobytes() for name in _COLUMNS]
        parts += [SEPARATOR.join(self.texts[name]).encode("utf-8", "surrogatepass") for name in _TEXTS]
        head = {
            "lines": self.lines,
            "generated": self.generated,
            "problems": self.problems,
            "sizes": [len(part) for part in parts],
            "counts": [len(self.texts[name]) for name in _TEXTS],
        }
        return b"\n".join([json.dumps(head).encode(), b"".join(parts)])

    @classmethod
    def decode(cls, data: bytes) -> FileRecord:
        """Read what ``encode`` wrote.

        Raises:
            ValueError: The bytes are not a record.
        """
        first, _, body = data.partition(b"\n")
        head = json.loads(first)
        problems = [(code, detail) for code, detail in head["problems"]]
        record = cls(lines=head["lines"], generated=head["generated"], problems=problems)
        position = 0
        sizes = iter(head["sizes"])
        for name, code in _COLUMNS.items():
            size = next(sizes)
            column = array(code)
            column.frombytes(body[position : position + size])
            record.columns[name] = column
            position += size
        for name, count in zip(_TEXTS, head["counts"], strict=True):
            size = next(sizes)
            text = body[position : position + size].decode("utf-8", "surrogatepass")
            record.texts[name] = text.split(SEPARATOR) if count else []
            position += size
        return record
