"""The words of an offline diagnosis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sherloc.schema.candidate import Candidate, Signal, SignalKind
from sherloc.schema.query import Query

_MAX_DETAIL = 160
_MAX_EVIDENCE = 6
_CLOSE = 0.9

# The order is the order of telling: the first kind that a candidate has gives its impact.
_IMPACT: Mapping[SignalKind, str] = {
    "traceback": "The traceback passes through here, so a fault here or in what it hands on raises the error shown.",
    "spectrum": "Failing tests run it more than passing ones do, so a fault here fails them.",
    "message": "It emits the message that the issue quotes, so a wrong condition before it gives the symptom.",
    "qualified_name": "The issue names it as the thing that misbehaves, so a fault here shows directly.",
    "defined_name": "The issue names it, so a fault here shows whenever it is used as described.",
    "exception": "It raises or handles the exception of the issue, so a fault here lets it through or causes it.",
    "setting": "It handles the setting of the issue, so a fault here makes the setting act wrongly.",
    "code_block": "The issue's sample runs it, so a fault here shows in the sample's result.",
    "callee": "Code that the issue points to calls it and passes its result on, so a fault here shows there.",
    "override": "It stands in for code that the issue points to, so a fault here shows under the same name.",
    "base": "Code that the issue points to inherits from it, so a fault here shows there.",
    "caller": "It calls code that the issue points to; a fault in how it does so gives the symptom.",
    "class_member": "It belongs to the class of the issue, so a fault here shows in that class.",
    "path": "It stands in the file that the issue names.",
    "module": "It stands in the module that the issue names.",
    "same_file": "It stands beside code that the issue points to.",
    "title_words": "Its name says what the title is about, so a fault here may give the symptom.",
    "file_name": "Its file is named for what the title is about.",
    "meaning": "It does what the issue is about, so a fault here may give the symptom.",
    "test": "A test like the issue runs code of its file, so that code may hold the fault.",
    "commit": "Commits like the issue changed it before, so the fault may lie near what they changed.",
    "named_commit": "A commit that the issue names changed it, so the fault may lie in what it changed.",
    "lexical": "It deals with what the issue is about, so a fault here may give the symptom.",
    "explored": "An exploration of the code found the fault here.",
    "diagnosed": "A model that read it found a fault here plausible.",
    "reranked": "A model expects that it is edited.",
    "narrowed": "A model expects that its file is edited.",
    "expanded": "It deals with what the issue means in technical terms.",
}

_BY_NAME = frozenset({"traceback", "message", "qualified_name", "defined_name"})
_BY_GRAPH = ("callee", "override", "base", "caller")


def strongest_first(signals: Sequence[Signal]) -> tuple[Signal, ...]:
    """Signals by descending score, then kind, detail and line."""
    return tuple(sorted(signals, key=lambda s: (-s.score, s.kind, s.detail, s.line or 0)))


def evidence(signals: Sequence[Signal]) -> tuple[str, ...]:
    """One sentence a signal, at most six, each once.

    Args:
        signals: Strongest first.
    """
    return tuple(dict.fromkeys(s.sentence for s in signals))[:_MAX_EVIDENCE]


def impact(signals: Sequence[Signal], level: str) -> str:
    """How a fault here would give the described symptom, one sentence.

    Args:
        signals: The candidate's signals.
        level: Its relevance in a word.
    """
    kinds = {signal.kind for signal in signals}
    telling = next((kind for kind in _IMPACT if kind in kinds), None)
    if telling is None or (level == "none" and telling in ("lexical", "same_file", "path", "module")):
        return "No way from a fault here to the described symptom is known."
    return _IMPACT[telling]


def unknown(
    query: Query, candidate: Candidate, rivals: Sequence[Candidate], line_count: int | None, degraded: Sequence[str]
) -> tuple[str, ...]:
    """What the diagnosis does not know, in plain words; never empty.

    Args:
        query: The issue, taken apart.
        candidate: What is diagnosed.
        rivals: The other candidates.
        line_count: Lines of its file, None when its text was not at hand.
        degraded: Channels of retrieval that failed.
    """
    snippet = candidate.snippet
    found = [_link(candidate)] if _link(candidate) else []
    kinds = {signal.kind for signal in candidate.signals}
    if "traceback" in kinds:
        found.append("Whether the fault is in this frame or in what it calls or is given.")
    if kinds & {"override", "base"}:
        found.append("Whether it is overridden in subclasses that need the same change.")
    if snippet.kind == "block":
        found.append("The rest of this long function was weighed apart from this block.")
    if line_count is None:
        found.append(f"The text of {snippet.path} was not at hand; no line was looked at.")
    elif snippet.end_line > line_count:
        found.append(f"{snippet.path} has only {line_count} lines now; it changed since it was indexed.")
    close = _close_rivals(candidate, rivals)
    if close:
        found.append(f"Others are about as likely: {', '.join(close)}.")
    if query.vague:
        found.append(f"The issue gives little to go on: {_short('; '.join(query.vague))}.")
    if degraded:
        found.append(f"Parts of the search gave no answer: {', '.join(degraded)}.")
    found.append("No test was run and no code was executed.")
    return tuple(found)


def place(candidate: Candidate) -> str:
    """A candidate's name for a person."""
    snippet = candidate.snippet
    return f"{snippet.path}::{snippet.qualified_name}" if snippet.qualified_name else f"{snippet.path} (module code)"


def _link(candidate: Candidate) -> str:
    kinds = {signal.kind for signal in candidate.signals}
    if not kinds:
        return "Why it was found at all: no sign came with it."
    if kinds & _BY_NAME:
        return ""
    if kinds == {"lexical"}:
        return "The issue does not name this function; the link is shared vocabulary only."
    for kind in _BY_GRAPH:
        if kind in kinds:
            return "The issue does not name this function; it was reached through code that the issue points to."
    return "The issue does not name this function itself."


def _close_rivals(candidate: Candidate, rivals: Sequence[Candidate]) -> list[str]:
    if candidate.confidence <= 0:
        return []
    close = [
        place(rival)
        for rival in rivals
        if rival is not candidate
        and _CLOSE * candidate.confidence <= rival.confidence <= candidate.confidence / _CLOSE
        and place(rival) != place(candidate)
    ]
    return list(dict.fromkeys(close))[:3]


def _short(text: str) -> str:
    text = " ".join(text.split()).rstrip(".")
    return text if len(text) <= _MAX_DETAIL else text[: _MAX_DETAIL - 1] + "…"
