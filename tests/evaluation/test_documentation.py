"""The documents name what there is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import sherloc.evaluation
from sherloc.evaluation.formats import FORMATS
from sherloc.evaluation.measures import MEASURES
from sherloc.evaluation.predictions import Prediction
from sherloc.evaluation.scores import GROUPINGS

ROOT = Path(__file__).parents[2]
METRICS = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
EVALUATION = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")


def test_every_measure_is_explained() -> None:
    for name in MEASURES:
        level, _, rest = name.partition(" ")
        shown = rest if level in ("file", "class", "function") else name
        assert f"`{re.sub(r'@[0-9]+', '@k', shown)}`" in METRICS, name


def test_every_format_field_and_grouping_is_named() -> None:
    for form in FORMATS:
        assert f"| `{form}` |" in EVALUATION
    for by in GROUPINGS:
        assert f"`{by}`" in METRICS
    told = re.search(r"one JSON line: (.*?) \.\.\.", EVALUATION)
    assert told is not None
    assert set(re.findall(r"`(\w+)`", told[1])) <= set(Prediction.model_fields)


def test_the_commands_in_the_documents_parse() -> None:
    import shlex

    from sherloc.cli.evaluating import evaluate

    commands = re.findall(r"^sherloc eval (.*)$", EVALUATION, re.MULTILINE)
    assert len(commands) >= 7
    for line in commands:
        name, *arguments = shlex.split(line)
        evaluate.commands[name].make_context(name, arguments)


def test_the_public_calls() -> None:
    for name in sherloc.evaluation.__all__:
        assert getattr(sherloc.evaluation, name) is not None
    assert {"load_instances", "run_source", "score_runs", "compare", "write_report"} <= set(sherloc.evaluation.__all__)


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    code = "import sys, sherloc.evaluation, sherloc.cli.evaluating; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"scipy", "matplotlib", "jinja2", "pyarrow", "datasets", "distributed", "dask", "numpy"}
