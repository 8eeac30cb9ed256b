"""Which of the values in a reply is the answer: the one that fits the schema, if there is exactly one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, get_args, get_origin

from sherloc.errors import AmbiguousOutput, MalformedJson, NoJsonFound, SchemaEcho, SchemaMismatch
from sherloc.json_hardening.candidates import Broken, Candidate, Findings
from sherloc.json_hardening.checks import check_complete, check_echo, check_value
from sherloc.json_hardening.fitting import LISTS, fit, unwrap
from sherloc.json_hardening.lexis import fold
from sherloc.json_hardening.limits import Limits
from sherloc.json_hardening.names import Names
from sherloc.json_hardening.outcome import Fault, Parsed, Repair, shorten
from sherloc.json_hardening.second_reader import MAX_CHARACTERS, agrees
from sherloc.json_hardening.strict import StrictReader, same

_QUOTED_KEY = re.compile(r"[\"'“‘]([^\"'“”‘’\n]{1,60})[\"'”’]\s{0,20}[:：]")
_QUOTE = re.compile("[\"'“‘]")
_FENCE_LINE = re.compile(r"(?:`{3,}|~{3,})[^\n`~]*")
_TAG = re.compile(r"</?[A-Za-z_][\w.-]*>")
_ARGUMENT_KEYS = ("arguments", "parameters", "input", "args", "toolinput")
_ENVELOPE_KEYS = frozenset({"name", "type", "id", "function", "tool", "toolname", "index", "callid", *_ARGUMENT_KEYS})
_MAX_WRAPPERS = 4


@dataclass(frozen=True, slots=True)
class Judge:
    """What a value must be to count as the answer."""

    schema: Any
    names: Names
    limits: Limits
    originals: Mapping[str, str] | None
    when_ambiguous: Literal["raise", "last"]
    dropping: bool = False

    def accept(self, value: Any, repairs: Sequence[Repair]) -> Parsed[Any]:
        """The value as the answer.

        Raises:
            Fault: It is not one.
        """
        result, more = self.fit(value)
        return Parsed(result, (*repairs, *more))

    def fit(self, value: Any) -> tuple[Any, tuple[Repair, ...]]:
        """The value in the schema's shape, if need be out of a wrapper, and what was changed.

        Raises:
            Fault: It does not fit; why the outermost one does not, when none inside does either.
        """
        check_value(value, self.limits)
        check_echo(value, self.names.known)
        first: Fault | None = None
        for inner, unwrapped in self._wrapped(value):
            try:
                result, repairs = self._direct(inner)
            except Fault as fault:
                if fault.error is not SchemaMismatch:
                    raise
                first = first or fault
                continue
            check_complete(inner, self.names.complete, self.originals)
            return result, (*unwrapped, *repairs)
        if not isinstance(value, (dict, list)):
            raise Fault(NoJsonFound, "the reply holds no JSON object or list")
        assert first is not None
        raise first

    def _direct(self, value: Any) -> tuple[Any, tuple[Repair, ...]]:
        if self.schema is not None:
            return fit(self.schema, value, self.limits, dropping=self.dropping)
        if isinstance(value, (dict, list)):
            return value, ()
        raise Fault(SchemaMismatch, "an object or a list is needed")

    def _wrapped(self, value: Any) -> Iterator[tuple[Any, tuple[Repair, ...]]]:
        """The value, then what is inside of each wrapper around the answer."""
        repairs: tuple[Repair, ...] = ()
        yield value, repairs
        for _ in range(_MAX_WRAPPERS):
            found = self._unwrap(value)
            if found is None:
                return
            value, repair = found
            repairs = (*repairs, repair)
            yield value, repairs

    def _unwrap(self, value: Any) -> tuple[Any, Repair] | None:
        if isinstance(value, str):
            return self._decode(value)
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            return value[0], Repair("single_item")
        if not isinstance(value, dict):
            return None
        folded = {fold(key): key for key in value}
        if set(folded) <= _ENVELOPE_KEYS and len(folded) > 1:
            inner = [folded[key] for key in (*_ARGUMENT_KEYS, "function") if key in folded]
            return (value[inner[0]], Repair("envelope", "", inner[0])) if len(inner) == 1 else None
        if len(value) == 1 and isinstance(next(iter(value.values())), (dict, list)):
            key = next(iter(value))
            return value[key], Repair("wrapper_key", "", shorten(key))
        return None

    def _decode(self, text: str) -> tuple[Any, Repair] | None:
        try:
            value, _ = StrictReader(self.limits).read_all(text)
        except ValueError:
            return None
        check_value(value, self.limits)
        return (value, Repair("double_encoded")) if isinstance(value, (dict, list)) else None

    def item_judge(self) -> Any:
        """The type of the items when the schema is a list, else None."""
        inner, _ = unwrap(self.schema)
        arguments = get_args(inner)
        return arguments[0] if get_origin(inner) in LISTS and arguments else None

    def is_answer_like(self, keys: Sequence[str], region: str) -> bool:
        """Whether keys or a text name something that the schema asks for (where it names no keys: anything quoted)."""
        written = [*keys, *(match.group(1) for match in _QUOTED_KEY.finditer(region))]
        if not self.names.known:
            return bool(_QUOTE.search(region))
        return any(fold(key) in self.names.known for key in written)


@dataclass(frozen=True, slots=True)
class _Fit:
    candidate: Candidate
    result: Any
    repairs: tuple[Repair, ...]


def choose(text: str, found: Findings, judge: Judge, layers: Sequence[Repair]) -> Parsed[Any]:
    """The only answer among what was found.

    Raises:
        Fault: There is none, or what may have been the answer is broken.
        AmbiguousOutput: There are several.
    """
    fits: list[_Fit] = []
    misfits: list[tuple[Candidate, Fault]] = []
    asked = 0
    for candidate in found.candidates:
        asked += _second_opinion(text, candidate, asked)
        try:
            result, repairs = judge.fit(candidate.value)
        except Fault as fault:
            if fault.error not in (SchemaMismatch, SchemaEcho):
                raise
            misfits.append((candidate, fault))
        else:
            fits.append(_Fit(candidate, result, repairs))
    _refuse_broken(text, found, judge, bool(fits))
    if not fits:
        _refuse_misfits(misfits, judge)
    best = _best(fits, judge)
    chosen, notes = _only(text, best, judge)
    _refuse_later_misfit(text, chosen, misfits)
    around = _around(text, found)
    return Parsed(chosen.result, (*layers, *found.repairs, *around, *chosen.candidate.repairs, *chosen.repairs, *notes))


def _best(fits: Sequence[_Fit], judge: Judge) -> list[_Fit]:
    """Values in code of another language, and empty ones of a schema with keys, count only where there is no other."""
    outside = [one for one in fits if not one.candidate.in_code] or list(fits)
    return [one for one in outside if one.candidate.value or not judge.names.known] or outside


def _second_opinion(text: str, candidate: Candidate, asked: int) -> int:
    """Refuse a value that another reader reads otherwise; how many characters that one was asked about."""
    if not any(repair.kind == "inner_quotes" for repair in candidate.repairs):
        return 0
    size = candidate.end - candidate.start
    if asked + size > MAX_CHARACTERS or not agrees(text[candidate.start : candidate.end], candidate.value):
        raise Fault(MalformedJson, "bare quotes inside a string can be read in two ways", candidate.start)
    return size


def _refuse_broken(text: str, found: Findings, judge: Judge, any_fit: bool) -> None:
    """A broken value that may have been the answer must not give way to a whole one beside it."""
    for one in found.broken:
        if one.in_code and any_fit:
            continue
        if one.certain or judge.is_answer_like(one.keys, text[one.start : one.end]):
            raise one.fault
    for start, end in found.gaps:
        for key in _QUOTED_KEY.finditer(text, start, end):
            if not judge.names.known or fold(key.group(1)) in judge.names.known:
                raise Fault(MalformedJson, f"the key {key.group(1)!r} stands outside of any object", key.start())


def _refuse_misfits(misfits: Sequence[tuple[Candidate, Fault]], judge: Judge) -> NoReturn:
    """No value fits: say why the one that comes nearest does not."""
    if not misfits:
        raise Fault(NoJsonFound, "the reply holds no JSON object or list")
    known = judge.names.known

    def nearness(misfit: tuple[Candidate, Fault]) -> tuple[bool, int]:
        value = misfit[0].value
        return misfit[1].error is SchemaEcho, sum(fold(key) in known for key in value) if isinstance(
            value, dict
        ) else -1

    raise max(misfits, key=nearness)[1]


def _only(text: str, fits: Sequence[_Fit], judge: Judge) -> tuple[_Fit, tuple[Repair, ...]]:
    first = fits[0]
    if len(fits) == 1:
        return first, ()
    if all(same(one.result, first.result) for one in fits):
        return first, (Repair("repeated", "", f"{len(fits)} times"),)
    lines = _json_lines(text, fits, judge)
    if lines is not None:
        return lines, (Repair("json_lines", "", f"{len(fits)} lines"),)
    if judge.when_ambiguous == "last":
        return fits[-1], (Repair("chosen_last", "", f"of {len(fits)}"),)
    texts = tuple(text[one.candidate.start : one.candidate.end] for one in fits)
    shown = " and ".join(shorten(one, 100) for one in texts[:2])
    raise AmbiguousOutput(f"the reply holds {len(fits)} answers that differ: {shown}", candidates=texts)


def _json_lines(text: str, fits: Sequence[_Fit], judge: Judge) -> _Fit | None:
    """One object a line, where the schema asks for a list."""
    if judge.item_judge() is None or not all(isinstance(one.candidate.value, dict) for one in fits):
        return None
    for left, right in zip(fits, fits[1:], strict=False):
        between = text[left.candidate.end : right.candidate.start]
        if between.strip() or "\n" not in between:
            return None
    values = [one.candidate.value for one in fits]
    repairs = [repair for one in fits for repair in one.candidate.repairs]
    result, more = judge.fit(values)
    return _Fit(Candidate(fits[0].candidate.start, fits[-1].candidate.end, values, repairs), result, more)


def _refuse_later_misfit(text: str, chosen: _Fit, misfits: Sequence[tuple[Candidate, Fault]]) -> None:
    """An answer after the one that fits, with the same keys but not fitting, may be the one that was meant."""
    value = chosen.candidate.value
    keys = {fold(key) for key in value} if isinstance(value, dict) else set()
    for other, fault in misfits:
        if other.start < chosen.candidate.end or other.in_code or not isinstance(other.value, dict):
            continue
        shared = keys & {fold(key) for key in other.value}
        if shared and len(shared) * 2 >= len(keys):
            texts = tuple(text[one.start : one.end] for one in (chosen.candidate, other))
            raise AmbiguousOutput(f"a later answer does not fit: {fault.message}", candidates=texts)


def _around(text: str, found: Findings) -> list[Repair]:
    """What stands around the answer, as repairs."""
    outside = "".join(text[start:end] for start, end in found.gaps)
    repairs = []
    rest = _FENCE_LINE.sub("", outside)
    if rest != outside:
        repairs.append(Repair("unclosed_fence" if found.fence_open else "fence"))
    bare = _TAG.sub("", rest)
    if bare != rest:
        repairs.append(Repair("xml"))
    if bare.strip():
        repairs.append(Repair("prose", "", shorten(bare.strip())))
    return repairs


__all__ = ["Broken", "Judge", "choose"]
