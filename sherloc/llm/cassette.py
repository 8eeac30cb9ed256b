"""Record what a model answered, and replay it later without the model.

A cassette is JSONL: one answered request a line, with the SHA-256 of the redacted prompt, the model, the date (UTC) and
the reply. It holds neither keys nor prompts, only the start of the last message, so that people can tell lines apart.
"""

from __future__ import annotations

import datetime
import json
import threading
from collections import Counter
from pathlib import Path

from sherloc.errors import CassetteError
from sherloc.llm.records import record_of_reply, reply_from_record, without_secrets_in
from sherloc.llm.request import Provider, Request, identity_of
from sherloc.llm.secrets.redaction import redact
from sherloc.protocols import Reply

VERSION = 1
_START = 100


class RecordingProvider:
    """Passes requests on and appends each reply to a cassette as soon as it is there.

    Args:
        provider: Asked for every request.
        path: The cassette; made with its folder when missing, continued when there.

    Raises:
        CassetteError: The file cannot be written.
    """

    def __init__(self, provider: Provider, path: Path | str) -> None:
        self._provider = provider
        self._path = Path(path)
        self._lock = threading.Lock()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch()
        except OSError as error:
            raise CassetteError(f"The cassette {path} cannot be written: {error}.") from error
        self._counts = Counter({key: len(replies) for key, replies in _read(self._path).items()})

    @property
    def name(self) -> str:
        """The name of the model that is recorded."""
        return self._provider.name

    @property
    def identity(self) -> str:
        """By what caches tell it from others."""
        return identity_of(self._provider)

    async def ask(self, request: Request) -> Reply:
        """Ask the model; record its reply."""
        with self._lock:
            digest = request.digest()
            call = self._counts[digest]
            self._counts[digest] += 1
        reply = await self._provider.ask(request)
        line = _line(digest, call, self.name, request, reply)
        try:
            with self._lock, self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(line + "\n")
        except OSError as error:
            raise CassetteError(f"The cassette {self._path} cannot be written: {error}.") from error
        return reply


class ReplayProvider:
    """Answers from a cassette. The n-th time that a prompt is asked it gives its n-th recorded reply.

    So the order in which concurrent requests arrive does not matter.

    Args:
        path: The cassette.

    Raises:
        CassetteError: It cannot be read.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = Path(path)
        self._replies = _read(self._path)
        self._asked: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """``replay:`` and the file's name."""
        return f"replay:{self._path.name}"

    async def ask(self, request: Request) -> Reply:
        """The recorded reply.

        Raises:
            CassetteError: The prompt was never recorded, or not so often.
        """
        digest = request.digest()
        number, replies = self._asked[digest], self._replies.get(digest, [])
        self._asked[digest] += 1
        if number < len(replies):
            return replies[number]
        if replies:
            message = f"The cassette {self._path} holds the prompt {digest[:12]} {len(replies)} times, not more."
        else:
            message = (
                f"The cassette {self._path} does not hold the prompt {digest[:12]}, which starts: {_start(request)!r}."
            )
        raise CassetteError(message, hint="Record it again: the prompt, the issue or the code has changed since.")


def _line(digest: str, call: int, model: str, request: Request, reply: Reply) -> str:
    record = {
        "version": VERSION,
        "prompt": digest,
        "call": call,
        "model": model,
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "start": _start(request),
        "reply": record_of_reply(without_secrets_in(reply)),
    }
    return json.dumps(record, ensure_ascii=True)


def _start(request: Request) -> str:
    return redact(" ".join(request.messages[-1].content[: 4 * _START].split()))[0][:_START]


def _read(path: Path) -> dict[str, list[Reply]]:
    """Replies by prompt, in the order in which the prompt was asked."""
    held: dict[str, list[tuple[int, Reply]]] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise CassetteError(f"The cassette {path} cannot be read: {error}.") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if record["version"] != VERSION:
                raise ValueError(f"its version is {record['version']!r}, not {VERSION}")
            if type(record["call"]) is not int:
                raise ValueError(f"its call is {record['call']!r}, not a number")
            held.setdefault(record["prompt"], []).append((record["call"], reply_from_record(record["reply"])))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise CassetteError(f"Line {number} of the cassette {path} cannot be read: {error}.") from error
    return {key: [reply for _, reply in sorted(replies, key=lambda pair: pair[0])] for key, replies in held.items()}
