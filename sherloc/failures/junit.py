"""JUnit's XML, which nearly every test runner can write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn
from xml.etree import ElementTree

from sherloc.errors import UsageError
from sherloc.schema.failures import FailingCase

_MOST_BYTES = 64_000_000
_LONGEST = 20_000
_PIECE = 1 << 20
_FAULTS = ("failure", "error")


def read_junit(data: bytes, name: str = "the JUnit report") -> tuple[FailingCase, ...]:
    """The tests that failed or broke, in the report's order.

    Args:
        data: The XML. It is a stranger's: no document type, so no entities of its own. Nothing but failed tests is
            kept of it.
        name: What to call it in errors.

    Raises:
        UsageError: It is too large, no XML, declares a document type, or holds no test.
    """
    if len(data) > _MOST_BYTES:
        raise UsageError(f"{name} has {len(data):,} bytes; at most {_MOST_BYTES:,} are read.")
    cases = _Cases(name)
    parser = ElementTree.XMLParser(target=cases)
    try:
        for start in range(0, len(data), _PIECE):
            parser.feed(data[start : start + _PIECE])
        parser.close()
    except ElementTree.ParseError as error:
        raise UsageError(f"{name} is not well-formed XML: {error}.") from error
    except (ValueError, LookupError) as error:
        raise UsageError(
            f"{name} is in an encoding that cannot be read: {error}.", hint="Write it as UTF-8."
        ) from error
    if not cases.count:
        raise UsageError(f"{name} holds no test.", hint="Give a report with <testcase> elements.")
    return tuple(cases.found)


class _Cases:
    """Takes what the parser meets; the names of its methods are ElementTree's."""

    def __init__(self, name: str) -> None:
        self.count = 0
        self.found: list[FailingCase] = []
        self._name = name
        self._depth = self._at = 0
        self._case: Mapping[str, str] = {}
        self._fault: Mapping[str, str] | None = None
        self._takes_text = False
        self._text = ""

    def doctype(self, *_: str | None) -> NoReturn:
        """Comes before anything that a document type declares is looked at."""
        raise UsageError(f"{self._name} declares a document type; JUnit reports have none.")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._takes_text = False
        kind = tag.rpartition("}")[2]
        if kind == "testcase":
            self.count += 1
            self._at, self._case, self._fault, self._text = self._depth, attributes, None, ""
        elif kind in _FAULTS and self._at and self._depth == self._at + 1 and self._fault is None:
            self._fault, self._takes_text = attributes, True

    def data(self, text: str) -> None:
        if self._takes_text:
            self._text = (self._text + text)[-2 * _LONGEST :]

    def end(self, _: str) -> None:
        if self._depth == self._at:
            if self._fault is not None:
                self.found.append(_failing(self._case, self._fault, self._text))
            self._at = 0
        self._takes_text = False
        self._depth -= 1

    def close(self) -> None:
        """Nothing is built."""


def _failing(case: Mapping[str, str], fault: Mapping[str, str], text: str) -> FailingCase:
    parts = (case.get("classname", ""), case.get("name", ""))
    message = " ".join((fault.get("message") or fault.get("type") or "").split())
    return FailingCase(
        id=".".join(filter(None, parts)), path=case.get("file", ""), message=message[:_LONGEST],
        trace=text.strip("\n")[-_LONGEST:],
    )  # fmt: skip
