"""The base of every model that leaves sherloc as JSON."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict


def printable(path: object) -> object:
    """A path whose name is not UTF-8, with back-slashes for the odd bytes, so that every report is valid UTF-8."""
    if not isinstance(path, str) or path.isascii():
        return path
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


PathText = Annotated[str, BeforeValidator(printable)]
"""A path as reports show it."""


class Model(BaseModel):
    """A frozen value; unknown fields are refused, so that a typo never passes silently."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")
