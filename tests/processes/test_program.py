from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from marks import marked

from sherloc.processes import USUAL, Program, allowed_environment, can_deny_network, find_program
from sherloc.processes.program import own_processes, supervisor_works

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups")
linux = pytest.mark.skipif(not supervisor_works(), reason="Linux")
ENVIRONMENT = allowed_environment(USUAL)
LEAVES_GRANDCHILDREN = textwrap.dedent(
    """
    import os, subprocess, sys, time
    sleep = [sys.executable, "-c", "import time; time.sleep(60)", "MARK"]
    plain = subprocess.Popen(sleep)
    alone = subprocess.Popen(sleep, start_new_session=True)
    # A daemon: its parent ends, and it leads a session of its own.
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(write, b"1")
            os.execv(sys.executable, sleep)
        os._exit(0)
    os.wait()
    os.read(read, 1)
    print("started", flush=True)
    """
)


def run(code: str, tmp_path: Path, seconds: float = 20, most: int = 1_000_000, **options: object) -> tuple[object, str]:
    with Program(
        [sys.executable, "-c", code], folder=tmp_path, environment=ENVIRONMENT, **options  # type: ignore[arg-type]
    ) as program:  # fmt: skip
        ended = program.wait(seconds, most)
        return ended, program.output().decode()


