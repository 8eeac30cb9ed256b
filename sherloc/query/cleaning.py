"""What is not the issue's own words: invisible characters, links, versions, hashes, addresses."""

from __future__ import annotations

import re

from sherloc.late import late

_INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)
_URL = late(r"(?:https?|ftp|file|ssh|git)://[^\s<>\"'`|{}\\^\u3000-\u303f\uff00-\uffef]+")
_BLOB = late(
    r"https?://[^/\s]+/[^/\s]+/[^/\s]+(?:/-)?/(?:blob|blame|raw|tree|edit)/[^/\s]+/([^\s?#]+)(?:\?[^\s#]*)?(?:#L(\d+))?"
)
_IMAGE = late(r"!\[[^\[\]\n]{0,300}\]\([^)\n]{0,2000}\)")
_LINK = late(r"\[([^\[\]\n]{1,300})\]\(([^()\s]{0,2000})(?:\s[^()\n]{0,200})?\)")
_EMAIL = late(r"(?<![\w.+-])[\w+-][\w.+-]{0,63}@[\w-]{1,63}\.[\w.-]{1,100}")
_HASH = re.compile(r"\b(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}\b|\b0x[0-9a-fA-F]+\b")
_UUID = re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b")
_VERSION = re.compile(r"(?<![\w.])v?\d+(?:\.\w+)+(?:[-+][\w.]+)?(?![\w(])")
_TICKET = re.compile(r"(?<![\w#])#\d+\b")
_CONTRACTION = re.compile(r"\b[A-Za-z]{1,6}n['\u2019]t\b|(?<=\w)['\u2019](?:s|m|ve|re|ll|d)\b", re.IGNORECASE)
_TRAC_EDIT = re.compile(r"^[ \t]*\(last modified by [^)\n]{0,200}\)[ \t]*$", re.MULTILINE)
_INLINE_TRAC = late(r"\{\{\{([^\n{}]{1,300})\}\}\}")
_INLINE_CODE = late(r"<(code|tt|kbd)>([^<>\n]{1,300})</\1>", re.IGNORECASE)
_LONGEST_LINE = 1500
_LONG_LINE = late(rf"([^\n]{{{_LONGEST_LINE - 100}}}[^\s]{{0,100}})(?=[^\n])")
_TAG = late(
    r"</?(?:details|summary|p|br|b|i|u|em|strong|sub|sup|img|a|ul|ol|li|hr|h[1-6]|table|thead|tbody|tr|td|th|div"
    r"|span|center"
    r"|blockquote|pre|code|picture|source|video)(?:\s[^<>\n]{0,1000})?/?>",
    re.IGNORECASE,
)


def visible(text: str) -> str:
    """The text that a reader sees: line ends unified, invisible and bidirectional characters dropped.

    Lines longer than anybody writes are broken, which bounds the work for a line.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\xa0", " ")
    text = _TRAC_EDIT.sub("", _INVISIBLE.sub("", text))
    return _LONG_LINE().sub(r"\1\n", text) if len(text) > _LONGEST_LINE else text


def plain_markup(line: str) -> str:
    """A line of prose with inline code in back-ticks, whatever markup it had, and formatting tags gone."""
    if "{{{" in line:
        line = _INLINE_TRAC().sub(r"`\1`", line)
    if "<" in line:
        line = _INLINE_CODE().sub(r"`\2`", line)
        line = _TAG().sub(" ", line)
    return line


def without_links(text: str) -> str:
    """The text with links dropped: what they are called stays, and a link to a file becomes ``path:line``."""
    if "](" in text:
        text = _LINK().sub(_link_text, _IMAGE().sub(" ", text))
    if "://" in text:
        text = _URL().sub(lambda match: f" {_linked_file(match.group())} ", text)
    return text


def without_noise(text: str) -> str:
    """The text without contractions, e-mail addresses, hashes, ticket and version numbers."""
    text = _CONTRACTION.sub(" ", text)
    if "@" in text:
        text = _EMAIL().sub(" ", text)
    return _TICKET.sub(" ", _VERSION.sub(" ", _HASH.sub(" ", _UUID.sub(" ", text))))


def _link_text(match: re.Match[str]) -> str:
    label, target = match.groups()
    file = _linked_file(target)
    return f"{label} {file}" if file and file not in label else label


def _linked_file(url: str) -> str:
    found = _BLOB().match(url.rstrip(".,;:)"))
    if not found:
        return ""
    path, line = found.groups()
    return f"{path}:{line}" if line else path
