"""What people read: pull request, comment and commit messages, in the ticket's language."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from sherloc.forge import cut_body
from sherloc.llm import redact
from sherloc.llm.pieces import one_line
from sherloc.protocols import Ticket
from sherloc.repair.languages import known_language
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.fix import MadeCommit, ProducedPatch, TestRun
from sherloc.schema.issue import Issue
from sherloc.schema.proposal import PatchProposal
from sherloc.schema.report import Level

Harmless = Callable[[str], str]
"""Makes a text of a model or of a stranger harmless where it is embedded: no mentions, no closing keywords, no HTML."""

MAX_TITLE = 256
SUBJECT = 72

_DESCRIPTION, _REASONING, _SENTENCE = 12_000, 4_000, 300
_EVIDENCE, _SIGNS, _COMMITS, _PATHS, _FLAGS, _MISSING = 10, 3, 20, 6, 20, 20
_PATH = 120
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_TRAILER = re.compile(r"^(?:[a-z]+-)+(?:by|to):[ \t].*$", re.IGNORECASE | re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")
_FORGE_REFERENCE = re.compile(r"[\w.-]+(?:/[\w.-]+)+[#!]\d+")


@dataclass(frozen=True, slots=True)
class PullRequestFacts:
    """What a pull request's text is made of.

    Attributes:
        ticket: What it is about.
        brief: Where the change was expected, and why.
        patch: The candidate that was chosen.
        commits: Its commits, in order.
        candidates: How many candidates there were.
        mode: The plan that found the places: ``offline``, ``diagnose`` or ``explore``.
        confidence: Of the whole localisation.
    """

    ticket: Ticket
    brief: SurgeryBrief
    patch: ProducedPatch
    commits: Sequence[MadeCommit]
    candidates: int = 1
    mode: str = "offline"
    confidence: Level = "low"


def pull_request_title(proposal: PatchProposal | None, issue: Issue, language: str, harmless: Harmless) -> str:
    """The title: the proposal's, else made from the ticket's; one line of at most 256 characters.

    Args:
        proposal: What was proposed.
        issue: The ticket's text.
        language: The ticket's.
        harmless: Applied before the length is kept.
    """
    texts = texts_of(language)
    proposed = _clean_line(proposal.title) if proposal else ""
    return _shortened(harmless(proposed or _from_ticket(issue, texts)), MAX_TITLE)


def pull_request_body(facts: PullRequestFacts, language: str, harmless: Harmless) -> str:
    """The body, as Markdown: what was wrong, evidence, changes by commit, tests, flags, and who made it.

    It stays far below the 65,536 characters that forges allow: long texts are cut with a mark, and long lists end with
    how many more there are.

    Args:
        facts: What is told.
        language: The ticket's; the fixed texts fall back to English.
        harmless: Applied to every text that a model or a stranger wrote.
    """
    texts = texts_of(language)
    proposal = facts.patch.proposal or PatchProposal(is_fixable=True)
    reference = facts.ticket.reference
    reference = reference if facts.ticket.address and _FORGE_REFERENCE.fullmatch(reference) else _code(reference)
    sections = [
        _embedded(proposal.pr_description, _DESCRIPTION, harmless),
        _section(texts["wrong"], [_embedded(proposal.reasoning, _REASONING, harmless)]),
        texts["ticket"].format(ticket=reference),
        _section(texts["evidence"], _listed([_place(e, texts, harmless) for e in facts.brief.change_sets], _EVIDENCE)),
        _section(texts["changed"], _listed([_commit(c, harmless) for c in facts.commits], _COMMITS, numbered=True)),
        _section(texts["tests"], _tests(facts, texts)),
        _section(texts["review"], _listed([harmless(_sentence(flag)) for flag in facts.patch.flags], _FLAGS)),
        f"---\n{_found(facts, texts)}\n{texts['footer']}",
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def missing_information_comment(proposal: PatchProposal, language: str, harmless: Harmless) -> str:
    """The comment on a ticket that cannot be repaired as it stands: why, and which information is missing.

    Args:
        proposal: With ``is_fixable`` false.
        language: The ticket's; the fixed texts fall back to English.
        harmless: Applied to what the model wrote.
    """
    texts = texts_of(language)
    missing = [harmless(_sentence(each)) for each in proposal.missing_information if each.strip()]
    wanted = [texts["missing"], "\n".join(_listed(missing, _MISSING))] if missing else [texts["unnamed"]]
    parts = [texts["incomplete"], _embedded(proposal.reasoning, _REASONING, harmless), *wanted, texts["again"]]
    return "\n\n".join(part for part in parts if part) + "\n"


def commit_message(message: str, issue: Issue, language: str, harmless: Harmless) -> str:
    """A commit message as git wants it: a first line of at most 72 characters, a blank line, the rest.

    A longer first line goes on in the body, with marks where it was parted. Trailers that name people
    (``Signed-off-by`` and the like) are left out: a model cannot speak for them. An empty message is made from the
    ticket.

    Args:
        message: What was proposed.
        issue: The ticket's text.
        language: The ticket's.
        harmless: Applied to the message.
    """
    text = _TRAILER.sub("", _cleaned(message))
    subject, _, body = text.strip().partition("\n")
    subject = " ".join(subject.split()) or _from_ticket(issue, texts_of(language))
    body = "\n".join(line.rstrip() for line in body.split("\n")).strip("\n")
    head, rest = _parted(harmless(subject))
    parts = [head, rest, harmless(_BLANK_LINES.sub("\n\n", body))]
    return "\n\n".join(part for part in parts if part) + "\n"


@cache
def texts_of(language: str) -> Mapping[str, str]:
    """The fixed texts of a language, English for one that there is none of.

    Args:
        language: A BCP 47 tag.
    """
    file = resources.files("sherloc.repair.words") / f"{known_language(language)}.json"
    texts: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return texts


def _from_ticket(issue: Issue, texts: Mapping[str, str]) -> str:
    title = _clean_line(issue.title)
    return texts["title"].format(title=title) if title else texts["untitled"]


def _clean_line(text: str) -> str:
    return " ".join(_cleaned(text).split())


def _cleaned(text: str) -> str:
    """Without control and invisible characters, and with line feeds alone."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _sentence(text: str) -> str:
    return one_line(_cleaned(text), _SENTENCE)


