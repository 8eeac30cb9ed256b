"""The folder of a run: its configuration, its predictions, and the proof that they belong together."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from sherloc.errors import DataError, RunMismatchError
from sherloc.evaluation.predicting import code_fingerprint, versions
from sherloc.evaluation.predictions import Prediction, read_run_lines
from sherloc.settings import Settings, load_settings
from sherloc.sqlite import Database, DatabaseBusyError, DatabaseUnwritableError

_LOCK = ("CREATE TABLE held (id INTEGER)",)
_WITHOUT_EFFECT = ("cache",)
"""Sections of the settings that change how fast an answer comes, and never the answer."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What ``run.json`` says.

    Attributes:
        name: Of the run in tables: the folder's name.
        config: Settings, versions and the hash of the code: all that an answer depends on besides the instance.
        data: Where the instances come from, as ``load_instances`` and ``select`` take it, with the file's SHA-256.
        mirrors: Folder of mirrors, or empty.
        clones: Folder of clones, or empty.
    """

    name: str
    config: Mapping[str, Any]
    data: Mapping[str, Any]
    mirrors: str = ""
    clones: str = ""

    @property
    def config_hash(self) -> str:
        """Equal hashes are equal configurations."""
        text = json.dumps(self.config, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def make_config(settings: Settings | Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The configuration of a run, with every setting spelled out.

    Args:
        settings: As for ``locate``.

    Raises:
        SettingsError: A setting is unknown or out of range.
    """
    sections = load_settings(settings).model_dump(mode="json")
    kept = {name: section for name, section in sections.items() if name not in _WITHOUT_EFFECT}
    return {"settings": kept, "versions": versions(), "code": code_fingerprint()}


