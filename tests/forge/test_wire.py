"""Answers of a forge: limits, faults, redirects, shapes; and the token, which is nowhere but in one header."""

from __future__ import annotations

import base64
import contextlib
import copy
import gzip
import json
import logging
import os
import pickle
import shutil
import socket
import sys
import time as clock
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from forge.conftest import Time, Work
from forge.fake_server import TOKEN
from forge.fakehub import FakeHub
from forge.test_publishing import run
from sherloc.errors import (
    ForgeAuthError,
    ForgeConnectionError,
    ForgeError,
    ForgeNotFoundError,
    ForgeRateLimitError,
    ForgeRefusedError,
    GitError,
    MissingExtraError,
    SettingsError,
    UsageError,
)
from sherloc.forge import open_forge, parse_reference
from sherloc.forge.refusals import RULES, refusal
from sherloc.forge.token import find_token
from sherloc.settings_repair import ForgeSettings

Make = Callable[..., Work]


def opened(hub: FakeHub, time: Time, **changes: Any) -> Any:
    return open_forge("octo/shop", hub.settings(**changes), hub.environ, clock=time.clock, sleep=time.sleep)


ANSWERS: list[tuple[int, dict[str, str], Any, type[ForgeError], str]] = [
    (401, {}, {"message": "Bad credentials"}, ForgeAuthError, "set a new one in GITHUB_TOKEN"),
    (403, {}, {"message": "Resource not accessible by integration"}, ForgeAuthError, "lacks a right"),
    (403, {}, {"message": "Resource protected by organization SAML enforcement."}, ForgeAuthError, "single sign-on"),
    (403, {}, {"message": "Repository was archived so is read-only."}, ForgeRefusedError, "archived"),
    (403, {}, {"message": "Repository rule violations found"}, ForgeRefusedError, "allow the prefix"),
    (404, {}, {"message": "Not Found"}, ForgeNotFoundError, "may not see it"),
    (410, {}, {"message": "This issue was deleted"}, ForgeNotFoundError, "may not see it"),
    (404, {}, {"message": "refusing to allow ... `workflow` scope"}, ForgeAuthError, "workflow files"),
    (409, {}, {"message": "Git Repository is empty."}, ForgeRefusedError, "no commit yet"),
    (422, {}, {"message": "Reference already exists"}, ForgeRefusedError, "not overwritten"),
    (422, {}, {"message": "Update is not a fast forward"}, ForgeRefusedError, "not overwritten"),
    (422, {}, {"message": "Draft pull requests are not supported in this repository."}, ForgeRefusedError,
     "allow_no_draft"),
    (422, {}, {"message": "Validation Failed", "errors": [{"message": "A pull request already exists for o:b."}]},
     ForgeRefusedError, "left as it is"),
    (422, {}, {"message": "Validation Failed", "errors": [{"message": "No commits between main and b"}]},
     ForgeRefusedError, "merged already"),
    (422, {}, {"message": "tree.path contains a malformed path component"}, ForgeRefusedError, "by git instead"),
    (413, {}, None, ForgeRefusedError, "too large"),
    (301, {"location": "https://elsewhere.example"}, None, ForgeRefusedError, "not sent elsewhere"),
    (500, {}, None, ForgeConnectionError, "try again later"),
    (502, {}, None, ForgeConnectionError, "try again later"),
    (599, {}, None, ForgeConnectionError, "try again later"),
    (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1090"}, {"message": "API rate limit exceeded"},
     ForgeRateLimitError, "in 90 s"),
    (403, {"retry-after": "30"}, {"message": "You have exceeded a secondary rate limit."}, ForgeRateLimitError, "30 s"),
    (403, {}, {"message": "You have exceeded a secondary rate limit."}, ForgeRateLimitError, "in 60 s"),
    (429, {"ratelimit-reset": "1005"}, {"message": {"error": "Too many requests"}}, ForgeRateLimitError, "in 5 s"),
    (409, {}, {"message": ["Another open merge request already exists for this source branch: !1"]},
     ForgeRefusedError, "left as it is"),
    (400, {}, {"message": "A branch called 'b' already exists."}, ForgeRefusedError, "not overwritten"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "headers", "data", "error", "hint"), ANSWERS)
def test_every_answer_has_its_error(
    status: int, headers: dict[str, str], data: Any, error: type[ForgeError], hint: str
) -> None:
    made = refusal(status, headers, data, "POST /x", variables=("GITHUB_TOKEN",), now=1000.0)
    assert type(made) is error
    assert hint in made.hint
    assert f"POST /x: {status}" in made.message


