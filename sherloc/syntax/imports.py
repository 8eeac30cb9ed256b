"""Import statements, read from their text: pairs of what is imported and the words by which the code then says it."""

from __future__ import annotations

import re
from collections.abc import Callable

Import = tuple[str, str]

_HASH_COMMENT = re.compile(r"#[^\n]*")
_PYTHON_FROM = re.compile(r"^\s*from\s*([.\s]*[\w.]*)\s*import\b(.*)$", re.DOTALL)
_AS = re.compile(r"^(\S+)\s+as\s+(\S+)$")


def python(text: str) -> list[Import]:
    """``import a.b as c, d`` and ``from .a import b as c``."""
    text = _HASH_COMMENT.sub("", text).replace("\\\n", " ").replace("\\\r\n", " ")
    match = _PYTHON_FROM.match(text)
    if match:
        module = "".join(match.group(1).split())
        listed = match.group(2)
    else:
        module = ""
        listed = text.strip().removeprefix("import")
    found: list[Import] = []
    for item in listed.strip().strip("()").split(","):
        name, alias = _renamed(item)
        if name:
            joint = "" if not module or module.endswith(".") else "."
            found.append((f"{module}{joint}{name}", alias))
    return found


def _renamed(item: str) -> tuple[str, str]:
    """``a as b`` gives a and b, ``a`` gives it twice."""
    item = " ".join(item.split())
    match = _AS.match(item)
    return (match.group(1), match.group(2)) if match else (item, item)


IMPORTS: dict[str, Callable[[str], list[Import]]] = {
    "python": python,
}
