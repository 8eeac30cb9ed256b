"""The same call from plain code, threads, running loops, asyncio and trio; and what cancelling does."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from llm.conftest import anthropic_model, openai_model
from llm.server import ModelServer, Step
from sherloc.llm import guard, loop
from sherloc.llm.model import Model
from sherloc.protocols import Message, Reply

ROOT = Path(__file__).parents[2]
ASK = [Message("user", "hi")]
Serve = Callable[..., ModelServer]
Make = Callable[..., Model]
both = pytest.mark.parametrize("make", [openai_model, anthropic_model], ids=["openai", "anthropic"])
backends = pytest.mark.parametrize("backend", ["asyncio", "trio"])


def eventually(holds: Callable[[], bool]) -> None:
    """The work behind a cancelled call ends a moment after the call."""
    deadline = time.monotonic() + 5
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


async def until_asked(server: ModelServer) -> None:
    # Not at a fixed time: a request that was never sent has nothing to abort.
    await anyio.to_thread.run_sync(server.wait_for, "requests")
    await anyio.sleep(0.05)


@both
def test_complete_inside_a_running_loop(make: Make, serve: Serve) -> None:
    model = make(serve())

    async def cell() -> str:
        return model.complete(ASK).text

    assert asyncio.run(cell()) == "fine"
    assert asyncio.run(cell()) == "fine"  # another loop, the same model


@both
@backends
def test_acomplete_from_any_loop(make: Make, serve: Serve, backend: str) -> None:
    model = make(serve(Step(delay=0.05)))

    async def work() -> list[str]:
        texts = []

        async def one() -> None:
            texts.append((await model.acomplete(ASK)).text)

        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(one)
        return texts

    for _ in range(2):
        assert anyio.run(work, backend=backend) == ["fine"] * 3


@both
@backends
def test_errors_reach_the_caller(make: Make, serve: Serve, backend: str) -> None:
    model = make(serve(Step("no", 400)))

    async def work() -> None:
        await model.acomplete(ASK)

    with pytest.raises(Exception, match="status 400: no"):
        anyio.run(work, backend=backend)


@both
@backends
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_cancelling_hangs_up(make: Make, serve: Serve, backend: str, stream: bool) -> None:
    server = serve(Step("a long reply", delay=0 if stream else 20, pause=20))
    model = make(server, stream=stream)

    async def work() -> bool:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(model.acomplete, ASK)
                await until_asked(server)
                scope.cancel()
        return scope.cancelled_caught

    started = time.monotonic()
    assert anyio.run(work, backend=backend)
    assert time.monotonic() - started < 10
    server.wait_for("aborted")
    assert len(server.requests) == 1
    eventually(lambda: model.budget.spent.usage.estimated)  # the provider may have charged for it


def test_cancelling_an_asyncio_task_hangs_up(serve: Serve) -> None:
    server = serve(Step(delay=20))
    model = openai_model(server)

    async def work() -> None:
        task = asyncio.create_task(model.acomplete(ASK))
        await until_asked(server)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())
    server.wait_for("aborted")


def test_an_interrupt_hangs_up(serve: Serve) -> None:
    server = serve(Step(delay=20))
    model = openai_model(server)
    # A shell that starts the tests in the background has them ignore interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=lambda: (server.wait_for("requests"), os.kill(os.getpid(), signal.SIGINT))).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.complete(ASK)
    finally:
        signal.signal(signal.SIGINT, before)
    server.wait_for("aborted")


def test_a_model_forgotten_in_trio_is_closed_all_the_same(serve: Serve) -> None:
    server = serve()

    async def work() -> None:
        await openai_model(server).acomplete(ASK)
        gc.collect()

    anyio.run(work, backend="trio")
    eventually(lambda: server.open == 0)


@pytest.mark.slow
@both
def test_twenty_callers_four_in_flight(make: Make, serve: Serve) -> None:
    server = serve(Step(delay=0.05))
    model = make(server, concurrency=4)
    with ThreadPoolExecutor(20) as pool:
        assert [r.text for r in pool.map(lambda _: model.complete(ASK), range(20))] == ["fine"] * 20
    assert (len(server.requests), server.most) == (20, 4)

    async def many() -> None:
        await asyncio.gather(*(model.acomplete(ASK) for _ in range(20)))

    asyncio.run(many())
    assert (len(server.requests), server.most) == (40, 4)


def test_a_call_from_the_loop_itself_is_refused() -> None:
    async def inner() -> int:
        return 1

    async def outer() -> int:
        return loop.run(inner())

    with pytest.raises(RuntimeError, match="from inside"):
        loop.run(outer())
    assert loop.run(inner()) == 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_asks_on_a_loop_of_its_own(serve: Serve) -> None:
    code = f"""
import os, sys, warnings
warnings.simplefilter("ignore")
from sherloc.llm import get_model
from sherloc.protocols import Message
model = get_model("openai:m@{serve().url}")
ask = [Message("user", "hi")]
assert model.complete(ask).text == "fine"
child = os.fork()
text = model.complete(ask).text
if not child:
    os._exit(0 if text == "fine" else 1)
assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=30)


@pytest.mark.slow
def test_leaving_the_interpreter_ends_what_runs(serve: Serve, tmp_path: Path) -> None:
    server = serve(Step(delay=20))
    # Its number says nothing: a supervised command may have numbers of its own.
    mark = tmp_path / "lives"
    code = f"""
import threading, time
from sherloc.llm import get_model
from sherloc.protocols import Message
ask = [Message("user", "hi")]
for name in ("openai:m@{server.url}", r"command:sh -c 'while :; do echo >> {mark}; sleep 0.05; done'"):
    threading.Thread(target=get_model(name).complete, args=(ask,), daemon=True).start()
import pathlib
while not pathlib.Path(r"{mark}").exists(): time.sleep(0.01)
time.sleep(0.5)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    server.wait_for("aborted")
    size = mark.stat().st_size
    time.sleep(0.5)
    assert mark.stat().st_size == size > 0


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_a_model_that_wants_to_end_the_process_ends_its_own_call_only(kind: type[BaseException], serve: Serve) -> None:
    class Quits:
        name = "quits"

        def complete(self, *_: object, **__: object) -> Reply:
            raise kind("enough")

        async def acomplete(self, *_: object, **__: object) -> Reply:
            raise kind("enough")

    for _ in range(2):
        with pytest.raises(kind, match="enough"):
            guard(Quits()).complete(ASK)
    assert openai_model(serve()).complete(ASK).text == "fine"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tasks do not tell before that they are cancelled")
def test_a_task_that_blocks_its_loop_can_be_cancelled_from_outside(serve: Serve) -> None:
    """As Ctrl-C does in ``asyncio.run``, which cancels its task at first and interrupts only the second time."""
    server = serve(Step(delay=20))
    model = openai_model(server)
    said: list[str] = []

    async def work() -> None:
        task = asyncio.current_task()
        assert task is not None
        threading.Thread(target=lambda: (server.wait_for("requests"), task.cancel())).start()
        try:
            model.complete(ASK)
        finally:
            server.plan = [Step()]
            said.append(model.complete(ASK).text)  # cleaning up may still ask

    started = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(work())
    assert time.monotonic() - started < 10
    server.wait_for("aborted")
    assert said == ["fine"]
