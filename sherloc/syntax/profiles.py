"""What differs between languages beyond their queries."""

from __future__ import annotations

from typing import NamedTuple


class Profile(NamedTuple):
    """How a language names things.

    Attributes:
        separator: What stands between the parts of a qualified name.
        constructors: Names of methods that are constructors.
        open: Details of class-like things whose functions are functions, not methods.
        declares: A function without a body is a declaration.
        reserved: Words that no definition is called; where one seems to be, the parser lost its way.
        indented: Blocks end by indentation, so that comments at their end are not part of them.
    """

    separator: str = "."
    constructors: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    declares: bool = False
    reserved: frozenset[str] = frozenset()
    indented: bool = False


_RESERVED = frozenset("if else for foreach while do switch case return catch try using lock sizeof throw new".split())


_TYPESCRIPT = Profile(constructors=frozenset({"constructor"}), open=frozenset({"namespace", "module"}), declares=True)

PROFILES: dict[str, Profile] = {
    "python": Profile(constructors=frozenset({"__init__"}), indented=True),
    "javascript": Profile(constructors=frozenset({"constructor"})),
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "java": Profile(declares=True, reserved=_RESERVED),
    "go": Profile(declares=True),
    "rust": Profile(separator="::", open=frozenset({"module"}), declares=True),
    "c": Profile(separator="::", reserved=_RESERVED),
    "cpp": Profile(separator="::", open=frozenset({"namespace"}), reserved=_RESERVED),
    "ruby": Profile(separator="::", constructors=frozenset({"initialize"})),
    "php": Profile(separator="::", constructors=frozenset({"__construct"}), declares=True),
    "kotlin": Profile(declares=True),
    "csharp": Profile(declares=True, reserved=_RESERVED),
}