def test_every_rule_is_met_by_an_answer() -> None:
    hints = {refusal(*each[:3], "x", variables=("V",), now=1000.0).hint for each in ANSWERS}
    assert {rule.hint.format(variables="V") for rule in RULES} <= hints


@pytest.mark.parametrize(
    "data", [None, [], 7, {"message": {"a": {"b": {"c": "deep"}}}}, {"message": "x\n\u202e" * 999}]
)
def test_words_of_any_shape(data: Any) -> None:
    message = refusal(418, {}, data, "GET /x").message
    assert len(message) < 400
    assert "\n" not in message
    assert "\u202e" not in message


def test_a_limit_is_waited_for_and_no_longer_than_told(hub: FakeHub) -> None:
    number = hub.add_issue("A title")
    time = Time()
    forge = opened(hub, time)
    reset = str(int(time.now) + 50)
    limit = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}
    hub.fail("GET .*/issues/1$", status=403, headers=limit)
    assert forge.read_ticket(number).issue.title == "A title"
    assert time.slept == [50.0]
    hub.fail("GET .*/issues/1$", status=429, headers={"retry-after": "121"})
    with pytest.raises(ForgeRateLimitError) as caught:
        forge.read_ticket(number)
    assert caught.value.retry_after == 121.0
    assert time.slept == [50.0]
    hub.fail("POST", status=403, message="You have exceeded a secondary rate limit.", times=2)
    forge.comment(number, "once")
    assert hub.texts(number) == ["once"]
    assert time.slept == [50.0, 60.0, 60.0]
    forge.close()


def test_retries_end(hub: FakeHub) -> None:
    time = Time()
    forge = opened(hub, time, retries=3)
    hub.fail(times=99)
    with pytest.raises(ForgeConnectionError, match="no answer from 127.0.0.1"):
        forge.default_branch()
    assert time.slept == [1.0, 2.0, 4.0]
    assert len(hub.requests) == 4
    forge.close()


def test_no_server_and_a_slow_one(hub: FakeHub) -> None:
    forge = open_forge("octo/shop", ForgeSettings(base_url="http://127.0.0.1:9/api/v3", retries=0), hub.environ)
    with pytest.raises(ForgeConnectionError):
        forge.default_branch()
    forge.close()
    forge = opened(hub, Time(), seconds=0.05, retries=0)
    hub.fail(delay=0.3)
    with pytest.raises(ForgeConnectionError):
        forge.default_branch()
    forge.close()


class Odd(BaseHTTPRequestHandler):
    """Answers with what its class says, and keeps the headers that it got."""

    status = 200
    body = b"{}"
    extra: dict[str, str] = {}
    seen: list[dict[str, str]] = []

    def do_GET(self) -> None:
        type(self).seen.append(dict(self.headers))
        self.send_response(self.status)
        for name, value in {"Content-Length": str(len(self.body)), **self.extra}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def odd() -> Iterator[Callable[..., tuple[str, type[Odd]]]]:
    servers = []

    def make(**changes: Any) -> tuple[str, type[Odd]]:
        handler = type("Handler", (Odd,), {"seen": [], **changes})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        servers.append(server)
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}", handler

    yield make
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b"null", b'{"default_branch": 7}', b"[" * 100_000, b'{"default_branch": "\xff"}', b"{"],
)
def test_an_answer_of_another_shape(odd: Any, body: bytes) -> None:
    url, _ = odd(body=body)
    forge = open_forge("o/r", ForgeSettings(base_url=url), {})
    with pytest.raises(ForgeRefusedError, match="the forge's answer is n"):
        forge.default_branch()
    forge.close()


def test_an_answer_that_never_ends_is_given_up(odd: Any) -> None:
    url, _ = odd(body=b" " * (33 << 20))
    forge = open_forge("o/r", ForgeSettings(base_url=url), {})
    with pytest.raises(ForgeRefusedError, match="larger than 32 MB"):
        forge.default_branch()
    forge.close()


@pytest.mark.parametrize("coding", ["gzip", "gzip, gzip", "br", "deflate"])
def test_a_packed_answer_is_not_unpacked(odd: Any, coding: str) -> None:
    url, handler = odd(body=gzip.compress(gzip.compress(b" " * (40 << 20))), extra={"Content-Encoding": coding})
    forge = open_forge("o/r", ForgeSettings(base_url=url), {})
    with pytest.raises(ForgeRefusedError, match="packed"):
        forge.default_branch()
    assert handler.seen[0]["Accept-Encoding"] == "identity"
    forge.close()


