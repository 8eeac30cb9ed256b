"""What a function of JavaScript and TypeScript is called when it has two names, or is handed through others."""

from __future__ import annotations

import pytest

from sherloc.syntax import outline

CASES = {
    # A wrapper: users say the variable.
    "const X = memo(function Z() { return 1; });": ["X"],
    "const X = React.memo(function Z() { return 1; });": ["X"],
    "export const X = forwardRef(function Z(props, ref) { return 1; });": ["X"],
    "const X = React.forwardRef(function (props, ref) { return 1; });": ["X"],
    "const X = memo(forwardRef(function Z(props, ref) { return 1; }));": ["X"],
    "const X = memo(forwardRef((props, ref) => { return 1; }));": ["X"],
    "const X = debounce(function Z() { return 1; }, 100);": ["X"],
    "const X = useCallback(() => { return 1; }, []);": ["X"],
    "const X = memo((props) => { return 1; });": ["X"],
    "const X = memo(function X() { function inner() {} });": ["X", "X.inner"],
    # Any other call: the function is only handed in.
    "const timer = setTimeout(function tick() { return 1; });": ["tick"],
    "new Promise(function executor(resolve) { return 1; });": ["executor"],
    # A function expression with a name of its own: what it is assigned to says how it is called.
    "const a = function b() { return 1; };": ["a"],
    "obj.a = function b() { return 1; };": ["obj.a"],
    "Foo.prototype.a = function b() { return 1; };": ["Foo.a"],
    "exports.a = function b() { return 1; };": ["a"],
    "const o = { a: function b() { return 1; } };": ["o.a"],
    "const A = class B { m() {} };": ["A", "A.m"],
    # A slot for a handler: nobody calls it, stack traces say the function's own name.
    "request.onabort = function handleAbort() { return 1; };": ["handleAbort"],
    "window.onload = function () { return 1; };": ["onload"],
    "function f() { xhr.onerror = function handleError() {}; }": ["f", "f.handleError"],
    "const o = { onClick: function handleClick() { return 1; } };": ["o.handleClick"],
    "obj.once = function wrapped() { return 1; };": ["obj.once"],
    # Called at once: the name is what it makes.
    "const lib = (function () { function inner() {} return inner; })();": ["lib", "lib.inner"],
    "var lib = function () { function inner() {} return inner; }();": ["lib", "lib.inner"],
    "const lib = (() => { return 1; })();": ["lib"],
    "window.lib = (function named() { return 1; })();": ["lib"],
    "(function boot() { return 1; })();": ["boot"],
}


@pytest.mark.parametrize("language", ["javascript", "typescript", "tsx"])
@pytest.mark.parametrize("code", CASES)
def test_names(language: str, code: str) -> None:
    assert [each.qualified_name for each in outline(language, code.encode()).definitions] == CASES[code]


@pytest.mark.parametrize("code", CASES)
def test_each_has_its_whole_span(code: str) -> None:
    for definition in outline("javascript", f"\n{code}\n".encode()).definitions:
        assert (definition.start_line, definition.end_line, definition.name_line) == (2, 2, 2)
