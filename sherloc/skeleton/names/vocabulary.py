"""The words that a repository's code knows, by what they are used for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_MEMBER = re.compile(r"\.\s*([^\W\d]\w*)")
_DEFINED = re.compile(r"\b(?:def|class|function|const|let|var|enum|interface|type|import|as)\s+([^\W\d]\w*)")
_ASSIGNED = re.compile(r"([^\W\d]\w*)\s*(?:=(?![=>])|[?!]?:)")
_QUOTED = re.compile(r"[\"'`]([^\W\d]\w*)[\"'`]")
_QUOTED_LIST = re.compile(r"[\"']((?:[^\W\d]\w*[, ]+)+[^\W\d]\w*)[\"']")
_PYTHON_PARAMETERS = re.compile(r"\bdef\s+\w+\s*\(([^)]*)\)")
_SCRIPT_HEAD = re.compile(r"^[ \t]*(?:(?:async|static|get|set|public|private|protected|readonly|abstract|override)\s+)*"
                          r"[*#]?([^\W\d][\w$]*)\s*[(<?]", re.MULTILINE)  # fmt: skip
_SCRIPT_LIST = re.compile(r"[{,(]\s*(?:\.\.\.)?([^\W\d][\w$]*)(?=\s*[,})])")
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(slots=True)
class Vocabulary:
    """Words of code.

    Attributes:
        members: What stands behind a dot, is defined, assigned or quoted somewhere.
        keywords: What is a parameter, is given by name, or is quoted.
        words: Everything, in comments too.
    """

    members: set[str] = field(default_factory=set)
    keywords: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def add_python(self, text: str) -> None:
        """Take in a Python file."""
        self._add(text)
        for parameters in _PYTHON_PARAMETERS.findall(text):
            self.keywords.update(_WORD.findall(parameters))

    def add_script(self, text: str) -> None:
        """Take in a file of JavaScript or TypeScript."""
        self._add(text)
        self.members.update(_SCRIPT_HEAD.findall(text))
        self.members.update(_SCRIPT_LIST.findall(text))

    def _add(self, text: str) -> None:
        assigned, quoted = _ASSIGNED.findall(text), _QUOTED.findall(text)
        for several in _QUOTED_LIST.findall(text):
            quoted += _WORD.findall(several)
        self.members.update(_MEMBER.findall(text), _DEFINED.findall(text), assigned, quoted)
        self.keywords.update(assigned, quoted)
        self.words.update(_WORD.findall(text))


def vocabulary_of(texts: Iterable[str], *, python: bool) -> Vocabulary:
    """The vocabulary of some files; linear in their length."""
    found = Vocabulary()
    for text in texts:
        (found.add_python if python else found.add_script)(text)
    return found