@pytest.fixture(params=["own", "shared"])
def processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Programs in a PID namespace of their own, and as where there is none."""
    if request.param == "shared":
        monkeypatch.setattr("sherloc.processes.program.own_processes", lambda **_: False)
    elif not own_processes(deny_network=False):
        pytest.skip("no namespaces here")
    return str(request.param)


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("supervised", [False, True])
def test_input_output_errors_status(tmp_path: Path, supervised: bool) -> None:
    code = "import sys; print(sys.stdin.read()[::-1]); sys.stderr.write('e' * 9); sys.exit(3)"
    with Program(
        [sys.executable, "-c", code], folder=tmp_path, environment=ENVIRONMENT, stdin=b"abc", supervised=supervised
    ) as program:
        ended = program.wait(20, 1000)
        assert (ended.status, ended.cause) == (3, "exit")
        assert (program.output(), program.errors(), program.errors(last=2)) == (b"cba\n", b"e" * 9, b"ee")


@pytest.mark.parametrize("supervised", [False, True])
def test_merged_output_keeps_its_order(tmp_path: Path, supervised: bool) -> None:
    code = "import os\nfor n in range(4): os.write(1 + n % 2, b'%d' % n)"
    assert run(code, tmp_path, merged=True, supervised=supervised)[1] == "0123"


def test_there_is_nothing_to_read(tmp_path: Path) -> None:
    assert run("import sys; print(repr(sys.stdin.read()))", tmp_path, supervised=True)[1] == "''\n"


@pytest.mark.parametrize("supervised", [False, True])
def test_time_and_size_end_it(tmp_path: Path, supervised: bool) -> None:
    ended, _ = run("import time; time.sleep(60)", tmp_path, seconds=0.3, supervised=supervised)
    assert (ended.status, ended.cause, ended.seconds < 5) == (None, "time", True)  # type: ignore[attr-defined]
    ended, output = run("while True: print('x' * 9999)", tmp_path, most=100_000, supervised=supervised)
    assert (ended.status, ended.cause) == (None, "size")  # type: ignore[attr-defined]
    assert len(output) > 100_000


def test_a_signal_is_a_status(tmp_path: Path) -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    assert run(code, tmp_path)[0].status == -9  # type: ignore[attr-defined]
    if supervisor_works():
        assert run(code, tmp_path, supervised=True)[0].status == 137  # type: ignore[attr-defined]


def test_what_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        Program(["/no/such/program"], folder=tmp_path, environment={})
    with pytest.raises(OSError, match="No such file"):
        Program([sys.executable], folder=tmp_path / "none", environment={})


@linux
@pytest.mark.parametrize("program, status", [("/no/such/program", 127), ("/etc/passwd", 126)])
def test_a_supervised_program_that_cannot_be_started(tmp_path: Path, program: str, status: int) -> None:
    with Program([program], folder=tmp_path, environment=ENVIRONMENT, supervised=True) as started:
        assert started.wait(20, 1000).status == status
        assert f"{program} cannot be started" in started.errors().decode()


@linux
def test_nothing_stays_when_it_ends(tmp_path: Path, mark: str, processes: str) -> None:
    ended, output = run(LEAVES_GRANDCHILDREN.replace("MARK", mark), tmp_path, supervised=True)
    assert (ended.status, output) == (0, "started\n")  # type: ignore[attr-defined]
    assert marked(mark) == []


@linux
def test_nothing_stays_when_it_is_stopped(tmp_path: Path, mark: str, processes: str) -> None:
    code = LEAVES_GRANDCHILDREN.replace("MARK", mark) + "time.sleep(60)"
    ended, output = run(code, tmp_path, seconds=1.5, supervised=True)
    assert (ended.cause, output) == ("time", "started\n")  # type: ignore[attr-defined]
    assert marked(mark) == []


AGAINST_ITS_SUPERVISOR = [
    "kill -9 $PPID; exec SLEEP",
    "(setsid SLEEP &); kill -9 $PPID; sleep 0.1",
    "(setsid SLEEP &); (setsid setsid SLEEP &); sleep 0.1; kill -9 $PPID; exit 0",
    "(setsid SLEEP &); kill -STOP $PPID; exit 0",
    "SLEEP & kill -STOP $PPID; exec SLEEP",
    "(while :; do kill -STOP $PPID; done) & exec SLEEP",
]


@linux
@pytest.mark.parametrize("script", AGAINST_ITS_SUPERVISOR)
def test_a_program_that_ends_or_stops_its_supervisor_leaves_nothing(
    tmp_path: Path, mark: str, processes: str, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sherloc.processes.program._KILLING_SECONDS", 1.0)
    sleep = f"{sys.executable} -c 'import time; time.sleep(60)' {mark}"
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    begin = time.monotonic()
    with Program(
        ["/bin/sh", "-c", script.replace("SLEEP", sleep)], folder=tmp_path, environment=ENVIRONMENT, supervised=True
    ) as program:
        program.wait(0.6, 1000)
    assert marked(mark) == []
    assert time.monotonic() - begin < 8
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


READS_ALL = textwrap.dedent(
    """
    import os
    for pid in (name for name in os.listdir("/proc") if name.isdigit()):
        try:
            with open(f"/proc/{pid}/environ") as file:
                if "KEPT=1" in file.read():
                    print("read", pid)
        except OSError:
            pass
    print("done")
    """
)


@linux
@pytest.mark.parametrize("shared", [False, True])
def test_it_reads_no_variable_of_the_process_that_started_it(tmp_path: Path, shared: bool) -> None:
    code = f"""
import ctypes, sys
import sherloc.processes.program
from sherloc.processes import USUAL, Program, allowed_environment, can_deny_network
# Root that may administrate the system reads everything: no CAP_SYS_ADMIN, as in a container.
ctypes.CDLL(None).prctl(24, 21, 0, 0, 0)
if {shared}: sherloc.processes.program.own_processes = lambda **_: False
with Program([sys.executable, "-c", {READS_ALL!r}], folder="/", environment=allowed_environment(USUAL),
             supervised=True, deny_network={not shared} and can_deny_network()) as program:
    program.wait(20, 10000)
    print(program.output().decode(), end="")
