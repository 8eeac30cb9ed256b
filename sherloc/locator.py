"""``locate``: runs the stages of a plan over an issue and a repository, and makes the report.

Heavy parts are imported when the first issue is located, so that ``from sherloc import locate`` is cheap.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timezone
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sherloc.arguments import (
    Progress,
    Request,
    check_callback,
    check_model,
    check_repository,
    check_request,
    resolve_scope,
)
from sherloc.cancelling import cancelled_with_the_caller, raise_if_cancelled
from sherloc.errors import DiagnosticsError, EmptyRepositoryError, UsageError

if TYPE_CHECKING:
    from sherloc.arguments import ScopeLike
    from sherloc.estimating import Estimate
    from sherloc.explorer import ToolBelt
    from sherloc.indexer.index import Index
    from sherloc.meaning import Meaning
    from sherloc.plans import Plan, Work
    from sherloc.protocols import ChatModel
    from sherloc.repository.sources import Sources
    from sherloc.repository.tree import Tree
    from sherloc.schema.failures import FailureEvidence
    from sherloc.schema.issue import Issue
    from sherloc.schema.report import Report, StageTiming
    from sherloc.settings import Settings


class Locator:
    """Locates issues in one repository; it indexes once for many issues and is thread-safe.

    A work tree is looked at anew for each issue, so that edits are seen; only changed files are parsed again.

    Args:
        repo: A work tree, a plain folder, or a bare git directory.
        revision: A commit, branch or tag; None is the work tree as it is, or HEAD of a bare repository.
        model: A language model, or its name (``provider:model``); used by the modes that ask one.
        settings: ``Settings`` or nested sections (``{"index": {"include_tests": True}}``).
        mode: ``offline``, ``diagnose``, ``explore`` or ``auto``. None is the setting ``plan.mode``, whose default is
            offline; where that is not set and a model is given, ``diagnose``.

    Raises:
        UsageError: An argument is of a wrong type, or the mode needs a model and there is none; of all methods but
            ``close``: it was closed.
        RepositoryError: The repository or revision cannot be read.
        SettingsError: A setting is unknown or out of range.
    """

    def __init__(
        self,
        repo: str | os.PathLike[str],
        *,
        revision: str | None = None,
        model: ChatModel | str | None = None,
        settings: Settings | Mapping[str, Any] | None = None,
        mode: str | None = None,
    ) -> None:
        check_repository(repo, revision)
        check_model(model, mode)
        self._model, self._mode = model, mode
        self._repo, self._revision, self._overrides = repo, revision, settings
        self._lock = threading.Lock()
        self._tree: Tree | None = None
        self._index: Index | None = None
        self._index_key = ""
        self._settings: Settings | None = None
        self._meaning: Meaning | None = None
        self._closed = False
        self._open()

    def __enter__(self) -> Locator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index and the store of vectors; afterwards nothing can be asked any more."""
        with self._lock:
            self._closed = True
            self._index = None
            if self._meaning is not None:
                self._meaning.close()

    def _open(self, *, just_opened: bool = False) -> tuple[Tree, Settings]:
        """The tree as it is now, and the settings that hold for it."""
        self._check_open()
        from sherloc.repository import open_tree

        if self._tree is None or (self._revision is None and not just_opened):
            with _loading("sherloc.indexer.builder"):
                self._tree = open_tree(self._repo, self._revision)
            if not self._tree.entries:
                raise _empty(self._tree, self._revision)
            self._settings = settings_for(self._tree, self._overrides)
        assert self._settings is not None
        return self._tree, self._settings

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError("This Locator is closed.", hint="Make a new one, or ask before it is closed.")

    def index(self, *, on_progress: Progress | None = None) -> Index:
        """The index of the repository as it is now; built or brought up to date when needed.

        Raises:
            UsageError: ``on_progress`` cannot be called.
        """
        check_callback(on_progress)
        with self._lock:
            return self._index_of(*self._open(), on_progress)

    def look(self) -> tuple[Tree, Settings]:
        """The repository as it is now, and the settings that hold for it; also while another thread builds the index.

        Raises:
            RepositoryError: It cannot be read any more.
        """
        from sherloc.repository import open_tree

        self._check_open()
        tree = open_tree(self._repo, self._revision)
        return tree, settings_for(tree, self._overrides)

    def embed(self, *, on_progress: Progress | None = None) -> int:
        """Embed all snippets of the repository, so that no later ``locate`` has to; those known already cost nothing.

        Without it ``locate`` embeds what it compares, about a hundred snippets, when it is asked. An interrupted run
        goes on where it stopped.

        Args:
            on_progress: Called with ("index", files, files) and ("embed", snippets, snippets).

        Returns:
            How many texts were embedded now.

        Raises:
            MissingExtraError: A package of the embedder or of the store is not installed.
            UsageError: No embedder is set, or it cannot be opened.
            ModelError: The embedder failed.

        Complexity: linear in the snippets; about 50 to 90 unknown ones a second and core with the shipped embedder.
        """
        check_callback(on_progress)
        from sherloc.indexer.decoding import decode
        from sherloc.meaning import Meaning
        from sherloc.repository.sources import Sources

        clock = _Clock(on_progress)
        with self._lock:
            tree, settings = self._open()
            index = self._index_of(tree, settings, on_progress)
            self._meaning = self._meaning or Meaning()
        sources = Sources(tree, lambda data: decode(data)[0])
        return self._meaning.embed(index, sources, settings, lambda done, total: clock.tell("embed", done, total))

    def read(self) -> tuple[Index, Sources]:
        """The index of the repository as it is now, and the text of its files, for who looks further than ``locate``.

        Raises:
            RepositoryError: It cannot be read any more.
        """
        from sherloc.indexer.decoding import decode
        from sherloc.repository.sources import Sources

        with self._lock:
            tree, settings = self._open()
            return self._index_of(tree, settings, None), Sources(tree, lambda data: decode(data)[0])

    def _index_of(self, tree: Tree, settings: Settings, on_progress: Progress | None) -> Index:
        from sherloc.indexer.builder import build_index

        if self._index is None or self._index_key != tree.key:
            self._index, self._index_key = build_index(tree, settings, on_progress), tree.key
        return self._index

    def tools(self) -> ToolBelt:
        """Tools that read the repository as it is now, for an agent of your own: see ``sherloc.ToolBelt``."""
        from sherloc.exploring import belt_of
        from sherloc.indexer.decoding import decode
        from sherloc.repository.history import History
        from sherloc.repository.sources import Sources

        with self._lock:
            tree, settings = self._open()
            index = self._index_of(tree, settings, None)
        with History(tree, settings.retrieval) as history:
            commits = history.commits()
        sources = Sources(tree, lambda data: decode(data)[0])
        return belt_of(tree, index, sources, lambda: commits, settings.explore.tool_characters)

    def locate(
        self,
        issue: str | Issue,
        *,
        scope: ScopeLike = (),
        on_progress: Progress | None = None,
        deadline: float | None = None,
        strict: bool = False,
        failures: FailureEvidence | None = None,
    ) -> Report:
        """Find what must change for an issue.

        Args:
            issue: Its text (the first line is the title), or an ``Issue``.
            scope: Only files under these paths or matching these globs are candidates; empty is all. A path is
                relative to the repository, or absolute.
            on_progress: Called with (stage, done, total).
            deadline: Seconds after which channels that are not needed are left out; the report says so.
            strict: Raise when the report has a diagnostic of severity warning or error.
            failures: What running tests showed, see ``sherloc.failures``; the issue may then be empty.

        Raises:
            UsageError: An argument is of a wrong type, or the scope matches nothing.
            EmptyIssueError: The issue has no text.
            DiagnosticsError: Only with ``strict``.
        """
        return self._locate(check_request(issue, scope, on_progress, deadline, failures), strict=strict)

    def estimate(self, issue: str | Issue, *, scope: ScopeLike = (), on_progress: Progress | None = None) -> Estimate:
        """What ``locate`` would ask of models: calls, tokens, price and prompts. No model is asked.

        Args:
            issue: As for ``locate``.
            scope: As for ``locate``.
            on_progress: Called with (stage, done, total).

        Raises:
            UsageError: An argument is of a wrong type, the scope matches nothing, or a model is missing.
            EmptyIssueError: The issue has no text.
        """
        clock = _Clock(on_progress)
        with ExitStack() as held:
            request = check_request(issue, scope, on_progress, None)
            work = self._prepare(request, clock, held, just_opened=False)
            from sherloc.estimating import estimate_run

            return estimate_run(self._mode_of(work.settings), work, self._model, held)

    def _locate(self, request: Request, *, strict: bool, just_opened: bool = False) -> Report:
        clock = _Clock(request.on_progress)
        with ExitStack() as held:
            work = self._prepare(request, clock, held, just_opened=just_opened)
            plan, work = self._plan_of(work, clock, held)
            from sherloc.reporting import make_report
            from sherloc.schema.report import RunInfo

            for number, stage in enumerate(plan.stages):
                raise_if_cancelled()
                clock.tell(stage.name, number, len(plan.stages))
                with clock.stage(stage.name):
                    stage.run(work)
        clock.tell("done", len(plan.stages), len(plan.stages))
        run = RunInfo(
            mode=plan.mode, started_at=clock.started_at, seconds=round(clock.elapsed, 4), stages=tuple(clock.timings)
        )
        report = make_report(work, plan.run_info(run, work))
        if "logging" in sys.modules:  # else nobody can have asked for messages
            from sherloc.logs import logger

            words = "located %r in %s: %d files"
            logger("sherloc").debug(words, work.issue.title[:80], work.tree.location, len(report.ranked_files))
        if strict:
            _raise_for(report)
        return report

    def _mode_of(self, settings: Settings) -> str:
        if self._mode is not None:
            return self._mode
        unset = "mode" not in settings.plan.model_fields_set
        return "diagnose" if unset and self._model is not None else settings.plan.mode

    def _plan_of(self, work: Work, clock: _Clock, held: ExitStack) -> tuple[Plan, Work]:
        """The plan of the mode, and the work as its stages need it."""
        mode = self._mode_of(work.settings)
        if mode == "offline":
            from sherloc.plans import OFFLINE

            return OFFLINE, work
        from sherloc.model_plans import open_plan

        return open_plan(mode, work, self._model, held, tell=clock.tell)

    def _prepare(self, request: Request, clock: _Clock, held: ExitStack, *, just_opened: bool) -> Work:
        """All that the stages of a plan begin with."""
        from sherloc.repository.history import History

        with self._lock, clock.stage("index"):
            tree, settings = self._open(just_opened=just_opened)
            scope = resolve_scope(request.scope, tree)
            # Git reads the history while libraries and the index are loaded.
            history = held.enter_context(History(tree, settings.retrieval))
            from sherloc.indexer.decoding import decode
            from sherloc.meaning import Meaning
            from sherloc.plans import Work
            from sherloc.repository.sources import Sources

            index = self._index_of(tree, settings, request.on_progress)
            self._meaning = self._meaning or Meaning()
        degraded: tuple[str, ...] = ()
        if request.deadline is not None and clock.elapsed > request.deadline:
            settings, degraded = _without_graph(settings), ("graph",)
        sources = Sources(tree, lambda data: decode(data)[0])
        issue = _with_failures(request, tree).shortened(settings.issue.max_characters)
        deadline = math.inf if request.deadline is None else request.deadline
        return Work(
            issue, tree, index, settings, sources, scope, degraded, history=history, meaning=self._meaning,
            failures=request.failures,
            seconds_left=lambda: deadline - clock.elapsed,
        )  # fmt: skip


