"""The diagnoser that asks a model: several snippets a call, verdicts checked one by one and kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from sherloc.diagnoser.anchoring import anchor, lines_with
from sherloc.diagnoser.offline import OfflineDiagnoser
from sherloc.diagnoser.replies import DiagnosisReply, Verdict, level_of
from sherloc.diagnoser.shown import Hidden, ShownPiece, batches, shown_pieces
from sherloc.diagnoser.verdict_cache import VerdictCache
from sherloc.llm.material import Part
from sherloc.llm.pieces import issue_text, one_line
from sherloc.llm.prompts import load_prompt
from sherloc.llm.questions import Answer, Asker, Done, Question
from sherloc.schema.candidate import Candidates
from sherloc.schema.diagnosis import Diagnosis
from sherloc.schema.issue import Issue
from sherloc.schema.query import Query
from sherloc.schema.report import Diagnostic
from sherloc.schema.snippet import Snippet
from sherloc.settings import DiagnosisSettings

_REPLY_BASE = 200
_MOST_KEY_LINES = 4


@dataclass(frozen=True, slots=True)
class Missing:
    """Why a snippet has no verdict: a problem of ``llm.questions``, or ``text`` (its file was not at hand)."""

    reason: str
    why: str


@dataclass(frozen=True, slots=True)
class Examined:
    """What a model said of some snippets, in their order; ``cached`` of the verdicts were there from before."""

    verdicts: tuple[Verdict | Missing, ...]
    pieces: tuple[ShownPiece | None, ...]
    cached: int
    notes: tuple[Diagnostic, ...]


class ModelDiagnoser:
    """Diagnoses candidates by a model (role ``diagnose``); what it cannot diagnose gets the offline diagnosis.

    Args:
        asker: Asks; the model's bound on concurrency holds.
        settings: How many snippets a call.
        issue: The issue, as it is shown.
        cache: Verdicts from before.
        hidden: What of a snippet's lines belongs to other snippets.
        issue_characters: Longest issue.
        done: Called with the number of calls that have ended, and of all.
    """

    def __init__(
        self,
        asker: Asker,
        settings: DiagnosisSettings,
        issue: Issue,
        *,
        cache: VerdictCache | None = None,
        hidden: Hidden = lambda _: (),
        issue_characters: int = 12_000,
        done: Done | None = None,
    ) -> None:
        self._asker, self._settings, self._cache, self._hidden, self._done = asker, settings, cache, hidden, done
        self._prompt = load_prompt("diagnose")
        self._issue = issue_text(issue, issue_characters)
        self._issue_hash = hashlib.sha256(self._issue.encode("utf-8", "surrogatepass")).hexdigest()

    def diagnose(self, query: Query, candidates: Candidates, sources: Mapping[str, str]) -> tuple[Diagnosis, ...]:
        """One diagnosis for each of the first candidates, in their order.

        Args:
            query: The issue, taken apart.
            candidates: What the retriever found.
            sources: Path to the file's text.
        """
        offline = OfflineDiagnoser(self._settings).diagnose(query, candidates, sources)
        chosen = [candidate.snippet for candidate in candidates.snippets[: self._settings.candidates]]
        examined = self.examine(chosen, sources)
        return tuple(
            diagnosis_of(own, verdict, piece, self._asker.model_name("diagnose"))
            for own, verdict, piece in zip(offline, examined.verdicts, examined.pieces, strict=True)
        )

    def examine(self, snippets: Sequence[Snippet], sources: Mapping[str, str]) -> Examined:
        """A verdict or a reason for having none, for each snippet, in their order.

        Calls run side by side. One that fails loses its own snippets alone; they are asked again one by one where the
        reply could not be read, but not where the model declined. A verdict counts for the snippet whose id it bears,
        unless what it quotes stands only in another one of the same call: then both are asked again, alone.

        Args:
            snippets: Different ones.
            sources: Path to the file's text.
        """
        pieces = shown_pieces(
            snippets, [sources.get(s.path) for s in snippets], self._hidden, self._settings.snippet_lines
        )
        shown = [piece for piece in pieces if piece is not None]
        kept = {piece.id: self._kept(piece) for piece in shown}
        # Only what was there when the run began: of what it asked itself, the log has more than the verdict.
        asked = hashlib.sha256(repr([self._key(piece) for piece in shown]).encode()).hexdigest()
        known = self._asker.same(f"verdicts {asked}", [name for name, verdict in kept.items() if verdict is not None])
        found: dict[str, Verdict | Missing] = {
            name: verdict for name, verdict in kept.items() if verdict is not None and name in known
        }
        cached = len(found)
        # Parted before what is known is left out, so that a run that goes on asks what it would have asked.
        whole = batches(shown, self._settings.batch, self._settings.batch_tokens)
        parted = [left for batch in whole if (left := [piece for piece in batch if piece.id not in found])]
        notes: list[Diagnostic] = []
        again: list[ShownPiece] = []
        for batch, answer in zip(parted, self._ask(parted), strict=True):
            notes += answer.notes
            answered, unanswered = self._read(batch, answer)
            found.update(answered)
            again += unanswered if len(batch) > 1 else []
        alone = [[piece] for piece in again]
        for batch, answer in zip(alone, self._ask(alone), strict=True):
            notes += answer.notes
            found.update(self._read(batch, answer)[0])
        lost = Missing("text", "the text of the file was not at hand")
        verdicts = tuple(found.get(piece.id, lost) if piece is not None else lost for piece in pieces)
        return Examined(verdicts, tuple(pieces), cached, tuple(notes))

    def _ask(self, parted: Sequence[Sequence[ShownPiece]]) -> list[Answer[DiagnosisReply]]:
        return self._asker.ask_all([self._question(batch) for batch in parted], self._done) if parted else []

    def _question(self, pieces: Sequence[ShownPiece]) -> Question[DiagnosisReply]:
        parts = (Part("The issue:", self._issue), *(piece.part for piece in pieces))
        ids = ", ".join(piece.id for piece in pieces)
        return Question(
            "diagnose", self._prompt, parts, DiagnosisReply, _REPLY_BASE + self._settings.reply_tokens * len(pieces),
            f"The pieces are: {ids}.", lambda reply: bool(_matched(pieces, reply)[0]),
        )  # fmt: skip

    def _read(
        self, pieces: Sequence[ShownPiece], answer: Answer[DiagnosisReply]
    ) -> tuple[dict[str, Verdict | Missing], list[ShownPiece]]:
        """What an answer says of each piece, and those of which it says nothing though it might, asked alone."""
        if answer.value is None:
            missing = Missing(answer.problem, answer.why)
            again = list(pieces) if answer.problem == "reply" else []
            return {piece.id: missing for piece in pieces}, again
        verdicts, again = _matched(pieces, answer.value)
        self._keep(pieces, verdicts)
        silent = Missing("reply", "the reply has no usable verdict on it")
        return {**verdicts, **{piece.id: silent for piece in again}}, again

    def _key(self, piece: ShownPiece) -> tuple[str, str, str, str]:
        return self._issue_hash, piece.digest, self._prompt.identity, self._asker.model_identity("diagnose")

    def _kept(self, piece: ShownPiece) -> Verdict | None:
        text = self._cache.get(*self._key(piece)) if self._cache else None
        if text is None:
            return None
        try:
            return Verdict.model_validate_json(text).model_copy(update={"id": piece.id})
        except ValidationError:  # written by another version
            return None

    def _keep(self, pieces: Sequence[ShownPiece], found: Mapping[str, Verdict]) -> None:
        """All verdicts of a call at once: a run that is cut short then asks for all of them again, or for none."""
        verdicts = [(piece.digest, found[piece.id].model_dump_json()) for piece in pieces if piece.id in found]
        if self._cache and verdicts:
            self._cache.put(self._issue_hash, self._prompt.identity, self._asker.model_identity("diagnose"), verdicts)


def _matched(pieces: Sequence[ShownPiece], reply: DiagnosisReply) -> tuple[dict[str, Verdict], list[ShownPiece]]:
    """Verdicts by the piece that they are about, and the pieces that need another look alone."""
    by_id = {piece.id: piece for piece in pieces}
    given: dict[str, list[Verdict]] = {}
    for verdict in reply.diagnoses:
        given.setdefault(verdict.id, []).append(verdict)
    if len(pieces) == 1 and len(reply.diagnoses) == 1 and pieces[0].id not in given:
        # Alone there is nothing to mix up.
        given = {pieces[0].id: [reply.diagnoses[0].model_copy(update={"id": pieces[0].id})]}
    doubted = {name for name, verdicts in given.items() if any(each != verdicts[0] for each in verdicts)}
    for name, verdicts in given.items():
        if name in by_id and name not in doubted:
            elsewhere = _quoted_elsewhere(by_id[name], verdicts[0], pieces)
            doubted |= {name, elsewhere} if elsewhere else set()
    found = {name: verdicts[0] for name, verdicts in given.items() if name in by_id and name not in doubted}
    return found, [piece for piece in pieces if piece.id not in found]


def _quoted_elsewhere(piece: ShownPiece, verdict: Verdict, pieces: Sequence[ShownPiece]) -> str:
    """The id of another piece that holds all that a verdict quotes while its own does not; or empty."""
    quotes = [key.quote for key in verdict.key_evidence_lines if key.quote.strip()]
    if not quotes or all(_holds(piece, quote) for quote in quotes):
        return ""
    others = [other for other in pieces if other.id != piece.id and all(_holds(other, quote) for quote in quotes)]
    return others[0].id if others else ""


def _holds(piece: ShownPiece, quote: str) -> bool:
    return bool(lines_with(quote, piece.lines, piece.snippet.start_line, piece.snippet.end_line))


def diagnosis_of(own: Diagnosis, verdict: Verdict | Missing, piece: ShownPiece | None, model: str) -> Diagnosis:
    """A model's verdict as a diagnosis; the offline one, with a word on why, where there is none.

    Args:
        own: The offline diagnosis of the same snippet.
        verdict: What the model said.
        piece: What it was shown.
        model: Its name.
    """
    if isinstance(verdict, Missing) or piece is None:
        why = verdict.why if isinstance(verdict, Missing) else ""
        return own.model_copy(update={"unknown": (f"No model diagnosed it: {one_line(why)}.", *own.unknown)})
    lines, refused = [], []
    for key in verdict.key_evidence_lines[:_MOST_KEY_LINES]:
        found, note = anchor(
            key.lines, key.quote, key.why, piece.lines, piece.snippet.start_line, piece.snippet.end_line
        )
        if found is not None:
            lines.append(found)
        else:
            refused.append(f"Lines that the model gave were left out: {note}.")
    return own.model_copy(
        update={
            "relevance_score": round(float(verdict.relevance_score), 2),
            "relevance": level_of(verdict.relevance_score),
            "impact": one_line(verdict.impact) or own.impact,
            "reason": one_line(verdict.reason) or own.reason,
            "potential_change_type": verdict.potential_change_type,
            "key_evidence_lines": tuple(lines) or own.key_evidence_lines,
            "unknown": (*refused, *own.unknown),
            "diagnosed_by": f"model:{model}",
        }
    )
