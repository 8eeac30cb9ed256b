"""Strings as models write them: which quote ends one, and what its escapes say."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from sherloc.errors import MalformedJson, TruncatedOutput
from sherloc.json_hardening.lexis import QUOTES, SPACE, narrow
from sherloc.json_hardening.outcome import Fault, Repair, shorten

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_UNCLEAR = re.compile(r"\\[nrtbfu\\]")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_DECODED = re.compile(r'\\(u[0-9a-fA-F]{4}|.)|"', re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")
_AMBIGUOUS_WITH_RAW = frozenset("nrtbfu\\")
_MARKS = {closer: re.compile(rf"\\.|{closer}", re.DOTALL) for closer in QUOTES.values()}
_NEVER_LITERAL = frozenset("x0uU\n\r")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a string stands: as a key or a value, in which container, in a field that no guess may alter or not."""

    key: bool = False
    closer: str = "}"
    protected: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A string that was read: its value, the offset after it, and notes.

    ``unclear_escapes`` says that it has escapes which a writer who forgets to escape may have meant as two characters.
    """

    value: str
    end: int
    repairs: tuple[Repair, ...] = ()
    unclear_escapes: bool = False


def read_string(text: str, start: int, place: Place) -> Text:
    """The string whose opening quote stands at an offset. Linear in the length of the string.

    Raises:
        Fault: It never ends, or reading it would need a guess that its place does not allow.
    """
    quote = text[start]
    if quote == '"' and not text.startswith('"""', start):
        plain = _plain(text, start, place)
        if plain is not None:
            return plain
        return _repaired(text, start, place)
    if text.startswith((quote * 3), start) and quote in "\"'":
        return _verbatim(text, start, quote * 3, "triple_quotes", place)
    if quote == "`":
        return _verbatim(text, start, "`", "template", place)
    return _repaired(text, start, place)


def _plain(text: str, start: int, place: Place) -> Text | None:
    body = _STRING.match(text, start)
    if body is None:
        raise Fault(TruncatedOutput, "a string never ends", start)
    if not _ends_here(text, body.end(), place):
        return None
    try:
        # in a text of its own: the error of a long one would count the lines before it, which takes quadratic time
        value: str = json.loads(body.group(), strict=False)
    except ValueError:
        return None
    repairs: tuple[Repair, ...] = ()
    if _CONTROL.search(body.group()):
        _refuse_in_key(start, place)
        repairs = (Repair("raw_control", f"at {start}", shorten(value)),)
    return Text(value, body.end(), repairs, bool(_UNCLEAR.search(body.group())))


def _refuse_in_key(start: int, place: Place) -> None:
    if place.key:
        raise Fault(MalformedJson, "a line break or another control character stands inside a key", start)


def _ends_here(text: str, after: int, place: Place) -> bool:
    """Whether what follows a quote says that the string is over."""
    gap = SPACE.match(text, after)
    assert gap is not None
    if gap.end() == len(text):
        return True
    following = narrow(text[gap.end()])
    if following in ",:}]" or following == place.closer:
        return True
    if following == "/" and text[gap.end() + 1 : gap.end() + 2] in ("/", "*"):
        return True
    if following == "#" and gap.end() > after:
        return True
    new_line = "\n" in gap.group()
    return new_line and not place.key and (following in "{[" or following in QUOTES)


def _verbatim(text: str, start: int, mark: str, kind: str, place: Place) -> Text:
    """Triple quotes and templates: raw text, taken only when nothing in it could mean something else."""
    begin = start + len(mark)
    end = text.find(mark, begin)
    if end < 0:
        raise Fault(TruncatedOutput, "a string never ends", start)
    value, after = text[begin:end], end + len(mark)
    if place.key or "\\" in value or "${" in value or text[after : after + 1] == mark[0]:
        raise Fault(MalformedJson, f"a string between {mark} cannot be read in one way only", start)
    if not _ends_here(text, after, place):
        raise Fault(MalformedJson, f"it is unclear where a string between {mark} ends", start)
    return Text(value, after, (Repair(kind, f"at {start}", shorten(value)),))


