"""What the fake forges share: a server on loopback over a real bare repository, git's own HTTP backend, and faults."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "ghp_marker0f9K2mQ7xW4zR8tB1vN6pL3jH5gD0s"
"""The only token that the fakes take; tests look for it where it must not be."""
_GIT = shutil.which("git") or "git"
_CLOCK = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER")
          for key, value in (("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", "2020-01-01T00:00:00Z"))}  # fmt: skip


class Refusal(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, message: str, errors: list[Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.data: dict[str, Any] = {"message": message, **({"errors": errors} if errors else {})}


@dataclass
class Fault:
    """What goes wrong at one request.

    Attributes:
        where: Pattern searched in ``METHOD /path``; requests of git have ``GIT`` as their method.
        after: Whether the request is carried out first.
        status: Of the answer; None drops the connection.
        headers: Of that answer.
        message: Of that answer.
        skip: How many matching requests go well first.
        times: How many go wrong.
        delay: Seconds before all this.
        twice: The request is carried out twice, as by a proxy that repeats it; the second answer is given.
        call: Called when it hits.
    """

    where: str = ""
    after: bool = False
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "It is broken."
    skip: int = 0
    times: int = 1
    delay: float = 0.0
    twice: bool = False
    call: Callable[[], None] | None = None

    def hits(self, what: str) -> bool:
        if not self.times or not re.search(self.where, what):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True


@dataclass
class Asked:
    """One request as it came."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any = None

    @property
    def what(self) -> str:
        return f"{self.method} {self.path}"


