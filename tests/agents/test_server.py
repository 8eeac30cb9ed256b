"""The MCP server, asked by the SDK's own client: in this process, and over stdio as a host starts it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from filelock import FileLock
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import ErrorData, ListRootsResult, Root

from sherloc.agents import call_tool
from sherloc.agents.server import make_server
from sherloc.indexer.cache_files import store_path
from sherloc.repository import open_tree
from sherloc.settings import Settings

ROOT = Path(__file__).parents[2]
NOISY = """
import sys, warnings
from sherloc.retriever import Retriever
real = Retriever.candidates
def candidates(self, limit):
    print("a dependency talks")
    warnings.warn("a dependency warns")
    return real(self, limit)
Retriever.candidates = candidates
sys.argv = ["sherloc", "mcp", *sys.argv[1:]]
from sherloc.cli import main
main()
"""
T = TypeVar("T")


def served(root: Path | None, talk: Callable[[Client], Awaitable[T]], **options: Any) -> T:
    """What a conversation with a server in this process gives."""

    async def run() -> T:
        given = [str(root)] if root else []
        patience = options.pop("patience", 20.0)
        async with Client(make_server(given, patience=patience), **options) as client:
            return await talk(client)

    return asyncio.run(run())


def server_lock(repo: Path) -> FileLock:
    """The lock that another server holds while it indexes."""
    tree = open_tree(str(repo), None)
    path = store_path(tree.name, tree.store_key, Settings().cache).with_suffix(".indexing")
    path.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(path)


def test_the_tools_are_few_read_only_and_typed(repo: Path) -> None:
    async def talk(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in served(repo, talk)}
    assert set(tools) == {"locate", "explain", "get_context", "index_status"}
    for tool in tools.values():
        assert tool.annotations.read_only_hint
        assert tool.output_schema["type"] == "object"
        assert "truncated" in tool.output_schema["properties"]
        assert "use it" in tool.description.lower() or "use this only" in tool.description
    assert set(tools["locate"].input_schema["properties"]) == {"issue", "top", "scope", "repo"}
    assert tools["locate"].input_schema["required"] == ["issue"]


def test_answers_are_typed_and_text(repo: Path, issue: str) -> None:
    async def talk(client: Client) -> Any:
        located = await client.call_tool("locate", {"issue": issue, "top": 1})
        context = await client.call_tool("get_context", {"path": "shop/basket.py", "line": 10})
        explained = await client.call_tool("explain", {"issue": issue, "path": "shop/stock.py"})
        return located, context, explained, await client.call_tool("index_status", {})

    located, context, explained, status = served(repo, talk)
    assert located.structured_content["places"][0]["function"] == "Basket.total_price"
    assert json.loads(located.content[0].text)["places"] == [
        {key: value for key, value in place.items() if value not in ("", [], None)}
        for place in located.structured_content["places"]
    ]
    assert context.structured_content["pieces"][1]["purpose"] == "calls Basket.total_price"
    assert explained.structured_content["standing"] in ("ranked", "no_shared_term")
    assert status.structured_content["status"] == "ready"


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("locate", {"issue": "  "}, "no text"),
        ("locate", {"issue": "x", "top": 99}, "top"),
        ("locate", {"issue": "price", "scope": ["nowhere/*"]}, "matches nothing"),
        ("locate", {"issue": "price", "repo": "/"}, "lies outside"),
        ("locate", {"issue": "price", "repo": "../.."}, "lies outside"),
        ("locate", {"issue": "price", "repo": "\0"}, "lies outside"),
        ("get_context", {"path": "shop/nothing.py"}, "No code file"),
    ],
)
def test_errors_are_words_for_the_model(repo: Path, tool: str, arguments: dict[str, Any], words: str) -> None:
    async def talk(client: Client) -> Any:
        return await client.call_tool(tool, arguments)

    result = served(repo, talk)
    assert result.is_error
    assert words in result.content[0].text
    assert "Traceback" not in result.content[0].text


LONG = "y" * 100_000


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("locate", {"issue": "price", "repo": LONG}),
        ("locate", {"issue": "price", "scope": [LONG]}),
        ("locate", {"issue": LONG, "top": 0}),
        ("explain", {"issue": "price", "path": LONG}),
        ("get_context", {"path": LONG}),
        ("get_context", {"path": "shop/basket.py", "function": LONG}),
        ("get_context", {"path": "shop/basket.py", "line": 10**4000}),
        ("index_status", {"repo": LONG}),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_an_error_quotes_no_more_than_is_needed(repo: Path, tool: str, arguments: dict[str, Any]) -> None:
    async def talk(client: Client) -> Any:
        return await client.call_tool(tool, arguments)

    result = served(repo, talk)
    assert result.is_error
    assert len(result.content[0].text) < 4_500
    own = {key: value for key, value in arguments.items() if key != "repo"}
    assert len(call_tool(tool, own, arguments.get("repo", str(repo)))) < 5_000


def test_a_whole_disk_is_refused_at_once_by_every_tool(issue: str) -> None:
    async def talk(client: Client) -> list[Any]:
        calls = {
            "locate": {"issue": issue}, "explain": {"issue": issue, "path": "x"},
            "get_context": {"path": "x", "line": 1}, "index_status": {},
        }  # fmt: skip
        return [await client.call_tool(name, arguments) for name, arguments in calls.items()]

    start = time.monotonic()
    for result in served(Path("/"), talk):
        assert result.is_error and "whole disk or home" in result.content[0].text
    assert time.monotonic() - start < 10


def test_a_link_out_of_the_root_is_outside(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (repo / "out").symlink_to(tmp_path / "secret")

    async def talk(client: Client) -> Any:
        return await client.call_tool("index_status", {"repo": "out"})

    assert "lies outside" in served(repo, talk).content[0].text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_clients_roots_are_respected(repo: Path, tmp_path: Path, issue: str, mode: str) -> None:
    async def roots(_: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=repo.as_uri())])  # type: ignore[arg-type]

    async def talk(client: Client) -> Any:
        inside = await client.call_tool("locate", {"issue": issue})
        return inside, await client.call_tool("locate", {"issue": issue, "repo": str(tmp_path)})

    inside, outside = served(None, talk, list_roots_callback=roots, mode=mode)
    assert inside.structured_content["repository"] == repo.name
    assert "lies outside" in outside.content[0].text


@pytest.mark.parametrize("kind", ["silent", "error", "no file", "nothing", "null", "half"])
def test_a_client_whose_roots_cannot_be_read(
    repo: Path, issue: str, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("sherloc.agents.server._ROOTS_SECONDS", 0.3)

    async def roots(_: Any) -> ListRootsResult | ErrorData:
        if kind == "silent":
            await anyio.sleep(60)
        if kind == "error":
            return ErrorData(code=-32601, message="no")
        if kind == "no file":
            return ListRootsResult.model_construct(roots=[Root.model_construct(uri="https://example.org/x")])
        uris = {"null": "file:///a%00b", "half": "file:///a/%ff"}
        return ListRootsResult(roots=[Root(uri=uris[kind])] if kind in uris else [])  # type: ignore[arg-type]

    async def talk(client: Client) -> Any:
        return await client.call_tool("locate", {"issue": issue})

    start = time.monotonic()
    told = served(None, talk, list_roots_callback=roots, mode="legacy").content[0].text
    words = {"nothing": "No folder was given", "null": "No folder was given", "half": "does not exist"}
    assert words.get(kind, "sherloc mcp --root PATH") in told
    assert time.monotonic() - start < 20
    assert served(repo, talk, list_roots_callback=roots, mode="legacy").structured_content["status"] == "ready"


def test_progress_only_grows(repo: Path, issue: str) -> None:
    seen: list[float] = []

    async def note(progress: float, total: float | None, words: str | None) -> None:
        seen.append(progress)
        assert total == 100
        assert words

    async def talk(client: Client) -> Any:
        return await client.call_tool("locate", {"issue": issue}, progress_callback=note)

    served(repo, talk)
    assert seen
    assert seen == sorted(set(seen))
    assert seen[-1] <= 100


def test_while_another_indexes_words_alone_answer(repo: Path, issue: str) -> None:
    async def talk(client: Client) -> Any:
        with server_lock(repo):
            start = time.monotonic()
            early = await client.call_tool("locate", {"issue": issue})
            assert time.monotonic() - start < 10
            status = await client.call_tool("index_status", {})
            context = await client.call_tool("get_context", {"path": "shop/basket.py"})
        await anyio.sleep(1)
        return early, status, context, await client.call_tool("locate", {"issue": issue})

    early, status, context, late = served(repo, talk, patience=0.5)
    assert early.structured_content["status"] == "indexing"
    assert early.structured_content["confidence"] == "low"
    assert early.structured_content["files"][0]["path"] == "shop/basket.py"
    assert "3 of 3 files" in early.structured_content["confidence_reasons"][0]
    assert status.structured_content["status"] == "indexing"
    assert "Another sherloc" in status.structured_content["why"]
    assert context.is_error
    assert "Ask again" in context.content[0].text
    assert late.structured_content["status"] == "ready"


def test_a_cancelled_call_ends_and_the_server_goes_on(repo: Path, issue: str) -> None:
    async def talk(client: Client) -> Any:
        with server_lock(repo):
            with anyio.move_on_after(0.5) as scope:
                await client.call_tool("locate", {"issue": issue})
            assert scope.cancelled_caught
            start = time.monotonic()
            status = await client.call_tool("index_status", {})
            assert time.monotonic() - start < 5
        return status

    assert served(repo, talk, patience=60.0).structured_content["status"] == "indexing"


INDEX = """
import sys
from sherloc.agents.keeper import IndexKeeper
keeper = IndexKeeper(sys.argv[1])
sys.stdin.readline()
keeper.refresh().join()
keeper.check()
print(keeper.locator.index().info.parsed)
"""


def test_many_servers_index_once(make_repository: Callable[..., Path]) -> None:
    repo = make_repository({f"a/m{n}.py": f"def f{n}():\n    return {n}\n" for n in range(60)})
    started = [
        subprocess.Popen(
            [sys.executable, "-c", INDEX, str(repo)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for _ in range(3)
    ]  # fmt: skip
    outputs = [process.communicate("go\n", timeout=120)[0] for process in started]
    assert sorted(int(out) for out in outputs) == [0, 0, 60]


def stdio(folder: Path, *arguments: str, code: str = "") -> StdioServerParameters:
    command = ["-W", "always", "-c", code, *arguments] if code else ["-m", "sherloc", "mcp", *arguments]
    return StdioServerParameters(
        command=sys.executable, args=command, cwd=str(folder), env={**os.environ, "PYTHONPATH": str(ROOT)}
    )


def test_over_stdio_with_a_dependency_that_talks(repo: Path, issue: str) -> None:
    async def run() -> Any:
        async with Client(stdio(repo, code=NOISY)) as client:
            return await client.call_tool("locate", {"issue": issue})

    result = asyncio.run(run())
    assert result.structured_content["places"][0]["path"] == "shop/basket.py"
    assert result.structured_content["status"] == "ready"


def test_stdout_holds_the_protocol_alone(repo: Path, issue: str) -> None:
    messages = [
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "locate", "arguments": {"issue": issue}}},
    ]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-W", "always", "-c", NOISY], cwd=repo, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin and process.stdout
    start = time.monotonic()
    for message in messages:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()
    lines = [json.loads(process.stdout.readline())]
    started = time.monotonic() - start
    while lines[-1].get("id") != 2:
        lines.append(json.loads(process.stdout.readline()))
    rest, talk = process.communicate(timeout=30)
    assert not rest
    assert "a dependency talks" in talk
    assert lines[0]["result"]["serverInfo"]["name"] == "sherloc"
    assert all(line["jsonrpc"] == "2.0" for line in lines)
    assert started < 20, "starting must not depend on an index"


class Wire:
    """A client that writes whatever it likes."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sherloc", "mcp", *arguments], cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self.ask(b'{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": %s}' % json.dumps(hello).encode())
        self.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def write(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, line: bytes) -> Any:
        self.write(line)
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())


