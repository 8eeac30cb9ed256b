"""The tools described for models: names, words and JSON schemas, and a way to run one by name.

The repository is the host's choice and no argument of a tool: what a model writes can never lead elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sherloc.agents.answers import ToolAnswer, error_text
from sherloc.agents.functions import explain_file, get_context, index_status, locate_issue
from sherloc.agents.wording import CONTEXT, EXPLAIN, ISSUE, LOCATE, STATUS
from sherloc.errors import SherlocError, UsageError


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class LocateArguments(_Arguments):
    """Arguments of ``locate``."""

    issue: str = Field(description=ISSUE)
    top: int | None = Field(default=None, description="How many files and functions, 1 to 50; null is 10.")
    scope: list[str] | None = Field(
        default=None, description="Only files under these paths or matching these globs; null is the whole repository."
    )


class ExplainArguments(_Arguments):
    """Arguments of ``explain``."""

    issue: str = Field(description=ISSUE)
    path: str = Field(description="The file, relative to the repository.")


class ContextArguments(_Arguments):
    """Arguments of ``get_context``."""

    path: str = Field(description="The file, relative to the repository.")
    line: int | None = Field(default=None, description="A line of the place, 1-based; or give function.")
    function: str | None = Field(default=None, description="The function's or class's name; or give line.")


class StatusArguments(_Arguments):
    """Arguments of ``index_status``."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as a model sees it.

    Attributes:
        name: In snake_case.
        description: When to use it, and when not.
        arguments: The model of its arguments.
        run: Runs it: (arguments, repository, settings).
    """

    name: str
    description: str
    arguments: type[BaseModel]
    run: Callable[[Any, str, Mapping[str, Any] | None], ToolAnswer]


def _locate(given: LocateArguments, repo: str, settings: Mapping[str, Any] | None) -> ToolAnswer:
    return locate_issue(given.issue, repo, top=given.top or 10, scope=given.scope or (), settings=settings)


def _explain(given: ExplainArguments, repo: str, settings: Mapping[str, Any] | None) -> ToolAnswer:
    return explain_file(given.issue, given.path, repo, settings=settings)


def _context(given: ContextArguments, repo: str, settings: Mapping[str, Any] | None) -> ToolAnswer:
    return get_context(given.path, repo, line=given.line, function=given.function or "", settings=settings)


def _status(given: StatusArguments, repo: str, settings: Mapping[str, Any] | None) -> ToolAnswer:
    return index_status(repo, settings=settings)


TOOLS = (
    Tool("locate", LOCATE, LocateArguments, _locate),
    Tool("explain", EXPLAIN, ExplainArguments, _explain),
    Tool("get_context", CONTEXT, ContextArguments, _context),
    Tool("index_status", STATUS, StatusArguments, _status),
)


def openai_tools() -> list[dict[str, Any]]:
    """The tools as OpenAI-compatible APIs take them, with strict schemas: closed, every argument required or null."""
    from sherloc.llm.schemas import portable_schema

    found = []
    for tool in TOOLS:
        schema = portable_schema(tool.arguments.model_json_schema())
        schema.pop("description", None)
        schema["required"] = list(schema["properties"])
        function = {"name": tool.name, "description": tool.description, "parameters": schema, "strict": True}
        found.append({"type": "function", "function": function})
    return found


def bound(name: str, repo: str, settings: Mapping[str, Any] | None) -> Callable[..., str]:
    """A tool as a function of its arguments, as frameworks want it; see ``call_tool``."""
    return lambda **arguments: call_tool(name, arguments, repo, settings=settings)


def call_tool(
    name: str,
    arguments: str | Mapping[str, Any],
    repo: str = ".",
    *,
    settings: Mapping[str, Any] | None = None,
) -> str:
    """Run a tool that a model asked for; what goes wrong is told to the model, in words.

    Args:
        name: The tool's.
        arguments: As the model wrote them: JSON, read with repairs, or already a mapping.
        repo: The repository that the host works on.
        settings: Nested sections, as for ``sherloc.locate``.

    Returns:
        The answer's JSON, or ``{"error": ..., "hint": ...}``.
    """
    import json

    try:
        return _run(name, arguments, repo, settings).model_dump_json(exclude_defaults=True)
    except SherlocError as error:
        return json.dumps({"error": error_text(error.message), "hint": error_text(error.hint)}, ensure_ascii=False)


def _run(
    name: str, arguments: str | Mapping[str, Any], repo: str, settings: Mapping[str, Any] | None
) -> ToolAnswer:  # fmt: skip
    from pydantic import ValidationError

    from sherloc.json_hardening import parse_reply

    tool = next((each for each in TOOLS if each.name == name), None)
    if tool is None:
        raise UsageError(f"There is no tool {name!r}.", hint=f"There are: {', '.join(each.name for each in TOOLS)}.")
    if isinstance(arguments, str):
        given = parse_reply(arguments.strip() or "{}", tool.arguments).value
    else:
        try:
            given = tool.arguments.model_validate(dict(arguments))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise UsageError(f"The argument {where!r} of {name}: {first['msg']}.") from error
    return tool.run(given, repo, settings)