with open("/proc/self/environ") as file:  # as before
    assert "KEPT=1" in file.read()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, cwd="/", check=False,
        env={**ENVIRONMENT, "KEPT": "1", "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (b"done\n", b"")


@linux
def test_it_sees_its_own_processes_only(tmp_path: Path) -> None:
    if not own_processes(deny_network=False):
        pytest.skip("no namespaces here")
    code = "import os; print(os.getppid(), len([name for name in os.listdir('/proc') if name.isdigit()]))"
    assert run(code, tmp_path, supervised=True)[1] == "1 2\n"


@linux
def test_a_program_cannot_end_its_supervisor_with_its_own_group(tmp_path: Path) -> None:
    ended, _ = run("import os, signal; os.kill(0, signal.SIGKILL)", tmp_path, supervised=True)
    assert ended.status == 137  # type: ignore[attr-defined]


@linux
@pytest.mark.parametrize("shared", [False, True])
def test_all_ends_when_sherloc_is_killed(tmp_path: Path, mark: str, shared: bool) -> None:
    inner = LEAVES_GRANDCHILDREN.replace("MARK", mark) + "time.sleep(60)"
    code = f"""
import sherloc.processes.program
if {shared}: sherloc.processes.program.own_processes = lambda **_: False
from sherloc.processes import USUAL, Program, allowed_environment
with Program([sys.executable, "-c", {inner!r}], folder=".",
             environment=allowed_environment(USUAL), supervised=True) as program:
    while program.written < 3: pass
    print("ready", flush=True)
    program.wait(60, 1000)
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", "import sys" + code], stdout=subprocess.PIPE, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"ready\n"
    # The daemon says that it is there before it becomes what bears the mark.
    eventually(lambda: len(marked(mark)) == 3)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    eventually(lambda: not marked(mark))


@linux
def test_without_network_only_loopback_is_there(tmp_path: Path) -> None:
    if not can_deny_network():
        pytest.skip("no namespaces here")
    code = """
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname()).close()
print("own", end=" ")
for address in (("127.0.0.1", PORT), ("198.51.100.1", 80)):
    try:
        socket.create_connection(address, 2); print("reached", end=" ")
    except OSError as error:
        print(type(error).__name__, end=" ")
"""
    with socket.create_server(("127.0.0.1", 0)) as outside:
        port = outside.getsockname()[1]
        _, output = run(code.replace("PORT", str(port)), tmp_path, supervised=True, deny_network=True)
        local = code.replace("PORT", str(port)).replace(', ("198.51.100.1", 80)', ",")
        _, open_output = run(local, tmp_path, supervised=True)
    assert output.split()[:2] == ["own", "ConnectionRefusedError"]
    assert output.split()[2] == "OSError"  # the network is unreachable
    assert open_output.split()[:2] == ["own", "reached"]


@linux
def test_without_network_it_is_the_same_user(tmp_path: Path) -> None:
    if not can_deny_network():
        pytest.skip("no namespaces here")
    code = "import os; open('made', 'w').close(); print(os.getuid(), os.getgid())"
    assert run(code, tmp_path, supervised=True, deny_network=True)[1] == f"{os.getuid()} {os.getgid()}\n"
    assert (tmp_path / "made").stat().st_uid == os.getuid()


def test_several_at_once_in_threads(tmp_path: Path) -> None:
    found: list[str] = []

    def work(number: int) -> None:
        found.append(run(f"print({number})", tmp_path, supervised=True)[1])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == ["0\n", "1\n", "2\n", "3\n"]


def test_only_named_variables_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "t")
    monkeypatch.setenv("LC_TIME", "C")
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    with Program(
        [sys.executable, "-c", code], folder=tmp_path, environment=allowed_environment(["PATH"]), supervised=True
    ) as program:
        program.wait(20, 100_000)
        seen = json.loads(program.output())
    assert set(seen) - {"LC_CTYPE", "PWD"} <= {"PATH"} | {name for name in os.environ if name.startswith("LC_")}
    assert "LC_TIME" in seen
    assert allowed_environment(["A", "B"], {"A": "1", "C": "2", "LC_ALL": "x"}) == {"A": "1", "LC_ALL": "x"}


def test_programs_are_found_by_path_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "tool"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([".", str(tmp_path / "none")]))
    assert find_program("tool") is None
    assert find_program("./tool") is None
    assert find_program(str(program)) == str(program)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_program("tool") == str(program)
