"""The task for an agent that edits a checkout, made of what a generator's command reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sherloc.llm.material import Part, frame
from sherloc.llm.pieces import issue_text
from sherloc.repair.generators.model import places_text
from sherloc.repair.languages import language_name
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.issue import Issue

_LONGEST_ISSUE = 12_000  # characters
_ORDERS = (
    "Resolve the issue in the repository in the current folder, with the smallest change of its files. The places are "
    "suggestions; look before you edit. Change nothing but files of this repository, and make no commit."
)


def agent_task(given: Mapping[str, Any]) -> str:
    """The issue and its places as a task in words, material fenced, the orders last.

    Args:
        given: The object that a generator's command reads (``command_input``).

    Raises:
        KeyError: It has no ``issue`` or no ``brief``.
        pydantic.ValidationError: These are not what they should be.
    """
    parts = [
        Part("The issue:", issue_text(Issue.model_validate(given["issue"]), _LONGEST_ISSUE)),
        Part("Where it probably belongs, surest first:", places_text(SurgeryBrief.model_validate(given["brief"]))),
    ]
    orders = [_ORDERS]
    if given.get("candidate"):
        orders.append("Others took the most obvious way; if there is another sound one that is as small, take that.")
    if not str(given.get("language", "en")).startswith("en"):
        orders.append(f"Write comments for people in {language_name(given['language'])}.")
    if given.get("problems"):
        listed = "\n".join(f"- {problem}" for problem in given["problems"])
        orders.append(f"An earlier change was refused:\n{listed}")
    return frame(parts, "\n\n".join(orders)).text
