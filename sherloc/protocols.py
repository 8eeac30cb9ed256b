"""The seams: what a part must offer so that sherloc can use it in place of its own.

All are structural (``typing.Protocol``): nothing has to be inherited.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.candidate import Candidate, Candidates
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.diagnosis import Diagnosis
from sherloc.schema.issue import Issue
from sherloc.schema.query import Query
from sherloc.schema.report import Diagnostic
from sherloc.schema.snippet import Snippet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

StopReason = Literal["end", "length", "tool_calls", "refusal", "error"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants to use; ``arguments`` is its raw JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    ``tool_calls`` are those that an assistant's message asked for; ``tool_call_id`` ties a tool's answer to its call.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_call_id: str = ""
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call cost: tokens; money in US dollars, None when the price is unknown (never 0 then).

    ``input_tokens`` counts all input: ``cached_tokens`` (read from the provider's cache) and ``cache_write_tokens``
    are parts of it; ``reasoning_tokens`` are a part of ``output_tokens``. ``estimated`` says that the provider did not
    count and sherloc did.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    ``stop_reason`` comes first: a reply cut by ``length`` or a ``refusal`` is a reply, not an error, but its text is no
    answer. ``reasoning`` is what the model thought aloud, where it is told apart. ``attempts`` counts the requests that
    it took. ``diagnostics`` say what was left out of the prompt or assumed about the reply.
    """

    text: str
    stop_reason: StopReason = "end"
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default=Usage())
    model: str = ""
    reasoning: str = ""
    attempts: int = 1
    diagnostics: tuple[Diagnostic, ...] = ()


@runtime_checkable
class ChatModel(Protocol):
    """A language model. ``tools`` and ``schema`` are wishes that a model may ignore; the reply is never trusted.

    A tool is ``{"name", "description", "parameters"}`` with a JSON schema as ``parameters`` (OpenAI's nesting of it
    under ``function`` is understood too); ``schema`` is a JSON schema of the reply's text; ``max_tokens`` limits the
    reply.
    """

    @property
    def name(self) -> str:
        """What the model is called in reports and caches."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """Answer a conversation."""

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """Answer a conversation without blocking the event loop."""


@runtime_checkable
class Tokenizer(Protocol):
    """Counts tokens of a text; monotone: a longer text never has fewer."""

    def count(self, text: str) -> int:
        """Number of tokens."""


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors. Of one text the vector is always the same, whatever is embedded beside it."""

    @property
    def identity(self) -> str:
        """Name and version, stored with every vector."""

    @property
    def dimension(self) -> int:
        """Length of each vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector of unit length a text, in the same order: shape ``(len(texts), dimension)``.

        The numbers are exact in 16 bits (``float16``), so that a vector just made equals the one that a store keeps.
        """


@runtime_checkable
class VectorStore(Protocol):
    """Keeps vectors of one embedder by key and finds the nearest. What it lost it does not have; it is never wrong."""

    @property
    def problems(self) -> Sequence[Diagnostic]:
        """What the user should know: that vectors were lost, or cannot be kept."""

    def get(self, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors that are there, in the order of the keys."""

    def upsert(self, keys: Sequence[str], vectors: ArrayLike) -> None:
        """Store or replace; ``vectors`` has the shape ``(len(keys), dimension)``."""

    def nearest(self, vector: ArrayLike, count: int) -> list[tuple[str, float]]:
        """The ``count`` nearest keys with cosine similarity, best first, equals in the order of keys."""

    def count(self) -> int:
        """How many vectors there are."""

    def close(self) -> None:
        """Let go of files and connections."""


@runtime_checkable
class CodeIndex(Protocol):
    """The read side of an index, by snippet number (``unit``, 0-based, in order of path and line)."""

    @property
    def unit_count(self) -> int:
        """How many snippets there are."""

    def snippet(self, unit: int) -> Snippet:
        """The snippet with that number."""

    def units_named(self, name: str) -> Sequence[int]:
        """Snippets whose definition has that short name."""

    def units_of(self, path: str) -> Sequence[int]:
        """Snippets of a file."""

    def callees(self, unit: int) -> Sequence[int]:
        """Snippets that it calls, as far as names allow."""

    def callers(self, unit: int) -> Sequence[int]:
        """Snippets that call it."""


@runtime_checkable
class Channel(Protocol):
    """One way to find candidates."""

    @property
    def name(self) -> str:
        """What the channel is called in reports."""

    def recall(self, query: Query, index: CodeIndex, limit: int) -> Sequence[tuple[int, float]]:
        """Snippets with scores (> 0), best first, at most ``limit``."""


@runtime_checkable
class Diagnoser(Protocol):
    """Says what candidates have to do with the issue."""

    def diagnose(self, query: Query, candidates: Candidates, sources: Mapping[str, str]) -> tuple[Diagnosis, ...]:
        """One diagnosis a candidate, in the candidates' order. ``sources`` maps path to the file's text."""


@runtime_checkable
class Reranker(Protocol):
    """Orders candidates anew."""

    def rerank(self, issue: Issue, candidates: Sequence[Candidate], sources: Mapping[str, str]) -> Sequence[int]:
        """Positions of the candidates, best first; each exactly once."""


@runtime_checkable
class Arbiter(Protocol):
    """Names the minimal set that must change."""

    def decide(self, issue: Issue, evidence: Sequence[Diagnosis], sources: Mapping[str, str]) -> tuple[ChangeSet, ...]:
        """Change sets, surest first."""


@runtime_checkable
class PatchGenerator(Protocol):
    """Turns a brief into a patch proposal (its JSON text)."""

    def propose(self, brief: SurgeryBrief, sources: Mapping[str, str]) -> str:
        """The proposal's JSON, untrusted."""


@runtime_checkable
class Forge(Protocol):
    """Where tickets and pull requests live."""

    def read_issue(self, reference: str) -> Issue:
        """The issue that a reference such as ``owner/repo#12`` names."""

    def open_pull_request(self, branch: str, title: str, body: str, labels: Iterable[str] = ()) -> str:
        """Open a draft pull request; its address."""
