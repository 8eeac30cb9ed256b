"""The stages of a repair, in their order."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from sherloc.locator import Locator
from sherloc.protocols import ChatModel, PatchGenerator, Ticket
from sherloc.repair.attempts import Attempts, Candidate
from sherloc.repair.choosing import Choice, choose
from sherloc.repair.context import PatchContext, patch_context
from sherloc.repair.generators import open_generator
from sherloc.repair.languages import ticket_language
from sherloc.repair.running import network_notes, run_tests
from sherloc.repair.steps import Steps
from sherloc.repair.workshop import Workshop
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.fix import ProducedPatch, TestRun
from sherloc.schema.report import Diagnostic, Level, Report

if TYPE_CHECKING:
    from sherloc.settings import Settings

Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a repair starts from; see ``fix``."""

    repo: str | os.PathLike[str]
    generator: PatchGenerator | str = "model"
    model: ChatModel | str | None = None
    mode: str | None = None
    tell: Tell = lambda *_: None


@dataclass(frozen=True, slots=True)
class Repaired:
    """What the stages before the repository is changed came to.

    Attributes:
        ticket: As it was read.
        language: Of all that is written for people.
        brief: Where to change what.
        candidates: All, by number.
        choice: Which one is taken, and why.
        base_tests: The tests without any change; only run when a candidate fails.
        notes: What the user should know.
        mode: How the place was found.
        confidence: That it is the right place.
    """

    ticket: Ticket
    language: str
    brief: SurgeryBrief
    candidates: tuple[Candidate, ...]
    choice: Choice
    base_tests: TestRun | None
    notes: tuple[Diagnostic, ...]
    mode: str
    confidence: Level

    @property
    def chosen(self) -> Candidate | None:
        """The candidate that is taken."""
        return None if self.choice.index is None else self.candidates[self.choice.index]

    @property
    def declined(self) -> Candidate | None:
        """The first candidate that said that information is missing, when there is no other answer."""
        if any(candidate.commits for candidate in self.candidates):
            return None
        return next((candidate for candidate in self.candidates if candidate.declined), None)


class Repair:
    """Locates, asks, checks, tests and chooses; nothing outside of the workshop changes.

    Args:
        wanted: What the caller gave.
        workshop: On the commit to start from.
        settings: That hold for the repository.
        steps: Keeps the outcome of each stage.
    """

    def __init__(self, wanted: Wanted, workshop: Workshop, settings: Settings, steps: Steps) -> None:
        self._wanted, self._workshop, self._settings, self._steps = wanted, workshop, settings, steps

    def run(self, ticket: Ticket) -> Repaired:
        """All stages.

        Args:
            ticket: What shall be fixed.

        Raises:
            SherlocError: A stage cannot be done; what was done is kept.
        """
        repair = self._settings.repair
        language = repair.language or ticket_language(ticket.issue)
        context, report = self._located(ticket, language)
        generator = self._generator()
        attempts = Attempts(generator, context.request, self._workshop, self._steps, repair, self._date())
        candidates: list[Candidate] = []
        for number in range(repair.candidates):
            self._wanted.tell("propose", number, repair.candidates)
            candidates.append(attempts.candidate(number))
        tested, base_tests = self._tested(candidates)
        choice = choose(_judged(tested, base_tests))
        notes = [*report.diagnostics, *context.notes]
        if repair.test_command and any(candidate.commits for candidate in tested):
            notes += network_notes(repair)
        return Repaired(
            ticket, language, context.request.brief, tuple(tested), choice, base_tests, tuple(notes),
            report.run.mode, report.confidence,
        )  # fmt: skip

    def _located(self, ticket: Ticket, language: str) -> tuple[PatchContext, Report]:
        wanted = self._wanted
        wanted.tell("locate", 0, 1)
        with Locator(
            wanted.repo, revision=self._workshop.base, model=wanted.model, settings=self._settings, mode=wanted.mode
        ) as locator:
            report = self._steps.once_model(
                Report,
                lambda: locator.locate(ticket.issue, on_progress=wanted.tell),
                "locate", wanted.mode or "", _name(wanted.model),
            )  # fmt: skip
            index, sources = locator.read()
            context = patch_context(ticket.issue, report.brief, sources, self._settings, index=index, language=language)
        return context, report

    def _generator(self) -> PatchGenerator:
        given = self._wanted.generator
        if not isinstance(given, str):
            return given
        from sherloc.llm import ModelRoles
        from sherloc.llm.questions import Asker

        asker = Asker(ModelRoles(self._settings, model=self._wanted.model))
        scratch = self._workshop.scratch_checkout if self._settings.repair.generator_checkout else None
        return open_generator(given, self._settings, asker=asker, scratch=scratch)

    def _date(self) -> str:
        """Of the commits: when the task began, so that a run that goes on makes the same ones."""
        date: str = self._steps.once(lambda: datetime.now(timezone.utc).isoformat(timespec="seconds"), "date")
        return date

    def _tested(self, candidates: Sequence[Candidate]) -> tuple[list[Candidate], TestRun | None]:
        """The candidates with their tests, and the tests of the base when one fails."""
        if not self._settings.repair.test_command:
            return list(candidates), None
        tested: list[Candidate] = []
        for number, candidate in enumerate(candidates):
            self._wanted.tell("test", number, len(candidates))
            if candidate.commits:
                tests = self._tests(candidate.commits[-1].sha)
                candidate = replace(candidate, patch=candidate.patch.model_copy(update={"tests": tests}))
            tested.append(candidate)
        failed = any(candidate.patch.tests and not candidate.patch.tests.passed for candidate in tested)
        return tested, self._tests(self._workshop.base) if failed else None

    def _tests(self, sha: str) -> TestRun:
        repair = self._settings.repair
        return self._steps.once_model(
            TestRun,
            lambda: run_tests(repair.test_command, Path(self._workshop.checkout(sha)), repair),
            "tests", repair.test_command, sha,
        )  # fmt: skip


def _judged(candidates: Sequence[Candidate], base_tests: TestRun | None) -> list[ProducedPatch]:
    """The patches as they are compared: tests that fail without any change say nothing."""
    if base_tests is None or base_tests.passed:
        return [candidate.patch for candidate in candidates]
    return [
        candidate.patch.model_copy(update={"tests": None})
        if candidate.patch.tests and not candidate.patch.tests.passed
        else candidate.patch
        for candidate in candidates
    ]


def _name(model: ChatModel | str | None) -> str:
    return model if isinstance(model, str) else "" if model is None else model.name
