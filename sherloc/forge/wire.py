"""One client for JSON over HTTP: bounded answers, one origin, retries of what is harmless to repeat."""

from __future__ import annotations

import json
import weakref
from collections.abc import Hashable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast
from urllib.parse import urljoin, urlsplit

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from sherloc.errors import ForgeAuthError, ForgeConnectionError, ForgeError, ForgeRefusedError, MissingExtraError
from sherloc.forge.deadline import Deadline
from sherloc.forge.patience import Patience
from sherloc.forge.refusals import refusal
from sherloc.forge.token import Token
from sherloc.settings_repair import ForgeSettings
from sherloc.version import __version__

if TYPE_CHECKING:
    import httpx2

_MOST_BYTES = 32 << 20
_MOST_BYTES_OF_A_LIST = 64 << 20
_MOST_VALUES = 1_000_000
"""Of one answer, by its commas: 32 MB of empty objects are gigabytes in memory."""
_MOST_PAGES = 101
_MOST_HOPS = 3
_PAGE = 50
_T = TypeVar("_T")


class Shape(BaseModel):
    """What is needed of a JSON object of a forge; the rest of it is not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class Answer(NamedTuple):
    """Status, headers by lower-case name, and decoded JSON (None when there is none)."""

    status: int
    headers: dict[str, str]
    data: Any


class Wire:
    """Speaks to one API.

    Args:
        base_url: Of the API, without a slash at its end.
        token: Goes to this origin only.
        settings: ``seconds`` is the time limit of one request.
        patience: How failures are met.
        headers: For every request.

    Raises:
        MissingExtraError: httpx2 is not installed.
    """

    def __init__(
        self, base_url: str, token: Token, settings: ForgeSettings, patience: Patience, headers: Mapping[str, str]
    ) -> None:
        try:
            import httpx2
        except ImportError:
            raise MissingExtraError("httpx2", "github", "Reading from and writing to a forge") from None
        self.base_url = base_url
        self.token = token
        self.patience = patience
        self._seconds = settings.seconds
        self._errors = (httpx2.HTTPError, httpx2.InvalidURL)
        self._deadline = Deadline()
        self._read = 0
        self._client: httpx2.Client = httpx2.Client(
            timeout=settings.seconds,
            follow_redirects=False,
            # A small packed answer may be a huge one.
            headers={"User-Agent": f"sherloc/{__version__}", "Accept-Encoding": "identity", **headers},
            limits=httpx2.Limits(max_connections=1, max_keepalive_connections=1),
        )
        self.close = weakref.finalize(self, self._client.close)

    def get(self, path: str, shape: type[_T], **query: str | int) -> _T:
        """Read one thing.

        Args:
            path: Below the base address, percent-encoded.
            shape: What the answer must be.
            query: Parameters.

        Raises:
            ForgeError: Refused, unreachable, or the answer has another shape.
        """
        return self.patience.until_done(lambda: self._checked("GET", path, shape, query))

    def find(self, path: str, shape: type[_T], **query: str | int) -> _T | None:
        """As ``get``; None when the answer is 404."""
        answer = self.patience.until_done(lambda: self._ask("GET", path, query=query, also=(404,)))
        return None if answer.status == 404 else self._shaped(answer.data, shape, f"GET {path}")

    def pages(self, path: str, shape: type[_T], **query: str | int) -> Iterator[_T]:
        """All things of a list that comes in pages, each once.

        Raises:
            ForgeError: As ``get``; or there are more than 5,000 things or 64 MB. A list that was cut off would let what
                is there already be made a second time.
        """
        before, last = self._read, None
        what = f"GET {path}"
        for page in range(1, _MOST_PAGES + 1):
            asked = {"per_page": _PAGE, "page": page, **query}
            answer = self.patience.until_done(lambda asked=asked: self._ask("GET", path, query=asked))  # type: ignore[misc]
            found = self._shaped(answer.data, list[Any], what)
            # Who does not know of pages gives the same one each time.
            if found and found == last:
                return
            # Each alone: of a list of a million wrong ones only the first is told.
            yield from (self._shaped(each, shape, what) for each in found)
            if self._read - before > _MOST_BYTES_OF_A_LIST:
                raise ForgeRefusedError(f"{what}: the list is larger than {_MOST_BYTES_OF_A_LIST >> 20} MB.")
            link = answer.headers.get("link", "")
            if 'rel="next"' not in link and (link or len(found) < _PAGE):
                return
            last = found
        raise ForgeRefusedError(f"{what}: the list has more than {_MOST_PAGES - 1} pages.")

    def send(self, method: str, path: str, shape: type[_T], body: Mapping[str, Any]) -> _T:
        """Write once, without a retry.

        Args:
            method: POST, PUT or PATCH.
            path: As in ``get``.
            shape: What the answer must be.
            body: Sent as JSON.

        Raises:
            ForgeError: Refused; unreachable, and whether it was done is unknown; or the answer has another shape.
        """
        self.ready(f"{method} {path}")
        return self._checked(method, path, shape, {}, body)

    def ready(self, what: str) -> None:
        """Nothing, when there is a token; nothing is asked.

        Args:
            what: Needs one; for the message.

        Raises:
            ForgeAuthError: There is none.
        """
        if not self.token:
            raise ForgeAuthError(f"{what} needs a token.", hint=f"Set one in {' or '.join(self.token.variables)}.")

    def repeat(self, method: str, path: str, shape: type[_T], body: Mapping[str, Any]) -> _T:
        """As ``send``, with retries: for what has the same effect when it is done twice."""
        return self.patience.until_done(lambda: self.send(method, path, shape, body))

    def _checked(self, method: str, path: str, shape: type[_T], query: Mapping[str, str | int], body: Any = None) -> _T:
        return self._shaped(self._ask(method, path, query=query, body=body).data, shape, f"{method} {path}")

    def _shaped(self, data: Any, shape: type[_T], what: str) -> _T:
        try:
            checked: _T = _adapter(cast(Hashable, shape)).validate_python(data)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "the answer"
            raise ForgeRefusedError(
                f"{what}: the forge's answer is not what it should be: {where}: {first['msg']}.",
                hint="Is base_url the address of the API?",
            ) from None
        return checked

    def _ask(
        self, method: str, path: str, *, query: Mapping[str, str | int], body: Any = None, also: tuple[int, ...] = ()
    ) -> Answer:
        """One request, and where it is sent on to within the same origin."""
        what = f"{method} {path}"
        url = self.base_url + path
        parameters: Mapping[str, str | int] | None = query or None
        for _ in range(_MOST_HOPS):
            answer = self._request(method, url, parameters, body, what)
            target = _joined(url, answer.headers.get("location", ""))
            # A method that writes is only repeated elsewhere where the status says that it is kept.
            moved = answer.status in (307, 308) or (method == "GET" and answer.status in (301, 302))
            if not moved or _origin(target) != _origin(self.base_url):
                break
            url, parameters = target, None
        if 200 <= answer.status < 300 or answer.status in also:
            return answer
        raise self.refused(answer, what)

    def refused(self, answer: Answer, what: str) -> ForgeError:
        """The error that stands for an answer."""
        return refusal(
            answer.status, answer.headers, answer.data, what,
            variables=self.token.variables, now=self.patience.clock(),
        )  # fmt: skip

    def _request(self, method: str, url: str, query: Mapping[str, str | int] | None, body: Any, what: str) -> Answer:
        headers = {"Authorization": f"Bearer {self.token.reveal()}"} if self.token else {}
        try:
            with (
                self._deadline.within(self._seconds),
                self._client.stream(
                    method, url, params=query, json=body, headers=headers, extensions={"trace": self._deadline.trace}
                ) as response,
            ):
                raw = self._body(response, what)
        except self._errors as error:
            if not self._deadline.passed:
                raise ForgeConnectionError(
                    f"{what}: no answer from {urlsplit(self.base_url).netloc} ({type(error).__name__}).",
                    hint="Is the network up, and base_url right?",
                ) from None
        # An answer without a length also ends, as if it were whole, where it is cut off.
        if self._deadline.passed:
            raise ForgeConnectionError(f"{what}: the answer took more than {self._seconds:g} s.")
        found = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, found, _decoded(raw, response.status_code, what, self.token))

    def _body(self, response: httpx2.Response, what: str) -> bytes:
        """All of an answer, which is not packed."""
        if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            raise ForgeRefusedError(f"{what}: the forge's answer is packed, which was not asked for.")
        raw = bytearray()
        for part in response.iter_raw():
            raw += part
            self._read += len(part)
            if len(raw) > _MOST_BYTES:
                raise ForgeRefusedError(f"{what}: the forge's answer is larger than {_MOST_BYTES >> 20} MB.")
        return bytes(raw)


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def _decoded(raw: bytes, status: int, what: str, token: Token) -> Any:
    if not raw:
        return None
    if raw.count(b",") > _MOST_VALUES:
        raise ForgeRefusedError(f"{what}: the forge's answer has more than {_MOST_VALUES:,} values.")
    try:
        data = json.loads(raw)
        if not token:
            return data
        # A forge, or who writes there, may say the token back, in any spelling that JSON has for it.
        said = json.dumps(data, ensure_ascii=False)
        masked = token.masked(said)
        return data if masked == said else json.loads(masked)
    except (ValueError, RecursionError):
        if status >= 300:
            return None  # a page of a proxy; the status says enough
        raise ForgeRefusedError(
            f"{what}: the forge's answer is no JSON.", hint="Is base_url the address of the API?"
        ) from None


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        return ""


def _origin(url: str) -> tuple[str, str | None, int | None]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port
    except ValueError:
        return "", None, None