def _repaired(text: str, start: int, place: Place) -> Text:
    quote = text[start]
    closing, inner = _find_end(text, start, place)
    raw = text[start + 1 : closing]
    repairs = []
    if quote == "'":
        repairs.append(Repair("single_quotes", f"at {start}", shorten(raw)))
    elif quote != '"':
        if place.protected:
            raise Fault(MalformedJson, "typographic quotes around a text that must stay exact", start)
        kind = "full_width" if quote == "＂" else "smart_quotes"
        repairs.append(Repair(kind, f"at {start}", shorten(raw)))
    if inner:
        _check_inner(text, start, inner, place)
        repairs.append(Repair("inner_quotes", f"at {start}", shorten(raw)))
    value, odd = _unescape(raw, start, quote, place)
    if odd:
        kind = "escaped_apostrophe" if odd == {"'"} else "invalid_escape"
        repairs.append(Repair(kind, f"at {start}", shorten(raw)))
    if _CONTROL.search(raw):
        _refuse_in_key(start, place)
        repairs.append(Repair("raw_control", f"at {start}", shorten(raw)))
    return Text(value, closing + 1, tuple(repairs), bool(_UNCLEAR.search(raw)))


def _find_end(text: str, start: int, place: Place) -> tuple[int, list[int]]:
    """Offset of the closing quote, and of the bare quotes before it that do not close."""
    closer = QUOTES[text[start]]
    inner: list[int] = []
    for mark in _MARKS[closer].finditer(text, start + 1):
        if mark.group()[0] == "\\":
            continue
        if _ends_here(text, mark.end(), place):
            return mark.start(), inner
        inner.append(mark.start())
        if place.key:
            # a key never holds bare quotes, and looking on would read the same text again for the next bracket
            break
    else:
        raise Fault(TruncatedOutput, "a string never ends", start)
    raise Fault(MalformedJson, f"a bare {closer} stands inside a key", inner[0])


def _check_inner(text: str, start: int, inner: list[int], place: Place) -> None:
    """Bare quotes inside a string are believed only in pairs (or as apostrophes), in values, and in prose."""
    quote = text[start]
    if place.protected or quote not in "\"'":
        raise Fault(MalformedJson, f"a bare {quote} stands inside a text that must stay exact", inner[0])
    if quote == '"':
        pairs = list(zip(inner[::2], inner[1::2], strict=False))
        believed = len(inner) % 2 == 0 and all(_quotes_a_word(text, start, *pair) for pair in pairs)
    else:
        believed = all(text[at - 1].isalpha() and text[at + 1 : at + 2].isalpha() for at in inner)
    if not believed:
        raise Fault(MalformedJson, f"a bare {quote} stands inside a string, or one is missing", inner[0])


def _quotes_a_word(text: str, start: int, opening: int, closing: int) -> bool:
    """Whether two bare quotes stand as quotation marks do: close to a word, apart from what is around."""
    before, after = text[opening - 1], text[closing + 1]
    outside = opening - 1 == start or not before.isalnum()
    if not any(map(str.isalnum, text[opening + 1 : closing])):
        return False
    return outside and not after.isalnum() and not text[opening + 1].isspace() and not text[closing - 1].isspace()


def _unescape(raw: str, start: int, quote: str, place: Place) -> tuple[str, set[str]]:
    """The text that a string's body stands for, and the escapes in it that JSON does not know."""
    found = [match.group(1) for match in _ESCAPE.finditer(raw)]
    known = "\"\\/bfnrt'" if quote == "'" else '"\\/bfnrt'
    odd = {name for name in found if len(name) == 1 and name not in known}
    unclear = (odd - {"'"}) and {name[0] for name in found} & _AMBIGUOUS_WITH_RAW
    if odd and (place.protected or odd & _NEVER_LITERAL or unclear):
        name = min(odd)
        raise Fault(MalformedJson, f"\\{name} is no escape, so the backslashes of its string are unclear", start)
    escaped = _DECODED.sub(_as_json, raw)
    return json.loads(f'"{escaped}"', strict=False), odd


def _as_json(match: re.Match[str]) -> str:
    name = match.group(1)
    if name is None:
        return '\\"'
    if name == "'":
        return "'"
    return match.group() if len(name) > 1 or name in '"\\/bfnrt' else "\\\\" + name
