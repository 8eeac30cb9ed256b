"""The page: tables, plots and failures of some runs in one HTML file that loads nothing."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from sherloc.errors import DataError, MissingExtraError
from sherloc.evaluation.comparing import compare, comparison_cells
from sherloc.evaluation.instances import Instance
from sherloc.evaluation.report.plots import plots
from sherloc.evaluation.run_folder import RunInfo
from sherloc.evaluation.scores import GROUPINGS, Scored, groups
from sherloc.evaluation.tables import MAIN, groups_cells, runs_cells
from sherloc.printable import printable_values
from sherloc.version import __version__

_COMPARED = (*MAIN, "file MAP", "line Hit@5", "set recall", "first within 5", "context tokens", "seconds", "cost",
             "tests passed", "unknown names", "resolved")  # fmt: skip
_FILES, _ISSUE_CHARACTERS = 5, 4000


def write_report(
    runs: Sequence[Scored], path: Path, *, title: str = "Localization", infos: Mapping[str, RunInfo] | None = None
) -> None:
    """Write the page, whole or not at all.

    Args:
        runs: Scored on the same instances; each later one is compared with the first.
        path: The .html file.
        title: Of the page.
        infos: Configuration by name of the run, where it is known.

    Raises:
        MissingExtraError: The extra ``eval`` is not installed.
        DataError: The file cannot be written.
    """
    text = report_html(runs, title=title, infos=infos or {})
    unfinished = path.with_name(path.name + ".tmp")
    try:
        unfinished.write_text(text, encoding="utf-8", newline="\n")
        unfinished.replace(path)
    except OSError as error:
        raise DataError(f"The report {path} cannot be written: {error.strerror}.") from error


def report_html(runs: Sequence[Scored], *, title: str, infos: Mapping[str, RunInfo]) -> str:
    """The page as text; the same scores give the same text.

    Args:
        runs: See ``write_report``; likewise the others.
        title: Of the page.
        infos: Configurations.
    """
    try:
        import jinja2
    except ImportError as error:
        raise MissingExtraError("jinja2", "eval", "The HTML report") from error
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    template = (files("sherloc.evaluation.report") / "templates" / "report.html.j2").read_text(encoding="utf-8")
    return environment.from_string(template).render(printable_values(_values(runs, title, infos)))


def _values(runs: Sequence[Scored], title: str, infos: Mapping[str, RunInfo]) -> dict[str, Any]:
    pictures = plots(runs)
    return {
        "title": title,
        "version": __version__,
        "count": len(runs[0].instances),
        "scores": [
            {"heading": group, "head": head, "body": body}
            for group, head, body in runs_cells(runs, intervals=True, every=False)
        ],
        "plots": [
            {"heading": plot.heading, "words": plot.words, "source": _data_address(plot.svg)} for plot in pictures
        ],
        "comparisons": [_comparison(runs[0], run) for run in runs[1:]],
        "group_tables": [
            {"heading": f"{run.name}, by {by}", **dict(zip(("head", "body"), groups_cells(run, by, MAIN), strict=True))}
            for run in runs
            for by in GROUPINGS
            if len(groups(run, by)) > 1
        ],
        "failures": [{"name": run.name, "cases": _cases(run)} for run in runs],
        "facts": _facts(runs, infos),
    }


def _data_address(svg: bytes) -> str:
    """An image of its own: its ids meet no others, and nothing in it can run."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii")


def _comparison(first: Scored, second: Scored) -> dict[str, Any]:
    pairs = compare(first, second, _COMPARED)
    head, body = comparison_cells(pairs, first.name, second.name)
    main = next((pair for pair in pairs if pair.name == MAIN[0]), None)
    return {
        "heading": f"{second.name} against {first.name}",
        "table": {"head": head, "body": body},
        "gained": main.gained if main else (),
        "lost": main.lost if main else (),
    }


def _cases(run: Scored) -> list[dict[str, Any]]:
    return [_case(run, instance) for instance in run.instances if not run.rows[instance.instance_id].get(MAIN[0])]


def _case(run: Scored, instance: Instance) -> dict[str, Any]:
    gold, prediction = run.golds[instance.instance_id], run.predictions.get(instance.instance_id)
    ranking = list(prediction.files) if prediction else []
    why = {each.path: each.why for each in prediction.evidence} if prediction else {}
    stated = (prediction.file_confidence or ()) if prediction else ()
    return {
        "id": instance.instance_id,
        "title": instance.title[:200],
        "issue": instance.problem_statement[:_ISSUE_CHARACTERS],
        "error": prediction.error if prediction else "no prediction",
        "gold": [(path, f"rank {ranking.index(path) + 1}" if path in ranking else "not found") for path in gold.files],
        "functions": gold.functions,
        "files": [
            {
                "path": path,
                "gold": path in gold.files,
                "confidence": stated[number] if number < len(stated) else None,
                "why": why.get(path, ()),
            }
            for number, path in enumerate(ranking[:_FILES])
        ],
    }


def _facts(runs: Sequence[Scored], infos: Mapping[str, RunInfo]) -> dict[str, Any]:
    rows: list[list[str]] = [
        ["instances with gold", *(str(len(run.instances)) for run in runs)],
        ["without gold", *(str(len(run.without_gold)) for run in runs)],
        ["not answered", *(str(len(run.missing)) for run in runs)],
        ["failed", *(str(len(run.failed)) for run in runs)],
    ]
    if infos:
        known = [infos.get(run.name) for run in runs]
        rows.append(["configuration", *(info.config_hash if info else "-" for info in known)])
        rows.append(["code", *(str(info.config["code"]) if info else "-" for info in known)])
        rows.append(["data, SHA-256", *(str(info.data["sha256"])[:16] if info else "-" for info in known)])
        for name in sorted({name for info in known if info for name in info.config["versions"]}):
            rows.append([name, *(str(info.config["versions"].get(name, "")) if info else "-" for info in known)])
    return {"head": ["", *(run.name for run in runs)], "body": rows}
