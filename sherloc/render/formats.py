"""Every form that a report can be written in, by name; each is loaded when it is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module

from sherloc.schema.report import Report

FORMATS = ("json", "markdown", "prompt", "comment", "sarif", "annotations", "mermaid", "graphml", "dot", "html")
"""Names, in the order in which help lists them."""


def render(report: Report, form: str, *, top: int | None = None) -> str:
    """A report in one of the ``FORMATS``.

    Args:
        report: What ``locate`` gave.
        form: The name.
        top: Rows of the tables that have them (Markdown).

    Raises:
        ValueError: There is no such format.
        MissingExtraError: The format needs a package that is not installed (``html``).
    """
    if form == "json":
        return report.model_dump_json(indent=2)
    if form == "markdown":
        from sherloc.render.markdown import report_markdown

        return report_markdown(report, top=top)
    if form == "sarif":
        from sherloc.render.sarif import report_sarif

        return json.dumps(report_sarif(report), indent=2, ensure_ascii=False)
    if form == "graphml":
        from sherloc.evidence import graphml

        return graphml(report.diagnoses, report.evidence)
    if form not in _PLAIN:
        raise ValueError(f"{form!r} is none of {', '.join(FORMATS)}")
    module, _, name = _PLAIN[form].partition(":")
    write: Callable[[Report], str] = getattr(import_module(module), name)
    return write(report)


_PLAIN = {
    "prompt": "sherloc.render.prompt:report_prompt",
    "comment": "sherloc.render.comment:report_comment",
    "annotations": "sherloc.render.annotations:report_annotations",
    "mermaid": "sherloc.render.graphs:report_mermaid",
    "dot": "sherloc.render.graphs:report_dot",
    "html": "sherloc.render.html:report_html",
}
