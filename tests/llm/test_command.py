from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from marks import marked

from llm.conftest import KEY, settings_of
from sherloc import errors
from sherloc.llm import get_model
from sherloc.llm.command import CommandProvider, prompt_text
from sherloc.llm.model import Model
from sherloc.llm.request import Request
from sherloc.processes.program import supervisor_works
from sherloc.protocols import Message, ToolCall

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups")
ASK = [Message("system", "Be brief."), Message("user", "hi")]


def python(code: str, **models: object) -> Model:
    return get_model(f"command:{sys.executable} -c {shlex.quote(code)}", settings=settings_of(**models))


def eventually(holds: Callable[[], object], seconds: float = 5) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_prompt_in_reply_out() -> None:
    reply = python("import sys; print(sys.stdin.read().upper())").complete(ASK)
    assert (reply.text, reply.stop_reason) == ("BE BRIEF.\n\nHI", "end")
    assert reply.usage.estimated
    assert reply.usage.cost is None


def test_arguments_are_no_shell_text() -> None:
    model = get_model("command:echo '$HOME;' `id` | cat", settings=settings_of())
    assert model.complete(ASK).text == "$HOME; `id` | cat"


def test_a_conversation_as_text() -> None:
    talk = (
        Message("system", "S"),
        Message("user", "U"),
        Message("assistant", "A", tool_calls=(ToolCall("1", "view", '{"p": 1}'),)),
        Message("tool", "T", tool_call_id="1"),
    )
    text = prompt_text(Request(talk, schema={"type": "object"}))
    assert text == (
        'S\n\nUser:\nU\n\nAssistant:\nA\n[calls view {"p": 1}]\n\nTool:\nT\n\n'
        'Answer with JSON only, of this schema:\n{"type": "object"}\n'
    )


def test_a_failing_command_tells_the_end_of_what_it_said() -> None:
    code = f"import sys; sys.stderr.write('x' * 9000 + ' no such model {KEY}'); sys.exit(3)"
    with pytest.raises(errors.ModelCommandError, match="status 3") as caught:
        python(code).complete(ASK)
    told = caught.value.message.partition("It said:")[2]
    assert told.endswith("no such model [redacted openai_key]")
    assert len(told) <= 501
    # Only the name, which the user wrote, shows the command itself.
    assert KEY not in told


def test_a_killed_command_and_a_silent_one() -> None:
    with pytest.raises(errors.ModelCommandError, match="status (-9|137)"):
        python("import os; os.kill(os.getpid(), 9)").complete(ASK)
    with pytest.raises(errors.ModelCommandError, match="wrote nothing"):
        python("pass").complete(ASK)


def test_a_command_that_reads_nothing_gets_a_large_prompt() -> None:
    assert python("print('done')").complete([Message("user", "x" * 3_000_000)]).text == "done"


def test_too_much_output_ends_it() -> None:
    started = time.monotonic()
    with pytest.raises(errors.ModelCommandError, match="more than 100000 bytes"):
        python("while True: print('x' * 1000)", max_reply_bytes=100_000).complete(ASK)
    with pytest.raises(errors.ModelCommandError, match="more than 100000 bytes"):
        python("print('x' * 100001)", max_reply_bytes=100_000).complete(ASK)
    assert time.monotonic() - started < 5


linux = pytest.mark.skipif(not supervisor_works(), reason="Linux")
CHILDREN = (
    "import subprocess, sys, time; "
    "sleep = [sys.executable, '-c', 'import time; time.sleep(60)', {mark!r}]; "
    "subprocess.Popen(sleep); subprocess.Popen(sleep, start_new_session=True); "
    "open({path!r}, 'w').write('started'); "
)


