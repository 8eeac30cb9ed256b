"""Writes the diagnosis as a comment on the event's issue: one comment, replaced when the action runs again.

Standard library only. Reads the environment of GitHub Actions: GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_EVENT_PATH,
GITHUB_TOKEN, and SHERLOC_COMMENT, the file with the text.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
from typing import Any, NoReturn

MARK = "<!-- sherloc: diagnosis -->"
MOST = 65_000
PAGES = 50
TRIES = 4
LONGEST_WAIT = 60.0


class Refused(Exception):
    """The server said no, in words."""


def main() -> None:
    """Find our comment and update it, or make it."""
    try:
        with open(os.environ["SHERLOC_COMMENT"], encoding="utf-8") as file:
            text = file.read()
        with open(os.environ["GITHUB_EVENT_PATH"], encoding="utf-8") as file:
            number = json.load(file)["issue"]["number"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        fail(f"There is no issue or no text to comment with: {error!r}")
    repository = os.environ.get("GITHUB_REPOSITORY", "")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository) or isinstance(number, bool) or not isinstance(number, int):
        fail("GITHUB_REPOSITORY or the issue's number is not what it should be.")
    if not text.startswith(MARK):
        fail("The text is no comment of sherloc.")
    try:
        print(put(f"/repos/{repository}", number, text[:MOST]))
    except Refused as error:
        fail(str(error))


def put(base: str, number: int, text: str) -> str:
    """Bring the comment to this text; what was done, in words."""
    for attempt in range(TRIES):
        mine = find(base, number)
        if mine is not None and mine["body"].replace("\r\n", "\n").rstrip() == text.rstrip():
            return "The comment is up to date."
        try:
            if mine is None:
                ask("POST", f"{base}/issues/{number}/comments", {"body": text})
                return "Commented."
            ask("PATCH", f"{base}/issues/comments/{int(mine['id'])}", {"body": text})
            return "Updated the comment."
        except Again as error:
            # A failed answer may follow a comment that was made: look again before the next try.
            time.sleep(min(LONGEST_WAIT, error.seconds or 2.0**attempt * wait_unit()))
    raise Refused("The server did not take the comment; it failed again and again.")


def find(base: str, number: int) -> dict[str, Any] | None:
    """Our own comment. Anybody can write the mark, so the author counts too."""
    author = os.environ.get("SHERLOC_AUTHOR", "github-actions[bot]")
    for page in range(1, PAGES + 1):
        found = patiently("GET", f"{base}/issues/{number}/comments?per_page=100&page={page}")
        for comment in found:
            # The author of a comment whose account is gone is null.
            if (comment["user"] or {}).get("login") == author and (comment["body"] or "").startswith(MARK):
                return dict(comment)
        if len(found) < 100:
            return None
    return None


class Again(Exception):
    """The server failed in a way that may pass."""

    def __init__(self, seconds: float | None) -> None:
        super().__init__()
        self.seconds = seconds


def patiently(method: str, path: str) -> Any:
    """A request that may be repeated without harm."""
    for attempt in range(TRIES):
        try:
            return ask(method, path)
        except Again as error:
            time.sleep(min(LONGEST_WAIT, error.seconds or 2.0**attempt * wait_unit()))
    raise Refused("The server did not answer; it failed again and again.")


def ask(method: str, path: str, body: dict[str, str] | None = None) -> Any:
    """One request of GitHub's REST API."""
    address = os.environ.get("GITHUB_API_URL", "https://api.github.com") + path
    request = urllib.request.Request(address, method=method, data=json.dumps(body).encode() if body else None)
    request.add_header("Authorization", f"Bearer {os.environ.get('GITHUB_TOKEN', '')}")
    request.add_header("Accept", "application/vnd.github+json")
    request.add_header("X-GitHub-Api-Version", "2022-11-28")
    request.add_header("User-Agent", "sherloc-action")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        limited = error.code == 429 or (error.code == 403 and error.headers.get("retry-after"))
        if error.code >= 500 or limited:
            raise Again(seconds_of(error.headers.get("retry-after"))) from None
        hints = {401: "Is the token set?", 403: "Does the job have 'permissions: issues: write'?", 404: "Is it there?"}
        raise Refused(f"{method} {path.partition('?')[0]}: {error.code}. {hints.get(error.code, '')}") from None
    except (OSError, ValueError):
        raise Again(None) from None


def seconds_of(text: str | None) -> float | None:
    """A retry-after header's seconds."""
    return float(text) if text and text.isdecimal() else None


def wait_unit() -> float:
    """Seconds before the second try; tests make it short."""
    return float(os.environ.get("SHERLOC_WAIT", "1"))


def fail(words: str) -> NoReturn:
    """End with an error, where the run shows it."""
    line = words.replace("%", "%25").replace("\r", "").replace("\n", " ")
    print(f"::error::{line}", file=sys.stderr)
    raise SystemExit(1)


if __name__ == "__main__":
    main()