@pytest.fixture
def wire(repo: Path) -> Iterator[Wire]:
    opened = Wire(repo)
    yield opened
    opened.process.kill()
    opened.process.communicate()


def test_halves_of_characters_are_answered(wire: Wire) -> None:
    call = b'{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": {"name": "%s", "arguments": %s}}'
    found = wire.ask(call % (1, b"locate", rb'{"issue": "Basket.total_price is wrong \ud83d", "top": 1}'))
    assert found["result"]["structuredContent"]["files"][0]["path"] == "shop/basket.py"
    for number, arguments in enumerate((rb'{"path": "\udcff"}', rb'{"path": "a", "repo": "\ud800"}'), 2):
        answer = wire.ask(call % (number, b"get_context", arguments))
        assert (answer["id"], answer["result"]["isError"]) == (number, True)


def test_lines_that_are_no_messages_are_passed_over(wire: Wire) -> None:
    for line in (
        b"garbage",
        b"[]",
        b"null",
        b"",
        b"\xff\xfe",
        b"{",
        b"[" * 100_000,
        b'{"jsonrpc": "2.0"}',
        rb'"\ud800',
    ):
        wire.write(line)
    assert wire.ask(b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}') == {"jsonrpc": "2.0", "id": 7, "result": {}}


@pytest.mark.skipif(os.name == "nt", reason="no such shell there")
def test_without_a_client_it_ends(repo: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m sherloc mcp <&-"], cwd=repo, capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(os.name == "nt", reason="no such signals there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_when_it_is_asked_to(wire: Wire, number: signal.Signals) -> None:
    wire.process.send_signal(number)
    assert wire.process.wait(timeout=10) == 128 + number


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
def test_it_starts_in_less_than_two_seconds_without_an_index(repo: Path) -> None:
    """From the host's start of the process to the list of tools, best of five, on a repository with no index.

    On a machine that others keep busy the clock says nothing of the server; then its processor time is what counts.
    """
    import resource

    async def run() -> float:
        start = time.monotonic()
        async with Client(stdio(repo)) as client:
            assert len((await client.list_tools()).tools) == 4
            return time.monotonic() - start

    measured = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = asyncio.run(run())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        measured.append((seconds, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime))
    seconds, worked = min(measured)
    print(f"start to list of tools: {seconds:.2f} s, of which the processor {min(cpu for _, cpu in measured):.2f} s")
    assert not any(Path(os.environ["SHERLOC_CACHE"]).rglob("*.sqlite*"))
    assert min(cpu for _, cpu in measured) < 2
    if worked > 0.8 * seconds:
        assert seconds < 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
def test_starting_costs_little_beyond_the_sdk(repo: Path) -> None:
    """Processor time: the SDK takes 1.1 s to import on a machine with nothing else to do; both are to stay below 2."""
    import resource

    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        },
    }  # fmt: skip

    def cost(*arguments: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, *arguments], cwd=repo, input=json.dumps(hello) + "\n", text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=True,
        )  # fmt: skip
        assert "-c" in arguments or json.loads(done.stdout)["result"]["serverInfo"]["name"] == "sherloc"
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    ours = min(cost("-m", "sherloc", "mcp") for _ in range(3))
    sdk = min(cost("-c", "import mcp.server.mcpserver") for _ in range(3))
    assert ours - sdk < 0.7


def test_a_root_that_is_no_folder(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sherloc", "mcp", "--root", str(tmp_path / "nothing")], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "is no folder" in done.stderr
