"""Servers that write for ever, or send much packed into little, are hung up on."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from llm.conftest import anthropic_model, openai_model
from llm.server import ModelServer, Step
from sherloc import errors
from sherloc.llm import answer_size
from sherloc.llm.model import Model
from sherloc.protocols import Message

ASK = [Message("user", "abc")]
Serve = Callable[..., ModelServer]
Make = Callable[..., Model]
both = pytest.mark.parametrize("make", [openai_model, anthropic_model], ids=["openai", "anthropic"])


class EndlessServer:
    """Writes one piece again and again after the head of an answer; ``hung_up`` is set when nobody reads any more."""

    def __init__(self, status: int, kind: str, piece: bytes) -> None:
        self._head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n".encode()
        self._piece = f"{len(piece):x}\r\n".encode() + piece + b"\r\n"
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.root = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.url = f"{self.root}/v1"
        self.asked = 0
        self.hung_up = threading.Event()
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._answer(self._socket.accept()[0])

    def _answer(self, connection: socket.socket) -> None:
        self.asked += 1
        with connection, contextlib.suppress(OSError):
            connection.recv(1 << 16)
            connection.sendall(self._head)
            while True:
                connection.sendall(self._piece)
        self.hung_up.set()

    def close(self) -> None:
        self._socket.close()


@pytest.fixture(name="endless")
def _endless() -> Iterator[Callable[..., EndlessServer]]:
    servers: list[EndlessServer] = []

    def start(status: int, kind: str, piece: bytes) -> EndlessServer:
        servers.append(EndlessServer(status, kind, piece))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@both
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(
    ("status", "kind", "piece"),
    [
        (200, "application/json", b" " * 50_000), (200, "text/html", b"\n" * 50_000),
        (500, "text/plain", b"x" * 50_000),
        (200, "text/event-stream", b": ping\n\n" * 5_000),
    ],
)  # fmt: skip
def test_an_endless_answer_ends(
    make: Make, stream: bool, status: int, kind: str, piece: bytes, endless: Callable[..., EndlessServer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(answer_size, "MOST_BYTES", 900_000)
    server = endless(status, kind, piece)
    model = make(server, stream=stream, retries=2, first_wait_seconds=0)
    with pytest.raises(errors.ModelResponseError, match="sent an answer of more than 900000 bytes") as caught:
        model.complete(ASK)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert server.hung_up.wait(5)
    assert (server.asked, model.budget.spent.calls, model.budget.spent.usage.input_tokens) == (1, 1, 1)


@both
@pytest.mark.parametrize("piece", [b"x" * 50_000, (b"data: " + b"x" * 1_000 + b"\n") * 50])
def test_an_event_without_an_end_ends(make: Make, piece: bytes, endless: Callable[..., EndlessServer]) -> None:
    server = endless(200, "text/event-stream", piece)
    started = time.monotonic()
    with pytest.raises(errors.ModelResponseError, match="sent an event of more than 1000000 bytes"):
        make(server, stream=True).complete(ASK)
    assert time.monotonic() - started < 8
    assert server.hung_up.wait(5)


@both
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_an_answer_that_unpacks_to_much_more_is_not_unpacked(make: Make, stream: bool, serve: Serve) -> None:
    packed = gzip.compress((b": " + b" " * 100_000 + b"\n\n") * 1_000, 1)
    assert len(packed) < 1_000_000
    server = serve(Step(body=packed, headers={"content-encoding": "gzip"}, content_type="text/event-stream"))
    with pytest.raises(errors.ModelResponseError, match="sent an answer of more than 64000000 bytes"):
        make(server, stream=stream).complete(ASK)


@both
def test_long_replies_are_no_endless_ones(make: Make, serve: Serve) -> None:
    text = "word " * 400_000
    assert make(serve(Step(text))).complete(ASK).text == text
    assert make(serve(Step(text[:20_000])), stream=True).complete(ASK).text == text[:20_000]
    packed = gzip.compress(b'{"choices": [{"message": {"content": "x"}}], "content": []}')
    assert make(serve(Step(body=packed, headers={"content-encoding": "gzip"}))).complete(ASK).text in ("x", "")
