"""How people name an issue: ``owner/repo#12``, its address, or ``#12`` where the project is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from sherloc.errors import UsageError
from sherloc.printable import printable

Kind = Literal["github", "gitlab"]
_NAME = r"[A-Za-z0-9_.-]+"
_PROJECT = re.compile(rf"{_NAME}(?:/{_NAME})+")
_SHORT = re.compile(rf"(?P<project>{_NAME}(?:/{_NAME})+)?#(?P<number>[1-9][0-9]{{0,11}})")
_ADDRESS = re.compile(
    rf"/(?P<project>{_NAME}(?:/{_NAME})+?)(?P<dash>/-)?/(?P<what>issues|work_items|pull|merge_requests)"
    r"/(?P<number>[1-9][0-9]{0,11})/?"
)
_FORMS = "Name it as owner/repo#12, by its address, or as #12 with the setting forge.project."


@dataclass(frozen=True, slots=True)
class Reference:
    """An issue on a forge.

    ``host`` and ``kind`` are known when it was named by its address. ``str`` gives ``owner/repo#12``.
    """

    project: str
    number: int
    host: str = ""
    kind: Kind | None = None

    def __str__(self) -> str:
        return f"{self.project}#{self.number}"


def parse_reference(text: str, project: str = "") -> Reference:
    """Read how somebody names an issue.

    Args:
        text: ``owner/repo#12`` (GitLab: groups too), ``#12``, or an address of GitHub or GitLab.
        project: Of ``#12``.

    Raises:
        UsageError: It names no issue, or names a pull request.
    """
    text = text.strip()
    if "://" in text:
        return _from_address(text)
    found = _SHORT.fullmatch(text)
    if found is None or not (found["project"] or project):
        raise UsageError(f"{printable(text[:200])!r} names no issue.", hint=_FORMS)
    return Reference(check_project(found["project"] or project), int(found["number"]))


def check_project(project: str) -> str:
    """A project's name, which becomes a part of addresses.

    Raises:
        UsageError: It is none.
    """
    parts = project.split("/")
    if not _PROJECT.fullmatch(project) or any(part.strip(".") == "" or part.endswith(".git") for part in parts):
        raise UsageError(f"{printable(project[:200])!r} is no project of a forge.", hint="Name it as owner/repo.")
    return project


def _from_address(text: str) -> Reference:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    found = _ADDRESS.fullmatch(parts.path) if host and parts.scheme in ("http", "https") else None
    if found is None:
        raise UsageError(f"{printable(text[:200])!r} is not the address of an issue.", hint=_FORMS)
    if found["what"] in ("pull", "merge_requests"):
        raise UsageError(f"{printable(text[:200])!r} is a pull request, not an issue.", hint=_FORMS)
    kind: Kind = "gitlab" if found["dash"] or found["what"] == "work_items" or "gitlab" in host else "github"
    where = host if port is None else f"{host}:{port}"
    return Reference(check_project(found["project"]), int(found["number"]), where, kind)
