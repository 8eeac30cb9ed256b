"""Query and index to candidates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sherloc.indexer.index import Index
from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import Array
from sherloc.repository.history import History
from sherloc.retriever.calibration import FILES, file_chances, unit_chances
from sherloc.retriever.commits import add_commits, add_touched, commit_cues
from sherloc.retriever.cues import CueFinder, Cues
from sherloc.retriever.features import FEATURES, FUNCTION_KINDS, features, may_move
from sherloc.retriever.file_features import FILE_FEATURES, file_features
from sherloc.retriever.fusion import Fused, fuse, normalised
from sherloc.retriever.lexical import Bm25Settings, LexicalScores
from sherloc.retriever.named import NAMED, add_named
from sherloc.retriever.neighbours import add_neighbours
from sherloc.retriever.places import is_aside, is_package, is_testing
from sherloc.retriever.ranker import FILE_TREES, TREES, load_trees, reordered
from sherloc.retriever.scope import Scope
from sherloc.retriever.semantic import Similarity, add_similarity
from sherloc.retriever.spectrum import add_spectrum
from sherloc.retriever.weights import FieldWeights, Weights
from sherloc.schema.candidate import SHARES_WORDS, Candidate, Candidates, FileCandidate, Signal
from sherloc.schema.failures import FailureEvidence
from sherloc.schema.query import Query
from sherloc.settings import RetrievalSettings

_BLOCK = 4
_MOST = 0.6
_HALF = 0.5
_OTHERWISE_NAMED = ("name_block", "title_words")
_CLOSE = 0.45
"""Similarity below which no place is close to an issue; of unrelated texts it is 0.1 to 0.4."""
_SIDE_FIELDS = FieldWeights(code=1.0, doc=1.0, string=1.0, name=1.0, path=3.0)
_SIDE_CHANCE = 1e-6  # never estimated; it keeps a list of such files alone from passing for one without chances


class Retriever:
    """One query on one index.

    Args:
        query: What to look for.
        index: Where.
        settings: BM25's numbers and the channels in use.
        weights: Field, cue and mixing weights.
        scope: Only files under these paths, or matching these globs; empty is all.
        history: The commits that the tree stands on.
        similarity: How alike snippets and the issue are in meaning; None leaves that channel out.
        failures: What running tests showed.
        with_tests: The index of code and tests together, for the channel ``tests``.

    Attributes:
        index: Where it looked.
        lexical: BM25 scores.
        cues: Structural and graph cues with their signals.
        penalty: Factor of each file.
        fused: Final scores.
    """

    def __init__(
        self,
        query: Query,
        index: Index,
        settings: RetrievalSettings,
        weights: Weights,
        scope: Sequence[str] = (),
        *,
        history: History | None = None,
        similarity: Similarity | None = None,
        failures: FailureEvidence | None = None,
        with_tests: Index | None = None,
    ) -> None:
        self._query, self.index, self._settings, self._weights = query, index, settings, weights
        self._scope = Scope(scope)
        self._bm25 = Bm25Settings(settings.k1, settings.b)
        self._segment = index.code
        self.lexical = self._lexical(index.code)
        self.cues = CueFinder(query, index).find() if "structural" in settings.channels else Cues()
        self.penalty = np.fromiter(map(self._penalty, self._segment.paths), np.float64, self._segment.file_count)
        self.penalty[self._segment.arrays["file_generated"] > 0] *= weights.generated
        commits = history.commits() if history is not None and "history" in settings.channels else []
        told = commit_cues(commits, query.terms)
        if commits:
            add_commits(self.cues, index.code, told)
        if history is not None and (named := history.named(query.commit_ids, query.tickets)):
            places = history.patches([commit.commit_id for commit in named]).places()
            add_named(self.cues, index.code, named, places)
        if "semantic" not in settings.channels:
            similarity = None
        # Git reads what they touched while other channels are at work; only the learned order asks for it.
        patches = None
        if history is not None and told.like and similarity:
            patches = history.patches([commit.commit_id for commit, _ in told.like])
        if with_tests is not None and "tests" in settings.channels:
            # Off by default, so not loaded by most runs.
            from sherloc.retriever.bridge import add_tests, cues_of_tests

            add_tests(self.cues, index.code, cues_of_tests(with_tests, query.terms, self._bm25, weights))
        if failures is not None and failures.spectrum:
            add_spectrum(self.cues, index.code, failures)
        fused = self._fuse(similarity)
        if patches is not None:
            add_touched(self.cues, index.code, told.like, patches.places())
        self.fused = self._inside(fused)

    def _lexical(self, segment: Segment, fields: FieldWeights | None = None) -> LexicalScores:
        terms = self._query.terms if "lexical" in self._settings.channels else ()
        w = self._weights
        return LexicalScores(segment, terms, fields or w.unit_fields, fields or w.file_fields, self._bm25, w.file_b)

    def _penalty(self, path: str) -> float:
        w = self._weights
        factors = ((w.aside, is_aside), (w.testing, is_testing), (w.package, is_package))
        return math.prod(factor for factor, holds in factors if holds(path))

    def _fuse(self, similarity: Similarity | None) -> Fused:
        def again() -> Fused:
            return fuse(self._segment, self.lexical, self.cues, self._weights, self.penalty)

        fused = again()
        if "graph" in self._settings.channels:
            add_neighbours(self.cues, self._segment, self.index.graph, normalised(fused.units))
            fused = again()
        if similarity:
            add_similarity(self.cues, self._segment, fused, similarity)
            fused = again()
        return fused

    def _inside(self, fused: Fused) -> Fused:
        """In the learned order, and of what is inside the scope only."""
        inside = np.ones(self._segment.file_count, bool)
        if self._scope:
            inside = np.fromiter(map(self._scope.holds, self._segment.paths), bool, self._segment.file_count)
        fused = self._learned(fused, inside)
        if self._scope:
            fused.files[~inside] = 0.0
            fused.units[~inside[self._segment.unit_file]] = 0.0
        return fused

    def _learned(self, fused: Fused, inside: Array) -> Fused:
        """The best files and the compared functions in the order that was learned, when the settings want it.

        Functions that a traceback names keep their places: which frame raised the error is known, not guessed. So does
        the first file, and all files when tests that fail say what they ran, which the trees know nothing of. What is
        not ``inside`` the scope takes no part: its score would go to what is.
        """
        if self.cues.compared is None or not self._settings.learned_ranking:
            return fused
        units, rows = features(self._segment, fused, self.cues, *self.cues.compared)
        free = may_move(rows) & inside[self._segment.unit_file[units]]
        by_unit = reordered(fused.units, units[free], load_trees(TREES, FEATURES).predict(rows[free]))
        by_file = fused.files
        if "spectrum" not in self.cues.files:
            files, rows = file_features(self._segment, fused, self.cues, self.penalty)
            files, rows = files[inside[files]], rows[inside[files]]
            by_file = reordered(by_file, files[1:], load_trees(FILE_TREES, FILE_FEATURES).predict(rows[1:]))
        return replace(fused, units=by_unit, files=by_file)

    def candidates(self, limit: int) -> Candidates:
        """Files, functions and all snippets, at most ``limit`` of each."""
        kinds = self._segment.arrays["kind"]
        files = self._top_files(limit)
        ranks = {file: rank for rank, file in enumerate(files)}
        functions = self._units(self._top(np.isin(kinds, FUNCTION_KINDS), limit), ranks)
        chances = {(c.snippet.path, c.snippet.start_line, c.snippet.end_line): c.confidence for c in functions}
        snippets = self._units(self._top(kinds != _BLOCK, limit), ranks)
        idf, terms = self.lexical.idf, self._query.terms
        weighted = sorted(((t, w * idf[t]) for t, w in terms if t in idf), key=lambda pair: (-pair[1], pair[0]))
        return Candidates(
            files=tuple(self._files(files, limit)),
            functions=tuple(functions),
            snippets=tuple(
                replace(
                    c, confidence=chances.get((c.snippet.path, c.snippet.start_line, c.snippet.end_line), c.confidence)
                )
                for c in snippets
            ),
            term_weights=tuple(weighted),
            tied=not files or self._tied(files[0]),
        )

    def of_units(self, units: Iterable[int]) -> list[Candidate]:
        """Candidates made of snippets by number, whatever their rank; their chance is unknown (0)."""
        return [self._candidate(unit, 0.0) for unit in units]

    def best_units(self, path: str, count: int) -> list[int]:
        """The best snippets of a code file by their own scores, blocks left out, also where none has a score."""
        number = self._segment.file_numbers.get(path)
        units = self._segment.units_of_file(number) if number is not None else range(0)
        kinds, scores = self._segment.arrays["kind"], self.fused.units
        return sorted((u for u in units if kinds[u] != _BLOCK), key=lambda u: (-float(scores[u]), u))[:count]

    def _top(self, mask: Array, limit: int) -> list[int]:
        """The best units under a mask; units are numbered by path and line, so their number breaks ties."""
        chosen = np.flatnonzero(mask & (self.fused.units > 0))
        order = chosen[np.lexsort((chosen, -self.fused.units[chosen]))]
        return [int(unit) for unit in order[:limit]]

    def _units(self, units: Sequence[int], file_ranks: Mapping[int, int]) -> list[Candidate]:
        ranks = [file_ranks.get(int(self._segment.unit_file[unit]), FILES) for unit in units]
        chances = unit_chances([float(self.fused.units[unit]) for unit in units], ranks)
        return [self._candidate(unit, chance) for unit, chance in zip(units, chances, strict=True)]

    def _top_files(self, limit: int) -> list[int]:
        scores = self.fused.files
        chosen = np.flatnonzero(scores > 0)
        return [int(file) for file in chosen[np.lexsort((chosen, -scores[chosen]))][:limit]]

    def _files(self, files: Sequence[int], limit: int) -> list[FileCandidate]:
        chances = file_chances([float(self.fused.files[file]) for file in files], [self._named(file) for file in files])
        found = [self._file(file, chance) for file, chance in zip(files, chances, strict=True)]
        return found + self._side_files(limit - len(found), found[-1].score if found else 1.0)

    def _named(self, file: int) -> tuple[float, float, float]:
        """How clearly the issue names a file: by path or traceback, by a qualified name, by a name."""
        cues, units = self.cues, self._segment.units_of_file(file)
        if "path" not in cues.files:
            return (0.0, 0.0, 0.0)
        outright = max(float(cues.files["path"][file]), float(cues.files["frame"][file]))
        inside = (float(cues.units[name][units.start : units.stop].max()) for name in ("qualified", "name"))
        qualified, named = (min(1.0, value) for value in inside)
        return (outright, qualified, named)

    def _tied(self, file: int) -> bool:
        """Whether the issue names something of a file, or any place is close to it in meaning; True when unknown."""
        cues, units = self.cues, self._segment.units_of_file(file)
        if "path" not in cues.files or "spectrum" in cues.files or cues.compared is None or any(self._named(file)):
            return True
        block, title = (
            float(cues.units[name][units.start : units.stop].max()) for name in ("name_block", "title_words")
        )
        named = NAMED in cues.files and cues.files[NAMED][file] > 0
        if cues.files["stem"][file] or block or title >= _HALF or named:
            return True
        return float(cues.compared[1][:, 0].max()) >= _CLOSE

    def _file(self, number: int, chance: float) -> FileCandidate:
        lexical = float(self.fused.file_lexical[number])
        signals = list(self.cues.file_signals.get(number, ()))
        best = self._best_unit(number)
        if best is not None:
            signals.extend(self._signals(best))
        channels = (("lexical", lexical), ("structural", sum(s.score for s in signals if s.channel == "structural")))
        return FileCandidate(
            path=self._segment.paths[number], score=float(self.fused.files[number]), channels=channels,
            signals=_strongest(signals), content_id=self._segment.content_ids[number], confidence=chance,
        )  # fmt: skip

    def _best_unit(self, file: int) -> int | None:
        units = self._segment.units_of_file(file)
        scores = self.fused.units[units.start : units.stop]
        return units.start + int(np.argmax(scores)) if len(scores) and scores.max() > 0 else None

    def _side_files(self, count: int, below: float) -> list[FileCandidate]:
        """Documentation, configuration and templates fill the list's tail, below all code."""
        side = self.index.side
        if count <= 0 or not side.file_count:
            return []
        scores = normalised(self._lexical(side, _SIDE_FIELDS).files)
        chosen = [n for n in np.flatnonzero(scores > 0).tolist() if self._scope.holds(side.paths[n])]
        order = sorted(chosen, key=lambda n: (-float(scores[n]), n))[:count]
        return [
            FileCandidate(
                path=side.paths[n], score=below * 0.5 * float(scores[n]), channels=(("lexical", float(scores[n])),),
                signals=(Signal("lexical", "lexical", SHARES_WORDS, float(scores[n])),),
                content_id=side.content_ids[n], confidence=_SIDE_CHANCE,
            )
            for n in order
        ]  # fmt: skip

    def _candidate(self, unit: int, chance: float) -> Candidate:
        signals = self._signals(unit)
        totals: dict[str, float] = {}
        for signal in signals:
            totals[signal.channel] = totals.get(signal.channel, 0.0) + signal.score
        return Candidate(
            snippet=self._segment.snippet(unit), score=float(self.fused.units[unit]),
            channels=tuple(sorted(totals.items())), signals=_strongest(signals), confidence=chance,
        )  # fmt: skip

    def _signals(self, unit: int) -> list[Signal]:
        signals = list(self.cues.unit_signals.get(unit, ()))
        if "title_words" in self.cues.units and self.cues.units["title_words"][unit] > _MOST:
            name = self._segment.qualified_names[unit]
            signals.append(Signal("structural", "title_words", name, float(self.cues.units["title_words"][unit])))
        share = float(self.fused.unit_lexical[unit])
        if share > 0:
            words = ", ".join(term for term, _ in self.lexical.terms_of(unit, self._query.terms)[:6])
            signals.append(Signal("lexical", "lexical", words, share))
        return signals


def _strongest(signals: list[Signal], count: int = 8) -> tuple[Signal, ...]:
    """The strongest signals, one a (kind, detail)."""
    best: dict[tuple[str, str], Signal] = {}
    for signal in signals:
        key = (signal.kind, signal.detail)
        if key not in best or signal.score > best[key].score:
            best[key] = signal
    ordered = sorted(best.values(), key=lambda s: (-s.score, s.channel, s.kind, s.detail))
    return tuple(ordered[:count])
