"""Tickets, branches and pull requests where they live: GitHub and GitLab, behind ``protocols.Forge``."""

from __future__ import annotations

from sherloc.forge.harmless import BODY_LIMIT, TITLE_LIMIT, cut_body, harmless, harmless_line, harmless_message
from sherloc.forge.opening import open_forge
from sherloc.forge.publishing import Published, branch_name, branch_stem, comment_once, publish
from sherloc.forge.references import Reference, parse_reference

__all__ = [
    "BODY_LIMIT",
    "TITLE_LIMIT",
    "Published",
    "Reference",
    "branch_name",
    "branch_stem",
    "comment_once",
    "cut_body",
    "harmless",
    "harmless_line",
    "harmless_message",
    "open_forge",
    "parse_reference",
    "publish",
]