class FakeForge:
    """Base of the fakes: ``api`` and ``root`` are their addresses, ``requests`` what was asked, in order."""

    api_path = ""

    def __init__(self, folder: Path, project: str, *, token: str = TOKEN, public: bool = True) -> None:
        self.project = project
        self.token = token
        self.public = public
        self.git_dir = folder / f"{project}.git"
        self.folder = folder
        self.faults: list[Fault] = []
        self.requests: list[Asked] = []
        self.lock = threading.RLock()
        self.git_dir.mkdir(parents=True)
        self.git("init", "-q", "--bare", "-b", "main", ".")
        self.git("config", "http.receivepack", "true")
        forge = self

        class Handler(_Handler):
            fake = forge

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.root = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.api = self.root + self.api_path
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def fail(self, where: str = "", **fault: Any) -> Fault:
        """Script a fault."""
        self.faults.append(Fault(where, **fault))
        return self.faults[-1]

    def asked(self, pattern: str) -> list[Asked]:
        """The requests that match ``METHOD /path``."""
        return [each for each in self.requests if re.search(pattern, each.what)]

    def git(self, *arguments: str, data: bytes | None = None, index: Path | None = None) -> str:
        """Run git in the bare repository; what it says."""
        variables = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        variables |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **_CLOCK}
        if index is not None:
            variables["GIT_INDEX_FILE"] = str(index)
        done = subprocess.run(
            [_GIT, *arguments], cwd=self.git_dir, env=variables, input=data, capture_output=True, check=False
        )
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, arguments, done.stdout, done.stderr)
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def branches(self) -> dict[str, str]:
        """Every branch and its head."""
        lines = self.git("for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads").splitlines()
        return dict(line.split(" ") for line in lines)

    def head(self, branch: str) -> str | None:
        return self.branches().get(branch)

    def commit(self, files: Mapping[str, str | bytes], *, branch: str = "main", message: str = "one more\n") -> str:
        """Commit files to a branch as somebody else would; the commit's id."""
        parent = self.head(branch)
        changes = [("100644", path, self.blob(data.encode() if isinstance(data, str) else data))
                   for path, data in files.items()]  # fmt: skip
        tree = self.build(parent or "", changes)
        made = self.git("commit-tree", tree, *(["-p", parent] if parent else []), "-F", "-", data=message.encode())
        self.git("update-ref", f"refs/heads/{branch}", made)
        return made

    def blob(self, data: bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", data=data)

    def build(self, base: str, changes: list[tuple[str, str, str]]) -> str:
        """A tree: that of ``base`` with changes (mode, path, id); no id removes."""
        index = self.folder / f"index-{threading.get_ident()}"
        with contextlib.suppress(FileNotFoundError):
            index.unlink()
        if base:
            self.git("read-tree", base, index=index)
        lines = b"".join(
            f"{mode} {sha}\t{path}\0".encode() if sha else f"0 {'0' * 40}\t{path}\0".encode()
            for mode, path, sha in changes
        )
        self.git("update-index", "-z", "--index-info", data=lines, index=index)
        return self.git("write-tree", index=index)

    def raw_commit(self, tree: str, parents: list[str], author: str, committer: str, message: str) -> str:
        """A commit object of exactly these parts."""
        lines = [f"tree {tree}", *(f"parent {each}" for each in parents), f"author {author}", f"committer {committer}"]
        data = ("\n".join(lines) + "\n\n" + message).encode()
        return self.git("hash-object", "-t", "commit", "-w", "--stdin", data=data)

    def kind(self, sha: str) -> str:
        """The kind of an object, or nothing."""
        try:
            return self.git("cat-file", "-t", sha)
        except subprocess.CalledProcessError:
            return ""

    def authorised(self, asked: Asked) -> bool:
        """Whether the token came; a wrong one is refused."""
        header = asked.headers.get("authorization", "")
        if not header:
            return False
        scheme, _, value = header.partition(" ")
        if scheme.lower() == "basic":
            value = base64.b64decode(value).decode().rpartition(":")[2]
        if value != self.token:
            raise Refusal(401, "Bad credentials")
        return True

    def answer(self, asked: Asked) -> tuple[int, dict[str, str], Any]:
        """Status, headers and JSON; ``Refusal`` for what is none."""
        raise NotImplementedError


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FakeForge

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        pass

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        raw = self._body()
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        is_git = ".git/" in parts.path
        asked = Asked("GIT" if is_git else self.command, parts.path.removeprefix(self.fake.api_path), query, headers)
        asked.headers["query"] = parts.query
        if not is_git and raw:
            asked.body = json.loads(raw)
        with self.fake.lock:
            self.fake.requests.append(asked)
            fault = next((each for each in self.fake.faults if each.hits(asked.what)), None)
        if fault is not None:
            time.sleep(fault.delay)
            if fault.call is not None and not fault.after:
                fault.call()
            if fault.twice or fault.after:
                done = self._carry_out(asked, raw, is_git)
                if fault.call is not None and fault.after:
                    fault.call()
            if not fault.twice:
                if fault.status is None:
                    self._drop()
                else:
                    self._send(fault.status, dict(fault.headers), json.dumps({"message": fault.message}).encode())
                return
        done = self._carry_out(asked, raw, is_git)
        self._send(*done)

    def _carry_out(self, asked: Asked, raw: bytes, is_git: bool) -> tuple[int, dict[str, str], bytes]:
        try:
            if is_git:
                return self._git(asked, raw)
            with self.fake.lock:
                status, headers, data = self.fake.answer(asked)
        except Refusal as refusal:
            status, headers, data = refusal.status, {}, refusal.data
        return status, headers, b"" if status == 204 else json.dumps(data).encode()

    def _git(self, asked: Asked, raw: bytes) -> tuple[int, dict[str, str], bytes]:
        if not self.fake.authorised(asked):
            return 401, {"WWW-Authenticate": 'Basic realm="fake"'}, b""
        variables = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(self.fake.folder), "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
            "PATH_INFO": asked.path, "QUERY_STRING": asked.headers["query"], "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": asked.headers.get("content-type", ""), "CONTENT_LENGTH": str(len(raw)),
            "HTTP_CONTENT_ENCODING": asked.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": asked.headers.get("git-protocol", ""), "REMOTE_USER": "x", "REMOTE_ADDR": "127.0.0.1",
        }  # fmt: skip
        done = subprocess.run([_GIT, "http-backend"], input=raw, env=variables, capture_output=True, check=False)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        return int(headers.pop("Status", "200").split()[0]), headers, body

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            parts = []
            while size := int(self.rfile.readline().strip() or b"0", 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        with contextlib.suppress(OSError):
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

    def _drop(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
