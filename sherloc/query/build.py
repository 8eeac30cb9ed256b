"""The order in which an issue becomes a query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sherloc.query.cleaning import plain_markup, visible, without_links, without_noise
from sherloc.query.code_blocks import is_terminal, read_code, without_prompts
from sherloc.query.commit_names import commit_ids, tickets
from sherloc.query.file_paths import take_paths
from sherloc.query.headings import read_heading
from sherloc.query.mentions import Names
from sherloc.query.messages import exceptions_of, messages_of
from sherloc.query.options import as_identifier
from sherloc.query.segments import Piece, cut
from sherloc.query.vagueness import reasons_for_vagueness
from sherloc.query.weighting import weigh
from sherloc.query.weights import QueryWeights
from sherloc.schema.issue import Issue
from sherloc.schema.query import PathMention, Query, Segment

_DEFAULT = QueryWeights()
_BOLD = re.compile(r"\*\*(\w[^*`\n]{0,200})\*\*")
_TITLE_TAG = re.compile(
    r"^(?:\[(?:bug|feature|feature request|question|rfc|rfe|docs?|enhancement|wip|crash"
    r"|regression)[^\]\n]{0,40}\][:\s]{0,4}"
    r"|(?:title|bug|bug report|issue|feature request|feature|summary)\s?:\s)+",
    re.IGNORECASE,
)


def build_query(issue: Issue, weights: QueryWeights = _DEFAULT) -> Query:
    """Take an issue apart into what helps to find code.

    Args:
        issue: The issue; labels are not read.
        weights: How much each kind of segment counts.

    Returns:
        The query. It never raises for a text, whatever stands in it; an issue without words gives no terms and says
        why in ``vague``. Linear in the text's length.
    """
    pieces = _pieces(issue, weights)
    names, paths, words = _read(pieces)
    extra = [*names.operators, *(as_identifier(setting) for setting in names.settings)]
    text = visible("\n".join((issue.title, issue.body, *issue.comments)))
    terms, piece_weights = weigh(pieces, words, extra, weights)
    query = Query(
        terms=terms,
        segments=tuple(Segment(p.kind, p.text, weight) for p, weight in zip(pieces, piece_weights, strict=True)),
        mentions=names.mentions(),
        paths=paths,
        frames=tuple(frame for piece in pieces if piece.trace for frame in piece.trace.frames),
        messages=messages_of(pieces),
        exceptions=exceptions_of(pieces),
        settings=tuple(names.settings),
        code_blocks=tuple(read_code(piece.text, piece.language) for piece in pieces if piece.is_code),
        commit_ids=commit_ids(text),
        tickets=tickets(text),
    )
    return replace(query, vague=reasons_for_vagueness(query))


def _read(pieces: Sequence[Piece]) -> tuple[Names, tuple[PathMention, ...], list[str]]:
    """Names and paths of the pieces, and the words of each."""
    names = Names()
    paths: dict[PathMention, None] = {}
    words: list[str] = []
    for piece in pieces:
        text = without_links(piece.text)
        words.append(without_noise(text))
        if piece.kind in ("traceback", "environment"):
            continue
        if piece.is_code:
            text = without_prompts(text)
        found, rest = take_paths(text, code=piece.is_code and not is_terminal(piece.language, text))
        paths.update(dict.fromkeys(found))
        names.read(piece, without_noise(rest))
    return names, tuple(paths), words


def _title_and_body(title: str, body: str) -> tuple[str, str]:
    """The title without tags and marks; when it is a template's heading, the first line of the body."""
    title = plain_markup(title).strip()
    if read_heading(title).boilerplate:
        first, _, rest = body.lstrip("\n").partition("\n")
        if first.strip() and not first.lstrip().startswith(("```", "~~~", "{{{", "<", "#", "-", ">>>", "    ", "\t")):
            title, body = first.strip(), rest
    title = _TITLE_TAG.sub("", _BOLD.sub(r"\1", title)).strip(" #")
    return title, body


def _pieces(issue: Issue, weights: QueryWeights) -> list[Piece]:
    pieces: list[Piece] = []
    title, body = _title_and_body(visible(issue.title), visible(issue.body))
    if title:
        pieces.append(Piece("title", title))
    pieces.extend(cut(body, "description", weights))
    for comment in issue.comments:
        pieces.extend(cut(visible(comment), "comment", weights))
    return pieces
