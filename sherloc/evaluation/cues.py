"""What kind of help an issue gives, and whether it names what must change: groups in which methods differ most."""

from __future__ import annotations

from sherloc.evaluation.gold import Gold
from sherloc.evaluation.predicting import holder
from sherloc.query import build_query
from sherloc.schema.issue import Issue
from sherloc.schema.query import Query

_PLAIN = ("prose", "short")


def query_of(text: str) -> Query:
    """The issue, taken apart as ``locate`` does it."""
    return build_query(Issue.from_text(text))


def cue_of(query: Query) -> str:
    """The strongest cue in an issue: ``traceback``, ``path``, ``code``, ``message``, ``name`` or ``words``."""
    if query.frames:
        return "traceback"
    if query.paths:
        return "path"
    if query.code_blocks:
        return "code"
    if query.messages or query.exceptions:
        return "message"
    return "name" if any(mention.origin not in _PLAIN for mention in query.mentions) else "words"


def named_in(query: Query, gold: Gold) -> str:
    """What of the gold the issue names: a ``file`` (also in a traceback), a ``function or class``, or ``nothing``."""
    paths = [mention.path for mention in query.paths] + [frame.path for frame in query.frames]
    if any(_same_file(path, file) for path in paths for file in gold.files):
        return "file"
    said = {part for mention in query.mentions for part in mention.name.replace("::", ".").split(".")}
    said.update(frame.function.rpartition(".")[2] for frame in query.frames)
    names = [*gold.functions, *gold.classes]
    short = {_short(name.partition("::")[2]) for name in names}
    return "function or class" if short & said else "nothing"


def _same_file(said: str, file: str) -> bool:
    """Whether a path as written can mean a file: its last parts, or a longer path of some installation."""
    said = said.strip("/")
    return bool(said) and (f"/{file}".endswith(f"/{said}") or ("/" in file and f"/{said}".endswith(f"/{file}")))


def _short(qualified_name: str) -> str:
    return qualified_name[len(holder(qualified_name)) :].lstrip(".:#")
