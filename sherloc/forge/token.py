"""The token: from the environment alone, and in nothing that is printed, stored or compared."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import NoReturn
from urllib.parse import quote

from sherloc.errors import ForgeAuthError

VARIABLES = {
    "github": ("SHERLOC_FORGE_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"),
    "gitlab": ("SHERLOC_FORGE_TOKEN", "GITLAB_TOKEN"),
}
"""Where the token of a kind of forge is looked for; the first that is not empty counts."""

_SHORTEST = 12


class Token:
    """A secret that does not show itself.

    Args:
        value: The secret; empty for none.
        variables: Where it can be set, for messages.
    """

    __slots__ = ("_forms", "_value", "variables")

    def __init__(self, value: str, variables: tuple[str, ...]) -> None:
        self._value = value
        self.variables = variables
        self._forms = _forms(value)

    def reveal(self) -> str:
        """The secret, for the one header that carries it."""
        return self._value

    def masked(self, text: str) -> str:
        """A text of the forge without the secret, which it may say back: as it is, percent-encoded, or in base64.

        Args:
            text: Anything; JSON, too.
        """
        return text if self._forms is None else self._forms.sub("***", text)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Token(...)" if self._value else "Token()"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a token is not stored")


def _forms(value: str) -> re.Pattern[str] | None:
    """What shows a secret; shorter ones than any forge's are left alone, as they would be found everywhere."""
    forms = {value, quote(value, safe=""), json.dumps(value)[1:-1]}
    for shift in range(3):
        # After ``user:`` base64 has one of three forms; characters that hold bits of a neighbour are not looked at.
        first, last = (0, 2, 3)[shift], (shift + len(value)) * 8 // 6
        forms.add(base64.b64encode(b"0" * shift + value.encode()).decode()[first:last])
        forms.add(base64.urlsafe_b64encode(b"0" * shift + value.encode()).decode()[first:last])
    wanted = sorted((each for each in forms if len(each) >= _SHORTEST), key=lambda each: (-len(each), each))
    return re.compile("|".join(map(re.escape, wanted))) if wanted else None


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
