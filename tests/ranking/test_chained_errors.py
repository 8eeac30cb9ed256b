"""A wrapper exception never beats its cause: where the root cause was raised comes first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sherloc.schema.report import Report

Locate = Callable[..., Report]

_JAVA = {
    "Loader": """public class Loader {
    private final Parser parser = new Parser();

    public Config load(String path) {
        try {
            return parser.parse(path);
        } catch (RuntimeException error) {
            throw new LoadException("Could not load the configuration", error);
        }
    }
}
""",
    "Parser": """public class Parser {
    public Config parse(String text) {
        Config config = new Config();
        for (String line : text.split(";")) {
            config.add(parseLine(line));
        }
        return config;
    }

    String parseLine(String line) {
        String value = lookUp(line);
        return value.trim();
    }

    String lookUp(String line) {
        return null;
    }
}
""",
    "LoadException": """public class LoadException extends RuntimeException {
    public LoadException(String message, Throwable cause) {
        super(message, cause);
    }
}
""",
    "Config": "public class Config {\n    public void add(String value) {\n    }\n}\n",
    "Main": """public class Main {
    public static void main(String[] arguments) {
        new Loader().load(arguments[0]);
    }
}
""",
}
_JAVA_ISSUE = """Startup fails

It stops at once:

```
Exception in thread "main" com.acme.LoadException: Could not load the configuration
\tat com.acme.Loader.load(Loader.java:10)
\tat com.acme.Main.main(Main.java:5)
Caused by: java.lang.NullPointerException: Cannot invoke "String.trim()" because "value" is null
{library}\tat com.acme.Parser.parseLine(Parser.java:14)
\tat com.acme.Parser.parse(Parser.java:7)
\tat com.acme.Loader.load(Loader.java:8)
\t... 1 more
```
"""
_PYTHON = {
    "acme/__init__.py": "",
    "acme/loader.py": """from acme.parser import parse


class LoadError(Exception):
    pass


def read_configuration(path):
    try:
        return parse(path)
    except Exception as error:
        raise LoadError("could not load the configuration") from error
""",
    "acme/parser.py": """def parse(text):
    return [parse_line(line) for line in text.split()]


def parse_line(line):
    value = look_up(line)
    return value.strip()


def look_up(line):
    return None
""",
    "acme/main.py": """from acme.loader import read_configuration


def main(argv):
    read_configuration(argv[0])
""",
}
_PYTHON_ISSUE = """Startup fails

It stops at once:

```
Traceback (most recent call last):
  File "/srv/acme/loader.py", line 10, in read_configuration
    return parse(path)
  File "/srv/acme/parser.py", line 2, in parse
    return [parse_line(line) for line in text.split()]
  File "/srv/acme/parser.py", line 7, in parse_line
    return value.strip()
{library}AttributeError: 'NoneType' object has no attribute 'strip'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/acme/main.py", line 5, in main
    read_configuration(argv[0])
  File "/srv/acme/loader.py", line 12, in read_configuration
    raise LoadError("could not load the configuration") from error
acme.loader.LoadError: could not load the configuration
```
"""


@pytest.mark.parametrize("frames", [0, 1, 8])
def test_java(find: Locate, frames: int) -> None:
    files = {f"src/main/java/com/acme/{name}.java": f"package com.acme;\n\n{code}" for name, code in _JAVA.items()}
    library = "".join(f"\tat java.util.Library{n}.call(Library{n}.java:{n + 10})\n" for n in range(frames))
    report = find(files, _JAVA_ISSUE.format(library=library))
    assert report.ranked_files[0].path.endswith("/Parser.java")
    assert report.ranked_functions[0].qualified_name == "Parser.parseLine"


@pytest.mark.parametrize("frames", [0, 1, 8])
def test_python(find: Locate, frames: int) -> None:
    library = "".join(f'  File "/usr/lib/library_{n}.py", line {n + 10}, in call\n    call()\n' for n in range(frames))
    report = find(_PYTHON, _PYTHON_ISSUE.format(library=library))
    assert report.ranked_files[0].path == "acme/parser.py"
    assert report.ranked_functions[0].qualified_name == "parse_line"


def test_frames_of_libraries_take_nothing_from_the_repositorys(find: Locate) -> None:
    files = {f"src/main/java/com/acme/{name}.java": f"package com.acme;\n\n{code}" for name, code in _JAVA.items()}
    scores = []
    for frames in (0, 20):
        library = "".join(f"\tat java.util.Library{n}.call(Library{n}.java:{n + 10})\n" for n in range(frames))
        signals = find(files, _JAVA_ISSUE.format(library=library)).ranked_functions[0].signals
        scores.append([signal.score for signal in signals if signal.kind == "traceback"])
    assert scores[0] == scores[1] == [1.0]
