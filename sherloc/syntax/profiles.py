"""What differs between languages beyond their queries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """How a language names things.

    Attributes:
        separator: What stands between the parts of a qualified name.
        constructors: Names of methods that are constructors.
        indented: Blocks end by indentation, so that comments at their end are not part of them.
    """

    separator: str = "."
    constructors: frozenset[str] = frozenset()
    indented: bool = False


PROFILES: dict[str, Profile] = {
    "python": Profile(constructors=frozenset({"__init__"}), indented=True),
    "javascript": Profile(constructors=frozenset({"constructor"})),
    "typescript": Profile(constructors=frozenset({"constructor"})),
    "tsx": Profile(constructors=frozenset({"constructor"})),
    "java": Profile(),
    "go": Profile(),
    "rust": Profile(separator="::"),
    "c": Profile(separator="::"),
    "cpp": Profile(separator="::"),
    "ruby": Profile(separator="::", constructors=frozenset({"initialize"})),
    "php": Profile(separator="::", constructors=frozenset({"__construct"})),
    "kotlin": Profile(),
    "csharp": Profile(),
}
