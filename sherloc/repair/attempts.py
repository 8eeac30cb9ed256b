"""One candidate: asked for, read, checked, and asked for again with what is wrong, a bounded number of times."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sherloc.errors import GeneratorError, ProposalError, ReplyError
from sherloc.forge import harmless_message
from sherloc.protocols import PatchGenerator, PatchRequest, PlannedCommit
from sherloc.repair.changes import ChangePlan, plan_changes
from sherloc.repair.needed import with_needed
from sherloc.repair.reading import read_proposal
from sherloc.repair.wording import commit_message
from sherloc.schema.fix import ProducedPatch
from sherloc.schema.proposal import PatchProposal

if TYPE_CHECKING:
    from sherloc.repair.steps import Steps
    from sherloc.repair.workshop import Workshop
    from sherloc.settings_repair import RepairSettings


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate and what became of it.

    Attributes:
        patch: As reports show it.
        commits: Its commits; empty when there is nothing to commit.
    """

    patch: ProducedPatch
    commits: tuple[PlannedCommit, ...] = ()

    @property
    def declined(self) -> bool:
        """Whether the generator said that the issue cannot be fixed as it is described."""
        proposal = self.patch.proposal
        return proposal is not None and not proposal.is_fixable and not self.patch.problems


class Attempts:
    """Gets candidates from a generator.

    Args:
        generator: Proposes.
        request: What every candidate is asked with.
        workshop: Makes commits on the base.
        steps: Keeps every proposal as it came.
        settings: How often and within which limits.
        date: Of the commits, ISO 8601 with a time zone.
    """

    def __init__(
        self,
        generator: PatchGenerator,
        request: PatchRequest,
        workshop: Workshop,
        steps: Steps,
        settings: RepairSettings,
        date: str,
    ) -> None:
        self._generator, self._request, self._workshop = generator, request, workshop
        self._steps, self._settings, self._date = steps, settings, date
        targets = [each.file_path for each in request.brief.change_sets]
        around = [each.file_path for each in request.brief.global_context]
        self._paths = tuple(dict.fromkeys((*targets, *around)))

    def candidate(self, number: int) -> Candidate:
        """The candidate of a number.

        Args:
            number: From 0.

        Raises:
            ModelError: The model failed, or a limit is reached.
        """
        request = dataclasses.replace(self._request, candidate=number)
        proposal: PatchProposal | None = None
        problems: tuple[str, ...] = ()
        mended: tuple[str, ...] = ()
        attempts, mends, looks = 0, self._settings.reasks, self._settings.looks
        while True:
            attempts += 1
            text = ""
            try:
                text = self._ask(request)
                proposal = read_proposal(text)
                if proposal.is_fixable:
                    return self._planned(number, attempts, proposal, mended)
                more = self._more(request, proposal) if looks else None
                if more is None:
                    return Candidate(self._patch(number, attempts, proposal, problems=_unseen(proposal), mended=mended))
                request, looks = more, looks - 1
                continue
            except GeneratorError as error:
                problems, mends = (str(error),), 0
            except ProposalError as error:
                problems = error.problems
            except ReplyError as error:
                problems = (error.message,)
            if not mends:
                return Candidate(self._patch(number, attempts, proposal, problems=problems, mended=mended))
            mends -= 1
            mended += problems
            request = dataclasses.replace(request, previous=text, problems=problems)

    def _more(self, request: PatchRequest, proposal: PatchProposal) -> PatchRequest | None:
        """The request with code that the generator has to see first; None when it asked for none that is there."""
        if not proposal.needed_code:
            return None
        return with_needed(request, proposal.needed_code, self._workshop, self._settings.context_tokens // 2)

    def _ask(self, request: PatchRequest) -> str:
        name = self._generator.name
        text: str = self._steps.once(lambda: self._generator.propose(request), "proposal", name, _digest(request))
        return text

    def _planned(self, number: int, attempt: int, proposal: PatchProposal, mended: tuple[str, ...]) -> Candidate:
        plan = plan_changes(proposal, self._workshop, brief_paths=self._paths, settings=self._settings)
        commits = self._workshop.commits(
            self._worded(plan), author=self._settings.author_name, email=self._settings.author_email, date=self._date
        )
        return Candidate(self._patch(number, attempt, proposal, plan=plan, mended=mended), commits)

    def _worded(self, plan: ChangePlan) -> ChangePlan:
        """The plan with messages as git and forges want them."""
        issue, language = self._request.issue, self._request.language
        groups = tuple(
            dataclasses.replace(group, message=commit_message(group.message, issue, language, harmless_message))
            for group in plan.groups
        )
        return dataclasses.replace(plan, groups=groups)

    def _patch(
        self,
        number: int,
        attempts: int,
        proposal: PatchProposal | None,
        *,
        plan: ChangePlan | None = None,
        problems: tuple[str, ...] = (),
        mended: tuple[str, ...] = (),
    ) -> ProducedPatch:
        facts: dict[str, Any] = {} if plan is None else {
            "diff": plan.diff, "paths": plan.paths, "added": plan.added, "removed": plan.removed, "flags": plan.flags,
        }  # fmt: skip
        return ProducedPatch(
            candidate=number, generator=self._generator.name, proposal=proposal, attempts=attempts,
            problems=problems, mended=mended, **facts,
        )  # fmt: skip


def _unseen(proposal: PatchProposal) -> tuple[str, ...]:
    """Why a generator that only wants to see more has no answer; it is nothing that a ticket could tell."""
    if not proposal.needed_code or proposal.missing_information:
        return ()
    return (f"It could not go on without code that it asked to see: {', '.join(proposal.needed_code)[:500]}.",)


def _digest(request: PatchRequest) -> str:
    """A name for all that a generator is asked with."""
    parts = [
        request.issue.model_dump(mode="json"), request.brief.model_dump(mode="json"), dict(request.sources),
        request.context, request.language, request.candidate, request.previous, list(request.problems),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
