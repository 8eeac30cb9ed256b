"""The issue: what somebody wrote about what is wrong."""

from __future__ import annotations

import re

from pydantic import Field

from sherloc.schema._model import Model

_SHORTEST_PART = 200


class Issue(Model):
    """An issue as a tracker has it.

    Only text that was there before the fix belongs here. ``comments`` are in order of time. ``omitted`` says how many
    characters of it were left out, at least, because it was too long.
    """

    title: str = ""
    body: str = ""
    comments: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    omitted: int = Field(default=0, ge=0)

    @classmethod
    def from_text(cls, text: str) -> Issue:
        """Split plain text or Markdown into title (its first non-empty line) and body.

        Args:
            text: The whole issue; a leading byte-order mark and Markdown ``#`` marks are dropped.
        """
        text = text.lstrip("\ufeff").replace("\r\n", "\n")
        first = len(text) - len(text.lstrip())
        start = text.rfind("\n", 0, first) + 1
        line, _, rest = text[start:].partition("\n")
        title = re.sub(r"^#{1,6}\s+", "", line.strip())
        if title.startswith("```"):
            return cls(body=text[start:].strip("\n"))
        return cls(title=title, body=rest.strip("\n"))

    @property
    def text(self) -> str:
        """Title, body and comments, a blank line apart."""
        return "\n\n".join(part for part in (self.title, self.body, *self.comments) if part.strip())

    def shortened(self, limit: int) -> Issue:
        """The issue with at most so many characters: of what is too long the begin and the end stay, whole lines.

        Args:
            limit: For title, body and comments together; comments get what the others leave, in their order.
        """
        size = len(self.title) + len(self.body) + sum(map(len, self.comments))
        if size <= limit:
            return self
        title = self.title[: limit // 8]
        left = limit - len(title)
        body = _begin_and_end(self.body, max(left * 3 // 4, left - sum(map(len, self.comments))))
        left -= len(body)
        comments: list[str] = []
        for comment in self.comments:
            comments.append(_begin_and_end(comment, left))
            left -= len(comments[-1])
        kept = len(title) + len(body) + sum(map(len, comments))
        return Issue(
            title=title, body=body, comments=tuple(filter(None, comments)), labels=self.labels,
            omitted=self.omitted + size - kept,
        )  # fmt: skip


def _begin_and_end(text: str, limit: int) -> str:
    """Three quarters of the limit from a text's begin, the rest from its end, cut where a line ends if it is near."""
    if len(text) <= limit:
        return text
    if limit < _SHORTEST_PART:
        return ""
    at = limit * 3 // 4
    begin = text[: at - 2]
    end = text[len(text) - (limit - at) :]
    begin = begin[: begin.rfind("\n", len(begin) // 2) + 1 or None]
    end = end[end.find("\n", 0, len(end) // 2) + 1 :]
    return f"{begin}\n\n{end}"
