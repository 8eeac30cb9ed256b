"""Whether any code of a repository uses a word as a member or as an argument's name."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MEMBER = (
    r"(?:\.\s*|\b(?:def|class|function|const|let|var|enum|interface|type|import|as)\s+){name}\b"
    r"|(?<![\w$]){name}\s*(?:=(?![=>])|[?!]?:)"
    r"|[\"'`][\w, ]*(?<![\w$]){name}\b[\w, ]*[\"'`]"
)
_SCRIPT = (
    r"|^[ \t]*(?:(?:async|static|get|set|public|private|protected|readonly|abstract|override)\s+)*[*#]?{name}\s*[(<?]"
    r"|[{{,(]\s*(?:\.\.\.)?{name}\s*[,}})]"
)
_KEYWORD = (
    r"(?<![\w$]){name}\s*(?:=(?!=)|[?!]?:)"
    r"|[\"'][\w, ]*(?<![\w$]){name}\b[\w, ]*[\"']"
    r"|\bdef\s+\w+\s*\([^)]*\b{name}\b"
)


class Vocabulary:
    """Answers from the texts, one name at a time: looking for a few names is faster than collecting all.

    Args:
        texts: The repository's files in one family of languages.
        python: Whether that is Python.
    """

    def __init__(self, texts: Sequence[str], *, python: bool) -> None:
        self._texts = texts
        self._member = _MEMBER if python else _MEMBER + _SCRIPT
        self._keyword = _KEYWORD if python else _KEYWORD + _SCRIPT
        self._answers: dict[tuple[str, str], bool] = {}

    def has_member(self, name: str) -> bool:
        """Whether the name stands behind a dot, is defined or assigned, or is quoted somewhere."""
        return self._has(self._member, name)

    def has_keyword(self, name: str) -> bool:
        """Whether the name is a parameter, is given by name, or is quoted somewhere."""
        return self._has(self._keyword, name)

    def has_word(self, name: str) -> bool:
        """Whether the name stands anywhere, in comments too."""
        return self._has(r"(?<![\w$]){name}(?![\w$])", name)

    def _has(self, form: str, name: str) -> bool:
        key = (form, name)
        if key not in self._answers:
            pattern = re.compile(form.format(name=re.escape(name)), re.MULTILINE)
            self._answers[key] = any(name in text and pattern.search(text) for text in self._texts)
        return self._answers[key]
