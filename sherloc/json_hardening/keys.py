"""Which key of an object means which field of a model: styles are unified, aliases are declared by the model."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from sherloc.errors import ConflictingAlias
from sherloc.json_hardening.lexis import fold
from sherloc.json_hardening.outcome import Fault, Repair, shorten
from sherloc.json_hardening.strict import same

_TYPO = 0.8


@dataclass(frozen=True, slots=True)
class KeyTable:
    """The names of a model's fields.

    Args:
        exact: Every declared name to its field.
        folded: The same without case and marks; names that two fields share are left out.
        accepted: Field to the name that pydantic reads it by.
    """

    exact: Mapping[str, str]
    folded: Mapping[str, str]
    accepted: Mapping[str, str]


@lru_cache(maxsize=256)
def key_table(model: type[BaseModel]) -> KeyTable:
    """The names that a model declares: a field's own, its alias, and its ``AliasChoices``."""
    exact: dict[str, str] = {}
    folded: dict[str, set[str]] = {}
    accepted: dict[str, str] = {}
    by_name = bool(model.model_config.get("populate_by_name") or model.model_config.get("validate_by_name"))
    for name, field in model.model_fields.items():
        aliases = _aliases(field)
        accepted[name] = name if by_name or not aliases or name in aliases else aliases[0]
        for alias in (name, *aliases):
            exact.setdefault(alias, name)
            folded.setdefault(fold(alias), set()).add(name)
    unique = {alias: next(iter(names)) for alias, names in folded.items() if len(names) == 1}
    return KeyTable(exact, unique, accepted)


def _aliases(field: FieldInfo) -> list[str]:
    declared = field.validation_alias if field.validation_alias is not None else field.alias
    if isinstance(declared, AliasChoices):
        return [choice for choice in declared.choices if isinstance(choice, str)]
    return [declared] if isinstance(declared, str) else []


def match_keys(
    model: type[BaseModel], value: Mapping[str, Any], where: str
) -> tuple[dict[str, Any], dict[str, Any], list[Repair]]:
    """Sort an object's keys into fields and others.

    Returns:
        Field name to value, the keys that are no field's, and notes.

    Raises:
        Fault: Two keys mean the same field and differ (``ConflictingAlias``).
    """
    table = key_table(model)
    fields: dict[str, Any] = {}
    others: dict[str, Any] = {}
    notes: list[Repair] = []
    for key, item in value.items():
        name = table.exact.get(key) or table.folded.get(fold(key))
        if name is None:
            others[key] = item
            continue
        if key not in (name, table.accepted[name]):
            kind = "alias" if key in table.exact or fold(key) != fold(name) else "key_style"
            notes.append(Repair(kind, f"{where}.{name}".lstrip("."), shorten(key)))
        if name in fields and not same(fields[name], item):
            raise Fault(ConflictingAlias, f"the field {name!r} stands under two names, with different values")
        fields[name] = item
    return fields, others, notes


def suspicious_key(model: type[BaseModel], fields: Mapping[str, Any], others: Mapping[str, Any]) -> str | None:
    """An unknown key that may mean a field that is absent: misspelt, or in another script; None when there is none."""
    absent = [fold(name) for name in model.model_fields if name not in fields]
    for key in others if absent else ():
        if not key.isascii() or difflib.get_close_matches(fold(key)[:100], absent, n=1, cutoff=_TYPO):
            return key
    return None
