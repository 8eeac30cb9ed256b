"""Chained errors: the root cause's frames and words come first; what wraps it says less."""

from __future__ import annotations

import pytest

from sherloc.query import build_query
from sherloc.query.tracebacks import find_traces
from sherloc.schema.issue import Issue

JAVA = """Exception in thread "main" org.acme.StartException: Startup failed
\tat org.acme.Main.run(Main.java:9)
Caused by: org.acme.LoadException: Loading failed
\tat org.acme.Loader.load(Loader.java:20)
\t... 1 more
Caused by: java.lang.NullPointerException: value is null
\tat java.util.Objects.require(Objects.java:1)
\tat org.acme.Parser.parse(Parser.java:5)
\t... 2 more"""
SUPPRESSED = """java.io.IOException: disk went away
\tat org.acme.Reader.read(Reader.java:7)
\tSuppressed: java.lang.IllegalStateException: closed twice
\t\tat org.acme.Reader.close(Reader.java:30)"""
NODE = """Error: startup failed
    at start (/srv/app/main.js:9:1)
    at run (/srv/app/run.js:2:1) {
  [cause]: TypeError: value is undefined
      at parse (/srv/app/parser.js:5:2)
      at load (/srv/app/loader.js:3:4)
}"""
PYTHON = """Traceback (most recent call last):
  File "/srv/app/loader.py", line 5, in load
    return parse(path)
  File "/srv/app/parser.py", line 2, in parse
    return value.strip()
AttributeError: value is None

{link}

Traceback (most recent call last):
  File "/srv/app/main.py", line 3, in main
    load(path)
  File "/srv/app/loader.py", line 7, in load
    raise LoadError("loading failed") from error
app.loader.LoadError: loading failed"""
DIRECT = "The above exception was the direct cause of the following exception:"
WHILE = "During handling of the above exception, another exception occurred:"


def read(text: str) -> tuple[list[str], list[tuple[str, bool]]]:
    (trace,) = find_traces(text.split("\n"))
    return [frame.function for frame in trace.frames], [(raised.name, raised.wraps) for raised in trace.raised]


@pytest.mark.parametrize(
    ("text", "functions", "raised"),
    [
        (
            JAVA,
            [
                "java.util.Objects.require", "org.acme.Parser.parse", "org.acme.Loader.load", "org.acme.Main.run",
            ],
            [("NullPointerException", False), ("LoadException", True), ("StartException", True)],
        ),
        (
            SUPPRESSED,
            ["org.acme.Reader.read", "org.acme.Reader.close"],
            [("IOException", False), ("IllegalStateException", False)],
        ),
        (NODE, ["parse", "load", "start", "run"], [("TypeError", False), ("Error", True)]),
        (
            PYTHON.format(link=DIRECT),
            ["parse", "load", "load", "main"],
            [("AttributeError", False), ("LoadError", True)],
        ),
        (
            PYTHON.format(link=WHILE),
            ["load", "main", "parse", "load"],
            [("LoadError", False), ("AttributeError", False)],
        ),
    ],
    ids=["java", "suppressed", "node", "python-direct", "python-while"],
)  # fmt: skip
def test_the_root_cause_comes_first(text: str, functions: list[str], raised: list[tuple[str, bool]]) -> None:
    assert read(text) == (functions, raised)


def test_three_python_errors() -> None:
    third = (
        'Traceback (most recent call last):\n  File "/srv/app/top.py", line 1, in top\n    main()\nTopError: top failed'
    )
    for first_link, second_link, functions in (
        (DIRECT, DIRECT, ["parse", "load", "load", "main", "top"]),
        (WHILE, WHILE, ["top", "load", "main", "parse", "load"]),
        (WHILE, DIRECT, ["load", "main", "parse", "load", "top"]),
    ):
        text = f"{PYTHON.format(link=first_link)}\n\n{second_link}\n\n{third}"
        assert read(text)[0] == functions


@pytest.mark.parametrize(("text", "root"), [(JAVA, "value is null"), (PYTHON.format(link=DIRECT), "value is None")])
def test_the_root_causes_words_are_what_happens(text: str, root: str) -> None:
    query = build_query(Issue(title="It stops", body=f"```\n{text}\n```"))
    actual = [segment.text for segment in query.segments if segment.kind == "actual"]
    assert len(actual) == 1 and root in actual[0]
    assert "failed" not in actual[0]
    assert query.messages[0] == root
    weights = dict(query.terms)
    assert weights["value"] > weights["failed"] > 0


def test_a_wrapper_of_an_unknown_cause_is_what_happens() -> None:
    text = JAVA.split("Caused by: java")[0].replace("Caused by: org.acme.LoadException: Loading failed", "Caused by:")
    query = build_query(Issue(title="It stops", body=f"```\n{text}\n```"))
    assert "Startup failed" in next(segment.text for segment in query.segments if segment.kind == "actual")