HEAD = b"HTTP/1.1 200 OK\r\nX-A: "


@pytest.mark.parametrize(
    "start", [b"", HEAD, b"HTTP/1.0 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"]
)
def test_an_answer_that_trickles_is_given_up_wherever_it_does(start: bytes) -> None:
    stop = Event()

    def serve(server: socket.socket) -> None:
        with server.accept()[0] as connection, contextlib.suppress(OSError):
            connection.sendall(start or b"H")
            while not stop.wait(0.05):
                connection.sendall(b" ")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = Thread(target=serve, args=(server,), daemon=True)
        thread.start()
        settings = ForgeSettings(base_url=f"http://127.0.0.1:{server.getsockname()[1]}", seconds=0.4, retries=0)
        forge = open_forge("o/r", settings, {})
        begin = clock.monotonic()
        with pytest.raises(ForgeConnectionError, match=r"took more than 0\.4 s"):
            forge.default_branch()
        assert clock.monotonic() - begin < 3
        forge.close()
        stop.set()
        thread.join()


@pytest.mark.parametrize(
    "place", ["http://[::1", "//[", "http://a:b/", "http://\x7f/", "http://%00/", "\xff", "x" * 60_000]
)
@pytest.mark.parametrize("status", [302, 307])
def test_a_redirect_to_no_address(odd: Any, status: int, place: str) -> None:
    url, _ = odd(status=status, extra={"Location": place})
    forge = open_forge("o/r", ForgeSettings(base_url=url, retries=0), {})
    with pytest.raises(ForgeError):
        forge.default_branch()
    forge.close()


def spellings(token: str) -> list[str]:
    pairs = [base64.b64encode(f"{user}:{token}".encode()).decode() for user in ("x-access-token", "oauth2", "u")]
    escaped = "".join(f"\\u{ord(each):04x}" for each in token)
    return [f"Bearer {token}", *(f"Basic {pair}" for pair in pairs), escaped, base64.b64encode(token.encode()).decode()]


@pytest.mark.parametrize("form", spellings(TOKEN))
def test_the_forge_cannot_say_the_token(odd: Any, form: str) -> None:
    secret = {TOKEN[5:35], *(base64.b64encode(b"0" * at + TOKEN.encode()).decode()[8:40] for at in range(3))}
    for status in (401, 403, 404, 422, 500):
        url, _ = odd(status=status, body=b'{"message": "bad credentials ' + form.encode() + b'"}')
        forge = open_forge("o/r", ForgeSettings(base_url=url, retries=0), {"GITHUB_TOKEN": TOKEN})
        with pytest.raises(ForgeError, match=r"bad credentials .*\*\*\*") as caught:
            forge.default_branch()
        assert not [each for each in secret if each in "".join(traceback.format_exception(caught.value))]
        forge.close()
    issue = (
        b'{"number": 1, "title": "T '
        + form.encode()
        + b'", "body": "B '
        + form.encode()
        + b'", "default_branch": "'
        + form.encode()
        + b'"}'
    )
    url, _ = odd(body=issue)
    forge = open_forge("o/r", ForgeSettings(base_url=url, retries=0), {"GITHUB_TOKEN": TOKEN})
    assert not [each for each in secret if each in forge.default_branch()]
    forge.close()


