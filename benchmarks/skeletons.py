"""What skeletons keep and save.

python benchmarks/skeletons.py --ast                                     the interpreter's standard library against ast
python benchmarks/skeletons.py --typescript NODE_MODULES/typescript REPOSITORY...   against the TypeScript compiler
python benchmarks/skeletons.py --tokens REPOSITORY...                    tokens saved, by language
python benchmarks/skeletons.py --speed REPOSITORY...                     MB of source a second of CPU
python benchmarks/skeletons.py --compare REPOSITORY --ast-grep BINARY --repomix BINARY
                                                                         side by side on the same files

REPOSITORY is a folder or a git directory, optionally with @REVISION. --every N takes every Nth file.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sysconfig
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from sherloc.indexer.decoding import decode
from sherloc.repository import classify, header_language, inspect_content, open_tree
from sherloc.skeleton import make_skeleton
from sherloc.syntax import outline
from sherloc.syntax.grammars import captures
from sherloc.tokens import get_tokenizer

RULES = """\
id: py
language: Python
rule: {kind: block, inside: {field: body, kind: function_definition}}
fix: '...'
---
id: LANGUAGE-function
language: LANGUAGE
rule: {kind: statement_block, inside: {field: body, kind: function_declaration}}
fix: '{ /* ... */ }'
---
id: LANGUAGE-method
language: LANGUAGE
rule: {kind: statement_block, inside: {field: body, kind: method_definition}}
fix: '{ /* ... */ }'
---
id: LANGUAGE-arrow
language: LANGUAGE
rule: {kind: statement_block, inside: {field: body, kind: arrow_function}}
fix: '{ /* ... */ }'
"""


def files_of(repository: str, every: int = 1, languages: tuple[str, ...] = ()) -> Iterator[tuple[str, str, str, bytes]]:
    """Path, language, text and bytes of the code of a repository, tests too; what is not looked into is left out."""
    location, _, revision = repository.partition("@")
    tree = open_tree(location, revision or None)
    headers = header_language([entry.path for entry in tree.entries])
    chosen = []
    for entry in tree.entries:
        kind = classify(entry.path)
        language = headers if entry.path.endswith(".h") else kind.language
        if language and not kind.excluded and (not languages or language in languages):
            chosen.append((entry, language))
    chosen = chosen[::every]
    for (entry, language), (_, data) in zip(chosen, tree.read([entry for entry, _ in chosen]), strict=True):
        if data is not None and not inspect_content(entry.path, data):
            yield entry.path, language, decode(data)[0], data


def python_symbols(text: str) -> Counter[str]:
    """Functions and classes with arguments, return types, bases, decorators and docstrings."""
    found: Counter[str] = Counter()
    stack: list[tuple[ast.AST, str]] = [(ast.parse(text), "")]
    while stack:
        node, path = stack.pop()
        for child in ast.iter_child_nodes(node):
            inner = path
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = f"{path}.{child.name}"
                heads = child.bases if isinstance(child, ast.ClassDef) else [child.args, child.returns]
                parts = [ast.dump(part) for part in [*heads, *child.decorator_list] if part is not None]
                found["|".join([inner, type(child).__name__, *parts, str(ast.get_docstring(child))])] += 1
            stack.append((child, inner))
    return found


def compare_with_ast(every: int) -> None:
    """The standard library."""
    root = Path(sysconfig.get_path("stdlib"))
    files = symbols = lost = added = broken = exceptions = 0
    for path in [each for each in sorted(root.rglob("*.py")) if "site-packages" not in each.parts][::every]:
        text = decode(path.read_bytes())[0]
        try:
            wanted = python_symbols(text)
            compile(text, str(path), "exec")
        except (SyntaxError, ValueError):
            continue
        files += 1
        symbols += sum(wanted.values())
        try:
            made = make_skeleton(text, "python").text
        except Exception as error:  # noqa: BLE001 - that is what is counted
            exceptions += 1
            print(f"{path}: {error!r}")
            continue
        try:
            compile(made, str(path), "exec")
            found = python_symbols(made)
        except SyntaxError as error:
            broken += 1
            print(f"{path}: {error}")
            continue
        lost += sum((wanted - found).values())
        added += sum((found - wanted).values())
    print(f"{files} files that compile, {symbols} symbols: {lost} lost, {added} added, {broken} skeletons that do not "
          f"compile, {exceptions} exceptions")  # fmt: skip


def compare_with_typescript(folder: str, repositories: list[str], every: int) -> None:
    """TypeScript and TSX."""
    rows = [row for each in repositories for row in files_of(each, every, ("typescript", "tsx"))]
    texts = [{"name": path, "text": text} for path, _, text, _ in rows]
    skeletons = [{"name": path, "text": make_skeleton(text, language).text} for path, language, text, _ in rows]
    script = str(Path(__file__).with_name("typescript_symbols.js"))
    lines = "\n".join(json.dumps(each) for each in [*texts, *skeletons]) + "\n"
    done = subprocess.run(
        ["node", script, str(Path(folder).resolve())], input=lines, capture_output=True, text=True, check=True
    )
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    symbols = lost = added = broken = 0
    for (path, *_), before, after in zip(rows, outcomes[: len(rows)], outcomes[len(rows) :], strict=True):
        if before["errors"]:
            continue
        broken += bool(after["errors"])
        wanted, found = Counter(before["symbols"]), Counter(after["symbols"])
        symbols += sum(wanted.values())
        lost += sum((wanted - found).values())
        added += sum((found - wanted).values())
        for name in list(wanted - found)[:3]:
            print(f"lost in {path}: {name[:150]}")
    print(f"{len(rows)} files, {symbols} symbols: {lost} lost, {added} added, {broken} skeletons with syntax errors")


def count_tokens(repositories: list[str], every: int, tokenizer_name: str | None) -> None:
    """Tokens saved, by repository and language."""
    tokenizer = get_tokenizer(tokenizer_name)
    print(f"tokens by {tokenizer.name}")
    for repository in repositories:
        rows: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0])
        for _, language, text, _ in files_of(repository, every):
            row = rows[language]
            row[0] += 1
            row[1] += tokenizer.count(text)
            for at, docs in enumerate(("all", "first", "none"), 2):
                row[at] += tokenizer.count(make_skeleton(text, language, docs=docs).text)  # type: ignore[arg-type]
        for language, (files, whole, *made) in sorted(rows.items()):
            if files >= 5:
                saved = "  ".join(f"{1 - tokens / whole:.1%}" for tokens in made)
                print(
                    f"{repository} {language}: {files} files, {whole} tokens; saved with all, first, no docs: {saved}"
                )


def measure_speed(repositories: list[str], every: int) -> None:
    """MB a second of CPU."""
    rows: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for repository in repositories:
        for _, language, text, data in files_of(repository, every):
            if language not in rows:
                make_skeleton("", language)  # loads the grammar and its query
            row = rows[language]
            row[0] += len(data) / 1e6
            start = time.process_time()
            make_skeleton(text, language)
            middle = time.process_time()
            captures(language, text.encode("utf-8", "replace"), "bodies")
            row[1] += middle - start
            row[2] += time.process_time() - middle
    for language, (size, made, parsed) in sorted(rows.items()):
        if size > 0.1:
            print(f"{language}: {size:.1f} MB, skeletons {size / made:.1f} MB/s, parsing alone {size / parsed:.1f}")


def names_in(text: str, language: str) -> Counter[str]:
    """Qualified names of all definitions."""
    return Counter(d.qualified_name for d in outline(language, text.encode("utf-8", "replace")).definitions)


def compare_tools(repository: str, every: int, ast_grep: str, repomix: str) -> None:
    """Tokens, symbols and seconds of three tools on the same files."""
    rows = list(files_of(repository, every, ("python", "typescript", "tsx", "javascript")))
    tokenizer = get_tokenizer()
    whole = sum(tokenizer.count(text) for _, _, text, _ in rows)
    wanted = [names_in(text, language) for _, language, text, _ in rows]
    symbols = sum(sum(names.values()) for names in wanted)
    print(f"{len(rows)} files, {whole} tokens by {tokenizer.name}, {symbols} definitions")
    for docs in ("all", "none"):
        start = time.perf_counter()
        made = [make_skeleton(text, language, docs=docs).text for _, language, text, _ in rows]  # type: ignore[arg-type]
        _row(f"sherloc, docs {docs}", made, rows, wanted, whole, time.perf_counter() - start)
    with tempfile.TemporaryDirectory() as folder:
        for path, _, text, _ in rows:
            target = Path(folder, "src", path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", errors="replace")
        if repomix:
            start = time.perf_counter()
            subprocess.run(
                [repomix, "--compress", "--style", "plain", "-o", f"{folder}/out.txt", "--no-gitignore",
                 "--no-default-patterns", "--no-security-check", f"{folder}/src"],
                capture_output=True, check=True,
            )  # fmt: skip
            seconds = time.perf_counter() - start
            made = parts_of(Path(folder, "out.txt").read_text(encoding="utf-8"), [path for path, *_ in rows])
            _row("repomix --compress", made, rows, wanted, whole, seconds)
        if ast_grep:
            first, *others = RULES.split("---\n")
            rules = [
                first,
                *(rule.replace("LANGUAGE", name) for name in ("TypeScript", "Tsx", "JavaScript") for rule in others),
            ]
            Path(folder, "rules.yml").write_text("---\n".join(rules))
            start = time.perf_counter()
            subprocess.run(
                [ast_grep, "scan", "-r", f"{folder}/rules.yml", "--update-all", f"{folder}/src"],
                capture_output=True, check=False,
            )  # fmt: skip
            seconds = time.perf_counter() - start
            made = [Path(folder, "src", path).read_text(encoding="utf-8") for path, *_ in rows]
            _row("ast-grep rules", made, rows, wanted, whole, seconds)


def parts_of(text: str, paths: list[str]) -> list[str]:
    """The files in repomix's plain output, in the order of the paths; empty for one that is missing."""
    parts = re.split(r"^={16}\nFile: (.*)\n={16}\n", text, flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=False))
    return [found.get(path, "") for path in paths]


