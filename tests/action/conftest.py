"""A server on this machine that speaks the part of GitHub's API that the action uses, with faults on demand."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


class GitHub:
    """Comments of one repository's issues.

    Attributes:
        comments: By issue, oldest first.
        asked: Method and path of every request.
        faults: What the next requests get instead of an answer: (status, headers, applied first or not).
    """

    def __init__(self) -> None:
        self.comments: dict[int, list[dict[str, Any]]] = {}
        self.asked: list[str] = []
        self.faults: list[tuple[int, dict[str, str], bool]] = []
        self.next_id = 1
        self.token = "secret-token"
        self.address = ""

    def add(self, issue: int, body: str, login: str) -> dict[str, Any]:
        comment = {"id": self.next_id, "body": body, "user": {"login": login}}
        self.next_id += 1
        self.comments.setdefault(issue, []).append(comment)
        return comment

    def answer(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """The state changed, and what is said."""
        found = re.fullmatch(r"/repos/o/r/issues/(\d+)/comments(?:\?per_page=(\d+)&page=(\d+))?", path)
        if found and method == "GET":
            size, page = int(found[2]), int(found[3])
            return 200, self.comments.get(int(found[1]), [])[(page - 1) * size : page * size]
        if found and method == "POST":
            if len(body["body"]) > 65_536:
                return 422, {"message": "body is too long"}
            return 201, self.add(int(found[1]), body["body"], "github-actions[bot]")
        edited = re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", path)
        if edited and method == "PATCH":
            for comment in (each for comments in self.comments.values() for each in comments):
                if comment["id"] == int(edited[1]):
                    comment["body"] = body["body"]
                    return 200, comment
        return 404, {"message": "Not Found"}


def handler_for(github: GitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            github.asked.append(f"{self.command} {self.path}")
            if self.headers.get("authorization") != f"Bearer {github.token}":
                return self._say(401, {}, {"message": "Bad credentials"})
            if github.faults:
                status, headers, applied = github.faults.pop(0)
                if applied:
                    github.answer(self.command, self.path, body)
                return self._say(status, headers, {"message": "fault"})
            status, value = github.answer(self.command, self.path, body)
            return self._say(status, {}, value)

        do_GET = do_POST = do_PATCH = _serve  # noqa: N815

        def _say(self, status: int, headers: dict[str, str], value: Any) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            for name, text in headers.items():
                self.send_header(name, text)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler


@pytest.fixture
def github() -> Iterator[GitHub]:
    state = GitHub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(state))
    state.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield state
    server.shutdown()
    thread.join()
    server.server_close()
