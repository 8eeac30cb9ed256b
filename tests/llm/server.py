"""A model server on loopback that speaks OpenAI's chat completions and Anthropic's messages, and can misbehave.

Each request takes the next ``Step`` of the plan; when the plan is over, the last one is repeated.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Step:
    """What happens to one request.

    Attributes:
        text: The reply's text; None: a content of null.
        status: The HTTP status; from 400 on the body is an error with ``text`` as its message.
        headers: Further headers.
        finish: OpenAI's finish reason; Anthropic's is derived from it. None leaves it out.
        usage: Whether tokens are counted (10 in, 5 out, 4 of the input from the cache).
        delay: Seconds before the answer, during which a client that hangs up is noticed.
        cut: Close the connection after so many bytes of the body.
        body: This body instead (bytes), with ``content_type``.
        message: Fields of OpenAI's message, over those of ``text``.
        calls: Tool calls, as (id, name, arguments).
        code: The error's code or type.
        pause: Seconds between two pieces of a stream.
    """

    text: str | None = "fine"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    finish: str | None = "stop"
    usage: bool = True
    delay: float = 0.0
    cut: int | None = None
    body: bytes | None = None
    content_type: str = "application/json"
    message: Mapping[str, Any] = field(default_factory=dict)
    calls: Sequence[tuple[str, str, str]] = ()
    code: str = ""
    pause: float = 0.0


class ModelServer:
    """The server. ``requests`` holds each request's path, headers and body; ``most`` the most in flight at once.

    ``open`` counts connections, ``aborted`` clients that hung up before their answer.
    """

    def __init__(self, *plan: Step) -> None:
        self.plan = list(plan) or [Step()]
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.aborted = 0
        self.most = 0
        self.open = 0
        self.times: list[float] = []
        self._in_flight = 0
        self._lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 30

            def setup(self) -> None:
                super().setup()
                owner.count_open(1)

            def finish(self) -> None:
                owner.count_open(-1)
                super().finish()

            def do_POST(self) -> None:
                owner._serve(self)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._http.block_on_close = False
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def root(self) -> str:
        return self.url.removesuffix("/v1")

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [body for _, _, body in self.requests]

    def count_open(self, change: int) -> None:
        with self._lock:
            self.open += change

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def wait_for(self, what: str, number: int = 1, seconds: float = 5.0) -> None:
        deadline = time.monotonic() + seconds
        while getattr(self, what) < number if what != "requests" else len(self.requests) < number:
            assert time.monotonic() < deadline, f"{what} did not reach {number}"
            time.sleep(0.005)

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length", 0))
        body = json.loads(handler.rfile.read(length) or b"{}")
        with self._lock:
            self.times.append(time.monotonic())
            self.requests.append((handler.path, {k.lower(): v for k, v in handler.headers.items()}, body))
            step = self.plan.pop(0) if len(self.plan) > 1 else self.plan[0]
            self._in_flight += 1
            self.most = max(self.most, self._in_flight)
        try:
            self._answer(handler, step, body)
        except (BrokenPipeError, ConnectionResetError):
            self._hung_up(handler)
        finally:
            with self._lock:
                self._in_flight -= 1

    def _hung_up(self, handler: BaseHTTPRequestHandler) -> None:
        with self._lock:
            self.aborted += 1
        handler.close_connection = True

    def _answer(self, handler: BaseHTTPRequestHandler, step: Step, body: dict[str, Any]) -> None:
        if not self._wait(handler, step.delay):
            return self._hung_up(handler)
        anthropic = handler.path.endswith("/messages")
        if step.status >= 400:
            error = {"message": step.text, "type": step.code or "some_error", "code": step.code or None}
            self._send(handler, step, json.dumps({"type": "error", "error": error}).encode())
        elif step.body is not None:
            self._send(handler, step, step.body)
        elif body.get("stream") and step.status < 300:
            self._stream(handler, step, list(anthropic_events(step) if anthropic else openai_chunks(step)))
        else:
            whole = anthropic_message(step) if anthropic else openai_completion(step)
            self._send(handler, step, json.dumps(whole).encode())
        return None

    def _wait(self, handler: BaseHTTPRequestHandler, seconds: float) -> bool:
        """Wait; False as soon as the client hangs up."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if select.select([handler.connection], [], [], min(left, 0.02))[0]:
                with contextlib.suppress(OSError):
                    if handler.connection.recv(1, socket.MSG_PEEK):
                        time.sleep(0.01)
                        continue
                return False
        return True

    def _send(self, handler: BaseHTTPRequestHandler, step: Step, body: bytes) -> None:
        handler.send_response(step.status)
        for name, value in {"content-type": step.content_type, **step.headers}.items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body if step.cut is None else body[: step.cut])
        if step.cut is not None:
            self._drop(handler)

    def _stream(self, handler: BaseHTTPRequestHandler, step: Step, pieces: list[bytes]) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        sent = 0
        for piece in pieces:
            if step.cut is not None and sent + len(piece) > step.cut:
                return self._drop(handler)
            handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            handler.wfile.flush()
            sent += len(piece)
            if not self._wait(handler, step.pause):
                return self._hung_up(handler)
        handler.wfile.write(b"0\r\n\r\n")
        return None

    def _drop(self, handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.flush()
        handler.close_connection = True
        with contextlib.suppress(OSError):
            handler.connection.shutdown(socket.SHUT_RDWR)


def openai_completion(step: Step) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.text, **step.message}
    if step.calls:
        message["tool_calls"] = [
            {"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in step.calls
        ]
    choice: dict[str, Any] = {"index": 0, "message": message}
    if step.finish is not None:
        choice["finish_reason"] = step.finish
    whole = {"id": "x", "object": "chat.completion", "created": 1, "model": "served", "choices": [choice]}
    if step.usage:
        details = {"prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens_details": {"reasoning_tokens": 2}}
        whole["usage"] = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, **details}
    return whole


