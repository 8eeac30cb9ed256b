"""The stages of a repair, in their order."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sherloc.errors import UsageError
from sherloc.locator import Locator
from sherloc.protocols import ChatModel, PatchGenerator, Ticket
from sherloc.repair.attempts import Attempts, Candidate
from sherloc.repair.choosing import Choice, choose, tested
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
    from sherloc.settings_repair import RepairSettings

_NO_COMMAND = (126, 127)
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
        base_tests: The tests without any change.
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
        base_tests = self._base_tests()
        context, report = self._located(ticket, language)
        generator = self._generator()
        attempts = Attempts(generator, context.request, self._workshop, self._steps, repair, self._workshop.date)
        candidates: list[Candidate] = []
        for number in range(repair.candidates):
            self._wanted.tell("propose", number, repair.candidates)
            candidates.append(attempts.candidate(number))
        made = self._tested(candidates, base_tests)
        choice = choose([candidate.patch for candidate in made], base_tests)
        notes = [*report.diagnostics, *context.notes]
        if repair.test_command and any(candidate.commits for candidate in made):
            notes += network_notes(repair)
        return Repaired(
            ticket, language, context.request.brief, tuple(made), choice, base_tests, tuple(notes),
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
                "locate", wanted.mode or "", _name(wanted.model), _digest(self._settings),
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

    def _base_tests(self) -> TestRun | None:
        """The tests without any change, before anybody is asked.

        Raises:
            UsageError: They cannot be run.
        """
        repair = self._settings.repair
        if not repair.test_command:
            return None
        self._wanted.tell("test", 0, 1)
        return self._tests(self._workshop.base, _usable)

    def _tested(self, candidates: Sequence[Candidate], base: TestRun | None) -> list[Candidate]:
        """The candidates with their tests, and what a reviewer should know of these."""
        if base is None:
            return list(candidates)
        made: list[Candidate] = []
        for number, candidate in enumerate(candidates):
            self._wanted.tell("test", number, len(candidates))
            if candidate.commits:
                patch = candidate.patch.model_copy(update={"tests": self._tests(candidate.commits[-1].sha)})
                flags = (*patch.flags, *_told(patch, base))
                candidate = replace(candidate, patch=patch.model_copy(update={"flags": flags}))
            made.append(candidate)
        return made

    def _tests(self, sha: str, check: Callable[[TestRun, RepairSettings], None] | None = None) -> TestRun:
        """The tests of a commit; a run that ``check`` raises for is not kept, and made again by the next run."""
        repair = self._settings.repair

        def run() -> TestRun:
            done = run_tests(repair.test_command, Path(self._workshop.checkout(sha)), repair)
            if check is not None:
                check(done, repair)
            return done

        limits = [repair.test_seconds, repair.test_network, *sorted(repair.test_environment)]
        return self._steps.once_model(TestRun, run, "tests", repair.test_command, sha, limits)


def _usable(run: TestRun, repair: RepairSettings) -> None:
    """Raise UsageError for tests without any change that say nothing."""
    if run.exit_code in _NO_COMMAND:
        raise UsageError(
            f"The tests cannot be run: {run.command!r} ended with {run.exit_code}. {run.output[-300:]}".strip(),
            hint="Give a command that works in a fresh checkout.",
        )
    if run.too_much:
        raise UsageError("Without any change the tests wrote too much, and were stopped.", hint="Make them quieter.")
    if run.exit_code is None:
        raise UsageError(
            f"Without any change the tests did not end within {repair.test_seconds:g} seconds.",
            hint="Give them more time, repair.test_seconds, or fewer tests.",
        )


def _told(patch: ProducedPatch, base: TestRun) -> tuple[str, ...]:
    """That tests fail which failed before, for a reviewer."""
    if tested(patch, base) != 0 or patch.tests is None:
        return ()
    count = f" ({len(patch.tests.failing)} named, {len(base.failing)} before)" if patch.tests.failing else ""
    return (f"The tests fail with this patch, as they do without it{count}: they do not show that it helps.",)


def _digest(settings: Settings) -> str:
    """A name for the settings that locating depends on."""
    text = settings.model_dump_json(exclude={"repair", "forge", "context", "cache"})
    return hashlib.sha256(text.encode()).hexdigest()


def _name(model: ChatModel | str | None) -> str:
    return model if isinstance(model, str) else "" if model is None else model.name