class RunFolder:
    """Reads and writes the folder of one run.

    Args:
        path: The folder; it is made when the run starts.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.predictions_path = self.path / "predictions.jsonl"
        self._info_path = self.path / "run.json"

    def info(self) -> RunInfo:
        """What ``run.json`` says.

        Raises:
            DataError: There is none, or it cannot be read.
        """
        try:
            record = json.loads(self._info_path.read_text(encoding="utf-8"))
            return RunInfo(
                self.path.resolve().name, record["config"], record["data"], record["mirrors"], record["clones"]
            )
        except FileNotFoundError as error:
            raise DataError(f"{self.path} is not the folder of a run: it has no run.json.") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(f"{self._info_path} cannot be read: {error!r}.") from error

    def predictions(self) -> dict[str, Prediction]:
        """What is there so far, by id; half a line at the end is left out."""
        return read_run_lines(self.predictions_path)

    @contextlib.contextmanager
    def opened(self, info: RunInfo, inputs: Mapping[str, str], *, retry_failed: bool) -> Iterator[Session]:
        """Hold the folder for one session of the run; what was done before stays.

        Args:
            info: The run's.
            inputs: Fingerprint of each instance, by id.
            retry_failed: Whether failed predictions are made again.

        Raises:
            RunMismatchError: The folder holds the results of another configuration or of other issues under the same
                ids, or another process is writing to it.
            DataError: The folder cannot be written, or a line in it is broken.
        """
        with self._held():
            self._check(info, inputs)
            kept = {k: p for k, p in self.predictions().items() if not (retry_failed and p.error)}
            # Written anew whole, so that half a line goes.
            self._write(kept.values())
            with self.predictions_path.open("a", encoding="utf-8", newline="\n") as file:
                yield Session(file, kept)
            order = {key: number for number, key in enumerate(inputs)}
            self._write(sorted(kept.values(), key=lambda p: (order.get(p.instance_id, len(order)), p.instance_id)))

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        try:
            database = Database(self.path / "lock.db", _LOCK)
        except DatabaseBusyError as error:
            raise self._busy() from error
        except DatabaseUnwritableError as error:
            raise DataError(f"The folder {self.path} cannot be written: {error}.") from error
        with contextlib.ExitStack() as stack:
            stack.callback(database.close)
            try:
                stack.enter_context(database.transaction(wait=False))
            except DatabaseBusyError as error:
                raise self._busy() from error
            yield

    def _busy(self) -> RunMismatchError:
        return RunMismatchError(f"Another process is writing to {self.path}.", hint="Give another folder, or wait.")

    def _check(self, info: RunInfo, inputs: Mapping[str, str]) -> None:
        if self._info_path.exists():
            there = self.info()
            if there.config_hash != info.config_hash:
                told = "; ".join(differences(there.config, info.config)[:5])
                raise RunMismatchError(
                    f"{self.path} holds the results of another configuration ({there.config_hash}, now "
                    f"{info.config_hash}): {told}.",
                    hint="Give another folder; the results of two configurations are never mixed.",
                )
        elif self.predictions_path.exists():
            raise RunMismatchError(f"{self.path} has predictions, but no run.json that says how they were made.")
        for key, prediction in self.predictions().items():
            if key in inputs and prediction.input != inputs[key]:
                raise RunMismatchError(
                    f"{self.path} has a prediction for {key}, but of another text, repository or revision.",
                    hint="The data set changed under the same id; give another folder.",
                )
        self._write_info(info)

    def _write_info(self, info: RunInfo) -> None:
        record = {
            "schema_version": "1.0", "config_hash": info.config_hash, "config": info.config, "data": info.data,
            "mirrors": info.mirrors, "clones": info.clones,
        }  # fmt: skip
        _replace(self._info_path, json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False) + "\n")

    def _write(self, predictions: Iterable[Prediction]) -> None:
        _replace(self.predictions_path, "".join(prediction.line() for prediction in predictions))

    def sessions(self) -> list[dict[str, Any]]:
        """What ``note_session`` kept, oldest first; lines that cannot be read are left out."""
        try:
            lines = (self.path / "sessions.jsonl").read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            return []
        found = []
        for line in filter(None, lines):
            with contextlib.suppress(ValueError, RecursionError):
                found.append(json.loads(line))
        return [record for record in found if isinstance(record, dict)]

    def note_session(self, record: Mapping[str, Any]) -> None:
        """Keep when and how long the run was worked on, one JSON line a session."""
        with (self.path / "sessions.jsonl").open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(record, sort_keys=True) + "\n")


class Session:
    """What a session of a run has and adds.

    Args:
        file: Takes a line for each prediction.
        done: Predictions by id; new ones are added.
    """

    def __init__(self, file: TextIO, done: dict[str, Prediction]) -> None:
        self._file, self.done = file, done

    def add(self, prediction: Prediction) -> None:
        """Keep a prediction, so that a kill no longer loses it."""
        self._file.write(prediction.line())
        self._file.flush()
        self.done[prediction.instance_id] = prediction


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    unfinished = path.with_suffix(path.suffix + ".tmp")
    unfinished.write_text(text, encoding="utf-8", newline="\n")
    unfinished.replace(path)


def differences(there: Any, here: Any, name: str = "") -> Sequence[str]:
    """Where two configurations differ, in words.

    >>> differences({"a": {"b": 1}}, {"a": {"b": 2}})
    ['a.b is 1 there and 2 here']
    """
    if isinstance(there, Mapping) and isinstance(here, Mapping):
        found: list[str] = []
        for key in sorted({*there, *here}):
            found += differences(there.get(key), here.get(key), f"{name}.{key}".lstrip("."))
        return found
    return [] if there == here else [f"{name} is {json.dumps(there)} there and {json.dumps(here)} here"]


def data_record(source: str, split: str, where: Sequence[str], ids: Sequence[str], limit: int | None) -> dict[str, Any]:
    """How the instances were chosen, for ``run.json``; a file's SHA-256 says which version it was."""
    path = Path(source)
    sha = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    return {
        "source": str(path.resolve()) if path.exists() else source, "sha256": sha, "split": split,
        "where": list(where), "ids": list(ids), "limit": limit,
    }  # fmt: skip
