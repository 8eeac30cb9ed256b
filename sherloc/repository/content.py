"""What a file's content says against reading it as code."""

from __future__ import annotations

import re

from sherloc.late import late
from sherloc.repository._names import kind_of

_BOMS_OF_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BINARY_PROBE = 8_000
_MARKER_PROBE = 2_048
_LONG_AVERAGE = 200
_LONG_LINE = 1_000
_MINIFIED_SHARE = 0.7
_MARKABLE = ("code", "config", "docs")

_MARKER = late(
    r"""(?:^|[\s*/#])@generated\b(?!\s+by\s+hand)
    |\bcode\s+generated\s+(?:by|from|via)\b
    |\b(?:this|the)\s+(?:file|code|module|class|source\s+file|header)\s+(?:was|is|has\s+been)\s+
        (?:auto[\s-]?matically\s+|auto[\s-]?|machine[\s-])?(?:re)?generated\b
    |\bthis\s+is\s+an?\s+(?:auto[\s-]?|automatically\s+)generated\s+file\b
    |^\W*(?:auto[\s-]?|automatically\s+|machine[\s-])generated\s+(?:by|from|using|with|on)\b
    |^\W*generated\s+automatically\b""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_HANDS_OFF = late(r"\bdo\s+not\s+(?:edit|modify)\b", re.IGNORECASE)
_ORIGIN = late(r"\b(?:auto-?)?(?:re)?generated\b", re.IGNORECASE)
_COMMENT_STARTS = ("#", "//", "*", ";", "--", "%", "'", "<!--", "/*", "{#", "..")
_BLOCKS = (("/*", "*/"), ("<!--", "-->"), ("{#", "#}"), ('"""', '"""'), ("'''", "'''"), ("=begin", "=end"))


def inspect_content(path: str, data: bytes) -> str:
    """Why a content is no candidate, or empty.

    Args:
        path: Where it stands; its extension matters.
        data: The whole content.

    Returns:
        ``binary``, ``data`` (a translation file that only looks like TypeScript), ``minified``, or ``generated`` for
        generated files that no grammar parses (see ``is_generated``).
    """
    if data[:2] in _BOMS_OF_UTF16:
        return ""
    if b"\0" in data[:_BINARY_PROBE]:
        return "binary"
    if path.endswith(".ts") and data[:64].lstrip(b"\xef\xbb\xbf \r\n\t").startswith(
        (b"<?xml", b"<!DOCTYPE TS", b"<TS")
    ):
        return "data"
    if _is_minified(path, data):
        return "minified"
    partition, language = kind_of(path.rpartition("/")[2])
    # Templates hold the markers of what they make; code that is parsed is marked, never left out.
    return "generated" if not language and partition in _MARKABLE and is_generated(data) else ""


def is_generated(data: bytes) -> bool:
    """Whether a leading comment says that a program wrote the file.

    Markers further down, or in strings, are a generator's output and say nothing of the file itself.
    """
    comment = _leading_comment(data[:_MARKER_PROBE].decode("utf-8", "replace"))
    # "Do not edit" alone may be advice to users of a hand-written file.
    return bool(_MARKER().search(comment) or (_HANDS_OFF().search(comment) and _ORIGIN().search(comment)))


def shebang_language(data: bytes) -> str:
    """The language of a script without extension, by its first line; empty if it says none that is parsed."""
    if not data.startswith(b"#!"):
        return ""
    words = re.split(rb"[\s/]+", data[2:200].split(b"\n", 1)[0])
    for program, language in ((b"python", "python"), (b"node", "javascript"), (b"ruby", "ruby"), (b"php", "php")):
        if any(re.fullmatch(program + rb"[\d.]*", word) for word in words):
            return language
    return ""


def _is_minified(path: str, data: bytes) -> bool:
    lines = data.count(b"\n") + 1
    if len(data) < 2 * _LONG_LINE or len(data) < lines * _LONG_AVERAGE:
        return False
    if not path.lower().endswith((".js", ".mjs", ".cjs", ".css", ".json", ".html", ".svg")):
        # Elsewhere a long line is most likely data inside of hand-written code.
        return len(data) > lines * _LONG_LINE * 4
    long = sum(len(line) for line in data.split(b"\n") if len(line) > _LONG_LINE)
    return long > _MINIFIED_SHARE * len(data)


def _leading_comment(text: str) -> str:
    """The comment lines before the first line that is none."""
    kept: list[str] = []
    end = ""
    for line in text.lstrip("\ufeff").splitlines():
        bare = line.strip()
        if end:
            kept.append(bare)
            if end in bare:
                end = ""
            continue
        opening = next((pair for pair in _BLOCKS if bare.startswith(pair[0])), None)
        if opening is not None:
            end = "" if opening[1] in bare[len(opening[0]) :] else opening[1]
        elif bare and not bare.startswith((*_COMMENT_STARTS, "<?", "package ", "@file:")):
            break
        kept.append(bare)
    return "\n".join(kept)
