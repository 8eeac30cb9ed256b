"""What all functions of one name take, wherever they are defined."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from sherloc.skeleton.names.check import UNPARSABLE

ANYTHING = "**"
"""Stands among the parameters of a function that takes any argument by name."""
PLAIN_DECORATORS = frozenset({"staticmethod", "classmethod", "abstractmethod", "override", "abc.abstractmethod"})

_MOST = 4  # definitions; of a name with more it is not clear which one is meant
_LONGEST = 4000  # characters of a signature


class Signatures:
    """Parameters by the name of a function, read from the texts when they are asked for.

    Args:
        texts: The repository's Python files, with the patch too.
        before: Without the patch: what these call is right.
    """

    def __init__(self, texts: Sequence[str], before: Sequence[str]) -> None:
        self._texts = texts
        self._before = before
        self._known: dict[str, frozenset[str] | None] = {}

    def of(self, name: str) -> frozenset[str] | None:
        """What any function of that name takes; None when there is none, or one cannot be read, or there are many."""
        if name not in self._known:
            self._known[name] = self._read(name)
        return self._known[name]

    def is_called_with(self, name: str, keyword: str) -> bool:
        """Whether some call of that name gives an argument of that name."""
        pattern = re.compile(rf"\b{re.escape(name)}\s*\([^()]*(?:\([^()]*\)[^()]*)*\b{re.escape(keyword)}\s*=(?!=)")
        return any(name in text and keyword in text and pattern.search(text) for text in self._before)

    def _read(self, name: str) -> frozenset[str] | None:
        pattern = re.compile(
            rf"^([ \t]*@[^\n]*\n)?[ \t]*(?:async[ ]+)?def[ ]+{re.escape(name)}[ ]*(?=\()", re.MULTILINE
        )
        found: set[str] = set()
        count = 0
        for text in self._texts:
            for match in pattern.finditer(text) if name in text else ():
                decorator = (match.group(1) or "").strip().removeprefix("@")
                names = _parameters(text[match.end() : match.end() + _LONGEST])
                count += 1
                if names is None or count > _MOST or (decorator and decorator not in PLAIN_DECORATORS):
                    return None
                found |= names
        return frozenset(found) if count else None


def _parameters(text: str) -> frozenset[str] | None:
    """Names of the parameters at the start of a text, which begins with their parenthesis."""
    depth = end = 0
    for end, character in enumerate(text, 1):  # noqa: B007 - the end is what is looked for
        depth += (character in "([{") - (character in ")]}")
        if not depth:
            break
    try:
        function = ast.parse(f"def f{text[:end]}: pass").body[0]
    except UNPARSABLE:
        return None
    return names_of(function.args) if isinstance(function, ast.FunctionDef) else None


def names_of(arguments: ast.arguments) -> frozenset[str]:
    """What can be given by name; ``ANYTHING`` among it where all can."""
    names = [argument.arg for argument in (*arguments.args, *arguments.kwonlyargs)]
    return frozenset([*names, ANYTHING] if arguments.kwarg is not None else names)
