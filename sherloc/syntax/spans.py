"""What the query of a language gives: spans by capture name."""

from __future__ import annotations

Span = tuple[int, int]
"""First byte, and the byte after the last."""

Captures = dict[str, list[Span]]
