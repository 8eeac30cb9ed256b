"""Query expansion: a model rewrites the issue in the words that its fix will be written in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sherloc.json_hardening import LooseList, LooseModel
from sherloc.llm.material import Part
from sherloc.llm.prompts import load_prompt
from sherloc.llm.questions import Asker, Question
from sherloc.schema.query import Query
from sherloc.schema.report import Diagnostic
from sherloc.settings import NarrowingSettings
from sherloc.terms import TermTable

_MOST_TERMS = 20
_MOST_CHARACTERS = 2_000


class ExpansionReply(LooseModel):
    """What a model answers."""

    description: str = ""
    terms: LooseList[str] = []
    directions_in_material: LooseList[str] = []


@dataclass(frozen=True, slots=True)
class Expansion:
    """The issue in technical terms; both parts are empty when the model gave nothing."""

    description: str = ""
    terms: tuple[str, ...] = ()
    notes: tuple[Diagnostic, ...] = ()


async def expand_issue(asker: Asker, issue: str, settings: NarrowingSettings) -> Expansion:
    """Ask for the issue in technical terms.

    Args:
        asker: Asks the role ``filter``.
        issue: Summary and description as the prompt shows them.
        settings: The bound on the reply.
    """
    question = Question(
        "filter", load_prompt("expand"), (Part("The issue:", issue),), ExpansionReply, settings.reply_tokens
    )
    answer = await asker.ask(question)
    if answer.value is None:
        note = Diagnostic(
            code="expansion_failed", severity="warning", message=f"The issue was not rewritten by a model: {answer.why}"
        )
        return Expansion(notes=(*answer.notes, note))
    terms = tuple(dict.fromkeys(" ".join(term.split())[:80] for term in answer.value.terms if term.strip()))
    return Expansion(answer.value.description[:_MOST_CHARACTERS], terms[:_MOST_TERMS], answer.notes)


def expanded_query(query: Query, expansion: Expansion) -> Query:
    """The query with the expansion's words beside its own: a name counts 1, a word of the description a half.

    Args:
        query: The issue, taken apart.
        expansion: What a model made of it.
    """
    table = TermTable()
    weights = dict(query.terms)
    for text, weight in ((" ".join(expansion.terms), 1.0), (expansion.description, 0.5)):
        counted: Mapping[str, int] = table.count(text)
        for term in counted:
            weights[term] = max(weights.get(term, 0.0), weight)
    return replace(query, terms=tuple(sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))))
