"""JUnit's XML, which nearly every test runner can write."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from xml.etree import ElementTree

from sherloc.errors import UsageError
from sherloc.schema.failures import FailingCase

_MOST_BYTES = 64_000_000
_LONGEST = 20_000
_DECLARES = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def read_junit(data: bytes, name: str = "the JUnit report") -> tuple[FailingCase, ...]:
    """The tests that failed or broke, in the report's order.

    Args:
        data: The XML. It is a stranger's: no document type, so no entities of its own.
        name: What to call it in errors.

    Raises:
        UsageError: It is too large, no XML, declares a document type, or holds no test.
    """
    if len(data) > _MOST_BYTES:
        raise UsageError(f"{name} has {len(data):,} bytes; at most {_MOST_BYTES:,} are read.")
    if _DECLARES.search(data) or b"\0" in data[:200]:
        raise UsageError(f"{name} declares a document type or is not UTF-8; JUnit reports are plain UTF-8 without one.")
    found: list[FailingCase] = []
    count = 0
    for case in _cases(data, name):
        count += 1
        fault = next((child for child in case if child.tag in ("failure", "error")), None)
        if fault is not None:
            found.append(_case(case, fault))
    if not count:
        raise UsageError(f"{name} holds no test.", hint="Give a report with <testcase> elements.")
    return tuple(found)


def _cases(data: bytes, name: str) -> Iterator[ElementTree.Element]:
    try:
        for _, element in ElementTree.iterparse(io.BytesIO(data), events=("end",)):
            if element.tag == "testcase":
                yield element
    except ElementTree.ParseError as error:
        raise UsageError(f"{name} is not well-formed XML: {error}.") from error


def _case(case: ElementTree.Element, fault: ElementTree.Element) -> FailingCase:
    owner, test = case.get("classname", ""), case.get("name", "")
    path = case.get("file", "")
    message = " ".join((fault.get("message") or fault.get("type") or "").split())
    return FailingCase(
        id=".".join(part for part in (owner, test) if part), path=path, message=message[:_LONGEST],
        trace=(fault.text or "").strip("\n")[-_LONGEST:],
    )  # fmt: skip
