"""One self-contained HTML file about some runs."""

from __future__ import annotations

from sherloc.evaluation.report.page import write_report

__all__ = ["write_report"]
