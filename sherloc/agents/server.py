"""The MCP server: the tools over stdio, for any agent host. Needs ``pip install 'sherloc[mcp]'``.

It starts without an index and never makes a caller wait for one: while files are parsed in the background it answers
from words alone, and says so.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import anyio
import anyio.to_thread
from mcp.server.mcpserver import Context, ListRoots, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp.types import CallToolResult, ListRootsRequest, ListRootsResult, TextContent, ToolAnnotations
from mcp_types.version import is_version_at_least
from pydantic import Field, ValidationError

from sherloc.agents.answers import ContextAnswer, ExplainAnswer, IndexAnswer, LocateAnswer, ToolAnswer, error_text
from sherloc.agents.roots import allowed_roots, repository_within
from sherloc.agents.wording import CONTEXT, EXPLAIN, ISSUE, LOCATE, STATUS
from sherloc.errors import SherlocError
from sherloc.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sherloc.agents.keeper import IndexKeeper

_INSTRUCTIONS = (
    "Tools that find where a problem lies in a repository. Start with locate and the whole text of the issue, message "
    "or traceback; its answer says how sure it is. All tools only read, offline."
)
_POLL_SECONDS = 0.05
_INDEX_PART = 90.0
_QUICK_SECONDS = 5.0
_ROOTS_SECONDS = 5.0
_ASKS_IN_ANSWERS = "2026-07-28"

Result = TypeVar("Result")
Repo = Annotated[
    str | None,
    Field(description="The repository: a path inside of the allowed folders; null is the folder the server serves."),
]


async def _client_roots(context: Context) -> ListRoots | ListRootsResult:
    """What the client says may be looked at; an empty list from a client that knows no roots, or need not be asked."""
    capabilities = context.client_capabilities
    host = cast("_Host", context.request_context.lifespan_context)
    if host.given or capabilities is None or capabilities.roots is None:
        return ListRootsResult(roots=[])
    if is_version_at_least(str(context.protocol_version), _ASKS_IN_ANSWERS):
        return ListRoots()
    # Not the SDK's own question: it waits for ever.
    try:
        found: ListRootsResult = await context.session.send_request(
            ListRootsRequest(), ListRootsResult, request_read_timeout_seconds=_ROOTS_SECONDS,
            metadata=ServerMessageMetadata(related_request_id=context.request_id),
        )  # fmt: skip
    except (MCPError, ValidationError) as error:
        raise ToolError(
            "The client has roots, but did not tell them in a way that can be read, so nothing may be looked at. "
            "Start the server with: sherloc mcp --root PATH"
        ) from error
    return found


Roots = Annotated[ListRootsResult, Resolve(_client_roots)]


@dataclass
class _Host:
    """What the tools share: where they may look, and the indexes that they keep."""

    given: tuple[str, ...]
    settings: Mapping[str, Any] | None
    patience: float
    folder: str = field(default_factory=os.getcwd)
    keepers: dict[str, IndexKeeper] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def repository(self, repo: str | None, context: Context, roots: ListRootsResult) -> str:
        capabilities = context.client_capabilities
        knows = capabilities is not None and capabilities.roots is not None
        of_client = [str(root.uri) for root in roots.roots] if knows else None
        return repository_within(repo, allowed_roots(self.given, of_client, self.folder))

    def keeper(self, repo: str) -> IndexKeeper:
        """The index of a repository; opened when it is first asked for."""
        from sherloc.agents.keeper import IndexKeeper

        with self.lock:
            if repo not in self.keepers:
                self.keepers[repo] = IndexKeeper(repo, self.settings)
            return self.keepers[repo]

    def close(self) -> None:
        for keeper in self.keepers.values():
            keeper.close()


class _Reporter:
    """Tells the client how far a call is; the number only grows."""

    def __init__(self, context: Context) -> None:
        self._context, self._last = context, 0.0

    async def tell(self, value: float, words: str) -> None:
        if value > self._last:
            self._last = value
            await self._context.report_progress(value, 100.0, words)


def make_server(
    roots: Sequence[str] = (), *, settings: Mapping[str, Any] | None = None, patience: float = 8.0
) -> MCPServer:
    """A server with the four tools.

    Args:
        roots: The only folders that may be looked at; empty: the client's roots, else the current folder.
        settings: Nested sections, as for ``sherloc.locate``.
        patience: How long a call waits for the index before it answers without. Seconds.
    """
    host = _Host(tuple(roots), settings, patience)

    @contextlib.asynccontextmanager
    async def lifespan(_: MCPServer) -> AsyncIterator[_Host]:
        # The transport has taken the real stdout by now; what a dependency prints must not wait in this one's buffer
        # until the transport gives it back.
        with contextlib.redirect_stdout(sys.stderr):
            try:
                yield host
            finally:
                host.close()

    server = MCPServer(
        "sherloc",
        title="sherloc",
        version=__version__,
        instructions=_INSTRUCTIONS,
        log_level="WARNING",
        lifespan=lifespan,
    )
    _add_tools(server, host)
    return server


def _add_tools(server: MCPServer, host: _Host) -> None:
    reads = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

    async def locate(
        context: Context,
        roots: Roots,
        issue: Annotated[str, Field(description=ISSUE)],
        top: Annotated[int, Field(ge=1, le=50, description="How many files and functions.")] = 10,
        scope: Annotated[
            list[str] | None, Field(description="Only files under these paths or matching these globs.")
        ] = None,
        repo: Repo = None,
    ) -> Annotated[CallToolResult, LocateAnswer]:
        return await _answered(_locate(host, context, roots, repo, issue, top, scope or ()))

    async def explain(
        context: Context,
        roots: Roots,
        issue: Annotated[str, Field(description=ISSUE)],
        path: Annotated[str, Field(description="The file, relative to the repository.")],
        repo: Repo = None,
    ) -> Annotated[CallToolResult, ExplainAnswer]:
        return await _answered(_explain(host, context, roots, repo, issue, path))

    async def get_context(
        context: Context,
        roots: Roots,
        path: Annotated[str, Field(description="The file, relative to the repository.")],
        line: Annotated[int | None, Field(description="A line of the place, 1-based; or give function.")] = None,
        function: Annotated[str | None, Field(description="The function's or class's name; or give line.")] = None,
        repo: Repo = None,
    ) -> Annotated[CallToolResult, ContextAnswer]:
        return await _answered(_context(host, context, roots, repo, path, line, function or ""))

    async def index_status(
        context: Context, roots: Roots, repo: Repo = None
    ) -> Annotated[CallToolResult, IndexAnswer]:  # fmt: skip
        return await _answered(_status(host, context, roots, repo))

    for run, words in ((locate, LOCATE), (explain, EXPLAIN), (get_context, CONTEXT), (index_status, STATUS)):
        server.add_tool(run, description=words, annotations=reads)


async def _answered(work: Any) -> CallToolResult:
    """What a tool gives, typed and as text; errors in words."""
    try:
        answer: ToolAnswer = await work
    except SherlocError as error:
        raise ToolError(" ".join(error_text(part) for part in (error.message, error.hint) if part)) from error
    text = answer.model_dump_json(exclude_defaults=True)
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=answer.model_dump(mode="json")
    )


async def _locate(
    host: _Host, context: Context, roots: ListRootsResult, repo: str | None, issue: str, top: int, scope: Sequence[str]
) -> LocateAnswer:
    from sherloc.agents.functions import locate_issue
    from sherloc.arguments import check_issue

    checked = check_issue(issue)
    keeper = await _in_thread(host.keeper, host.repository(repo, context, roots))
    reporter = _Reporter(context)
    if not await _indexed(keeper, host.patience, reporter):
        from sherloc.agents.quick import quick_answer

        tree, settings = await _in_thread(keeper.locator.look)
        return await _in_thread(partial(quick_answer, checked, tree, settings, top=top, seconds=_QUICK_SECONDS))
    stop = threading.Event()
    stages = [_INDEX_PART]

    def note(stage: str, done: int, total: int) -> None:
        if stop.is_set():
            raise _StoppedError
        if stage != "index" and total:
            stages.append(_INDEX_PART + (100.0 - _INDEX_PART) * done / total)

    locate = partial(locate_issue, checked.text, top=top, scope=scope, locator=keeper.locator, on_progress=note)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_tell_stages, reporter, stages)
            # An error that left the group would be wrapped into one of several.
            outcome: LocateAnswer | SherlocError = await _in_thread(_caught, locate)
            group.cancel_scope.cancel()
    finally:
        stop.set()
    if isinstance(outcome, SherlocError):
        raise outcome
    return outcome


def _caught(work: Callable[[], Result]) -> Result | SherlocError:
    try:
        return work()
    except SherlocError as error:
        return error


class _StoppedError(Exception):
    """The call was cancelled; its thread ends at the next stage."""


async def _tell_stages(reporter: _Reporter, stages: list[float]) -> None:
    while True:
        await reporter.tell(stages[-1], "locating")
        await anyio.sleep(_POLL_SECONDS)


async def _explain(
    host: _Host, context: Context, roots: ListRootsResult, repo: str | None, issue: str, path: str
) -> ExplainAnswer:
    from sherloc.agents.functions import explain_file

    found = host.repository(repo, context, roots)
    await _need_index(await _in_thread(host.keeper, found), host.patience, _Reporter(context))
    return await _in_thread(partial(explain_file, issue, path, found, settings=host.settings))


async def _context(
    host: _Host, context: Context, roots: ListRootsResult, repo: str | None, path: str, line: int | None, function: str
) -> ContextAnswer:
    from sherloc.agents.functions import get_context

    keeper = await _in_thread(host.keeper, host.repository(repo, context, roots))
    await _need_index(keeper, host.patience, _Reporter(context))
    return await _in_thread(partial(get_context, path, line=line, function=function, locator=keeper.locator))


async def _status(host: _Host, context: Context, roots: ListRootsResult, repo: str | None) -> IndexAnswer:
    from sherloc.agents.functions import index_status

    found = host.repository(repo, context, roots)
    answer = await _in_thread(partial(index_status, found, settings=host.settings))
    keeper = host.keepers.get(found)
    if keeper is None or not keeper.is_busy:
        return answer
    return answer.model_copy(update={"status": "indexing", "why": _how_far(keeper), "how_to_go_on": "Ask again."})


async def _indexed(keeper: IndexKeeper, patience: float, reporter: _Reporter) -> bool:
    """Wait for the index, but not for long; whether it is up to date."""
    thread = keeper.refresh()
    end = anyio.current_time() + patience
    while thread.is_alive():
        if anyio.current_time() >= end:
            return False
        await anyio.sleep(_POLL_SECONDS)
        done, total = keeper.progress
        if total:
            await reporter.tell(_INDEX_PART * done / total, f"indexing: {done} of {total} files")
    keeper.check()
    return True


async def _need_index(keeper: IndexKeeper, patience: float, reporter: _Reporter) -> None:
    if not await _indexed(keeper, patience, reporter):
        raise ToolError(f"{_how_far(keeper)} Ask again in a while; locate answers from words alone until then.")


def _how_far(keeper: IndexKeeper) -> str:
    done, total = keeper.progress
    if keeper.waits:
        return "Another sherloc on this machine is indexing the repository."
    return f"The index is being built: {done} of {total} files." if total else "The index is being built."


async def _in_thread(work: Callable[..., Result], *arguments: Any) -> Result:
    """Run blocking work in a thread; a cancelled caller does not wait for it."""
    return await anyio.to_thread.run_sync(work, *arguments, abandon_on_cancel=True)
