r"""What a rule is, and the small notation that rules are written in.

A rule is a block of patterns, one a line, over folded text (lower case, single blanks). They are regular expressions
with three additions: ``<name>`` stands for a list of alternatives of the language, ``~40~`` for up to 40 characters
within the sentence, and a blank for any one white-space character, so that phrases may run over lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

_REACH = 60
"""Characters before and after a match in which ``unless`` is looked for, within the sentence."""

_STEP = 8
"""Characters from a match that did not hold to the next one looked at, so that a word repeated costs no more."""

# A stop that no blank follows (v1.2, file.py) ends no sentence.
_WITHIN = r"(?:[^.!?。！？]|[.!?](?=\S))"
_GAP = re.compile(r"~(\d+)~")
_NAME = re.compile(r"<([a-z_]+)>")
CJK = re.compile("[\u3041-\u30ff\u4e00-\u9fff]")
"""Kana and Chinese characters."""

_FEED_BEFORE = re.compile(r"[^\w\n]*\n")

_STOPS = (". ", ".\n", "?\n", "!\n", "。")
_LINE_STOPS = ("\n", ". ", "。")


@dataclass(frozen=True)
class Rule:
    """Patterns over folded text.

    Each has at most a few gaps, and each gap is bounded; what repeats without bound is made of words that cannot begin
    anew within it. So the time is linear in the text.

    Attributes:
        name: One of ``RULE_NAMES``.
        anchors: Plain texts; wherever a pattern matches, a line of the match holds one of them.
        source: The expression, in the syntax of ``re``.
        unless: An expression that must not match in the sentence; or empty.
        also: Expressions that must match in the sentence too, on the same line.
        simplified: Whether it reads Chinese, shown in simplified characters.
    """

    name: str
    anchors: tuple[str, ...]
    source: str
    unless: str = ""
    also: tuple[str, ...] = ()
    simplified: bool = False

    @cached_property
    def of_cjk(self) -> bool:
        """Whether it is written in kana or Chinese characters, and matches nothing without them."""
        return CJK.search(self.source) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self.source, re.MULTILINE)

    @cached_property
    def _exception(self) -> re.Pattern[str] | None:
        return re.compile(self.unless, re.MULTILINE) if self.unless else None

    @cached_property
    def _companions(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(each, re.MULTILINE) for each in self.also)

    def matches(self, text: str, start: int, end: int) -> Iterator[int]:
        """Where matches start, ascending; not in the line before, of which a match may take the end.

        Args:
            text: The folded text.
            start: Where to begin, in characters.
            end: Where to end.
        """
        resume = start
        for match in self._pattern.finditer(text, start, end):
            if match.start() < resume:
                continue
            if self._holds(text, match, start, end):
                at = _first_word(text, match)
                yield at
                resume = _line_end(text, at, end)
            else:
                resume = match.start() + _STEP

    def _holds(self, text: str, match: re.Match[str], start: int, end: int) -> bool:
        """Whether the sentence of a match holds what it must, and nothing that it must not."""
        if self._exception and self._exception.search(text, *_sentence(text, match, start, end, _STOPS)):
            return False
        if not self._companions:
            return True
        around = _sentence(text, match, start, end, _LINE_STOPS)
        return all(each.search(text, *around) for each in self._companions)


def _first_word(text: str, match: re.Match[str]) -> int:
    """Where a match starts that may begin with the line feed before its line."""
    feed = _FEED_BEFORE.match(text, match.start(), match.end())
    return feed.end() if feed else match.start()


def _line_end(text: str, position: int, end: int) -> int:
    """Where the line ends: a line needs no second match."""
    found = text.find("\n", position, end)
    return found if found >= 0 else end


def _sentence(text: str, match: re.Match[str], start: int, end: int, stops: tuple[str, ...]) -> tuple[int, int]:
    """The match and what stands around it, as far as ``_REACH`` and the sentence go."""
    at = _first_word(text, match)
    first = max(start, at - _REACH)
    last = min(end, match.end() + _REACH)
    for stop in stops:
        # A match may begin or end with the stop itself.
        first = max(first, text.rfind(stop, first, at + len(stop)) + 1)
        after = text.find(stop, max(at, match.end() - len(stop)), last)
        last = after if after >= 0 else last
    return first, last


def rule(
    name: str, anchors: str, patterns: str, words: Mapping[str, str], *, unless: str = "", also: tuple[str, ...] = ()
) -> Rule:
    """Make a rule.

    Args:
        name: One of ``RULE_NAMES``.
        anchors: Plain texts, separated by blanks; an underscore is a blank.
        patterns: One a line.
        words: Alternatives by name, separated by ``|``.
        unless: A pattern that must not stand in the sentence; or empty.
        also: Patterns that must stand in the sentence too, on the same line.
    """
    lines = [_expand(line, words) for line in map(str.strip, patterns.split("\n")) if line]
    texts = tuple(anchor.replace("_", " ") for anchor in anchors.split())
    return Rule(
        name,
        texts,
        "|".join(lines),
        _expand(unless, words) if unless else "",
        tuple(_expand(each, words) for each in also),
    )


def rules(
    name: str, patterns: str, words: Mapping[str, str], *, unless: str = "", also: tuple[str, ...] = ()
) -> Iterator[Rule]:
    """Make a rule for each pattern, so that it is looked for only around its own anchors.

    Args:
        name: One of ``RULE_NAMES``.
        patterns: Before each a line with ``@`` and its anchors, as in ``rule``.
        words: Alternatives by name, separated by ``|``.
        unless: As in ``rule``.
        also: As in ``rule``.
    """
    for part in patterns.split("@ ")[1:]:
        anchors, _, pattern = part.partition("\n")
        yield rule(name, anchors, pattern, words, unless=unless, also=also)


def _expand(pattern: str, words: Mapping[str, str]) -> str:
    named = _NAME.sub(lambda found: f"(?:{words[found[1]]})", pattern)
    return f"(?:{_GAP.sub(lambda found: f'{_WITHIN}{{0,{found[1]}}}?', named)})".replace(" ", r"\s")
