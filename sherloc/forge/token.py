"""The token: from the environment alone, and in nothing that is printed, stored or compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from sherloc.errors import ForgeAuthError

VARIABLES = {
    "github": ("SHERLOC_FORGE_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"),
    "gitlab": ("SHERLOC_FORGE_TOKEN", "GITLAB_TOKEN"),
}
"""Where the token of a kind of forge is looked for; the first that is not empty counts."""


class Token:
    """A secret that does not show itself.

    Args:
        value: The secret; empty for none.
        variables: Where it can be set, for messages.
    """

    __slots__ = ("_value", "variables")

    def __init__(self, value: str, variables: tuple[str, ...]) -> None:
        self._value = value
        self.variables = variables

    def reveal(self) -> str:
        """The secret, for the one header that carries it."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Token(...)" if self._value else "Token()"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a token is not stored")


def find_token(kind: str, environ: Mapping[str, str]) -> Token:
    """The token of a kind of forge.

    Args:
        kind: ``github`` or ``gitlab``.
        environ: The environment.

    Raises:
        ForgeAuthError: What a variable holds cannot be a token.
    """
    names = VARIABLES[kind]
    for name in names:
        value = environ.get(name, "").strip()
        if value and not (value.isascii() and value.isprintable() and " " not in value):
            raise ForgeAuthError(f"What {name} holds is no token: it has blanks or odd characters.")
        if value:
            return Token(value, names)
    return Token("", names)
