"""The diagnoser without a model: it reasons from signals and from the code's text."""

from __future__ import annotations

from collections.abc import Mapping

from sherloc.diagnoser.change_types import ChangeTypeRules
from sherloc.diagnoser.key_lines import key_lines
from sherloc.diagnoser.relevance import relevance_level, relevance_score
from sherloc.diagnoser.sentences import evidence, impact, strongest_first, unknown
from sherloc.schema.candidate import Candidate, Candidates
from sherloc.schema.diagnosis import Diagnosis
from sherloc.schema.query import Query
from sherloc.settings import DiagnosisSettings
from sherloc.terms import TermTable


class OfflineDiagnoser:
    """Diagnoses candidates by rules.

    Args:
        settings: How many candidates are diagnosed.
    """

    def __init__(self, settings: DiagnosisSettings) -> None:
        self._settings = settings

    def diagnose(self, query: Query, candidates: Candidates, sources: Mapping[str, str]) -> tuple[Diagnosis, ...]:
        """One diagnosis for each of the first candidates, in their order.

        Args:
            query: The issue, taken apart.
            candidates: What the retriever found.
            sources: Path to the file's text. A path that is missing gives a diagnosis that says so.

        Complexity: linear in the lines of the diagnosed snippets.
        """
        chosen = candidates.snippets[: self._settings.candidates]
        rules = ChangeTypeRules(query)
        weights = dict(candidates.term_weights)
        table = TermTable()
        texts = {c.snippet.path: _lines(sources[c.snippet.path]) for c in chosen if c.snippet.path in sources}
        found = []
        for rank, candidate in enumerate(chosen):
            snippet = candidate.snippet
            lines = texts.get(snippet.path)
            signals = strongest_first(candidate.signals)
            score = relevance_score(candidate.confidence, rank)
            level = relevance_level(score, [signal.kind for signal in signals])
            code = "\n".join(lines[snippet.start_line - 1 : snippet.end_line]) if lines else ""
            sentences = evidence(signals)
            found.append(
                Diagnosis(
                    path=snippet.path,
                    qualified_name=snippet.qualified_name,
                    kind=snippet.kind,
                    start_line=snippet.start_line,
                    end_line=max(snippet.start_line, snippet.end_line),
                    relevance_score=score,
                    relevance=level,
                    impact=impact(signals, level),
                    reason=_reason(candidate, rank, len(candidates.snippets), sentences),
                    potential_change_type=rules.change_type(snippet, code),
                    key_evidence_lines=key_lines(snippet, lines or (), signals, query.messages, weights, table),
                    evidence=sentences,
                    unknown=unknown(
                        query, candidate, chosen, None if lines is None else len(lines), candidates.degraded
                    ),
                    content_hash=snippet.content_id,
                )
            )
        return tuple(found)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else lines


def _reason(candidate: Candidate, rank: int, count: int, sentences: tuple[str, ...]) -> str:
    strongest = sentences[0] if sentences else "No sign came with it."
    return f"Rank {rank + 1} of {count} with an estimated chance of {candidate.confidence:.0%}. {strongest}"
