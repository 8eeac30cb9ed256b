"""A bound on what an SDK reads of one answer: a server may write for ever, or send much packed into little."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Protocol

from sherloc.errors import ModelResponseError

MOST_BYTES = 64_000_000
"""Of an answer, unpacked; a stream of 100,000 tokens has about 30 MB."""
MOST_OF_EVENT = 1_000_000
"""Bytes of one event of a stream, which the SDKs put together in quadratic time."""

_ENDS = (b"\n\n", b"\r\r", b"\n\r\n")


class Answer(Protocol):
    """A response of httpx or httpx2."""

    def aiter_bytes(self, chunk_size: int | None = None) -> AsyncGenerator[bytes, None]:
        """The unpacked body."""


def bounding(model: str, *, stream: bool) -> Callable[[Answer], Awaitable[None]]:
    """A hook for the responses of a client: reading more than can be a reply hangs up with ``ModelResponseError``.

    Args:
        model: For the message.
        stream: Whether answers are streams of events.
    """

    async def bound(answer: Answer) -> None:
        read = answer.aiter_bytes

        async def aiter_bytes(chunk_size: int | None = None) -> AsyncGenerator[bytes, None]:
            async with contextlib.aclosing(_bounded(read(chunk_size), model, stream)) as pieces:
                async for piece in pieces:
                    yield piece

        # All that reads an answer goes through it: whole ones, streams and errors.
        answer.aiter_bytes = aiter_bytes  # type: ignore[method-assign]

    return bound


async def _bounded(source: AsyncGenerator[bytes, None], model: str, stream: bool) -> AsyncGenerator[bytes, None]:
    size, event, last = 0, 0, b""
    async with contextlib.aclosing(source) as pieces:
        async for piece in pieces:
            size += len(piece)
            last += piece
            ended = max(map(last.rfind, _ENDS))
            event = event + len(piece) if ended < 0 else len(last) - ended
            last = last[-2:]
            if size > MOST_BYTES:
                raise ModelResponseError(f"The model {model} sent an answer of more than {MOST_BYTES} bytes.")
            if stream and event > MOST_OF_EVENT:
                raise ModelResponseError(f"The model {model} sent an event of more than {MOST_OF_EVENT} bytes.")
            yield piece