def locate(
    issue: str | Issue,
    repo: str | os.PathLike[str] = ".",
    *,
    revision: str | None = None,
    model: ChatModel | str | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
    mode: str | None = None,
    scope: ScopeLike = (),
    on_progress: Progress | None = None,
    deadline: float | None = None,
    strict: bool = False,
    failures: FailureEvidence | None = None,
) -> Report:
    """Find what must change for an issue: files, functions, lines, and a surgery brief.

    Works offline, without a model or key, unless ``model`` or ``mode`` says otherwise. The index is kept in the user's
    cache folder; the repository is only read.

    Args:
        issue: Its text (the first line is the title), or an ``Issue``.
        repo: A work tree, a plain folder, or a bare git directory.
        revision: A commit, branch or tag, read without a checkout.
        model: A language model, or its name (``provider:model``).
        settings: ``Settings`` or nested sections.
        mode: ``offline``, ``diagnose``, ``explore`` or ``auto``, as for ``Locator``.
        scope: Only files under these paths or matching these globs are candidates; relative to the repository, or
            absolute.
        on_progress: Called with (stage, done, total).
        deadline: Seconds after which channels that are not needed are left out.
        strict: Raise when something was skipped or degraded.
        failures: What running tests showed, see ``sherloc.failures``; the issue may then be empty.

    Returns:
        A ``Report``; everything but its ``run`` is the same for the same input.

    Raises:
        UsageError: An argument is of a wrong type, the scope matches nothing, or a model is missing.
        EmptyIssueError: The issue has no text.
        RepositoryError: The repository or revision cannot be read.
        SettingsError: A setting is unknown or out of range.
        DiagnosticsError: Only with ``strict``.
    """
    request = check_request(issue, scope, on_progress, deadline, failures)
    with Locator(repo, revision=revision, model=model, settings=settings, mode=mode) as locator:
        return locator._locate(request, strict=strict, just_opened=True)


