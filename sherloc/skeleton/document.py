"""A context as one document for a model: Markdown with all material between fences, or JSON."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from sherloc.boundary import CriteriaInMaterial, Declaration, Fence, Hit, criteria_in, declare, fence, scan, scan_diff
from sherloc.skeleton.context import Context, Part
from sherloc.skeleton.make import numbered_text

SCHEMA_VERSION = "1.0"
_MOST_LEFT_OUT = 40
_TICKS = re.compile(r"`{3,}")


def markdown(context: Context, *, numbered: bool = False) -> str:
    """The document.

    The task and the contract come first and, because models lose what stands in the middle, again at the end. All that
    comes from the repository stands between the marks of ``boundary.fence``, after what ``boundary.declare`` says.

    Args:
        context: What to show.
        numbered: Whether each line of code has its line number in the file.
    """
    material = "\n\n".join(block(part, numbered=numbered) for part in context.parts)
    fenced, declared = _bounded(context, material)
    ordered = _orders(context)
    sections = ["# Context", *ordered]
    facts = [f"Revision: {context.revision or 'none'}"]
    facts += [f"Base: {context.base}"] if context.base else []
    facts += [f"Tokens: {context.tokens} of {context.budget} ({context.tokenizer})"]
    sections.append("\n".join(f"- {fact}" for fact in [*facts, *context.notes]))
    sections += [declared.text, fenced.text]
    if context.left_out:
        rows = "\n".join(f"- {path}" for path in context.left_out[:_MOST_LEFT_OUT])
        more = len(context.left_out) - _MOST_LEFT_OUT
        rows += f"\n- and {more} more" if more > 0 else ""
        sections.append(f"## Left out, for want of room\n\n{rows}")
    return "\n\n".join(section for section in [*sections, *ordered] if section) + "\n"


def record(context: Context) -> dict[str, Any]:
    """The same as JSON; the parts' texts are material and unfenced."""
    material = "\n\n".join(part.text for part in context.parts)
    hits, criteria = _found(context)
    declared = declare(fence(material), hits, criteria)
    return {
        "schema_version": SCHEMA_VERSION, "task": context.task, "contract": context.contract, "base": context.base,
        "revision": context.revision, "budget": context.budget, "tokens": context.tokens,
        "tokenizer": context.tokenizer, "notes": list(context.notes),
        "parts": [{**asdict(part), "lines": list(part.lines)} for part in context.parts],
        "left_out": list(context.left_out), "hits": [hit.record() for hit in hits],
        "grounds": declared.grounds.record(),
    }  # fmt: skip


def _orders(context: Context) -> list[str]:
    sections = [f"## Task\n\n{context.task.strip()}"] if context.task.strip() else []
    if context.contract.strip():
        sections.append(f"## Form of the answer\n\n{context.contract.strip()}")
    return sections


def _bounded(context: Context, material: str) -> tuple[Fence, Declaration]:
    fenced = fence(material)
    hits, criteria = _found(context)
    return fenced, declare(fenced, hits, criteria)


def _found(context: Context) -> tuple[list[Hit], list[CriteriaInMaterial]]:
    """What directs its reader, in all parts."""
    hits: list[Hit] = []
    criteria: list[CriteriaInMaterial] = []
    for part in context.parts:
        if part.kind == "diff":
            hits += scan_diff(part.text)
            criteria += criteria_in(part.text)
        else:
            hits += [_at_its_line(hit, part) for hit in scan(part.text, part.path)]
    return hits, criteria


def _at_its_line(hit: Hit, part: Part) -> Hit:
    """A hit with the line of the file instead of the one of the text."""
    line = part.lines[hit.line - 1] if hit.line <= len(part.lines) else 0
    return Hit(hit.path, line or hit.line, hit.text, hit.rules, hit.origin, hit.text_line)


def block(part: Part, *, numbered: bool = False) -> str:
    """A part as Markdown: its title, then its text in a code block that it cannot end.

    Args:
        part: The part.
        numbered: Whether each line has its line number in the file before it.
    """
    text = part.text if part.text.endswith("\n") else part.text + "\n"
    if numbered and part.lines:
        text = numbered_text(text, part.lines)
    ticks = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    return f"### {part.title}\n\n{ticks}{part.language}\n{text}{ticks}"
