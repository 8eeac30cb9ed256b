"""Short and qualified names, kinds and details: how each language says them."""

from __future__ import annotations

import re
from collections.abc import Callable

from sherloc.late import late
from sherloc.syntax.nesting import Raw
from sherloc.syntax.profiles import Profile
from sherloc.syntax.source import Source

_MAX_NAME = 200
_SPACES = re.compile(r"\s+")
_ANGLES = late(r"<[^<>]*>")
_BRACKETS = late(r"\[[^\[\]]*\]")
_LAST_WORD = late(r"(\w+)\W*$")
_SCRIPT_PATH = late(r"(?:[\w$#]+\.)*[\w$#]+$")
_SCRIPT_PREFIX = late(r"^(?:module\.exports\.|exports\.|this\.|window\.|self\.)")
# A slot for a handler, which nobody calls by that name: stack traces and people say the function's own.
_SCRIPT_SLOT = late(r"(?:^|\.)on(?:[a-z]{4,}|[A-Z]\w*)$")
_SCRIPT_PROTOTYPE = late(r"\.prototype\b|\.fn\b(?=\.)")
_CPP_OPERATOR = re.compile(r"\boperator\b\s*(\W.*|\w+.*)$", re.DOTALL)
_GONE = "\x01"
_CPP_GLUED = late(r"[^:\x01]*\x01[\s\x01]*(?=\w)")
_CPP_FOREIGN = late(r"[;{}#\"/]")
_C_TYPES = frozenset("void int char long short float double unsigned signed bool struct static const size_t".split())
_C_CALLED = late(r"(\w+)\s*\(")
_C_HEAD = late(rb"([A-Za-z_]\w*)\s*(?:\b[A-Z_]+\s*\(\(|\()")
_C_KEYWORDS = frozenset({b"if", b"for", b"while", b"switch", b"return", b"sizeof", b"__attribute__", b"defined"})
_RUST_TYPE = late(r"^[&*\w\s:']*?(\w+)$")
_PARTS = re.compile(r"::|\.")


def name_all(raws: list[Raw], source: Source, language: str, profile: Profile) -> None:
    """Give every definition its short name, path, kind and detail; parents come first.

    Args:
        raws: As ``nest`` gives them.
        source: The file.
        language: One of ``LANGUAGES``.
        profile: The language's ways.
    """
    write = _WRITERS.get(language, _plain)
    for raw in raws:
        if raw.parent and raw.parent.detail == "typedef":
            _merge_typedef(raw, raw.parent)
        if write is _cpp and raw.kind == "function" and "name" not in raw.parts and "body" in raw.parts:
            _find_c_name(raw, source)
        outer = raw.parent.path if raw.parent else ""
        if "name" not in raw.parts:
            raw.path = outer
            continue
        _classify(raw, profile)
        prefix, joint, written = write(raw, source)
        if prefix is None:
            prefix, joint = outer, joint or profile.separator
        raw.path = f"{prefix}{joint}{written}" if prefix and written else prefix or written
        raw.short = "" if raw.kind == "scope" or written in profile.reserved else _short(written)
        _detail(raw, profile)


Written = tuple[str | None, str, str]
"""A prefix that replaces the enclosing definition's path (or None), what joins it (or empty), and the name."""


def _plain(raw: Raw, source: Source) -> Written:
    start, end = raw.parts["name"]
    text = source.text(start, min(end, start + _MAX_NAME))
    return None, "", text if text.isidentifier() else _SPACES.sub(" ", text)


def _script(raw: Raw, source: Source) -> Written:
    text = _plain(raw, source)[2]
    if "own" in raw.parts and _SCRIPT_SLOT().search(text):
        return None, "", _SPACES.sub(" ", source.text(*raw.parts["own"]))[:_MAX_NAME]
    if text[:1] in "\"'":
        return None, "", text.strip("\"'")
    text = _SCRIPT_PROTOTYPE().sub("", _SCRIPT_PREFIX().sub("", text.replace("?.", ".")))
    if text[:1] == "[":
        return None, "", text
    if text in ("module.exports", "exports"):
        return None, "", "" if raw.kind == "scope" else "module.exports"
    match = _SCRIPT_PATH().search(text)
    written = match.group() if match else text
    if raw.kind == "function" and "." in written:
        raw.kind = raw.detail = "method"
    elif raw.detail == "expression":
        raw.detail = raw.kind
    return None, "", written


def _go(raw: Raw, source: Source) -> Written:
    written = _plain(raw, source)[2]
    if "receiver" not in raw.parts:
        return None, "", written
    match = _LAST_WORD().search(_BRACKETS().sub("", source.text(*raw.parts["receiver"])))
    return (match.group(1) if match else ""), ".", written


def _rust(raw: Raw, source: Source) -> Written:
    written = _plain(raw, source)[2]
    if raw.detail == "impl":
        written = _without(_ANGLES(), written)
        match = _RUST_TYPE().match(written.strip())
        written = match.group(1) if match else written
    return None, "", written


