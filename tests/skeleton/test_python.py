# ruff: noqa: E501  # sources and their skeletons, side by side
"""Python against the ``ast`` module, and files as they come."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from collections import Counter
from pathlib import Path

import pytest

from sherloc.indexer.decoding import decode
from sherloc.skeleton import make_skeleton

LIBRARY = Path(sysconfig.get_path("stdlib"))


def symbols(text: str) -> Counter[tuple[object, ...]]:
    """Each function and class with its path, arguments, return type, bases, decorators and docstring."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    found: Counter[tuple[object, ...]] = Counter()
    stack: list[tuple[ast.AST, tuple[str, ...]]] = [(tree, ())]
    while stack:
        node, path = stack.pop()
        for child in ast.iter_child_nodes(node):
            inner = path
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = (*path, child.name)
                heads = child.bases if isinstance(child, ast.ClassDef) else [child.args, child.returns]
                head = [ast.dump(part) for part in [*heads, *child.decorator_list] if part is not None]
                found[(inner, type(child).__name__, *head, ast.get_docstring(child, clean=False))] += 1
            stack.append((child, inner))
    return found


def module_level(text: str) -> list[str]:
    """What stands outside of functions, without them; of a lambda with a name only that it is one."""
    kept = []
    tree = ast.parse(text)
    for each in ast.walk(tree):
        if isinstance(each, (ast.Assign, ast.AnnAssign)) and isinstance(each.value, ast.Lambda):
            each.value = ast.Name("lambda", ast.Load())
    stack = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.ClassDef):
            stack.extend(reversed(node.body))
        elif not any(isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) for part in ast.walk(node)):
            kept.append(ast.dump(node))
    return kept


def agrees(path: Path) -> bool:
    """Whether a file can be parsed; then its skeleton is checked."""
    text = decode(path.read_bytes())[0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, str(path), "exec")
    except (SyntaxError, ValueError):
        return False
    made = make_skeleton(text, "python")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(made.text, str(path), "exec")
        assert symbols(made.text) == symbols(text), path
        assert module_level(made.text) == module_level(text), path
        assert make_skeleton(made.text, "python").text == made.text, path
        for docs in ("first", "none"):
            less = make_skeleton(text, "python", docs=docs)
            compile(less.text, str(path), "exec")
            assert {each[:-1] for each in symbols(less.text)} == {each[:-1] for each in symbols(text)}, path
            assert make_skeleton(less.text, "python", docs=docs).text == less.text, path
    return True


def test_skeletons_have_the_symbols_of_ast_and_compile() -> None:
    files = sorted(LIBRARY.glob("*.py"))[::25]
    assert sum(map(agrees, files)) >= 5


@pytest.mark.slow
def test_so_it_is_for_the_whole_standard_library() -> None:
    files = [path for path in sorted(LIBRARY.rglob("*.py")) if "site-packages" not in path.parts]
    assert sum(map(agrees, files)) > 1000