async def alocate(issue: str | Issue, repo: str | os.PathLike[str] = ".", **options: Any) -> Report:
    """``locate`` without blocking the event loop: the work is done in a thread.

    Cancelling it ends the work: a request to a model at once, all else at the end of its stage. A run with a model can
    then go on, as after an interrupt.

    Args:
        issue: As for ``locate``.
        repo: As for ``locate``.
        **options: As for ``locate``.
    """
    import asyncio

    with cancelled_with_the_caller():
        return await asyncio.to_thread(locate, issue, repo, **options)


def settings_for(tree: Tree, overrides: Settings | Mapping[str, Any] | None = None) -> Settings:
    """The settings that hold for a tree: its own ``.sherloc.toml``, under what the caller gave.

    Args:
        tree: The repository.
        overrides: As for ``locate``.

    Raises:
        SettingsError: A setting is unknown or out of range.
    """
    from sherloc.settings import load_settings
    from sherloc.settings_toml import REPOSITORY_SETTINGS_FILE

    found = [entry for entry in tree.entries if entry.path == REPOSITORY_SETTINGS_FILE]
    own = b"".join(data or b"" for _, data in tree.read(found)) if found else b""
    return load_settings(overrides, repository_toml=own)


class _Clock:
    """When the run began, and how long each stage took."""

    def __init__(self, on_progress: Progress | None) -> None:
        self.started_at = datetime.now(timezone.utc).isoformat(timespec="seconds")
        self._start = time.perf_counter()
        self._on_progress = on_progress
        self.timings: list[StageTiming] = []

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self._start

    def tell(self, stage: str, done: int, total: int) -> None:
        if self._on_progress:
            self._on_progress(stage, done, total)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        from sherloc.schema.report import StageTiming

        start = time.perf_counter()
        yield
        self.timings.append(StageTiming(stage=name, seconds=round(time.perf_counter() - start, 4)))


