"""A report as SARIF 2.1.0, for code scanning and editors.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", 2020. What GitHub asks for on top of
it is kept to: each result has a location with a relative, percent-encoded address and a first line of at least 1.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from sherloc.render.words import chance, change_in_words, evidence_in_words, level_in_words
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.diagnosis import ChangeType, Diagnosis
from sherloc.schema.path_text import original_path
from sherloc.schema.report import Diagnostic, Report
from sherloc.version import __version__
from sherloc.visible import one_line

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RELATED = 10
_NOTICE_LEVELS = {"info": "note", "warning": "warning", "error": "error"}
Json = dict[str, Any]


def report_sarif(report: Report) -> Json:
    """A report as the value of a SARIF document: one run, one result a change set.

    Evidence stands as related locations: the lines that speak for the place, and the diagnosed code that the evidence
    graph ties to it, strongest tie first. ``rank`` is the estimated chance in percent. Fingerprints do not change when
    lines move.

    Args:
        report: What ``locate`` gave.
    """
    rules = list(dict.fromkeys(change_set.change_type for change_set in report.change_sets))
    run: Json = {
        "tool": {
            "driver": {
                "name": "sherloc",
                "version": __version__,
                "rules": [_rule(each) for each in rules],
            }
        },
        "automationDetails": {"id": "sherloc/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [_notification(each) for each in report.diagnostics],
            }
        ],
        "results": [_result(each, rules, report) for each in report.change_sets],
        "properties": {
            "confidence": report.confidence,
            "confidenceReasons": [one_line(reason) for reason in report.confidence_reasons],
            "repository": report.repository,
            "revision": report.revision,
        },
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def file_address(path: str) -> str:
    r"""A path as a relative reference: percent-encoded, so that neither blanks nor colons change its meaning.

    Args:
        path: As reports show it.

    >>> file_address("a b/c#d:e.py"), file_address("caf\\xe9.py")
    ('a%20b/c%23d%3Ae.py', 'caf%E9.py')
    """
    original = original_path(path)
    return quote(os.fsencode(path if original is None else original), safe="/")


def _rule(change_type: ChangeType) -> Json:
    words = change_in_words(change_type.value)
    return {
        "id": f"sherloc/{change_type.value}",
        "name": "".join(part.capitalize() for part in change_type.value.split("_")),
        "shortDescription": {"text": f"Suspected place of an issue: {words}"},
        "fullDescription": {
            "text": f"The evidence suggests that this place must change to resolve the issue ({words})."
        },
        "defaultConfiguration": {"level": "warning"},
    }


def _result(change_set: ChangeSet, rules: list[ChangeType], report: Report) -> Json:
    target = change_set.target_location
    name = one_line(target.function_name)
    where = f" in {name}" if name else ""
    evidence = [one_line(evidence_in_words(e.source, e.description)) for e in change_set.diagnostic_evidence]
    sentences = [
        f"{change_in_words(change_set.change_type.value).capitalize()}{where}: {chance(change_set.confidence)} likely.",
        f"{level_in_words(report.confidence)}.",
        *evidence[:3],
    ]
    related = [*_own_lines(change_set), *_tied(change_set, report)]
    location = _location(change_set.file_path, target.start_line, target.end_line, name)
    return {
        "ruleId": f"sherloc/{change_set.change_type.value}",
        "ruleIndex": rules.index(change_set.change_type),
        "level": "note" if report.confidence == "low" else "warning",
        "message": _message(" ".join(sentences)),
        "locations": [location],
        "relatedLocations": [{**each, "id": number} for number, each in enumerate(related[:_RELATED], 1)],
        "partialFingerprints": {"sherlocPlace/v1": _fingerprint(change_set)},
        "rank": round(change_set.confidence * 100, 2),
        "properties": {
            "confidence": change_set.confidence,
            "evidence": evidence,
            "newFile": change_set.new_file,
            "stale": change_set.stale,
            "contentHash": change_set.content_hash,
        },
    }


def _message(text: str) -> Json:
    """A message; viewers make links of ``[text](address)`` in it (3.11.6), which a stranger may have written."""
    return {"text": text.replace("](", "\\](")}


def _location(path: str, first: int | None, last: int | None, name: str = "", words: str = "") -> Json:
    start = first or 1
    found: Json = {
        "physicalLocation": {
            "artifactLocation": {"uri": file_address(path)},
            "region": {"startLine": start, "endLine": max(start, last or start)},
        }
    }
    if name:
        found["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "function"}]
    if words:
        found["message"] = _message(words)
    return found


def _own_lines(change_set: ChangeSet) -> Iterable[Json]:
    """The lines that evidence is about."""
    for item in change_set.diagnostic_evidence:
        kind, _, span = item.source.partition(" ")
        first, _, last = span.partition("-")
        if kind == "lines" and first.isdecimal():
            start, end = int(first), int(last) if last.isdecimal() else int(first)
            yield _location(change_set.file_path, start, end, words=one_line(item.description))


def _tied(change_set: ChangeSet, report: Report) -> Iterable[Json]:
    """Diagnosed code that the evidence graph ties to a change set."""
    mine = {at for at, diagnosis in enumerate(report.diagnoses) if _holds(diagnosis, change_set)}
    ties = []
    for edge in report.evidence.edges:
        if (edge.first in mine) != (edge.second in mine):
            other = edge.second if edge.first in mine else edge.first
            ties.append((-edge.weight, other, ", ".join(edge.reasons)))
    seen: set[int] = set()
    for _, other, reasons in sorted(ties):
        if other not in seen:
            seen.add(other)
            diagnosis = report.diagnoses[other]
            name = one_line(diagnosis.qualified_name)
            words = f"{name or 'Module code'}: {one_line(reasons)}"
            yield _location(diagnosis.path, diagnosis.start_line, diagnosis.end_line, name, words)


def _holds(diagnosis: Diagnosis, change_set: ChangeSet) -> bool:
    line = change_set.target_location.start_line
    same = diagnosis.path == change_set.file_path
    return same and line is not None and diagnosis.start_line <= line <= diagnosis.end_line


def _fingerprint(change_set: ChangeSet) -> str:
    place = (change_set.file_path, change_set.target_location.function_name, change_set.change_type.value)
    return hashlib.sha256("\0".join(place).encode("utf-8", "surrogatepass")).hexdigest()


def _notification(diagnostic: Diagnostic) -> Json:
    found: Json = {
        "level": _NOTICE_LEVELS[diagnostic.severity],
        "message": _message(one_line(diagnostic.message)),
        "descriptor": {"id": diagnostic.code},
    }
    if diagnostic.path:
        found["locations"] = [_location(diagnostic.path, None, None)]
    return found