CASES = {
    "one line": ("def f(): return 10\n", "def f(): ...\n"),
    "trivial bodies stay": ("def f(): pass\n\n\ndef g(): ...\n", "def f(): pass\n\n\ndef g(): ...\n"),
    "overloads": (
        "@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str) -> str: ...\ndef f(x):\n    return x\n",
        "@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str) -> str: ...\ndef f(x):\n    ...\n",
    ),
    "a comment comes first": ("def f():\n    # why\n    return 10\n", "def f():\n    ...\n"),
    "a comment beside the head": ("def f():  # type: () -> int\n    return 10\n", "def f():  # type: () -> int\n    ...\n"),
    "hard signature": (
        'def f(a=")", *, b: str = ":", c={1: 2}["x"]) -> Dict[str, "int"]:\n    return 10\n',
        'def f(a=")", *, b: str = ":", c={1: 2}["x"]) -> Dict[str, "int"]:\n    ...\n',
    ),
    "guarded": (
        "if A:\n    def f():\n        return 10\nelse:\n    def f():\n        return 20\ntry:\n    import x\nexcept E:\n    x = 1\n",
        "if A:\n    def f():\n        ...\nelse:\n    def f():\n        ...\ntry:\n    import x\nexcept E:\n    x = 1\n",
    ),
    "a type alias, __all__, dataclass fields": (
        '__all__ = ["C"]\nAlias = Dict[str, int]\n@dataclass\nclass C:\n    a: int = 1\n    b: list = field(default_factory=lambda: [])\n',
        '__all__ = ["C"]\nAlias = Dict[str, int]\n@dataclass\nclass C:\n    a: int = 1\n    b: list = field(default_factory=lambda: [])\n',
    ),
    "continued": ("def f(): \\\n    return 10\n", "def f(): \\\n    ...\n"),
    "tabs": ("class A:\n\tdef f(self):\n\t\treturn 10\n", "class A:\n\tdef f(self):\n\t\t...\n"),
    "form feed": ("\x0c\ndef f():\n    return 10\n\x0c\ndef g():\n    x = 10\n", "\x0c\ndef f():\n    ...\n\x0c\ndef g():\n    ...\n"),
    "no line end": ("def f():\n    return 10", "def f():\n    ..."),
    "empty": ("", ""),
    "a nested function under if is moved": (
        "def f():\n    if x:\n        @d\n        def g(): return 10\n",
        "def f():\n    @d\n    def g(): ...\n    ...\n",
    ),
    "a class inside whose constructor ends with an attribute": (
        "def f():\n    class A:\n        def __init__(self):\n            g()\n            self.a = 1\n    return A()\n",
        "def f():\n    class A:\n        def __init__(self):\n            self.a = 1\n            ...\n    ...\n",
    ),
    "windows": ("def f():\r\n    x = 10\r\n    return x\r\n", "def f():\r\n    ...\r\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    source, expected = CASES[name]
    assert make_skeleton(source, "python").text == expected


def test_lines_are_parted_by_line_feeds_alone() -> None:
    made = make_skeleton("x = '\u2028\x0b\x1c'\n\x0cdef f():\n    return 10\n\n\ny = 2\n", "python")
    assert made.lines == (1, 2, 3, 4, 5, 6)
    assert made.numbered().split("\n")[1] == "2| \x0cdef f():"


def test_docstrings_are_cut_to_their_first_line() -> None:
    source = 'class A:\n    """First.\n\n    More.\n    """\n\n    def f(self):\n        r"""\\\n        Say "hi"\n        now."""\n        return 10\n'
    made = make_skeleton(source, "python", docs="first")
    assert made.text == 'class A:\n    """First."""\n\n    def f(self):\n        r"""Say "hi" """\n        ...\n'
    assert made.lines == (1, 2, 6, 7, 8, 11)
    assert ast.get_docstring(ast.parse(made.text).body[0]) == "First."


def test_attributes_can_be_left_out() -> None:
    source = (
        "class A:\n    def __init__(self, a):\n        self.a = a\n        self.b, self.c = 1, 2\n        work(a)\n"
    )
    kept = "class A:\n    def __init__(self, a):\n        self.a = a\n        self.b, self.c = 1, 2\n        ...\n"
    assert make_skeleton(source, "python").text == kept
    assert (
        make_skeleton(source, "python", attributes=False).text == "class A:\n    def __init__(self, a):\n        ...\n"
    )


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1", "utf-16"])
def test_encodings(encoding: str) -> None:
    from sherloc.skeleton import skeleton_of

    data = "# é\ndef f():\n    return 'é'\n".encode(encoding)
    assert skeleton_of("a.py", data, "python").skeleton.text == "# é\ndef f():\n    ...\n"


def test_the_map_goes_both_ways() -> None:
    made = make_skeleton("import a\n\ndef f():\n    x = 1\n    y = 2\n    return y\n\nz = 3\n", "python")
    assert made.lines == (1, 2, 3, 4, 7, 8)
    assert [made.line_of(line) for line in (3, 4, 5, 6, 7, 8)] == [3, 4, 4, 4, 5, 6]
    assert made.hidden == ((4, 6),)
    with pytest.raises(IndexError):
        made.original_line(7)


@pytest.mark.parametrize(
    ("text", "without"),
    [
        (
            'class A:\n    """One."""\n    # c\n    """Two."""\n\n\n"""Free."""\n',
            'class A:\n    ...\n\n\n"""Free."""\n',
        ),
        ('class A:\n    """One."""\n    """Two."""\n    x = 1\n', "class A:\n    x = 1\n"),
        ('class A:\n    """One."""\n\n"""Free."""\n', 'class A:\n    ...\n\n"""Free."""\n'),
        ('"""M."""\n"""N."""\nX = 1\n', "X = 1\n"),
        ('def f():\n    """D."""\n    return 1\n\n\n"""Free."""\n', 'def f():\n    ...\n\n\n"""Free."""\n'),
        ('x = 1\n"""Free."""\n"""Free."""\n', 'x = 1\n"""Free."""\n"""Free."""\n'),
    ],
)
def test_strings_after_a_docstring_do_not_become_one(text: str, without: str) -> None:
    made = make_skeleton(text, "python", docs="none").text
    assert made == without and make_skeleton(made, "python", docs="none").text == without


@pytest.mark.parametrize(
    "doc",
    [
        "'''One.''' \\\n    f''",
        "'One.' \\\n    'Two.'",
        '"""One.""" """Two.\nThree."""',
        '"""One \\""" two.\nThree."""',
    ],
)
def test_literals_that_stand_together_are_not_cut(doc: str) -> None:
    text = f"class A:\n    {doc}\n    x = 1\n"
    assert make_skeleton(text, "python", docs="first").text == text
