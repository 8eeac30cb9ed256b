"""Makes a JSON value fit a schema where the schema says what was meant, noting each change; pydantic validates it."""

from __future__ import annotations

import enum
import types
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin

from pydantic import BaseModel, RootModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from sherloc.errors import SchemaMismatch
from sherloc.json_hardening.checks import check_value
from sherloc.json_hardening.keys import key_table, match_keys, suspicious_key
from sherloc.json_hardening.leaves import read_bool, read_choice, read_float, read_int, read_text
from sherloc.json_hardening.limits import Limits
from sherloc.json_hardening.outcome import Fault, Repair, shorten
from sherloc.json_hardening.scalars import ConfidenceReader, EachAlone, LooseModel, Reader, Synonyms
from sherloc.json_hardening.strict import StrictReader

LISTS = (list, tuple, set, frozenset, Sequence, Iterable)
_LEAVES = {bool: read_bool, int: read_int, float: read_float, str: read_text}
_MAX_PROBLEMS = 20


def unwrap(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """The type inside ``Annotated``, ``NewType`` and aliases of types, and the markers around it."""
    markers: tuple[Any, ...] = ()
    while True:
        if get_origin(annotation) is Annotated:
            annotation, *found = get_args(annotation)
            markers = (*found, *markers)
        elif isinstance(annotation, NewType):
            annotation = annotation.__supertype__
        elif hasattr(annotation, "__value__"):
            annotation = annotation.__value__
        else:
            return annotation, markers


def arms(annotation: Any) -> tuple[Any, ...]:
    """The members of a union; empty when it is none."""
    return get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else ()


def fit(schema: Any, value: Any, limits: Limits, *, dropping: bool = False) -> tuple[Any, tuple[Repair, ...]]:
    """The value as the schema wants it, validated by pydantic, and the changes that were needed.

    Args:
        schema: What it must fit.
        value: The value.
        limits: Bounds.
        dropping: Whether items that do not fit are left out of lists that are declared ``LooseList``.

    Raises:
        Fault: It does not fit; every reason found is in its message, one a line.
    """
    fitter = _Fitter(limits, dropping=dropping)
    shaped = fitter.fit(schema, value, "")
    if fitter.problems:
        raise mismatch(fitter.problems)
    return validate(schema, shaped), tuple(fitter.repairs)


def mismatch(problems: Sequence[str]) -> Fault:
    """The fault that lists what does not fit."""
    return Fault(SchemaMismatch, "\n".join(problems[:_MAX_PROBLEMS]))


def validate(schema: Any, value: Any) -> Any:
    """What pydantic makes of a value.

    Raises:
        Fault: It refuses it, or a validator of the schema failed.
    """
    try:
        return _adapter(schema).validate_python(value)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, one['loc'])) or 'the value'}: {one['msg']}"
            for one in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        raise mismatch(problems) from error
    except Exception as error:  # noqa: BLE001 - a schema's own validator may raise anything; callers get one family
        raise mismatch([f"a validator of the schema failed: {type(error).__name__}: {shorten(error)}"]) from error


def _adapter(schema: Any) -> TypeAdapter[Any]:
    """Making one takes far longer than using it, and a reply may hold thousands of values."""
    try:
        return _cached_adapter(schema)
    except TypeError:
        return TypeAdapter(schema)


@lru_cache(maxsize=128)
def _cached_adapter(schema: Any) -> TypeAdapter[Any]:
    return TypeAdapter(schema)


