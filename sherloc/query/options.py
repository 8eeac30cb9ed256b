"""Command-line flags, setting names and environment variables."""

from __future__ import annotations

import re

from sherloc.late import late

_FLAG = re.compile(r"(?<![\w\-/.])--[A-Za-z][\w-]{1,60}(?<!-)")
_SINGLE_DASH = late(r"-[A-Za-z][\w-]{0,40}(?:[ =].{0,100})?")
_HYPHENATED = re.compile(r"[A-Za-z][A-Za-z0-9]{0,40}(?:-[A-Za-z0-9]{1,40}){1,6}")
_VARIABLE = re.compile(
    r"\$\{?([A-Z][A-Z0-9_]{2,60})\b|\b(?:export|set|setenv|env)[ \t]([A-Z][A-Z0-9_]{2,60})[= ]"
    r"|^([A-Z][A-Z0-9_]{2,60})=\S",
    re.MULTILINE,
)
_KEY = late(r"^[ \t]{0,12}(?:- )?[\"']?([A-Za-z][\w.-]{1,60})[\"']?[ \t]{0,8}[:=]", re.MULTILINE)
_CONFIG_LANGUAGES = frozenset("ini cfg toml yaml yml conf properties dosini editorconfig".split())


def flags(text: str) -> list[str]:
    """Long flags (``--ignore-paths``) anywhere in a text, in order."""
    return [match.group() for match in _FLAG.finditer(text)] if "--" in text else []


def span_settings(span: str) -> list[str]:
    """Settings that a code span as a whole names: ``-x``, ``ignore-paths``, ``--jobs=4``."""
    if span.startswith("-") and not span.startswith("--") and _SINGLE_DASH().fullmatch(span):
        return [re.split(r"[ =]", span)[0]]
    return [span] if _HYPHENATED.fullmatch(span) else []


def variables(text: str) -> list[str]:
    """Environment variables that are set or read in a text."""
    if "$" not in text and "=" not in text and "env" not in text:
        return []
    return [match[1] or match[2] or match[3] for match in _VARIABLE.finditer(text)]


def configuration_keys(language: str, text: str) -> list[str]:
    """Keys of a block of configuration, in order."""
    if language not in _CONFIG_LANGUAGES:
        return []
    return [match[1] for match in _KEY().finditer(text)]


def as_identifier(setting: str) -> str:
    """The name a setting has in code: ``--ignore-paths`` is ``ignore_paths``."""
    return setting.lstrip("-").replace("-", "_")
