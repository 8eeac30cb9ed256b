"""What differs between languages beyond their queries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """How a language names things.

    Attributes:
        separator: What stands between the parts of a qualified name.
        constructors: Names of methods that are constructors.
        open: Details of class-like things whose functions are functions, not methods.
        declares: A function without a body is a declaration.
        indented: Blocks end by indentation, so that comments at their end are not part of them.
    """

    separator: str = "."
    constructors: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    declares: bool = False
    indented: bool = False


_TYPESCRIPT = Profile(constructors=frozenset({"constructor"}), open=frozenset({"namespace", "module"}), declares=True)

PROFILES: dict[str, Profile] = {
    "python": Profile(constructors=frozenset({"__init__"}), indented=True),
    "javascript": Profile(constructors=frozenset({"constructor"})),
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "java": Profile(declares=True),
    "go": Profile(declares=True),
    "rust": Profile(separator="::", open=frozenset({"module"}), declares=True),
    "c": Profile(separator="::"),
    "cpp": Profile(separator="::", open=frozenset({"namespace"})),
    "ruby": Profile(separator="::", constructors=frozenset({"initialize"})),
    "php": Profile(separator="::", constructors=frozenset({"__construct"}), declares=True),
    "kotlin": Profile(declares=True),
    "csharp": Profile(declares=True),
}
