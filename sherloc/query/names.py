"""Identifiers: how they are cut out of text and what their shape says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sherloc.late import late
from sherloc.schema.query import MentionOrigin

_LETTER = "A-Za-z_"
_MORE_LETTERS = "\u00c0-\u024f\u0370-\u04ff"


def _chain(letter: str) -> str:
    r"""Identifiers joined by the separators of any of the languages: a.b, a::b, A#b, a->b, A\B."""
    identifier = rf"[{letter}][{letter}0-9$]*"
    return rf"(?<!\w){identifier}(?:(?:\.|::|->|#|\\{{1,2}}(?=[A-Z])){identifier})*[!?]?(?P<call>\()?"


_IDENT = rf"[{_LETTER}{_MORE_LETTERS}][{_LETTER}{_MORE_LETTERS}0-9$]*"
_ASCII_CHAIN = re.compile(_chain(_LETTER))
_CHAIN = late(rf"{_chain(_LETTER + _MORE_LETTERS)}|(?<=[\u3000-\u9fff\uac00-\ud7af]){_IDENT}(?:\.{_IDENT})*")
_SEPARATOR = re.compile(r"\.|::|->|#|\\{1,2}")
_CAMEL = re.compile(r"[a-z\d][A-Z]|[A-Z][a-z]+\d*[A-Z]|[A-Z]{2,}[a-z]{2}")
_DIGITS = re.compile(r"\d{1,2}[A-Za-z]\w{0,20}")
_LONGEST = 120

KEYWORDS = frozenset(
    """and as assert async await break case catch class const continue def default del do elif else end enum
    except export extends extern false final finally fn for foreach from func function fun global goto if impl
    implements import in instanceof interface is let lambda match mut namespace new nil none nonlocal not null
    or override package pass private protected public pub raise return self static struct super switch
    synchronized template then this throw throws trait true try type typedef typename undefined union unless
    unsafe until use using val var void volatile when where while with yield cls print echo sizeof int float
    double bool boolean char long short unsigned signed byte str string""".split()
)
_BRANDS = frozenset(
    """GitHub GitLab StackOverflow JavaScript TypeScript CoffeeScript PyPI macOS MacOS iOS VSCode PyCharm IntelliJ
    JetBrains YouTube LinkedIn OpenSource DevTools FireFox ReadTheDocs""".split()
)
_NOISE = frozenset(
    """OK TODO FIXME FYI IMO IMHO AFAIK IIRC AFAICT BTW WIP TL DR TLDR EDIT NOTE UPDATE WARNING ERROR INFO DEBUG
    PR PRS MR OS PC KB MB GB TB N A I IE EG ASAP NB RFC PEP TBD LGTM UTC GMT AM PM""".split()
)
_ABBREVIATIONS = frozenset("e.g i.e a.k.a a.m p.m vs u.s etc".split())
_NOT_MEMBERS = frozenset(
    """com org net edu gov js png jpg jpeg gif svg webm mp4 mov zip tar gz tgz pdf exe dll so dylib jar war whl
    deb rpm log csv""".split()
)


def chains(text: str) -> Iterator[re.Match[str]]:
    """The identifiers of a text, those that are joined as one; the group ``call`` is there before a bracket."""
    return (_CHAIN() if _has_more_letters(text) else _ASCII_CHAIN).finditer(text)


def _has_more_letters(text: str) -> bool:
    """Whether a text may have what ``_CHAIN`` finds and ``_ASCII_CHAIN`` does not; most have a few other signs."""
    return not text.isascii() and any("\u00c0" <= sign <= "\u04ff" or sign >= "\u3000" for sign in set(text))


def parts_of(name: str) -> list[str]:
    """The identifiers of a dotted name, whatever separators it has."""
    return [part for part in _SEPARATOR.split(name) if part]


def shape_of(name: str) -> MentionOrigin | None:
    """What the shape of an identifier in prose says; None for a plain word."""
    if len(name) > _LONGEST:
        return None
    core = name.strip("_")
    if not core or name in _BRANDS:
        return None
    if name.isupper() and len(core) >= 2 and core.isascii():
        return None if name in _NOISE else "caps"
    if name == f"_{core}_" and "_" not in core:
        return None
    if "_" in core or (name.startswith("_") and len(core) > 1) or (name.endswith("_") and len(core) > 2):
        return "snake"
    if _CAMEL.search(name) and not _is_acronym_plural(name):
        return "camel"
    return None


def _is_acronym_plural(name: str) -> bool:
    return name.endswith("s") and name[:-1].isupper()


def is_short(name: str) -> bool:
    """Whether a name is one that only its place as code makes a name: ``Q``, ``x``, ``3d``."""
    return len(name) == 1 and (name.isalpha() or name == "_") or bool(_DIGITS.fullmatch(name))


def is_keyword(name: str) -> bool:
    """Whether no repository is found by this word of a language."""
    return name.lower() in KEYWORDS or len(name) > _LONGEST


def is_dotted_name(name: str, following: str) -> bool:
    """Whether a chain of identifiers is a name, rather than an abbreviation, a host or two sentences run together."""
    low = name.lower()
    if low in _ABBREVIATIONS or ("\\" in name and not name[0].isupper()) or len(name) > 2 * _LONGEST:
        return False
    return not (low.rpartition(".")[2] in _NOT_MEMBERS and following != "(")