def _row(
    tool: str, made: list[str], rows: list[tuple[str, str, str, bytes]], wanted: list[Counter[str]], whole: int,
    seconds: float,
) -> None:  # fmt: skip
    tokenizer = get_tokenizer()
    tokens = sum(map(tokenizer.count, made))
    kept = total = parsed = valid = 0
    for text, (_, language, source, _), names in zip(made, rows, wanted, strict=True):
        # Whether a name is there, not whether the outcome can be parsed: some outcomes are not meant to be.
        words = Counter(re.findall(r"\w+", text))
        short = Counter(re.split(r"::|[.#]", name)[-1] for name in names.elements())
        kept += sum(min(count, words[name]) for name, count in short.items())
        total += sum(short.values())
        if not outline(language, source.encode("utf-8", "replace")).errors:
            valid += 1
            parsed += not outline(language, text.encode("utf-8", "replace")).errors
    print(f"{tool}: {tokens} tokens ({1 - tokens / whole:.1%} saved), {kept / total:.2%} of names kept, "
          f"{parsed} of {valid} still parse, {seconds:.1f} s")  # fmt: skip


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="*")
    parser.add_argument("--ast", action="store_true")
    parser.add_argument("--typescript", metavar="FOLDER")
    parser.add_argument("--tokens", action="store_true")
    parser.add_argument("--tokenizer")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--ast-grep", default="")
    parser.add_argument("--repomix", default="")
    parser.add_argument("--every", type=int, default=1)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.ast:
        compare_with_ast(arguments.every)
    if arguments.typescript:
        compare_with_typescript(arguments.typescript, arguments.repositories, arguments.every)
    if arguments.tokens:
        count_tokens(arguments.repositories, arguments.every, arguments.tokenizer)
    if arguments.speed:
        measure_speed(arguments.repositories, arguments.every)
    if arguments.compare:
        for repository in arguments.repositories:
            compare_tools(repository, arguments.every, arguments.ast_grep, arguments.repomix)


if __name__ == "__main__":
    main()
