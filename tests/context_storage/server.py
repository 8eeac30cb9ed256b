"""A PostgreSQL server for tests: Debian's package, in a folder of its own, on loopback, never as root."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

pwd: Any = pytest.importorskip("pwd", reason="no users here")
DEBIAN = Path("/usr/lib/postgresql")


def programs() -> Path | None:
    """The folder of ``initdb`` and ``postgres``; on Debian they are not on the path."""
    found = shutil.which("initdb")
    folders = sorted(DEBIAN.glob("*/bin"), key=lambda path: int(path.parent.name)) if DEBIAN.is_dir() else []
    return Path(found).parent if found else folders[-1] if folders else None


def user() -> str | None:
    """Who runs the server: this user, or, where this is root, the package's own."""
    if os.geteuid():
        return pwd.getpwuid(os.geteuid()).pw_name
    names = {each.pw_name for each in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), None)


class Server:
    """A running server."""

    def __init__(self, port: int, owner: str) -> None:
        self.port, self.owner, self._numbers = port, owner, count(1)

    def url(self, database: str) -> str:
        return f"postgresql://{self.owner}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """The address of an empty database."""
        import psycopg

        name = f"t{next(self._numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
        return self.url(name)


@contextmanager
def running_server() -> Iterator[Server]:
    """Start a server and stop it again; skips, with the reason, where that is not possible."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")
    bin_folder, owner = programs(), user()
    if bin_folder is None:
        pytest.skip("PostgreSQL's programs are not installed (Debian: apt-get install postgresql)")
    if owner is None:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres or nobody")
    folder = Path(tempfile.mkdtemp(prefix="sherloc-pg-"))
    options = {} if os.geteuid() else {"user": owner, "group": pwd.getpwnam(owner).pw_gid, "extra_groups": ()}
    try:
        shutil.chown(folder, owner)
        data = folder / "data"
        subprocess.run(
            [bin_folder / "initdb", "-D", data, "-U", owner, "-A", "trust", "--no-sync", "-E", "UTF8", "--no-locale"],
            check=True, capture_output=True, cwd=folder, **options,
        )  # fmt: skip
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        settings = f"-h 127.0.0.1 -p {port} -k {folder} -c fsync=off -c max_connections=60"
        control = [bin_folder / "pg_ctl", "-D", data, "-w", "-t", "60"]
        subprocess.run(
            [*control, "-o", settings, "-l", folder / "log", "start"], check=True, stdout=subprocess.DEVNULL,
            cwd=folder, **options,
        )  # fmt: skip
        try:
            yield Server(port, owner)
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], stdout=subprocess.DEVNULL, cwd=folder, **options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
