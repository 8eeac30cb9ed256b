"""The base of every model that leaves sherloc as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, model_validator

from sherloc.printable import printable_values

if TYPE_CHECKING:
    from typing_extensions import Self


class Model(BaseModel):
    """A frozen value; unknown fields are refused, so that a typo never passes silently.

    Every text in it is printable, wherever it came from, so that what was built can be written as JSON and read again.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")

    @model_validator(mode="before")
    @classmethod
    def _printable(cls, values: Any) -> Any:
        return printable_values(values)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As pydantic does it; what is new is made printable, too."""
        return super().model_copy(update=printable_values(update), deep=deep)