class _Fitter:
    """Walks a schema and a value together. Linear in the value, times the arms of nested unions."""

    def __init__(self, limits: Limits, *, dropping: bool = False) -> None:
        self._limits, self._dropping = limits, dropping
        self.repairs: list[Repair] = []
        self.problems: list[str] = []
        self._percent: frozenset[str] = frozenset()

    def _note(self, kind: str, where: str, value: object) -> None:
        self.repairs.append(Repair(kind, where, shorten(value)))

    def _refuse(self, where: str, message: object) -> None:
        self.problems.append(f"{where or 'the value'}: {message}")

    def fit(self, annotation: Any, value: Any, where: str, markers: Sequence[Any] = ()) -> Any:
        """The value in the shape of a type; what does not fit is added to ``problems``."""
        annotation, found = unwrap(annotation)
        markers = (*found, *markers)
        if arms(annotation):
            return self._union(arms(annotation), value, where, markers)
        for marker in markers:
            if isinstance(marker, Reader):
                return self._read(marker, value, where)
        if annotation in _LEAVES:
            return self._leaf(_LEAVES[annotation], value, where, "scalar")
        if get_origin(annotation) is Literal:
            return self._choice(get_args(annotation), value, where, markers)
        if isinstance(annotation, type) and get_origin(annotation) is None:
            return self._class(annotation, value, where, markers)
        return self._container(annotation, value, where, markers)

    def _class(self, annotation: type, value: Any, where: str, markers: Sequence[Any]) -> Any:
        if issubclass(annotation, enum.Enum):
            return self._choice([member.value for member in annotation], value, where, markers)
        if hasattr(annotation, "read_reply"):
            return self._leaf(annotation.read_reply, value, where, "scalar")
        if issubclass(annotation, RootModel):
            return self.fit(annotation.model_fields["root"].annotation, value, where)
        if issubclass(annotation, BaseModel):
            return self._model(annotation, value, where)
        return self._container(annotation, value, where, markers)

    def _container(self, annotation: Any, value: Any, where: str, markers: Sequence[Any]) -> Any:
        origin = get_origin(annotation) or annotation
        arguments = get_args(annotation)
        if origin in LISTS:
            alone = self._dropping and any(isinstance(marker, EachAlone) for marker in markers)
            return self._list(origin, arguments, value, where, alone=alone)
        if origin in (dict, Mapping):
            return self._mapping(arguments, value, where)
        return value

    def _leaf(self, read: Any, value: Any, where: str, kind: str) -> Any:
        try:
            result = read(value)
        except ValueError as error:
            self._refuse(where, error)
            return value
        if type(result) is not type(value) or result != value:
            self._note(kind, where, value)
        return result

    def _read(self, marker: Reader, value: Any, where: str) -> Any:
        if isinstance(marker, ConfidenceReader) and where in self._percent:
            return self._leaf(marker.of_percent, value, where, "scalar")
        return self._leaf(marker.read, value, where, "scalar")

    def _choice(self, choices: Sequence[Any], value: Any, where: str, markers: Sequence[Any]) -> Any:
        synonyms = [marker for marker in markers if isinstance(marker, Synonyms)]
        return self._leaf(lambda item: read_choice(item, choices, synonyms), value, where, "enum")

    def _union(self, members: Sequence[Any], value: Any, where: str, markers: Sequence[Any]) -> Any:
        """The member that takes the value; with fewest changes, and never one of two that differ."""
        if value is None and type(None) in members:
            return None
        fits: list[tuple[int, Any, Any, _Fitter]] = []
        reasons: list[str] = []
        for member in members:
            if member is type(None):
                continue
            trial = self._trial()
            shaped = trial.fit(member, value, where, markers)
            if not trial.problems:
                try:
                    fits.append((len(trial.repairs), validate(member, shaped), shaped, trial))
                except Fault as fault:
                    trial.problems.append(f"{where or 'the value'}: {fault.message}")
            reasons.extend(trial.problems)
        if not fits:
            self.problems.extend(reasons)
            return value
        least = min(count for count, *_ in fits)
        best = [(result, shaped, trial) for count, result, shaped, trial in fits if count == least]
        if any(type(result) is not type(best[0][0]) or result != best[0][0] for result, *_ in best):
            self._refuse(where, "it fits several members of a union")
            return value
        self.repairs.extend(best[0][2].repairs)
        return best[0][1]

    def _model(self, model: type[BaseModel], value: Any, where: str) -> Any:
        value = self._object(value, where)
        if not isinstance(value, Mapping):
            self._refuse(where, f"an object is needed, not {shorten(value)!r}")
            return value
        fields, others, notes = match_keys(model, value, where)
        self.repairs.extend(notes)
        if model.model_fields and value and not fields:
            self._refuse(where, f"none of the keys {', '.join(map(repr, list(value)[:5]))} is known")
            return value
        kept = self._others(model, fields, others, where)
        table = key_table(model)
        for name, item in fields.items():
            info = model.model_fields[name]
            inside = f"{where}.{name}".lstrip(".")
            if item is None and issubclass(model, LooseModel) and _is_default(info):
                self._note("null", inside, item)
                continue
            kept[table.accepted[name]] = self.fit(info.annotation, item, inside, info.metadata)
        return kept

    def _others(
        self, model: type[BaseModel], fields: Mapping[str, Any], others: Mapping[str, Any], where: str
    ) -> dict[str, Any]:
        suspicious = suspicious_key(model, fields, others)
        extra = model.model_config.get("extra", "ignore")
        if extra == "allow":
            return dict(others)
        if suspicious is not None or (others and extra == "forbid"):
            self._refuse(where, f"the key {shorten(suspicious or next(iter(others)))!r} is unknown")
        for key in others:
            self._note("extra_key", where, key)
        return {}

    def _object(self, value: Any, where: str) -> Any:
        """A list of one object as that object; a text that is JSON of an object as that object."""
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
            self._note("single_item", where, value)
            return value[0]
        return self._decoded(value, where, dict)

    def _decoded(self, value: Any, where: str, kind: type) -> Any:
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
            return value
        try:
            decoded, _ = StrictReader(self._limits).read_all(value)
        except ValueError:
            return value
        if not isinstance(decoded, kind):
            return value
        check_value(decoded, self._limits)
        self._note("double_encoded", where, value)
        return decoded

    def _list(self, origin: Any, arguments: tuple[Any, ...], value: Any, where: str, *, alone: bool) -> Any:
        items = self._items(arguments, self._decoded(value, where, list), where)
        if items is None:
            return value
        if origin is tuple and arguments and arguments[-1] is not Ellipsis:
            if len(items) != len(arguments):
                self._refuse(where, f"{len(arguments)} items are needed, not {len(items)}")
                return value
            return [
                self.fit(one, item, f"{where}[{i}]") for i, (one, item) in enumerate(zip(arguments, items, strict=True))
            ]
        if not arguments:
            return items
        self._percent |= self._percents(arguments[0], items, where)
        if alone:
            return self._each_alone(arguments[0], items, where)
        return [self.fit(arguments[0], item, f"{where}[{i}]") for i, item in enumerate(items)]

    def _each_alone(self, item: Any, values: Sequence[Any], where: str) -> list[Any]:
        """The items that fit, the others noted; of a list that is no part of such an item one must be left."""
        kept: list[Any] = []
        lost: list[tuple[str, list[str]]] = []
        for at, value in enumerate(values):
            trial, place = self._trial(), f"{where}[{at}]"
            shaped = trial.fit(item, value, place)
            if not trial.problems:
                try:
                    validate(item, shaped)
                except Fault as fault:
                    trial.problems.append(f"{place}: {fault.message}")
            if trial.problems:
                lost.append((place, trial.problems))
            else:
                kept.append(shaped)
                self.repairs.extend(trial.repairs)
        if lost and not kept and "[" not in where:
            self.problems.extend(problem for _, problems in lost for problem in problems)
            return list(values)
        self.repairs.extend(Repair("dropped_item", place, shorten(problems[0], 160)) for place, problems in lost)
        return kept

    def _trial(self) -> _Fitter:
        trial = _Fitter(self._limits, dropping=self._dropping)
        trial._percent = self._percent
        return trial

    def _items(self, arguments: tuple[Any, ...], value: Any, where: str) -> list[Any] | None:
        """The items of a list; one object or text stands for a list of it, and a text may be several."""
        if isinstance(value, list):
            return value
        if value is None or isinstance(value, bool):
            self._refuse(where, f"a list is needed, not {value!r}")
            return None
        pieces = [value]
        if isinstance(value, str) and arguments:
            inner, markers = unwrap(arguments[0])
            for splitter in (inner, *markers):
                if hasattr(splitter, "read_reply") or isinstance(splitter, Reader):
                    pieces = splitter.split(value)
        self._note("wrapped_item" if len(pieces) == 1 else "split", where, value)
        return pieces

    def _percents(self, item: Any, items: Sequence[Any], where: str) -> frozenset[str]:
        """Where in a list's items confidences stand that can only be percent: all integers, and one above 1."""
        inner, markers = unwrap(item)
        if any(isinstance(marker, ConfidenceReader) for marker in markers):
            return _percents({f"{where}[{i}]": one for i, one in enumerate(items)})
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return frozenset()
        names = [name for name, info in inner.model_fields.items() if _is_confidence(info)]
        if not names:
            return frozenset()
        found: dict[str, dict[str, Any]] = {name: {} for name in names}
        for i, one in enumerate(items):
            fields = match_keys(inner, one, "")[0] if isinstance(one, Mapping) else {}
            for name in names:
                if name in fields:
                    found[name][f"{where}[{i}].{name}"] = fields[name]
        return frozenset().union(*map(_percents, found.values()))

    def _mapping(self, arguments: tuple[Any, ...], value: Any, where: str) -> Any:
        value = self._decoded(value, where, dict)
        if not isinstance(value, Mapping):
            self._refuse(where, f"an object is needed, not {shorten(value)!r}")
            return value
        if len(arguments) != 2:
            return value
        return {key: self.fit(arguments[1], item, f"{where}.{key}".lstrip(".")) for key, item in value.items()}


def _is_default(info: FieldInfo) -> bool:
    """Whether null stands for a field's default: it has one, and null is no value of its own."""
    return not info.is_required() and type(None) not in arms(unwrap(info.annotation)[0])


def _is_confidence(info: FieldInfo) -> bool:
    markers = (*unwrap(info.annotation)[1], *info.metadata)
    return any(isinstance(marker, ConfidenceReader) for marker in markers)


def _percents(siblings: Mapping[str, Any]) -> frozenset[str]:
    values = siblings.values()
    integers = all(isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 100 for value in values)
    return frozenset(siblings) if len(siblings) > 1 and integers and max(values) > 1 else frozenset()