def openai_chunks(step: Step) -> Iterator[bytes]:
    whole = openai_completion(step)
    base = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "served"}
    message = whole["choices"][0]["message"]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in _pieces(message.get("content") or "")]
    deltas += [{key: message[key]} for key in ("reasoning_content", "refusal") if key in message]
    for index, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        deltas.append(
            {"tool_calls": [{**call, "index": index, "function": {"name": function["name"], "arguments": ""}}]}
        )
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            for piece in _pieces(function["arguments"])
        ]
    for delta in deltas:
        yield _event({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    if step.finish is not None:
        yield _event({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": step.finish}]})
    if step.usage:
        yield _event({**base, "choices": [], "usage": whole["usage"]})
    yield b"data: [DONE]\n\n"


_ANTHROPIC_STOPS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}


def anthropic_message(step: Step) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": step.text}] if step.text is not None else []
    blocks += [{"type": "tool_use", "id": i, "name": n, "input": json.loads(a)} for i, n, a in step.calls]
    whole = {"id": "x", "type": "message", "role": "assistant", "model": "served", "content": blocks}
    whole["stop_reason"] = _ANTHROPIC_STOPS.get(step.finish or "", step.finish)
    if step.usage:
        whole["usage"] = {
            "input_tokens": 3, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 3, "output_tokens": 5,
            "output_tokens_details": {"thinking_tokens": 2},
        }  # fmt: skip
    return whole


def anthropic_events(step: Step) -> Iterator[bytes]:
    whole = anthropic_message(step)
    usage = {**whole.get("usage", {}), "output_tokens": 1} if step.usage else {}
    yield _named("message_start", message={**whole, "content": [], "stop_reason": None, "usage": usage})
    yield _named("ping")
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            yield _named("content_block_start", index=index, content_block={"type": "text", "text": ""})
            for piece in _pieces(block["text"]):
                yield _named("content_block_delta", index=index, delta={"type": "text_delta", "text": piece})
        else:
            yield _named("content_block_start", index=index, content_block={**block, "input": {}})
            for piece in _pieces(json.dumps(block["input"])):
                delta = {"type": "input_json_delta", "partial_json": piece}
                yield _named("content_block_delta", index=index, delta=delta)
        yield _named("content_block_stop", index=index)
    last = {"usage": {"output_tokens": 5}} if step.usage else {}
    yield _named("message_delta", delta={"stop_reason": whole["stop_reason"], "stop_sequence": None}, **last)
    yield _named("message_stop")


def _pieces(text: str) -> list[str]:
    return [text[i : i + 7] for i in range(0, len(text), 7)]


def _event(data: object) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def _named(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\n".encode() + _event({"type": kind, **fields})


def started_servers() -> Iterator[Callable[..., ModelServer]]:
    """The body of a fixture: starts servers that are closed after the test."""
    servers: list[ModelServer] = []

    def start(*plan: Step) -> ModelServer:
        servers.append(ModelServer(*plan))
        return servers[-1]

    yield start
    for server in servers:
        server.close()
