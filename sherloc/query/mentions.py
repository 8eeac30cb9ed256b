"""Names that the issue mentions, with how they stood out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sherloc.query.names import chains, is_dotted_name, is_keyword, is_short, parts_of, shape_of
from sherloc.query.operators import cpp_operators, operator_methods
from sherloc.query.options import as_identifier, configuration_keys, flags, span_settings, variables
from sherloc.query.segments import Piece
from sherloc.query.spans import quoted, take_code_spans
from sherloc.schema.query import Mention, MentionOrigin
from sherloc.terms import STOP_WORDS

# How sure an origin is that the word is a name of the repository, surest first.
STRENGTH: tuple[MentionOrigin, ...] = (
    "code_span", "call", "dotted", "camel", "snake", "caps", "operator", "short", "code_block", "prose",
)  # fmt: skip
_RANK = {origin: rank for rank, origin in enumerate(STRENGTH)}
_MAX_PROSE = 60
_MAX_MENTIONS = 500
_SHORT = re.compile(
    r"(?<![\w.])\d(?!(?:st|nd|rd|th|[kmgt]i?b|[mnu]s|px|em|[ckm]m|kg|am|pm|x|s|k|m|h)(?!\w))[A-Za-z]\w?(?!\w)",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_AFTER_SENTENCE = frozenset(".!?:\n\u00b7\u3002")


@dataclass(slots=True)
class _Seen:
    origin: MentionOrigin
    order: int
    count: int = 0
    in_title: bool = False


@dataclass(slots=True)
class Names:
    """Collects the names of an issue, piece by piece, in its order."""

    seen: dict[str, _Seen] = field(default_factory=dict)
    settings: dict[str, None] = field(default_factory=dict)
    operators: dict[str, None] = field(default_factory=dict)
    prose: dict[str, bool] = field(default_factory=dict)

    def add(self, name: str, origin: MentionOrigin, *, title: bool = False) -> None:
        """Note one occurrence of a name."""
        seen = self.seen.setdefault(name, _Seen(origin, len(self.seen)))
        if _RANK[origin] < _RANK[seen.origin]:
            seen.origin = origin
        seen.count += 1
        seen.in_title |= title

    def add_setting(self, setting: str, *, title: bool = False) -> None:
        """Note a flag or setting, and the identifier that it is in code."""
        self.settings[setting] = None
        name = as_identifier(setting)
        if len(name) > 1:
            self.add(name, "snake" if "_" in name else "code_span", title=title)

    def read(self, piece: Piece, text: str) -> None:
        """Collect the names of a piece.

        Args:
            piece: The piece; tracebacks, logs and version tables give no names but flags.
            text: Its text without links, paths, versions and hashes.
        """
        title = piece.kind == "title"
        for flag in flags(text):
            self.add_setting(flag, title=title)
        if piece.is_code:
            self._code(text, piece.language)
        elif piece.is_prose:
            self._prose(text, title)

    def _code(self, text: str, language: str) -> None:
        for name in configuration_keys(language, text):
            self.add_setting(name)
        for name in variables(text):
            self.settings[name] = None
        self._chains(text, "code_block", title=False)

    def _prose(self, text: str, title: bool) -> None:
        spans, rest = take_code_spans(text)
        for span in spans:
            self._span(span, title)
        quotes = quoted(rest)
        for quote in quotes:
            if _IDENTIFIER.fullmatch(quote) and len(quote) > 2 and not is_keyword(quote):
                self.add(quote, "code_span", title=title)
        for method in operator_methods(spans, quotes, rest):
            self.operators[method] = None
            self.add(method, "operator", title=title)
        for name in cpp_operators(text):
            self.add(name, "operator", title=title)
        for name in variables(rest):
            self.settings[name] = None
        for match in _SHORT.finditer(rest):
            self.add(match.group(), "short", title=title)
        self._chains(rest, None, title=title)

    def _span(self, span: str, title: bool) -> None:
        for setting in span_settings(span):
            self.add_setting(setting, title=title)
        if is_short(span):
            self.add(span, "short", title=title)
            return
        for match in _SHORT.finditer(span):
            self.add(match.group(), "short", title=title)
        self._chains(span, "code_span", title=title)

    def _chains(self, text: str, within: MentionOrigin | None, *, title: bool) -> None:
        """Collect identifiers and dotted names; ``within`` is the code they stand in, None for prose."""
        for match in chains(text):
            called = bool(match["call"])
            name = match.group().rstrip("(")
            if within is None and not called:
                name = name.rstrip("!?")
            parts = parts_of(name)
            if len(parts) > 1 and not is_dotted_name(name, "(" if called else ""):
                continue
            if len(parts) > 1 and (len(parts) > 2 or not is_keyword(parts[0])):
                self.add(name, "dotted", title=title)
            for i, part in enumerate(parts):
                last_called = called and i == len(parts) - 1
                origin = _origin(part, within, dotted=len(parts) > 1, called=last_called)
                if origin and not is_keyword(part):
                    self.add(part, origin, title=title)
                elif within is None and len(parts) == 1:
                    self._plain(text, match.start(), part, title)

    def _plain(self, text: str, start: int, word: str, title: bool) -> None:
        """A plain word of prose could be a name, too."""
        if len(word) < 4 or len(word) > 40 or word.lower() in STOP_WORDS or not word.isascii():
            return
        before = text[max(0, start - 8) : start].rstrip(" *_\"'([-\t")[-1:]
        sentence_start = not before or before in _AFTER_SENTENCE
        self.prose.setdefault(word.lower() if sentence_start and word.istitle() else word, title)

    def mentions(self) -> tuple[Mention, ...]:
        """All names, surest origin first, then by first occurrence."""
        ordered = sorted(self.seen.items(), key=lambda item: (_RANK[item[1].origin], item[1].order))
        found = [Mention(name, seen.origin, seen.count, seen.in_title) for name, seen in ordered[:_MAX_MENTIONS]]
        plain = [item for item in self.prose.items() if item[0] not in self.seen][:_MAX_PROSE]
        return (*found, *(Mention(word, "prose", 1, titled) for word, titled in plain))


def _origin(part: str, within: MentionOrigin | None, *, dotted: bool, called: bool) -> MentionOrigin | None:
    if within is None:
        if called and part[0] != "_" or called:
            return "short" if is_short(part) else "call"
        return "dotted" if dotted else shape_of(part)
    if is_short(part):
        return "short" if within == "code_span" else None
    return within
