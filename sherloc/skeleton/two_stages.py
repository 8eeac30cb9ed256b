"""Two stages with a model: it sees skeletons, names what it needs, and gets that in full if it exists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import AliasChoices, BaseModel, Field

from sherloc.json_hardening import Asking, ReplyPath, ask_for
from sherloc.protocols import ChatModel, Message
from sherloc.skeleton.context import Context, Part
from sherloc.skeleton.document import markdown
from sherloc.skeleton.expand import definitions
from sherloc.skeleton.packing import pack_file
from sherloc.syntax import LANGUAGES
from sherloc.tokens import NamedTokenizer, get_tokenizer

_REQUEST = """Before you do the task, name what you need to see in full. Of most files above only the heads of functions
are shown. Answer with one JSON object: {"needed": [{"path": "...", "functions": ["...", ...]}]}, at most 8 files, most
important first; no "functions" means the whole file. Name only paths and functions that stand above. An empty list
means that you need nothing more."""
_MOST_FILES = 8
_REPLY_TOKENS = 512


class NeededFile(BaseModel):
    """A file of which a model wants to see more."""

    path: ReplyPath = Field(validation_alias=AliasChoices("path", "file", "file_path"))
    functions: list[str] = Field(default_factory=list, validation_alias=AliasChoices("functions", "symbols", "names"))


class Needed(BaseModel):
    """A model's request."""

    needed: list[NeededFile] = Field(validation_alias=AliasChoices("needed", "files", "paths"))


@dataclass(frozen=True, slots=True)
class SecondStage:
    """What came of a model's request.

    Attributes:
        context: The context with what was asked for in full.
        given: Paths, and ``path::function`` for parts, that are in full now.
        refused: The same for what does not exist or has no room, with the reason.
    """

    context: Context
    given: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = field(default=())


def ask_what_is_needed(context: Context, model: ChatModel) -> Needed:
    """Show a context to a model and read what it wants to see in full.

    Args:
        context: The first stage.
        model: Any model; the call is its own budget's.

    Raises:
        ReplyError: No reply could be read, also when asked again.
        ModelError: The call failed.
    """
    messages = [Message("user", f"{markdown(context)}\n{_REQUEST}")]

    def call(conversation: Sequence[Message], max_tokens: int | None) -> tuple[str, str | None]:
        reply = model.complete(conversation, schema=Needed.model_json_schema(), max_tokens=max_tokens)
        return reply.text, reply.stop_reason

    parsed, _ = ask_for(call, messages, Needed, Asking(max_tokens=_REPLY_TOKENS))
    wanted: Needed = parsed.value
    return wanted


def second_stage(
    context: Context,
    needed: Needed,
    sources: Mapping[str, str],
    languages: Mapping[str, str],
    *,
    tokenizer: NamedTokenizer | None = None,
) -> SecondStage:
    """Add what a model asked for, in full, in the order in which it asked; what does not exist is refused.

    What is asked for comes first. Parts about the same files give way to it, then the least relevant parts, until the
    budget is kept; a diff stays.

    Args:
        context: The first stage.
        needed: What the model wants; only paths of ``languages`` are given out.
        sources: Path to text.
        languages: Path to language, for all files that may be shown.
        tokenizer: Counts; None is the estimator.
    """
    tokenizer = tokenizer or get_tokenizer()
    fixed = sum(part.tokens for part in context.parts if part.kind == "diff")
    left = context.budget - 2 * (tokenizer.count(context.task) + tokenizer.count(context.contract)) - fixed
    parts: list[Part] = []
    given: list[str] = []
    refused: list[tuple[str, str]] = []
    for file in needed.needed[:_MOST_FILES]:
        text = sources.get(file.path) if file.path in languages else None
        if text is None:
            refused.append((file.path, "there is no such file"))
            continue
        language = languages[file.path]
        wanted, names, missing = _lines_of(text, language, file)
        refused += [(f"{file.path}::{name}", "the file does not define it") for name in missing]
        if file.functions and not wanted:
            continue
        packed = pack_file(text, language, left, tokenizer, wanted=wanted)
        whole = packed.level == "whole" or (wanted and all(lines in packed.whole for lines in wanted))
        if not whole:
            refused.append((file.path, "it has no room in the budget"))
            continue
        left -= packed.tokens
        given += names
        title = f"{file.path} (asked for; {'whole file' if packed.level == 'whole' else 'what was asked for in full'})"
        parts.append(
            Part("changed", file.path, title, packed.text, language, packed.level, packed.tokens, packed.lines)
        )
    refused += [(file.path, f"at most {_MOST_FILES} files are shown") for file in needed.needed[_MOST_FILES:]]
    shown = {part.path for part in parts}
    for part in context.parts:
        if part.kind == "diff":
            parts.append(part)
        elif part.path not in shown and part.tokens <= left:
            parts.append(part)
            left -= part.tokens
    return SecondStage(replace(context, parts=tuple(parts)), tuple(given), tuple(refused))


def _lines_of(text: str, language: str, file: NeededFile) -> tuple[list[tuple[int, int]], list[str], list[str]]:
    """Lines of the functions that are asked for, how they are called, and those that do not exist."""
    if not file.functions:
        return [(1, text.count("\n") + 1)], [file.path], []
    found = definitions(text, language) if language in LANGUAGES else []
    lines: list[tuple[int, int]] = []
    names: list[str] = []
    missing: list[str] = []
    for name in file.functions:
        meant = [d for d in found if name in (d.qualified_name, d.name)]
        lines += [(d.start_line, d.end_line) for d in meant]
        (names if meant else missing).append(f"{file.path}::{name}" if meant else name)
    return lines, names, missing