def _with_failures(request: Request, tree: Tree) -> Issue:
    """The issue, with what failing tests said and what their code uses as further comments."""
    if request.failures is None or not request.failures.cases:
        return request.issue
    from sherloc.failures.case_code import code_of_tests
    from sherloc.failures.gathering import told

    more = (*told(request.failures), *code_of_tests(request.failures.cases, tree))
    return request.issue.model_copy(update={"comments": (*request.issue.comments, *more)})


def _empty(tree: Tree, revision: str | None) -> EmptyRepositoryError:
    from sherloc.schema.path_text import shown_path

    where = tree.location + (f" at {revision}" if revision else "")
    skipped = ", ".join(f"{shown_path(skip.path)} ({skip.reason})" for skip in tree.skipped[:3])
    left_out = f" {len(tree.skipped)} were left out: {skipped}." if skipped else ""
    return EmptyRepositoryError(
        f"There is no file to look at in {where}.{left_out}",
        hint="Give the folder of a checkout, or a revision that has files.",
    )


@contextmanager
def _loading(module: str) -> Iterator[None]:
    """A module is loaded in a thread while git lists the files: neither needs the other's processor.

    What goes wrong there is raised by the import that needs the module.
    """

    def load() -> None:
        with suppress(Exception):
            import_module(module)

    if module in sys.modules:
        yield
        return
    thread = threading.Thread(target=load)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _without_graph(settings: Settings) -> Settings:
    channels = tuple(name for name in settings.retrieval.channels if name != "graph")
    return settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update={"channels": channels})})


def _raise_for(report: Report) -> None:
    bad = [d for d in report.diagnostics if d.severity != "info"]
    if bad:
        raise DiagnosticsError(
            "strict: " + " ".join(f"[{d.code}] {d.message}" for d in bad),
            hint="Run without strict to get the report with these as diagnostics.",
        )
