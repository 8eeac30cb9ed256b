"""The seams: what a part must offer so that sherloc can use it in place of its own.

All are structural (``typing.Protocol``): nothing has to be inherited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    reply. An attribute ``identity`` (a text without keys), if there is one, stands for the name where replies and
    verdicts are kept: for models of one name on different servers.
    """

    @property
    def name(self) -> str:
        """What the model is called in reports and, without an ``identity``, in caches."""

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


@dataclass(frozen=True, slots=True)
class PatchRequest:
    """What a patch generator gets.

    ``brief`` says where to change what; ``sources`` maps a path to the whole text of each file that it names, where the
    text can be decoded; ``context`` is more code around it, ready to be read. ``language`` is that of the ticket, as a
    BCP 47 tag ("en", "ja"). ``candidate`` numbers the attempts that are to differ from each other, from 0.
    ``previous`` is a proposal of this candidate that was refused, and ``problems`` why, one sentence each, with what
    to do about it.
    """

    issue: Issue
    brief: SurgeryBrief
    sources: Mapping[str, str]
    context: str = ""
    language: str = "en"
    candidate: int = 0
    previous: str = ""
    problems: tuple[str, ...] = ()


@runtime_checkable
class PatchGenerator(Protocol):
    """Turns a brief into a patch proposal."""

    @property
    def name(self) -> str:
        """What it is called in reports."""

    def propose(self, request: PatchRequest) -> str:
        """The proposal's JSON, or a unified diff; untrusted.

        Raises:
            SherlocError: There is none; the candidate is given up.
        """


@dataclass(frozen=True, slots=True)
class Ticket:
    """An issue where it lives.

    ``reference`` is ``owner/repo#12``, or the name of a file; ``revision`` changes whenever its text does; ``address``
    is for people, and empty for what is not on a forge.
    """

    issue: Issue
    reference: str
    revision: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request (GitLab: merge request) as its forge has it; ``head`` and ``base`` are branches' names."""

    number: int
    address: str
    state: Literal["open", "closed", "merged"]
    draft: bool
    head: str
    base: str
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class FileState:
    """What a commit makes of one path: its bytes and git mode ("100644", "100755"), or nothing when it is removed."""

    path: str
    data: bytes | None
    mode: str = "100644"


@dataclass(frozen=True, slots=True)
class PlannedCommit:
    """A commit that was made locally: its ids, and what it changes against the commit before it."""

    sha: str
    tree: str
    message: str
    files: tuple[FileState, ...]
    author: str
    email: str
    date: str


@runtime_checkable
class Forge(Protocol):
    """One project's tickets, branches and pull requests on a forge. Everything can be repeated without a second effect.

    Every method raises ``ForgeError`` when the forge refuses or cannot be reached.
    """

    @property
    def name(self) -> str:
        """The project, ``owner/repo``."""

    def ready(self) -> None:
        """Nothing when a token is set, otherwise ``ForgeAuthError``, before anything is paid for. Nothing is asked."""

    def read_ticket(self, number: int) -> Ticket:
        """An issue with its comments in order of time."""

    def default_branch(self) -> str:
        """The branch that pull requests go to."""

    def branch_head(self, branch: str) -> str | None:
        """The commit that a branch points to, or None when there is no such branch."""

    def branches(self, prefix: str) -> list[str]:
        """Names of all branches that begin with a prefix, sorted."""

    def branch_contains(self, branch: str, sha: str) -> bool:
        """Whether a commit is in the history of a branch."""

    def push(self, git_dir: str, sha: str, branch: str) -> None:
        """Publish a commit of a local repository as a new branch by git; never by force."""

    def replay(self, commits: Sequence[PlannedCommit], base: str, branch: str) -> str:
        """Publish commits through the forge's API on top of the commit ``base``; the head that the branch then has.

        Its tree has the same id as that of the last commit.
        """

    def pull_requests(self, branch: str) -> list[PullRequest]:
        """All pull requests from a branch of this project, in any state, newest first."""

    def open_pull_request(
        self, *, branch: str, base: str, title: str, body: str, labels: Sequence[str] = (), draft: bool = True
    ) -> PullRequest:
        """Open a pull request, or give the one that is open from that branch, as it is."""

    def update_pull_request(self, number: int, *, title: str, body: str) -> PullRequest:
        """Replace title and body."""

    def comments(self, number: int) -> list[str]:
        """Texts of all comments of an issue, oldest first."""

    def comment(self, number: int, body: str) -> str:
        """Comment on an issue; the comment's address."""
