"""Symbols of one name: each is an entry of its own, and none overwrites another."""

from __future__ import annotations

from collections.abc import Callable

from sherloc.schema.report import Report

Find = Callable[..., Report]


def _entries(report: Report, name: str) -> list[tuple[str, str, int, int]]:
    found = [
        (each.path, each.qualified_name, each.start_line, each.end_line)
        for each in report.ranked_functions
        if each.qualified_name.split(".")[-1] == name
    ]
    assert len(found) == len(set(found))
    return sorted(found)


def test_methods_of_two_classes_in_one_file(find: Find) -> None:
    source = (
        "class Import:\n    def run(self, file):\n        return file.read()\n\n\n"
        "class Export:\n    def run(self, file):\n        return file.write()\n"
    )
    report = find(
        {"jobs.py": source, "other.py": "def run(file):\n    return file.close()\n"}, "run() leaves the file open"
    )
    assert _entries(report, "run") == [
        ("jobs.py", "Export.run", 7, 8),
        ("jobs.py", "Import.run", 2, 3),
        ("other.py", "run", 1, 2),
    ]


def test_overloads(find: Find) -> None:
    source = (
        "class Money {\n    int add(int cents) {\n        return cents;\n    }\n\n"
        "    int add(int cents, int more) {\n        return cents + more;\n    }\n\n"
        "    int add(Money money) {\n        return 0;\n    }\n}\n"
    )
    report = find({"Money.java": source}, "Money.add() of two amounts is wrong")
    assert _entries(report, "add") == [
        ("Money.java", "Money.add", 2, 4),
        ("Money.java", "Money.add", 6, 8),
        ("Money.java", "Money.add", 10, 12),
    ]


def test_nested_definitions_and_redefinitions(find: Find) -> None:
    source = (
        "import sys\n\nif sys.platform == 'win32':\n    def open_port(name):\n        return 'win', name\nelse:\n"
        "    def open_port(name):\n        return 'unix', name\n\n\n"
        "def outer():\n    def open_port(name):\n        return 'inner', name\n    return open_port\n"
    )
    report = find({"port.py": source}, "open_port() ignores the name")
    entries = _entries(report, "open_port")
    assert [(start, end) for _, _, start, end in entries if start < 11] == [(4, 5), (7, 8)]
    assert [(start, end) for _, _, start, end in entries if start >= 11] == [(12, 13)]


def test_one_name_in_many_files(find: Find) -> None:
    files = {f"plugins/p{n}/plugin.py": f"class Plugin:\n    def load(self):\n        return {n}\n" for n in range(12)}
    report = find(files, "Plugin.load is called twice")
    assert [path for path, *_ in _entries(report, "load")] == sorted(files)


def test_getter_and_setter_of_a_property(find: Find) -> None:
    source = (
        "class Volume:\n    @property\n    def level(self):\n        return self._level\n\n"
        "    @level.setter\n    def level(self, value):\n        self._level = value\n"
    )
    report = find({"volume.py": source}, "Volume.level accepts a negative value")
    assert _entries(report, "level") == [("volume.py", "Volume.level", 2, 4), ("volume.py", "Volume.level", 6, 8)]
