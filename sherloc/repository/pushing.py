"""Publishing one commit as a new branch: the one place where git may write to another machine.

The push runs in an empty repository that borrows the objects of the real one: what the real one configures (hooks,
addresses put in place of others, proxies, helpers, headers of another tool) counts for nothing, and nothing is written
to it. The credential reaches git through its environment, where neither other users' ``ps`` nor a file shows it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from urllib.parse import urlsplit

from sherloc.errors import GitError
from sherloc.processes import held_folder
from sherloc.repository.borrowing import borrow
from sherloc.repository.git import Git
from sherloc.visible import one_line

_REFUSED = "!"
_TELLS = ("remote:", "fatal:", "error: RPC failed", "error: remote")
_MOST_WORDS = 300
_TIMES = 10


def push_branch(git_dir: str, url: str, sha: str, branch: str, *, authorization: str = "", seconds: float) -> str:
    """Create a branch on a remote, at a commit; never move one that is there.

    Args:
        git_dir: A work tree or git directory that has the commit.
        url: Of the remote: https, http, or a path.
        sha: The commit.
        branch: The branch's name, without ``refs/heads/``.
        authorization: Value of the HTTP header that goes to this url only, or empty.
        seconds: After so long without progress, and after ten times so long in all, the push is ended.

    Returns:
        Empty when the branch is there at that commit, otherwise the remote's words of refusal.

    Raises:
        GitError: The push failed before the remote decided, or its answer was lost; git's words are in the message.
        RepositoryError: The repository cannot be read, or has no such commit.
    """
    with held_folder("push") as folder:
        source = Git(git_dir)
        kind = source.run("rev-parse", "--show-object-format").decode("ascii").strip()
        Git(folder).run("init", "--quiet", "--bare", "--template=", f"--object-format={kind}", ".")
        borrow(source, folder)
        git = Git(folder, settings=_settings(url, seconds), variables=_variables(url, authorization, os.environ))
        reference = f"refs/heads/{branch}"
        # A lease on a reference that must not exist: checked by the remote itself, so that nobody's branch is moved.
        arguments = ("push", "--porcelain", "--no-verify", f"--force-with-lease={reference}:", "--",
                     url, f"{sha}:{reference}")  # fmt: skip
        late = threading.Event()
        with git.start(*arguments) as process:

            def stop() -> None:
                late.set()
                process.kill()

            watch = threading.Timer(seconds * _TIMES, stop)
            watch.start()
            try:
                code, said = process.finish(allowed=(0, 1, -9))
            finally:
                watch.cancel()
        refused = [line for line in said.decode("utf-8", "replace").splitlines() if line.startswith(_REFUSED)]
        if refused:
            return "; ".join([refused[0].rpartition("\t")[2].strip(), *_told(process.words)])
        if code and late.is_set():
            raise GitError(f"git push to {url} took more than {seconds * _TIMES:g} s.")
        if code:
            raise GitError("; ".join([f"git push to {url} failed", *_told(process.words)]) + ".")
        return ""


def _told(words: bytes) -> list[str]:
    """What a remote and its hooks tell people, such as why a branch is protected: one line, or nothing."""
    lines = (line for line in words.decode("utf-8", "replace").splitlines() if line.startswith(_TELLS))
    told = one_line(" ".join(part for line in lines if (part := line.partition(":")[2].strip())))[:_MOST_WORDS]
    return [told] if told else []


def _settings(url: str, seconds: float) -> list[str]:
    scheme = urlsplit(url).scheme or "file"
    settings = [f"protocol.{scheme}.allow=always", "http.followRedirects=false", "http.sslVerify=true",
                "http.lowSpeedLimit=1", f"http.lowSpeedTime={max(1, round(seconds))}", "credential.helper=",
                "push.gpgSign=false", "push.followTags=false", "push.recurseSubmodules=no", "gc.auto=0"]  # fmt: skip
    # The longest match wins: no other address is put in place of this one.
    return settings + [f"url.{url}.{name}={url}" for name in ("insteadOf", "pushInsteadOf")]


def _variables(url: str, authorization: str, ambient: Mapping[str, str]) -> dict[str, str]:
    """Nobody is asked for a password, nothing is traced, and the header is the last of the settings."""
    variables = {"GIT_ASKPASS": "", "GIT_TRACE2": "0", "GIT_TRACE2_EVENT": "0", "GIT_TRACE2_PERF": "0"}
    if authorization:
        number = ambient.get("GIT_CONFIG_COUNT", "")
        at = int(number) if number.isdigit() else 0
        variables |= {
            "GIT_CONFIG_COUNT": str(at + 1),
            f"GIT_CONFIG_KEY_{at}": f"http.{url}.extraHeader",
            f"GIT_CONFIG_VALUE_{at}": f"Authorization: {authorization}",
        }
    return variables