def _embedded(text: str, most: int, harmless: Harmless) -> str:
    """A text of several lines; what is written out in it counts, so that it takes no room from what stands below."""
    # Twice as much as is kept is made harmless: that takes time, and nothing of the rest would be seen.
    text = _BLANK_LINES.sub("\n\n", _cleaned(text[: 4 * most])).strip()
    whole = harmless(_shortened(text, 2 * most))
    return whole if len(whole) <= most and len(text) <= 2 * most else cut_body(whole, limit=most, notice="…")


def _shortened(text: str, most: int) -> str:
    """Cut at a space near the limit, if there is one, with a mark."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    space = max(head.rfind(" "), head.rfind("\n"))
    return (head[:space] if space > most * 3 // 4 else head).rstrip() + "…"


def _parted(subject: str) -> tuple[str, str]:
    """A subject that fits, and what goes on in the body."""
    if len(subject) <= SUBJECT:
        return subject, ""
    space = subject.rfind(" ", 0, SUBJECT)
    at = space if space > SUBJECT // 2 else SUBJECT - 1
    return f"{subject[:at].rstrip()}…", f"…{subject[at:].lstrip()}"


def _section(heading: str, lines: Sequence[str]) -> str:
    text = "\n".join(line for line in lines if line)
    return f"## {heading}\n\n{text}" if text else ""


def _listed(items: Sequence[str], most: int, *, numbered: bool = False) -> list[str]:
    rows = [f"{number}. {item}" if numbered else f"- {item}" for number, item in enumerate(items[:most], 1)]
    return [*rows, f"- … (+{len(items) - most})"] if len(items) > most else rows


def _place(place: ChangeSet, texts: Mapping[str, str], harmless: Harmless) -> str:
    target = place.target_location
    lines = f":{target.start_line}-{target.end_line}" if target.start_line else ""
    where = _code(f"{place.file_path[-_PATH:]}{lines}")
    where += f" {_code(target.function_name[:_PATH])}" if target.function_name else ""
    head = texts["place"].format(place=where, percent=round(100 * place.confidence))
    signs = list(dict.fromkeys(_sentence(each.description) for each in place.diagnostic_evidence))[:_SIGNS]
    return f"{head}: {harmless(' / '.join(signs))}" if signs else head


def _commit(commit: MadeCommit, harmless: Harmless) -> str:
    subject = harmless(_sentence(commit.message.partition("\n")[0]))
    paths = [_code(path[-_PATH:]) for path in commit.paths[:_PATHS]]
    paths += [f"… (+{len(commit.paths) - _PATHS})"] if len(commit.paths) > _PATHS else []
    return f"{subject} ({', '.join(paths)})" if paths else subject


def _tests(facts: PullRequestFacts, texts: Mapping[str, str]) -> list[str]:
    told = [_run(facts.patch.tests, texts)]
    return [*told, texts["chosen"].format(count=facts.candidates)] if facts.candidates > 1 else told


def _run(run: TestRun | None, texts: Mapping[str, str]) -> str:
    if run is None:
        return texts["untested"]
    command = _code(one_line(redact(run.command)[0], _SENTENCE))
    if run.passed:
        return texts["passed"].format(command=command, seconds=f"{run.seconds:.1f}")
    if run.exit_code is None:
        return texts["stopped"].format(command=command)
    return texts["failed"].format(command=command, code=run.exit_code)


def _found(facts: PullRequestFacts, texts: Mapping[str, str]) -> str:
    mode = texts[facts.mode] if facts.mode in ("offline", "diagnose", "explore") else facts.mode
    return texts["found"].format(mode=mode, level=texts[facts.confidence])


def _code(text: str) -> str:
    """A code span that the text cannot end."""
    text = _clean_line(text)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"