def _cpp(raw: Raw, source: Source) -> Written:
    text = _plain(raw, source)[2]
    end = raw.parts["name"][1]
    if raw.kind != "class" and (text in _C_TYPES or source.data[end : end + 2] == b"(("):
        text = _c_name(raw, source) or text
    match = _CPP_OPERATOR.search(text)
    operator = ""
    if match:
        mark = match.group(1)
        if mark[:1].isalpha() or mark[:1] == "_":
            operator = "operator " + mark.split("(", 1)[0].strip()
        else:
            operator = "operator" + mark.replace(" ", "")
        text = text[: match.start()]
    written = (_cpp_path(text) + operator).replace(" ::", "::").replace(":: ", "::").removeprefix("::")
    if raw.detail == "function" and "::" in written:
        raw.kind = raw.detail = "method"
    if raw.detail == "method":
        parts = written.rsplit("::", 2)
        owner = parts[-2] if len(parts) > 1 else raw.parent.short if raw.parent else ""
        if owner == parts[-1] or parts[-1][:1] == "~":
            raw.detail = "constructor" if owner == parts[-1] else "destructor"
    return None, "", written


def _cpp_path(text: str) -> str:
    """A qualified name without template arguments; of rubble without other code, and no two words made one."""
    marked = _without(_ANGLES(), _CPP_FOREIGN().split(text, maxsplit=1)[0], _GONE)
    return _CPP_GLUED().sub("", marked).replace(_GONE, "")


def _c_name(raw: Raw, source: Source) -> str:
    """The word before the parameters, when an unknown macro made the parser take another one for the name."""
    start, end = raw.parts["name"]
    if source.data[end : end + 2] == b"((":
        match = _LAST_WORD().search(source.text(raw.start, start))
    else:
        match = _C_CALLED().search(source.text(end, end + _MAX_NAME))
    return match.group(1) if match else ""


def _find_c_name(raw: Raw, source: Source) -> None:
    """Name a function whose head the parser gave up on: ``int EXPORT name OF((int a)) {``."""
    begin = source.line_start(raw.start)
    if raw.parent:
        # The head of what is around it, on the same line, is not its own.
        begin = max(begin, raw.parent.parts.get("body", (raw.parent.start, 0))[0])
    match = _C_HEAD().search(source.data, begin, raw.parts["body"][0])
    if match and match.group(1) not in _C_KEYWORDS:
        raw.parts["name"] = match.span(1)
        raw.start = min(raw.start, match.start(1))


def _ruby(raw: Raw, source: Source) -> Written:
    written = _plain(raw, source)[2]
    outer = raw.parent
    if raw.kind not in ("function", "method") or outer is None:
        return None, "", written
    singleton = raw.detail == "singleton" or outer.detail == "singleton" and outer.kind == "scope"
    if singleton:
        raw.kind, raw.detail = "method", "singleton"
    return None, "#" if outer.kind == "class" and not singleton else ".", written


def _kotlin(raw: Raw, source: Source) -> Written:
    written = _plain(raw, source)[2].strip("`")
    start = raw.parts["name"][0]
    if raw.kind != "function" or source.data[start - 1 : start] != b".":
        return None, "", written
    receiver = _without(_ANGLES(), source.text(max(raw.start, start - _MAX_NAME), start))
    match = _LAST_WORD().search(receiver)
    return (f"{match.group(1)}" if match else ""), ".", written


def _csharp(raw: Raw, source: Source) -> Written:
    written = _plain(raw, source)[2]
    if raw.detail == "destructor":
        written = f"~{written}"
    if raw.detail == "operator":
        start = raw.parts["name"][0]
        written = _SPACES.sub(" ", source.text(start, start + _MAX_NAME).split("(", 1)[0]).strip()
    return None, "", written


_WRITERS: dict[str, Callable[[Raw, Source], Written]] = {
    "javascript": _script,
    "typescript": _script,
    "tsx": _script,
    "go": _go,
    "rust": _rust,
    "c": _cpp,
    "cpp": _cpp,
    "ruby": _ruby,
    "kotlin": _kotlin,
    "csharp": _csharp,
}


def _without(pattern: re.Pattern[str], text: str, mark: str = "") -> str:
    """Text without bracketed parts, or with a mark for each, from the inside out, a few levels deep."""
    for _ in range(8):
        shorter = pattern.sub(mark, text)
        if shorter == text:
            break
        text = shorter
    return text


def _short(written: str) -> str:
    if "operator" in written and (match := _CPP_OPERATOR.search(written)):
        return written[match.start() :]
    if written[:1] == "[" or "/" in written:
        return written
    return _PARTS.split(written)[-1]


def _merge_typedef(raw: Raw, outer: Raw) -> None:
    """``typedef struct tag {...} name`` is one definition, known by the typedef's name."""
    outer.detail = raw.detail
    outer.parts.setdefault("body", raw.parts["body"])
    outer.bases += raw.bases
    raw.parts.pop("name", None)


def _classify(raw: Raw, profile: Profile) -> None:
    outer = raw.parent
    inside = outer is not None and outer.kind in ("class", "scope") and outer.detail not in profile.open
    if inside and raw.kind == "function" and raw.detail != "macro":
        raw.kind = "method"
    if raw.kind == "method" and raw.detail == "function":
        raw.detail = "method"


def _detail(raw: Raw, profile: Profile) -> None:
    if raw.kind not in ("function", "method") or raw.detail not in ("function", "method", "constructor"):
        return
    if raw.short in profile.constructors and raw.kind == "method":
        raw.detail = "constructor"
    if "body" not in raw.parts and profile.declares:
        raw.detail = "declaration"
