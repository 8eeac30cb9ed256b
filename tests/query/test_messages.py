"""Messages in pasted output: fenced, indented or plain, with a prompt or without; never out of code."""

from __future__ import annotations

import pytest

from sherloc.query import build_query
from sherloc.schema.issue import Issue

MESSAGE = "no such column is here"
LINES = [
    f"Error: {MESSAGE}",
    f"error: {MESSAGE}",
    f"fatal: {MESSAGE}",
    f"tool: error: {MESSAGE}",
    f"main.c:3:4: error: {MESSAGE}",
    f"ValueError: {MESSAGE}",
    f"java.io.IOException: {MESSAGE}",
    f"[ERROR] {MESSAGE}",
    f'the tool says "{MESSAGE}" again',
    f"the tool says '{MESSAGE}' again",
]
PROMPTS = ["$ tool build", "% tool build", "me@host:~/work$ tool build", "C:\\work> tool build", "# tool build", ""]


def messages(body: str) -> tuple[str, ...]:
    return build_query(Issue(title="The build fails", body=f"I ran it again today:\n\n{body}\n\nWhat now?")).messages


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("fence", ["", "text", "console", "bash", "sh", "log", "indented", "plain"])
def test_what_a_terminal_shows(line: str, prompt: str, fence: str) -> None:
    text = "\n".join(filter(None, (prompt, "compiling the parts", line, "stopped")))
    body = indented(text) if fence == "indented" else text if fence == "plain" else f"```{fence}\n{text}\n```"
    assert MESSAGE in messages(body)


@pytest.mark.parametrize("language", ["python", "pycon", "py", "js", "java", "ruby", ""])
def test_what_a_session_raised(language: str) -> None:
    assert messages(f"```{language}\n>>> f(1)\nValueError: {MESSAGE}\n```") == (MESSAGE,)


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    f('what the user sees here')\nexcept ValueError: pass",
        "try:\n    f()\nexcept (OSError, ValueError) as error: raise RuntimeError(error)",
        'raise ValueError("what the user sees here")',
        "print('Error: what the user sees here')",
        'throw new Error("what the user sees here");',
        'let text = "what the user sees here";',
        'const f = (e: Error) => log("what the user sees here");',
        "catch (IOException e) { log('what the user sees here'); }",
    ],
)
@pytest.mark.parametrize("language", ["", "python", "typescript", "java"])
def test_code_gives_no_messages(code: str, language: str) -> None:
    assert messages(f"```{language}\n{code}\n```") == ()


@pytest.mark.parametrize("prompt", ["$", "%", "me@host:~$", "C:\\work>", ">"])
def test_what_somebody_typed_is_no_message(prompt: str) -> None:
    assert messages(f"```console\n{prompt} tool --say 'what the user typed here'\ndone\n```") == ()


@pytest.mark.parametrize("language", ["yaml", "json", "toml"])
def test_data_gives_no_messages(language: str) -> None:
    assert messages(f"```{language}\nmyError: the name of a key\n```") == ()


def test_the_most_telling_come_first() -> None:
    body = (
        "It says \"a quoted part of text\".\n\n```\n$ tool\nthe tool says 'quoted in the output'\n"
        "Error: this was logged here\n```"
    )
    assert messages(body) == ("this was logged here", "a quoted part of text", "quoted in the output")
