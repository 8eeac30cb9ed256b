"""Puts the table of all settings into the page about settings when the site is built."""

from __future__ import annotations

import json
from typing import Any

MARK = "<!-- every setting -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs for each page."""
    return markdown.replace(MARK, settings_table()) if MARK in markdown else markdown


def settings_table() -> str:
    """A table a section: name, default, meaning."""
    from sherloc.settings import Settings

    defaults = json.loads(Settings().model_dump_json())
    parts = []
    for section, field in Settings.model_fields.items():
        inner: Any = field.annotation
        first = (inner.__doc__ or "").strip().split("\n")[0]
        rows = [
            f"| `{key}` | `{json.dumps(defaults[section][key])}` | {_cell(each.description or '')} |"
            for key, each in inner.model_fields.items()
        ]
        parts += [f"## {section}", first, "\n".join(["| setting | default | |", "|---|---|---|", *rows])]
    return "\n\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
