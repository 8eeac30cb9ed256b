"""What valid JSON may still hold that no caller should be given: half characters, elisions, placeholders, an echo."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sherloc.errors import ElidedOutput, InvalidText, LimitExceeded, PlaceholderInContent, SchemaEcho
from sherloc.json_hardening.lexis import fold
from sherloc.json_hardening.limits import Limits
from sherloc.json_hardening.outcome import Fault, shorten

_SURROGATE = re.compile("[\ud800-\udfff]")
_ELISIONS = frozenset({"...", "…", "......", "……"})
_MARK = r"(?:#+|//+|/\*+|\*|--|;+|<!--|%|\{/\*|\(|\[|<|「|（|【)"
_WORDS = (
    r"\b(?:rest of (?:the |this )?(?:file|code|class|function|method|module|implementation|content)s?"
    r"|(?:existing|remaining|other|previous|original) (?:code|methods?|functions?|lines?|tests?|imports?|content)"
    r"(?: (?:(?:is|are|remains?|stays?|goes) )?(?:here|unchanged|as before|as is|the same|omitted)\b|\s*(?:\.\.\.|…))"
    r"|(?:code|content|lines?) (?:is |are )?(?:omitted|unchanged|truncated)|omitted for brevity"
    r"|(?:remains?|stays?|kept) (?:unchanged|the same)|same as (?:before|above|the original))"
    r"|以下(?:同じ|同様|省略|略)|(?:中略|後略|前略|省略|変更なし|变更无|不变|不變|略)(?:[)）\]」】.。…*/\s-]|$)|既存の(?:コード|実装)"
    r"|残り(?:は|の)[^\n]{0,12}(?:同じ|そのまま|変更)|其余|其他代码|保持不变|代码不变|생략|나머지|기존 코드"
)
_PLACEHOLDER = re.compile(
    rf"^[ \t]*(?:{_MARK}[ \t]*(?:\.\.\.|…)|(?:{_MARK}|\.\.\.|…)[^\n]{{0,80}}?(?:{_WORDS}))", re.IGNORECASE
)
_PATHS = ("path", "filepath", "file", "filename")


def walk(value: Any) -> Iterator[tuple[Any, int]]:
    """Every value inside a JSON value with its depth (the outermost container has 1), keys of objects too."""
    pending = [(value, 0)]
    while pending:
        item, depth = pending.pop()
        nested = isinstance(item, (dict, list))
        yield item, depth + nested
        if isinstance(item, dict):
            pending.extend((key, depth + 1) for key in item)
            pending.extend((member, depth + 1) for member in item.values())
        elif isinstance(item, list):
            pending.extend((member, depth + 1) for member in item)


def check_value(value: Any, limits: Limits) -> None:
    """Refuse values that are too deep, hold half a surrogate pair, or ``"..."`` as an item.

    Raises:
        Fault: The first that was found.
    """
    for item, depth in walk(value):
        if isinstance(item, str):
            if _SURROGATE.search(item):
                raise Fault(InvalidText, f"the text {shorten(ascii(item))} holds half a character")
        elif isinstance(item, (dict, list)):
            if depth > limits.max_depth:
                raise Fault(LimitExceeded, f"nested deeper than {limits.max_depth} levels")
            if any(isinstance(member, str) and member.strip() in _ELISIONS for member in item):
                raise Fault(ElidedOutput, '"..." stands for data that was left out')


def check_echo(value: Any, known: Collection[str]) -> None:
    """Refuse a JSON schema in place of an answer; ``known`` are the folded keys of the schema that was asked for.

    Raises:
        Fault: It is one.
    """
    if not isinstance(value, dict) or "properties" in known:
        return
    properties = value.get("properties") or value.get("$defs")
    if isinstance(properties, dict) and (value.get("type") == "object" or "$schema" in value or "$defs" in value):
        raise Fault(SchemaEcho, "the schema itself was sent back in place of an answer")


def check_complete(value: Any, names: Collection[str], originals: Mapping[str, str] | None) -> None:
    """Refuse texts that must be whole but say that something was left as it was.

    Args:
        value: A JSON value.
        names: Folded keys of the texts.
        originals: Path to the text of the file as it is; a line that stands there is no placeholder. Where an object
            names its path only that file counts, else all do. None: nothing is looked at.

    Raises:
        Fault: The first placeholder.
    """
    if originals is None:
        return
    for item, _ in walk(value):
        for key, text in item.items() if isinstance(item, dict) else ():
            if isinstance(text, str) and fold(key) in names:
                line = placeholder_line(text, _known_lines(item, originals))
                if line is not None:
                    raise Fault(PlaceholderInContent, f"{key!r} must be complete, but has the line {shorten(line)!r}")


def placeholder_line(text: str, known: Collection[str] = ()) -> str | None:
    """The first line that says that something was left as it was ("# ... rest unchanged"), without its edges, or None.

    Args:
        text: A text that must be whole.
        known: Lines without their edges that are no placeholders, since they stood there before.
    """
    for line in text.split("\n"):
        if _PLACEHOLDER.match(line) and line.strip() not in known:
            return line.strip()
    return None


def _known_lines(item: Mapping[str, Any], originals: Mapping[str, str]) -> set[str]:
    paths = [value for key, value in item.items() if fold(key) in _PATHS and isinstance(value, str)]
    texts = [originals[path] for path in paths if path in originals] or ([] if paths else list(originals.values()))
    return {line.strip() for text in texts for line in text.split("\n")}
