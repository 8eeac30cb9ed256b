"""From a project's name and the settings to its forge."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sherloc.errors import SettingsError, UsageError
from sherloc.forge.references import Kind, Reference, check_project
from sherloc.settings_repair import ForgeSettings

if TYPE_CHECKING:
    from sherloc.forge.github import GitHub
    from sherloc.forge.gitlab import GitLab

_PUBLIC: Mapping[Kind, str] = {"github": "https://api.github.com", "gitlab": "https://gitlab.com/api/v4"}
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def open_forge(
    project: str | Reference,
    settings: ForgeSettings | None = None,
    environ: Mapping[str, str] = os.environ,
    *,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> GitHub | GitLab:
    """The forge of one project. Nothing is asked yet.

    Which forge: ``settings.kind``, else by the host of ``settings.base_url``, else by the reference's address, else
    GitHub. A token goes to the public hosts and to ``base_url`` only, never to a host that an address merely names.

    Args:
        project: ``owner/repo`` (GitLab: groups too), or a reference, whose host must then be a known one.
        settings: Of the forge.
        environ: Where the token is: SHERLOC_FORGE_TOKEN, then GH_TOKEN and GITHUB_TOKEN, or GITLAB_TOKEN.
        clock: Unix time, for limits that end at a time.
        sleep: Waits for seconds.

    Raises:
        UsageError: The project's name is none, or its host is not that of ``base_url``.
        SettingsError: ``base_url`` is no address, or not https (on this machine itself, http will do).
        ForgeAuthError: What a variable holds cannot be a token.
        MissingExtraError: httpx2 is not installed.
    """
    from sherloc.forge.github import HEADERS, GitHub
    from sherloc.forge.gitlab import GitLab
    from sherloc.forge.patience import Patience
    from sherloc.forge.token import find_token
    from sherloc.forge.wire import Wire

    settings = settings or ForgeSettings()
    reference = project if isinstance(project, Reference) else None
    name = check_project(reference.project if reference else str(project))
    base = _base(settings.base_url)
    kind = _kind(settings, base, reference)
    if kind == "github" and name.count("/") != 1:
        raise UsageError(f"{name!r} is no project of GitHub.", hint="Name it as owner/repo.")
    base = base or _PUBLIC[kind]
    web = _web(base, kind)
    if reference is not None and reference.host:
        _check_host(reference.host, base, web)
    wire = Wire(base, find_token(kind, environ), settings, Patience(settings, clock, sleep),
                HEADERS if kind == "github" else {})  # fmt: skip
    return GitHub(wire, name, web, settings) if kind == "github" else GitLab(wire, name, web, settings)


def _base(url: str) -> str:
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    fine = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
    if not host or not fine or parts.username is not None or parts.query or parts.fragment:
        raise SettingsError(
            "forge.base_url must be an https address without a user, such as https://github.example.org/api/v3.",
            hint="Tokens come from the environment: SHERLOC_FORGE_TOKEN.",
        )
    return url.rstrip("/")


def _kind(settings: ForgeSettings, base: str, reference: Reference | None) -> Kind:
    if settings.kind:
        return settings.kind
    if base:
        return "gitlab" if "gitlab" in (urlsplit(base).hostname or "") or base.endswith("/api/v4") else "github"
    return (reference.kind if reference else None) or "github"


def _web(base: str, kind: Kind) -> str:
    """Where git and people find the projects of an API."""
    if base == _PUBLIC["github"]:
        return "https://github.com"
    return base.removesuffix("/api/v3" if kind == "github" else "/api/v4")


def _check_host(host: str, base: str, web: str) -> None:
    known = {urlsplit(base).netloc.lower(), urlsplit(web).netloc.lower()}
    if host.lower().removeprefix("www.") not in known:
        raise UsageError(
            f"The issue is on {host}, but the settings lead to {urlsplit(base).netloc}.",
            hint="Set forge.base_url to the API of that host, if the token may go there.",
        )
