"""Sentences of folded lines, and the n-grams in them as hashes: what the learned score is a sum over.

All of it is vectorised and linear in the text. Japanese and Chinese are read by characters, everything else by words,
numbers and signs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

LANGUAGES = ("en", "ja", "zh")
BUCKETS = 1 << 22
ORDERS = {"en": (1, 2, 3), "ja": (1, 2, 3, 4), "zh": (1, 2, 3, 4)}

LONGEST_PIECE = 200
"""Characters after which a piece ends without a stop: minified code, base64."""

LONGEST_LINE = 240
"""Characters up to which a whole line of several sentences is looked at as one."""

_FEWEST_WORDS = 4
_FEWEST_SIGNS = 8
_OPENING, _CLOSING = (tuple(map(ord, signs)) for signs in ("\n #-*/>", "\n .!?;,。、"))
_BEGIN, _END = np.uint64(1 << 32), np.uint64(1 << 33)
_LINE_FEED, _BLANK, _PERIOD, _FULL_STOP = 0x0A, 0x20, 0x2E, 0x3002
_STOPS = (0x21, _PERIOD, 0x3F)
_MARKS = tuple(map(ord, ".,:;!?"))
_APART, _LETTER, _DIGIT, _SIGN = range(4)
_CLASSES = np.array(
    [
        _LETTER if chr(code).isalpha() or code == 0x27
        else _DIGIT if chr(code).isdigit()
        else _SIGN if 0x20 < code < 0x7F
        else _APART
        for code in range(128)
    ],
    np.uint8,
)  # fmt: skip
_ODD = np.uint64(0x9E3779B97F4A7C15)
_STEP = np.uint64(0xD6E8FEB86659FD93)
_LONGEST_WORD = 32
_POWERS = np.multiply.accumulate(np.array([1] + [1_099_511_628_211] * _LONGEST_WORD, np.uint64))


@dataclass(frozen=True, slots=True)
class Spans:
    """Stretches of a text that may be a sentence: a piece, two neighbours, a short line. They overlap.

    Attributes:
        start: First character.
        end: One past the last.
        line: The line that it starts in.
        joined: Whether it ends in the next line.
    """

    start: Array
    end: Array
    line: Array
    joined: Array


def codes_of(text: str) -> Array:
    """The characters as numbers."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def spans_of(codes: Array) -> Spans:
    """What may be a sentence, also over two lines where the first does not end with a stop.

    Args:
        codes: Folded lines, with line feeds between.
    """
    start, end, line, stopped = _pieces(codes)
    found = [(start, end, line, np.zeros(len(line), bool))]
    near = (line[1:] == line[:-1]) | ((line[1:] == line[:-1] + 1) & ~stopped[:-1])
    (pair,) = np.nonzero(near)
    found.append((start[pair], end[pair + 1], line[pair], line[pair] != line[pair + 1]))
    if len(line):
        (first,) = np.nonzero(np.concatenate(([True], line[1:] != line[:-1])))
        last = np.concatenate((first[1:], [len(line)])) - 1
        several = (last - first >= 2) & (end[last] - start[first] <= LONGEST_LINE)
        first, last = first[several], last[several]
        found.append((start[first], end[last], line[first], np.zeros(len(first), bool)))
    return Spans(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _pieces(codes: Array) -> tuple[Array, Array, Array, Array]:
    """Start, end and line of each piece, and whether a stop ends it."""
    feeds = codes == _LINE_FEED
    before_blank = np.append((codes[1:] == _BLANK) | feeds[1:], True)[: len(codes)]
    stops = (codes == _FULL_STOP) | (np.isin(codes, _STOPS) & before_blank)
    end = np.flatnonzero(stops | feeds) + 1
    if len(codes) and (not len(end) or end[-1] < len(codes)):
        end = np.append(end, len(codes))
    start = np.concatenate(([0], end))[:-1]
    parts = -(-(end - start) // LONGEST_PIECE)
    start, nth = _repeated(start, parts)
    start = start + nth * LONGEST_PIECE
    end = np.minimum(start + LONGEST_PIECE, np.repeat(end, parts))
    line = (np.cumsum(feeds) - feeds)[start] if len(start) else start
    end = end - feeds[end - 1]
    stopped = stops[np.maximum(end - 1, 0)]
    start = start + (codes[start] == _BLANK)
    # A line without a letter comes as a full stop; it says nothing of the line before.
    feeds = np.append(feeds, True)
    bare = (end - start == 1) & (codes[end - 1] == _PERIOD) & feeds[start - 1] & feeds[end]
    some = (end > start) & ~bare
    return start[some], end[some], line[some], stopped[some]


def _repeated(values: Array, times: Array) -> tuple[Array, Array]:
    """Each value as often as it is said, and which time that is, from 0."""
    nth = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
    return np.repeat(values, times), nth


def sums_before(values: Array) -> Array:
    """The sum of the values before each place, and of all; 32 bits, so differences hold even where sums wrap."""
    sums = np.zeros(len(values) + 1, np.int32)
    np.cumsum(values, dtype=np.int32, out=sums[1:])
    return sums


def languages_of(codes: Array, start: Array, end: Array) -> Array:
    """Index into ``LANGUAGES`` for each span, or -1 where there are too few words to tell.

    Kana among eight characters or more make a span Japanese, eight Chinese ones without kana Chinese, four words
    between blanks all else; not what holds more signs than words, as code does.
    """

    def count(which: Array) -> Array:
        if not which.any():
            return np.zeros(len(start), np.int32)
        sums = sums_before(which)
        return sums[end] - sums[start]

    kana = count((codes >= 0x3041) & (codes <= 0x30FF))
    signs = count((codes >= 0x4E00) & (codes <= 0x9FFF))
    plain = count(_plain_words(codes))
    kind = _classes(codes)
    begins = (kind == _LETTER) & (np.concatenate(([_APART], kind[:-1])) != _LETTER)
    wordy = np.where((signs == 0) & (plain >= _FEWEST_WORDS) & (count(begins) >= count(kind == _SIGN)), 0, -1)
    return np.where(kana + signs >= _FEWEST_SIGNS, np.where(kana > 0, 1, 2), wordy)


def _plain_words(codes: Array) -> Array:
    """Where words of two letters or more begin that stand between blanks, as prose has them and code has few."""
    kind = _classes(codes)
    letters = kind == _LETTER
    blank = (codes == _BLANK) | (codes == _LINE_FEED)
    after_blank = np.concatenate(([True], blank))[: len(codes)]
    (begin,) = np.nonzero(letters & after_blank)
    (other,) = np.nonzero(~letters)
    end = np.append(other, len(codes))[np.searchsorted(other, begin)]
    # A mark may stand between a word and the blank.
    blank = np.append(blank, (True, True))
    marked = np.append(np.isin(codes, _MARKS), False)
    ends_well = blank[end] | (marked[end] & blank[end + 1])
    found = np.zeros(len(codes), bool)
    found[begin[(end - begin >= 2) & ends_well]] = True
    return found


def _classes(codes: Array) -> Array:
    return np.where(codes < 128, _CLASSES[np.minimum(codes, 127)], np.where(codes >= 0xC0, _LETTER, _APART))


@dataclass(frozen=True, slots=True)
class Grams:
    """N-grams of a text.

    Attributes:
        at: Where each unit (a character, or a word) starts.
        buckets: For each order n, the bucket of the n-gram that begins with each unit.
    """

    at: Array
    buckets: dict[int, Array]


def grams_of(codes: Array, language: str) -> Grams:
    """The n-grams of a text, of the orders that its language is read by.

    Args:
        codes: Of the whole text; spans are taken out afterwards.
        language: One of ``LANGUAGES``.
    """
    if language == "en":
        at, units = _words(codes)
    else:
        at, units = np.arange(len(codes)), np.where(codes == _LINE_FEED, _BLANK, codes).astype(np.uint64)
    units = units + np.uint64(1)
    chained, found = units, {}
    for order in range(1, max(ORDERS[language]) + 1):
        if order > 1:
            chained = chained[:-1] * _STEP + units[order - 1 :] * _ODD
        found[order] = _bucket(chained + np.uint64(order))
    return Grams(at, found)


def edges_of(codes: Array, grams: Grams, first: Array, last: Array) -> Iterator[tuple[Array, Array]]:
    """The n-grams that spans begin and end with, in buckets of their own: the form of a request shows there.

    Args:
        codes: Of the whole text.
        grams: Of the whole text.
        first: The first unit of each span.
        last: One past its last.

    Yields:
        Which spans are long enough for an n-gram, and its bucket in each of them.
    """
    at = np.arange(len(grams.at))
    signs = codes[grams.at]
    inner = np.append(np.maximum.accumulate(np.where(np.isin(signs, _CLOSING), -1, at)), -1)
    outer = np.append(np.minimum.accumulate(np.where(np.isin(signs, _OPENING), len(at), at)[::-1])[::-1], len(at))
    begin, end = outer[np.minimum(first, len(at))], np.minimum(inner[last - 1] + 1, last)
    for order, buckets in grams.buckets.items():
        (which,) = np.nonzero((end - begin >= order) & (begin >= first))
        for place, salt in ((begin[which], _BEGIN), (end[which] - order, _END)):
            yield which, _bucket(buckets[place].astype(np.uint64) + salt)


def _words(codes: Array) -> tuple[Array, Array]:
    """Where words, numbers and signs start, and a hash of each; all numbers are one."""
    kind = _classes(codes)
    before = np.concatenate(([_APART], kind[:-1]))
    begins = (kind != _APART) & ((kind != before) | (kind == _SIGN))
    (at,) = np.nonzero(begins)
    if not len(at):
        return at, np.zeros(0, np.uint64)
    place = np.arange(len(codes)) - at[np.maximum(np.cumsum(begins) - 1, 0)]
    said = (kind == _LETTER) | (kind == _SIGN)
    values = np.where(said, codes, 0).astype(np.uint64) * _POWERS[np.minimum(place, _LONGEST_WORD)]
    return at, np.add.reduceat(values, at)


def _bucket(hashes: Array) -> Array:
    mixed = (hashes ^ (hashes >> np.uint64(29))) * _ODD
    found: Array = (mixed >> np.uint64(64 - BUCKETS.bit_length() + 1)).astype(np.int64)
    return found
