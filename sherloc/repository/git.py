"""The one place that runs git: how it is called, and what its failures become.

Git is always given an argument list, never a shell. Nothing a repository configures may start a program or reach the
network: the file system monitor and hooks are switched off, no transport is allowed, and no command here compares files
of a work tree (which is what would run a repository's clean filters); commits are compared without drivers.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import IO, NamedTuple

from sherloc.errors import GitError, NotARepositoryError, RepositoryError

_PROGRAM = "git"
_CONFIGURATION = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    # Else a command that only reads may make the index sparse in memory, and write the trees that this needs.
    "index.sparse=false",
    "protocol.allow=never",
)
_INHERITED = ("GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
    "LANGUAGE": "C",
}
_BATCH_BUFFER = 1 << 18
_MAX_DEATHS = 8
_FSCK = "See what is broken with: git fsck"
_NOT_STARTED = {
    errno.ENOENT: "Install git and put it on the PATH; a folder without git needs none.",
    errno.EACCES: "The program git on the PATH may not be run.",
    errno.EMFILE: "This process has too many files open; raise the limit (ulimit -n) or close some.",
    errno.ENFILE: "The system has too many files open.",
    errno.ENOMEM: "There is no memory left for another process.",
    errno.EAGAIN: "There are too many processes; raise the limit (ulimit -u) or end some.",
}
_FAILURES: tuple[tuple[str, type[RepositoryError], str], ...] = (
    (
        "dubious ownership",
        GitError,
        "If you trust it, run: git config --global --add safe.directory {location}",
    ),
    ("cannot use bare repository", GitError, "Git's setting safe.bareRepository forbids it; see: git help config"),
    ("not a git repository", NotARepositoryError, "Without git there is only the folder as it is: give no revision."),
    ("not allowed", GitError, "Objects are missing from a partial clone; bring them with: git fetch --refetch"),
    ("could not fetch", GitError, "Objects are missing from a partial clone; bring them with: git fetch --refetch"),
    ("unknown option `sparse'", GitError, "The repository has a sparse index, which needs a newer git to be read."),
    ("is corrupt", GitError, _FSCK),
    ("object file", GitError, _FSCK),
    ("inflate:", GitError, _FSCK),
    ("Could not read", GitError, _FSCK),
    ("unable to unpack", GitError, _FSCK),
    ("unable to read tree", GitError, _FSCK),
    ("not a tree object", GitError, _FSCK),
    ("bad tree object", GitError, _FSCK),
    ("unknown repository extension", GitError, "The repository needs a newer git."),
    ("unknown repository version", GitError, "The repository needs a newer git."),
)


class Blob(NamedTuple):
    """What git has of one object: its id, and its bytes, or None when it is missing, too large or no blob."""

    content_id: str
    data: bytes | None


class Process:
    """A git command that runs; leaving its ``with`` block ends it.

    Args:
        git: Whose command it is.
        arguments: The command and its arguments.

    Attributes:
        words: What it wrote to its errors, after ``finish``.
    """

    def __init__(self, git: Git, arguments: Sequence[str]) -> None:
        self._location = git.location
        self._arguments = arguments
        self._process = git.popen(arguments)
        self._ended = False
        self.words = b""

    def finish(self, allowed: Sequence[int] = (0,)) -> tuple[int, bytes]:
        """Wait for its end.

        Args:
            allowed: Exit codes that are no failure.

        Returns:
            Its exit code and its output.

        Raises:
            RepositoryError: It failed.
        """
        output, self.words = self._process.communicate()
        self._ended = True
        code = self._process.returncode
        if code not in allowed:
            raise failure(self._location, self._arguments, code, self.words)
        return code, output

    def kill(self) -> None:
        """End it without waiting; whoever waits for it in ``finish`` goes on."""
        self._process.kill()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._ended:
            self._process.kill()
            self._process.communicate()
            self._ended = True


class Git:
    """Runs git in one folder.

    Args:
        location: A folder inside a work tree, or a git directory.
        settings: More settings for each command, ``name=value``.
        variables: More environment variables for each command.
    """

    def __init__(
        self, location: str, *, settings: Sequence[str] = (), variables: Mapping[str, str] | None = None
    ) -> None:
        self.location = location
        self._settings = [part for setting in (*_CONFIGURATION, *settings) for part in ("-c", setting)]
        self._environment = environment(os.environ) | dict(variables or {})

    def start(self, *arguments: str) -> Process:
        """Start a command, as a context manager."""
        return Process(self, arguments)

    def run(self, *arguments: str) -> bytes:
        """The output of a command that must succeed."""
        with self.start(*arguments) as process:
            return process.finish()[1]

    def popen(
        self, arguments: Sequence[str], stdin: IO[bytes] | None = None, *, words: bool = True
    ) -> subprocess.Popen[bytes]:
        """Start a process with pipes for its output; a ``stdin`` of None is empty, ``words`` is its standard error.

        Raises:
            GitError: There is no git to run.
        """
        try:
            return subprocess.Popen(
                [_PROGRAM, *self._settings, "-C", self.location, *(_native(part) for part in arguments)],
                stdin=subprocess.DEVNULL if stdin is None else stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if words else subprocess.DEVNULL,
                bufsize=_BATCH_BUFFER,
                env=self._environment,
            )
        except OSError as error:
            raise _not_started(self.location, error) from error

    def feed(self, data: bytes, *arguments: str, allowed: Sequence[int] = (0,)) -> bytes:
        """The output of a command that must succeed, run with some input.

        Args:
            data: The input.
            *arguments: The command and its arguments.
            allowed: Exit codes that are no failure.

        Raises:
            RepositoryError: It failed.
        """
        with _as_input(data, self.location) as file:
            process = self.popen(arguments, file)
            output, words = process.communicate()
        if process.returncode not in allowed:
            raise failure(self.location, arguments, process.returncode, words)
        return output

    def blobs(self, content_ids: Sequence[str], max_bytes: int) -> Generator[Blob, None, None]:
        """The contents of blobs, streamed in the given order by one process.

        Args:
            content_ids: Blob ids; repeated ones are read again.
            max_bytes: Larger blobs give None. Bytes.

        Raises:
            GitError: Git dies again and again.
        """
        done = deaths = 0
        while done < len(content_ids):
            for blob in self._batch(content_ids[done:], max_bytes):
                done += 1
                yield blob
            if done < len(content_ids):
                # Git dies at a broken object; the others are still readable.
                deaths += 1
                if deaths > _MAX_DEATHS:
                    raise GitError(f"git cat-file failed at {content_ids[done]} of {self.location}.", hint=_FSCK)
                yield Blob(content_ids[done], None)
                done += 1

    def _batch(self, content_ids: Sequence[str], max_bytes: int) -> Iterator[Blob]:
        """As ``blobs``, but ends early where git does."""
        asked = "".join(f"{content_id}\n" for content_id in content_ids).encode("ascii", "replace")
        with _as_input(asked, self.location) as questions:
            process = self.popen(("cat-file", "--batch", "--buffer"), questions, words=False)
        assert process.stdout is not None
        try:
            for content_id in content_ids:
                answer = _answer(process.stdout, max_bytes)
                if answer is None:
                    return
                yield Blob(content_id, answer[0])
        finally:
            if process.poll() is None:
                process.kill()
            process.stdout.close()
            process.wait()


def _answer(stream: IO[bytes], max_bytes: int) -> tuple[bytes | None] | None:
    """The next answer of ``cat-file --batch``, or None at the end of the stream."""
    head = stream.readline().split()
    if not head:
        return None
    if len(head) != 3 or not head[2].isdigit():
        return (None,)
    left = int(head[2])
    if head[1] == b"blob" and left <= max_bytes:
        with contextlib.suppress(MemoryError):  # raised before anything is read
            data = stream.read(left + 1)
            return (data[:-1],) if len(data) == left + 1 else None
    left += 1
    while left > 0:
        part = stream.read(min(left, _BATCH_BUFFER))
        if not part:
            return None
        left -= len(part)
    return (None,)


def _as_input(data: bytes, location: str) -> IO[bytes]:
    """A file as standard input cannot block, which a pipe fed from here would.

    Raises:
        GitError: There can be no temporary file.
    """
    import tempfile

    try:
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        file.write(data)
        file.seek(0)
    except OSError as error:
        raise GitError(f"There can be no temporary file to read {location}: {error.strerror}.") from error
    return file


def _not_started(location: str, error: OSError) -> GitError:
    return GitError(
        f"The program git could not be started for {location}: {error.strerror}.",
        hint=_NOT_STARTED.get(error.errno or 0, ""),
    )


def environment(ambient: Mapping[str, str]) -> dict[str, str]:
    """The environment git runs in: the caller's, without what would redirect git to another repository."""
    kept = {
        name: value
        for name, value in ambient.items()
        if not name.startswith("GIT_") or name.startswith("GIT_CONFIG_") or name in _INHERITED
    }
    kept.pop("GIT_CONFIG_PARAMETERS", None)
    return kept | _ENVIRONMENT


def failure(location: str, arguments: Sequence[str], code: int, words: bytes) -> RepositoryError:
    """The error that stands for a failed command."""
    said = words.decode("utf-8", "replace").strip()
    for mark, error, hint in _FAILURES:
        if mark in said:
            return error(f"Git cannot read {location}: {_first_line(said)}", hint=hint.format(location=location))
    return GitError(f"git {arguments[0]} failed in {location} with exit code {code}: {_first_line(said)}")


def _first_line(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()]
    chosen = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0] if lines else "no words")
    return chosen.removeprefix("fatal:").removeprefix("error:").strip()


def _native(argument: str) -> str | bytes:
    """The argument as the operating system takes it, whatever the locale."""
    return argument if os.name == "nt" else argument.encode("utf-8", "surrogateescape")
