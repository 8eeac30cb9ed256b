"""The issue: what somebody wrote about what is wrong."""

from __future__ import annotations

import re

from sherloc.schema._model import Model


class Issue(Model):
    """An issue as a tracker has it.

    Only text that was there before the fix belongs here. ``comments`` are in order of time.
    """

    title: str = ""
    body: str = ""
    comments: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    @classmethod
    def from_text(cls, text: str) -> Issue:
        """Split plain text or Markdown into title (its first non-empty line) and body.

        Args:
            text: The whole issue; a leading byte-order mark and Markdown ``#`` marks are dropped.
        """
        lines = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
        start = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
        title = re.sub(r"^#{1,6}\s+", "", lines[start].strip()) if start < len(lines) else ""
        if title.startswith("```"):
            return cls(body="\n".join(lines[start:]).strip("\n"))
        return cls(title=title, body="\n".join(lines[start + 1 :]).strip("\n"))

    @property
    def text(self) -> str:
        """Title, body and comments, a blank line apart."""
        return "\n\n".join(part for part in (self.title, self.body, *self.comments) if part.strip())
