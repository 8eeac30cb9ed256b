"""Predictions: what a method answered for each instance, one JSON line each."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sherloc.errors import DataError
from sherloc.evaluation.metrics import Span


class Evidence(BaseModel):
    """Why a file stands where it does: plain sentences, strongest first."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    path: str
    why: tuple[str, ...] = ()


class Prediction(BaseModel):
    """One method's answer for one instance. None means that the method does not say; fields it does not know are left.

    Attributes:
        instance_id: As in the data set.
        files: Paths by rank, relative to the repository.
        classes: ``path::qualified name`` by rank.
        functions: Likewise.
        lines: Suspect spans by rank: (path, first, last).
        change_sets: Places that the method says must change: (path, first, last, confidence 0-1).
        context: Spans whose code is handed on to whoever repairs.
        context_tokens: How long that is. Tokens.
        diagnoses: (path, qualified name, relevance score 0-5).
        file_confidence: The chance that each of the first files must change, 0-1.
        function_confidence: Likewise.
        level: How sure the answer is as a whole: high, medium or low.
        evidence: For the first files.
        diagnostics: Codes of what was skipped or degraded.
        seconds: Wall time.
        files_parsed: Files that the index did not have yet; like ``seconds`` it is about this run, not its answer.
        input_tokens: What models read.
        output_tokens: What models wrote.
        cost: US dollars.
        tests_passed: Whether the project's tests passed with the patch.
        unknown_names: Names in the patch that the repository does not define.
        model_patch: The method's fix as a unified diff.
        error: Why there is no answer; it then counts as a miss everywhere.
        input: ``Instance.fingerprint`` of what was located.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    instance_id: str
    files: tuple[str, ...] = ()
    classes: tuple[str, ...] | None = None
    functions: tuple[str, ...] | None = None
    lines: tuple[Span, ...] | None = None
    change_sets: tuple[tuple[str, int, int, float], ...] | None = None
    context: tuple[Span, ...] | None = None
    context_tokens: int | None = Field(default=None, ge=0)
    diagnoses: tuple[tuple[str, str, float], ...] | None = None
    file_confidence: tuple[float, ...] | None = None
    function_confidence: tuple[float, ...] | None = None
    level: str = ""
    evidence: tuple[Evidence, ...] = ()
    diagnostics: tuple[str, ...] = ()
    seconds: float | None = Field(default=None, ge=0)
    files_parsed: int | None = Field(default=None, ge=0)
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    cost: float | None = Field(default=None, ge=0)
    tests_passed: bool | None = None
    unknown_names: int | None = Field(default=None, ge=0)
    model_patch: str | None = None
    error: str = ""
    input: str = ""

    def line(self) -> str:
        """The prediction as one JSON line, without what it does not say."""
        return self.model_dump_json(exclude_defaults=True) + "\n"


def prediction_of(record: Mapping[str, Any], where: str) -> Prediction:
    """A prediction in sherloc's own format (locbench's, with more).

    Args:
        record: A JSON object.
        where: File and line, for the message.

    Raises:
        DataError: A field has a wrong type.
    """
    fields = {key: value for key, value in record.items() if value is not None}
    if isinstance(fields.get("change_sets"), list):
        fields["change_sets"] = [[*row, 1.0][:4] if isinstance(row, list) else row for row in fields["change_sets"]]
    try:
        return Prediction.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise DataError(f"{where}: the field {field!r}: {first['msg']}.") from error


def read_records(path: Path) -> list[tuple[str, Any]]:
    """(place, JSON value) of each entry of a .json or .jsonl file, gzipped or not; the place is for messages.

    Raises:
        DataError: The file cannot be read, or is not JSON.
    """
    try:
        zipped, data = path.suffix == ".gz", path.read_bytes()
        text = (gzip.decompress(data) if zipped else data).decode("utf-8")
        if (Path(path.stem) if zipped else path).suffix == ".json":
            value = json.loads(text)
            if isinstance(value, dict):
                rows = [row if isinstance(row, dict) and "instance_id" in row else {"instance_id": key, **_object(row)}
                        for key, row in value.items()]  # fmt: skip
            else:
                rows = value if isinstance(value, list) else [value]
            return [(f"{path} entry {number}", row) for number, row in enumerate(rows, 1)]
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read as JSON: {error}") from error
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                found.append((f"{path}:{number}", json.loads(line)))
            except (ValueError, RecursionError) as error:
                raise DataError(f"{path}:{number} is not JSON: {error}") from error
    return found


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def read_run_lines(path: Path) -> dict[str, Prediction]:
    """The predictions of a run folder's file by id; a last line that was cut off by a kill is left out.

    Raises:
        DataError: Any other line is broken.
    """
    if not path.exists():
        return {}
    text = path.read_text(encoding="utf-8", errors="replace")
    whole = text[: text.rfind("\n") + 1]
    found = {}
    for number, line in enumerate(whole.split("\n"), 1):
        if line.strip():
            where = f"{path}:{number}"
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DataError(
                    f"{where} is not JSON: {error}", hint="Remove the line; it is then made anew."
                ) from error
            prediction = prediction_of(record, where)
            found[prediction.instance_id] = prediction
    return found


def by_id(predictions: Iterable[Prediction], where: str) -> dict[str, Prediction]:
    """Predictions by id.

    Raises:
        DataError: An id stands twice.
    """
    found: dict[str, Prediction] = {}
    for prediction in predictions:
        if prediction.instance_id in found:
            raise DataError(f"{where} has two predictions for {prediction.instance_id}.")
        found[prediction.instance_id] = prediction
    return found