@pytest.mark.parametrize("form", spellings(TOKEN))
def test_git_cannot_say_the_token(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    form = json.loads(f'"{form}"')

    def refused(*_: object, **__: object) -> str:
        return f"declined, {form}"

    def failed(*_: object, **__: object) -> str:
        raise GitError(f"bad object, remote: {form}", hint=form)

    forge = open_forge("o/r", ForgeSettings(retries=0), {"GITHUB_TOKEN": TOKEN})
    for push, kind in ((refused, ForgeRefusedError), (failed, GitError)):
        monkeypatch.setattr("sherloc.forge.pushes.push_branch", push)
        monkeypatch.setattr(type(forge), "branch_head", lambda *_: None)
        with pytest.raises(kind, match=r"\*\*\*") as caught:
            forge.push("/nowhere", "a" * 40, "b")
        assert form not in str(caught.value)
    forge.close()


def test_short_values_are_not_looked_for() -> None:
    assert find_token("github", {"GITHUB_TOKEN": "abc"}).masked("abc abcdef") == "abc abcdef"
    assert find_token("github", {}).masked("x") == "x"


@pytest.mark.parametrize(("kind", "names"), [("github", "SHERLOC_FORGE_TOKEN or GH_TOKEN or GITHUB_TOKEN"),
                                             ("gitlab", "SHERLOC_FORGE_TOKEN or GITLAB_TOKEN")])  # fmt: skip
def test_without_a_token_it_is_known_before_anything_is_paid_for(kind: Any, names: str) -> None:
    forge = open_forge("o/r", ForgeSettings(kind=kind), {})
    with pytest.raises(ForgeAuthError, match="Publishing to o/r needs a token") as caught:
        forge.ready()
    assert caught.value.hint == f"Set one in {names}."
    forge.close()
    forge = open_forge("o/r", ForgeSettings(kind=kind), {"SHERLOC_FORGE_TOKEN": TOKEN})
    forge.ready()
    forge.close()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_the_token_goes_to_no_other_host(odd: Any, status: int) -> None:
    stranger, handler = odd(body=b'{"default_branch": "main"}')
    home, _ = odd(status=status, extra={"Location": f"{stranger}/repos/o/r"})
    forge = open_forge("o/r", ForgeSettings(base_url=home), {"GITHUB_TOKEN": TOKEN})
    with pytest.raises(ForgeRefusedError, match=str(status)):
        forge.default_branch()
    assert handler.seen == []
    forge.close()


def test_a_project_that_moved_is_followed_on_its_own_host(hub: FakeHub) -> None:
    forge = opened(hub, Time())
    hub.fail("GET", status=301, headers={"Location": "/api/v3/repos/octo/shop"})
    assert forge.default_branch() == "main"
    forge.close()


def everything_under(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_the_token_is_nowhere(
    hub: FakeHub, make_work: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("GIT_TRACE", "1")
    monkeypatch.setenv("GIT_TRACE_CURL", "1")
    monkeypatch.setenv("GIT_TRACE2", "1")
    trace = tmp_path / "gitconfig"
    trace.write_text(f"[trace2]\n eventTarget = {tmp_path}/trace\n configParams = *\n[http]\n extraHeader = X-Own: 1\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(trace))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "a.b")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "c")
    folder = tmp_path / "bin"
    folder.mkdir()
    arguments = tmp_path / "arguments"
    (folder / "git").write_text(f'#!/bin/sh\necho "$@" >> {arguments}\nexec {shutil.which("git")} "$@"\n')
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    work = make_work(hub)
    made = run(hub, work)
    texts = [repr(made)]
    for where, status in (("^GET", 401), ("^POST .*pulls", 422), ("^GIT", 403), ("^GIT", None), ("^POST", None)):
        hub.fail(where, status=status, times=99)
        with pytest.raises(ForgeError) as caught:
            run(hub, work, branch=f"other-{where[1:4]}-{status}", retries=0)
        hub.faults.clear()
        texts += [str(caught.value), repr(caught.value), *traceback.format_exception(caught.value)]
    forge = opened(hub, Time())
    texts += [repr(forge), repr(vars(forge)), repr(vars(forge._wire)), repr(forge._wire.token), str(forge._wire.token)]
    for store in (pickle.dumps, copy.deepcopy, json.dumps):
        with pytest.raises(TypeError):
            store(forge._wire.token)
    forge.close()
    out = capfd.readouterr()
    texts += [caplog.text, out.out, out.err, arguments.read_text(), " ".join(sys.argv)]
    kept = everything_under(work.root) + everything_under(tmp_path / "forge") + everything_under(tmp_path / "bin")
    secret = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
    assert arguments.read_text().count(" push ") >= 3
    for mark in (TOKEN, secret, secret[20:40]):
        assert not [each for each in texts if mark in each]
        assert mark.encode() not in kept
        assert not (tmp_path / "trace").exists() or mark not in (tmp_path / "trace").read_text()
    assert {each.headers.get("x-own") for each in hub.asked("^GIT")} == {"1"}


def test_where_the_token_comes_from() -> None:
    assert find_token("github", {"GITHUB_TOKEN": "a", "GH_TOKEN": "b"}).reveal() == "b"
    assert find_token("github", {"GITHUB_TOKEN": " a\n", "GITLAB_TOKEN": "c"}).reveal() == "a"
    assert find_token("gitlab", {"SHERLOC_FORGE_TOKEN": "d", "GITLAB_TOKEN": "c"}).reveal() == "d"
    assert not find_token("gitlab", {"GITHUB_TOKEN": "a"})
    for bad in ("a b", "a\r\nX-Evil: 1", "\u00e9"):
        with pytest.raises(ForgeAuthError, match="GITHUB_TOKEN holds is no token") as caught:
            find_token("github", {"GITHUB_TOKEN": bad})
        assert bad not in str(caught.value)


def test_without_a_token_one_can_read(hub: FakeHub, make_work: Make) -> None:
    number = hub.add_issue("A title")
    forge = open_forge("octo/shop", hub.settings(), {})
    assert forge.read_ticket(number).issue.title == "A title"
    assert all("authorization" not in each.headers for each in hub.requests)
    work = make_work(hub)
    for act in (lambda: forge.comment(number, "x"), lambda: forge.push(str(work.root), work.head, "b"),
                lambda: forge.replay(work.commits, work.base, "b")):  # fmt: skip
        with pytest.raises(ForgeAuthError) as caught:
            act()
        assert "SHERLOC_FORGE_TOKEN or GH_TOKEN or GITHUB_TOKEN" in caught.value.hint
    forge.close()


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(MissingExtraError, match=r"sherloc\[github\]"):
        open_forge("o/r", ForgeSettings(), {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("octo/shop#12", ("octo/shop", 12, "", None)),
        ("  a/b/c.d#1 ", ("a/b/c.d", 1, "", None)),
        ("#7", ("own/one", 7, "", None)),
        ("https://github.com/octo/shop/issues/12#issuecomment-3", ("octo/shop", 12, "github.com", "github")),
        ("https://GitHub.example.org:8443/o/r/issues/1?x=y", ("o/r", 1, "github.example.org:8443", "github")),
        ("https://gitlab.com/g/s/p/-/issues/5", ("g/s/p", 5, "gitlab.com", "gitlab")),
        ("https://code.example/g/p/-/work_items/5", ("g/p", 5, "code.example", "gitlab")),
        ("https://gitlab.example/g/p/issues/5/", ("g/p", 5, "gitlab.example", "gitlab")),
    ],
)
def test_references(text: str, expected: tuple[Any, ...]) -> None:
    found = parse_reference(text, "own/one")
    assert (found.project, found.number, found.host, found.kind) == expected
    assert str(found) == f"{expected[0]}#{expected[1]}"


@pytest.mark.parametrize(
    "text",
    ["", "12", "#0", "o/r", "o/r#x", "o/r#1234567890123", "../r#1", "o/..#1", "o/r.git#1", "o r/x#1", "a/b#1\nx",
     "é/b#1",
     "https://github.com/o/r/pull/3", "https://github.com/o/r", "ftp://github.com/o/r/issues/1", "https:///o/r/issues/1",
     "https://[bad/o/r/issues/1", "https://github.com/o/../issues/1", "\udce9/x#1"],
)  # fmt: skip
def test_what_names_no_issue(text: str) -> None:
    with pytest.raises(UsageError):
        parse_reference(text, "own/one")
    with pytest.raises(UsageError):
        parse_reference("#1")


def test_which_forge_and_which_host() -> None:
    for project, settings, kind, web in (
        ("o/r", ForgeSettings(), "GitHub", "https://github.com"),
        ("o/r", ForgeSettings(base_url="https://git.example/api/v3/"), "GitHub", "https://git.example"),
        ("g/s/r", ForgeSettings(kind="gitlab"), "GitLab", "https://gitlab.com"),
        ("o/r", ForgeSettings(base_url="https://x.example/api/v4"), "GitLab", "https://x.example"),
        (parse_reference("https://gitlab.com/g/p/-/issues/1"), ForgeSettings(), "GitLab", "https://gitlab.com"),
        (parse_reference("https://github.com/o/r/issues/1"), ForgeSettings(), "GitHub", "https://github.com"),
    ):
        forge = open_forge(project, settings, {})
        assert type(forge).__name__ == kind
        assert forge._web == web
        forge.close()
    with pytest.raises(UsageError, match="on evil.example"):
        open_forge(parse_reference("https://evil.example/o/r/issues/1"), ForgeSettings(), {"GITHUB_TOKEN": TOKEN})
    with pytest.raises(UsageError, match="no project of GitHub"):
        open_forge("a/b/c", ForgeSettings(), {})
    for url in ("http://git.example/api/v3", "https://u:p@git.example", "git.example", "https://[x", "https://a.b?x=1"):
        with pytest.raises(SettingsError) as caught:
            open_forge("o/r", ForgeSettings(base_url=url), {})
        assert "u:p" not in str(caught.value)