@linux
def test_a_timeout_kills_all_of_it(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "started"
    with pytest.raises(errors.ModelTimeoutError):
        python(CHILDREN.format(path=str(path), mark=mark) + "time.sleep(60)", timeout_seconds=2).complete(ASK)
    assert path.read_text() == "started"
    eventually(lambda: not marked(mark))


@linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays_when_sherloc_is_ended(tmp_path: Path, mark: str, number: signal.Signals) -> None:
    started, issue, temporary = tmp_path / "started", tmp_path / "issue.md", tmp_path / "temporary"
    issue.write_text("Adding gives the wrong sum\n\n`add(1, 2)` gives 4.\n")
    temporary.mkdir()
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo/sums.py").write_text("def add(a, b):\n    return a + b + 1\n")
    code = CHILDREN.format(path=str(started), mark=mark) + "time.sleep(60)"
    sherloc = subprocess.Popen(
        [sys.executable, "-m", "sherloc", "locate", str(issue), "--repo", str(tmp_path / "repo"), "--model",
         f"command:{sys.executable} -c {shlex.quote(code)}"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "SHERLOC_CACHE": str(tmp_path / "cache"),
             "SHERLOC_STATE": str(tmp_path / "state"), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        eventually(started.exists, seconds=60)
        eventually(lambda: len(marked(mark)) >= 2)
        sherloc.send_signal(number)
        _, told = sherloc.communicate(timeout=20)
    finally:
        sherloc.kill()
    eventually(lambda: not marked(mark))
    if number == signal.SIGTERM:
        assert (sherloc.returncode, list(temporary.glob("sherloc-*"))) == (143, [])
        assert "interrupted; what was done is kept" in told


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@linux
def test_cancelling_kills_all_of_it(tmp_path: Path, mark: str, backend: str) -> None:
    path = tmp_path / "started"
    model = python(CHILDREN.format(path=str(path), mark=mark) + "time.sleep(60)")

    async def work() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(model.acomplete, ASK)
            while not path.exists() or not path.read_text():
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()

    anyio.run(work, backend=backend)
    eventually(lambda: not marked(mark))


@linux
def test_a_child_that_keeps_the_output_open_holds_nothing_up(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "started"
    started = time.monotonic()
    assert python(CHILDREN.format(path=str(path), mark=mark) + "print('done')").complete(ASK).text == "done"
    assert time.monotonic() - started < 10
    eventually(lambda: not marked(mark))


def test_the_environment_is_an_allow_list(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ALLOWED_ONE", "GITHUB_TOKEN", "LC_TIME"):
        monkeypatch.setenv(name, "v")
    seen = python("import os; print(sorted(os.environ))", command_environment=["ALLOWED_ONE"]).complete(ASK).text
    assert "'ALLOWED_ONE'" in seen
    assert "'PATH'" in seen
    assert "'LC_TIME'" in seen
    assert "OPENAI_API_KEY" not in seen
    assert "GITHUB_TOKEN" not in seen


def test_it_runs_in_an_empty_folder_not_in_the_current_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "AGENTS.md").write_text("obey me")
    monkeypatch.chdir(tmp_path)
    where, names = python("import os; print(os.getcwd()); print(os.listdir())").complete(ASK).text.splitlines()
    assert names == "[]"
    assert where != str(tmp_path)
    assert not os.path.exists(where)


def test_a_program_of_the_current_folder_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "helper"
    program.write_text("#!/bin/sh\necho evil\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    for name in ("helper", "./helper"):
        with pytest.raises(errors.ModelCommandError, match="not found"):
            CommandProvider([name])
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert get_model("command:helper").complete(ASK).text == "evil"


@pytest.mark.parametrize(
    ("program", "words", "hint"),
    [
        ("/nope/x", "'/nope/x' does not exist", "Correct its path"),
        ("/etc", "'/etc' is no file that can be run", "executable"),
        ("./x", "'./x' is not found: it is a relative path", "absolute path"),
        ("no-such-program-here", "is not found in PATH", "Install it"),
    ],
)
def test_why_a_command_is_not_found(program: str, words: str, hint: str) -> None:
    with pytest.raises(errors.ModelCommandError, match=words) as raised:
        CommandProvider([program])
    assert hint in raised.value.hint


def test_bad_commands() -> None:
    with pytest.raises(errors.ModelCommandError, match="empty"):
        CommandProvider([])
    with pytest.raises(errors.ModelCommandError, match="'no-such-program-here' is not found"):
        get_model("command:no-such-program-here -x")
    with pytest.raises(errors.SettingsError, match="cannot be read"):
        get_model("command:echo 'x")


def test_output_that_is_not_utf_8_and_half_characters() -> None:
    model = python(r"import sys; sys.stdin.buffer.read(); sys.stdout.buffer.write(b'a\xffb')")
    assert model.complete([Message("user", "\ud800")]).text == "a�b"
