"""The report of a repair: from a ticket to a pull request, or to the reason why there is none."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sherloc.schema._model import Model
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.issue import Issue
from sherloc.schema.proposal import PatchProposal
from sherloc.schema.report import Diagnostic

FIX_SCHEMA_VERSION = "1.0"


class TestRun(Model):
    """A run of the project's tests on one candidate.

    ``exit_code`` is None when it was stopped: it ran out of time, or, as ``too_much`` says, wrote too much.
    ``failing`` are the tests that the output names as failed, where it is in a form that is known.
    """

    __test__ = False

    command: str
    exit_code: int | None
    passed: bool
    output: str = ""
    failing: tuple[str, ...] = ()
    seconds: float = Field(default=0.0, ge=0)
    too_much: bool = False


class ProducedPatch(Model):
    """One candidate: what was proposed and what came of it.

    ``diff`` is the whole change as git shows it, empty when the proposal was refused; ``problems`` are those that
    refused the last attempt, ``mended`` those of attempts before it; ``flags`` what a reviewer should look at twice.
    Sizes are in lines.
    """

    candidate: int = Field(ge=0)
    generator: str
    proposal: PatchProposal | None = None
    diff: str = ""
    paths: tuple[str, ...] = ()
    added: int = Field(default=0, ge=0)
    removed: int = Field(default=0, ge=0)
    attempts: int = Field(default=1, ge=1)
    problems: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    tests: TestRun | None = None
    chosen: bool = False


class MadeCommit(Model):
    """A commit of the chosen patch."""

    sha: str
    tree: str
    message: str
    paths: tuple[str, ...]


class OpenedPullRequest(Model):
    """The pull request; ``existed`` says that an earlier run had opened it."""

    number: int
    address: str
    branch: str
    base: str
    draft: bool
    existed: bool = False


class FixReport(Model):
    """What ``fix`` did.

    ``outcome``: ``proposed`` (a dry run), ``applied`` (branch and commits exist), ``opened`` (a pull request exists),
    ``not_fixable`` (information is missing; ``comment`` says which), ``failed`` (no candidate was good enough).
    ``base_tests`` are the tests without any change, run first; ``choice`` says why the chosen
    candidate was taken, or none. ``task`` is the run's task in context storage.
    """

    schema_version: str = FIX_SCHEMA_VERSION
    outcome: Literal["proposed", "applied", "opened", "not_fixable", "failed"]
    ticket: str
    issue: Issue
    language: str
    diagnostic_summary: str
    brief: SurgeryBrief
    produced_patches: tuple[ProducedPatch, ...] = ()
    choice: str = ""
    base: str = ""
    base_tests: TestRun | None = None
    branch: str = ""
    commits: tuple[MadeCommit, ...] = ()
    pull_request: OpenedPullRequest | None = None
    pull_request_title: str = ""
    pull_request_body: str = ""
    comment: str = ""
    comment_address: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    task: str = ""
