"""Exploration: a model forms hypotheses and tests them with tools, until it can say where the fault is.

The ways to recover, and that they pay, follow SHERLOC (arXiv 2606.24820, section 3 and tables 1-2): a call that cannot
be read, an unknown tool or path, an empty answer, a repeated call, an answer or a conversation that grows too long, and
the last turn, in which an answer is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sherloc.errors import ModelError, Refused, ReplyError, UsageLimitError
from sherloc.explorer.calls import MOST_CALLS, Call, calls_of
from sherloc.explorer.conversation import Conversation
from sherloc.explorer.findings import CheckedFinding, FindingChecker, FindingsReply
from sherloc.explorer.toolbelt import ToolBelt, ToolResult
from sherloc.json_hardening import Parsed, parse_reply, re_ask_message
from sherloc.llm.material import direction_diagnostics
from sherloc.llm.pieces import one_line
from sherloc.llm.prompts import load_prompt
from sherloc.llm.questions import Asker, dropped_items
from sherloc.protocols import Message, Reply
from sherloc.schema.change_set import TargetLocation
from sherloc.schema.finding import Finding
from sherloc.schema.report import Diagnostic
from sherloc.settings import ExploreSettings
from sherloc.tokens import estimate_tokens

Status = Literal["answered", "forced", "budget", "refused", "unreadable", "failed"]

_PATIENCE = 3
"""Faults of one kind in a row before an answer is asked for."""
_SEEN_CHANCE = 0.2
_SEEN_PLACES = 3
_HOW_TO_CALL = (
    "Tools:\n{tools}\n\nUse them by the interface for tools if you have one. Otherwise answer with one JSON object and "
    'nothing else: {{"tool": "show_lines", "arguments": {{"path": "...", "start_line": 1, "end_line": 60}}}}'
)
_LAST = "This is your last turn, and no tool is left. Answer now with what you know.\n\n{contract}"
_SHORTER = "Your reply was cut off because it was too long. Make one tool call, or give a short answer."
_NEITHER = "{error}\nMake a tool call, or end with the JSON object of findings."
_REFUSED = "exploration_refused", "The model declined to explore."
_REPEATED = "You asked exactly this in turn {turn}; the answer has not changed. Use it, ask something else, or end."


@dataclass(frozen=True, slots=True)
class Exploration:
    """What an exploration came to.

    Attributes:
        findings: Checked, surest first.
        status: ``answered``; ``forced`` (on the last turn); ``budget`` (a limit came first: the findings are what was
            being read); ``refused``; ``unreadable`` (the last answer could not be read); ``failed`` (the model).
        turns: Replies of the model.
        calls: Tool calls.
        reasoning: The model's own.
        notes: What the user should know.
    """

    findings: tuple[CheckedFinding, ...] = ()
    status: Status = "answered"
    turns: int = 0
    calls: int = 0
    reasoning: str = ""
    notes: tuple[Diagnostic, ...] = ()

    @property
    def concluded(self) -> bool:
        """Whether the findings are the model's answer, not merely what it was reading."""
        return self.status in ("answered", "forced")


class ExplorationLog:
    """Where an exploration is kept; this one keeps nothing."""

    def called(self, name: str, arguments: str, result: ToolResult) -> None:
        """A tool answered."""

    def said(self, messages: Sequence[Message]) -> None:
        """The conversation has come so far; called before each question."""

    def condense(self, messages: Sequence[Message]) -> tuple[int, str] | None:
        """A summary of the beginning of a conversation that has grown too long, and for how many messages it stands."""
        return None


@dataclass
class _State:
    turn: int = 0
    calls: int = 0
    force: bool = False
    malformed: int = 0
    repeated: int = 0
    too_long: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    viewed: list[tuple[str, int, int]] = field(default_factory=list)


class Explorer:
    """Lets a model (role ``explore``) explore a repository.

    Args:
        asker: Asks.
        belt: The tools.
        checker: Holds findings against the repository.
        settings: Bounds.
        fits: Whether the limits leave room for so many calls, of so many tokens of input and of output each.
        log: Where the exploration is kept, and what condenses it.
        tell: Called with the number of turns so far and at most.
    """

    def __init__(
        self,
        asker: Asker,
        belt: ToolBelt,
        checker: FindingChecker,
        settings: ExploreSettings,
        *,
        fits: Callable[[int, int, int], bool] = lambda *_: True,
        log: ExplorationLog | None = None,
        tell: Callable[[int, int], None] = lambda *_: None,
    ) -> None:
        self._asker, self._belt, self._checker, self._settings = asker, belt, checker, settings
        self._fits, self._log, self._tell = fits, log or ExplorationLog(), tell
        self._prompt = load_prompt("explore")

    def explore(self, issue: str, overview: str, secret: str) -> Exploration:
        """Explore until there is an answer, or a bound is reached.

        Args:
            issue: As prompts show it.
            overview: What a search found, in words.
            secret: What neither the issue's nor the repository's author can foresee: the tree's key.
        """
        how = _HOW_TO_CALL.format(tools=self._belt.description)
        conversation = Conversation(
            f"{self._prompt.system}\n\n{how}", issue, overview, secret, self._prompt.reply,
            self._settings.context_tokens, lambda messages: self._condense(conversation, messages),
        )  # fmt: skip
        state = _State()
        for turn in range(self._settings.turns):
            state.turn = turn + 1
            self._tell(state.turn, self._settings.turns)
            last = state.force or turn == self._settings.turns - 1 or not self._leaves_room(conversation, 2)
            if last:
                conversation.add(Message("user", _LAST.format(contract=self._prompt.reply)))
            try:
                reply = self._ask(conversation, last=last)
            except UsageLimitError as error:
                return self._out_of_budget(state, error)
            except ModelError as error:
                return self._end(state, "failed", notes=[_note("exploration_failed", error.message)])
            ended = self._last_reply(conversation, state, reply) if last else self._reply(conversation, state, reply)
            if ended is not None:
                return ended
        return self._out_of_budget(state, None)

    def _leaves_room(self, conversation: Conversation, calls: int) -> bool:
        """Whether so many calls more, this one the first, are within the limits; a tool's answer may come between."""
        tools = estimate_tokens(json.dumps(self._belt.specs)) + self._settings.tool_tokens
        return self._fits(calls, conversation.tokens + tools, self._settings.reply_tokens)

    def _condense(self, conversation: Conversation, messages: Sequence[Message]) -> tuple[int, str] | None:
        """A summary is a call, too: after it there must be room for two more."""
        return self._log.condense(messages) if self._leaves_room(conversation, 3) else None

    def _ask(self, conversation: Conversation, *, last: bool) -> Reply:
        self._log.said(conversation.messages)
        work = self._asker.complete(
            "explore", conversation.shown(), tools=() if last else self._belt.specs,
            schema=FindingsReply.model_json_schema() if last else None, max_tokens=self._settings.reply_tokens,
        )  # fmt: skip
        reply: Reply = self._asker.run_all([work])[0]
        return reply

    def _reply(self, conversation: Conversation, state: _State, reply: Reply) -> Exploration | None:
        """Take a reply of an ordinary turn; the end, if it was one."""
        calls = calls_of(reply)
        if calls:
            self._asker.patience.worked(self._asker.model_name("explore"))
            state.malformed = state.too_long = 0
            self._use_tools(conversation, state, reply, calls)
            return None
        if reply.stop_reason == "length":
            state.too_long += 1
            state.force = state.too_long >= _PATIENCE - 1
            conversation.add(Message("assistant", reply.text[:200]))
            conversation.add(Message("user", _SHORTER))
            return None
        try:
            answer = self._read(reply)
        except Refused:
            return self._end(state, "refused", notes=[_note(*_REFUSED)])
        except ReplyError as error:
            state.malformed += 1
            state.force = state.malformed >= _PATIENCE
            if reply.text.strip():
                conversation.add(Message("assistant", reply.text[:400]))
            conversation.add(Message("user", _NEITHER.format(error=re_ask_message(error))))
            return None
        return self._answered(conversation, state, answer, "answered")

    def _last_reply(self, conversation: Conversation, state: _State, reply: Reply) -> Exploration:
        """Take the reply to the request for an answer; it is asked for once more when it cannot be read."""
        for again in (True, False):
            try:
                return self._answered(conversation, state, self._read(reply), "forced")
            except Refused:
                return self._end(state, "refused", self._looked_at(state), notes=[_note(*_REFUSED)])
            except ReplyError as error:
                if not again:
                    break
                conversation.add(Message("assistant", reply.text[:200] or "(nothing)"))
                conversation.add(Message("user", re_ask_message(error)))
            try:
                reply = self._ask(conversation, last=True)
            except UsageLimitError as error:
                return self._out_of_budget(state, error)
            except ModelError as error:
                return self._end(state, "failed", notes=[_note("exploration_failed", error.message)])
        note = _note("exploration_unreadable", "The exploration's last answer could not be read.")
        return self._end(state, "unreadable", self._looked_at(state), notes=[note])

    def _read(self, reply: Reply) -> Parsed[FindingsReply]:
        """The findings of a reply.

        Raises:
            ReplyError: There are none to be read.
        """
        name = self._asker.model_name("explore")
        try:
            parsed = parse_reply(reply.text, FindingsReply, reply.stop_reason, when_ambiguous="last")
        except ReplyError:
            self._asker.patience.failed(name, "reply")
            raise
        self._asker.patience.worked(name)
        return parsed

    def _use_tools(self, conversation: Conversation, state: _State, reply: Reply, calls: Sequence[Call]) -> None:
        native = bool(reply.tool_calls)
        conversation.add(Message("assistant", reply.text, tool_calls=reply.tool_calls[:MOST_CALLS] if native else ()))
        answers = []
        for call in calls:
            text = self._answer(conversation, state, call)
            if native:
                conversation.add(Message("tool", text, tool_call_id=call.id), call.key)
            else:
                answers.append(
                    (f"Answer of {call.name if call.name.isidentifier() else 'the tool'}:\n{text}", call.key)
                )
        if answers:
            text = "\n\n".join(answer for answer, _ in answers)
            conversation.add(Message("user", text), "; ".join(key for _, key in answers))

    def _answer(self, conversation: Conversation, state: _State, call: Call) -> str:
        earlier = state.seen.get(call.key)
        if earlier is not None:
            state.repeated += 1
            state.force = state.force or state.repeated >= _PATIENCE
            return _REPEATED.format(turn=earlier)
        state.repeated = 0
        state.calls += 1
        state.seen[call.key] = state.turn
        result = self._belt.call(call.name, call.arguments)
        self._log.called(call.name, call.arguments, result)
        if result.lines is not None:
            state.viewed.append((result.path, *result.lines))
        return conversation.material(result.text, result.path, result.places)

    def _answered(
        self, conversation: Conversation, state: _State, parsed: Parsed[FindingsReply], status: Status
    ) -> Exploration:
        answer = parsed.value
        findings, notes = self._checker.check(answer.findings, self._settings.findings)
        notes += dropped_items(parsed, "explore")
        notes += direction_diagnostics(conversation.hits, answer.directions_in_material)
        return self._end(state, status, findings, reasoning=one_line(answer.reasoning), notes=notes)

    def _out_of_budget(self, state: _State, error: UsageLimitError | None) -> Exploration:
        why = error.message if error is not None else "all turns are used"
        note = _note("exploration_cut", f"The exploration ended before its answer: {why}")
        return self._end(state, "budget", self._looked_at(state), notes=[note])

    def _looked_at(self, state: _State) -> list[CheckedFinding]:
        """The places that were read last, as findings of little confidence."""
        found: dict[int, CheckedFinding] = {}
        for path, start, end in reversed(state.viewed):
            unit = self._checker.unit_in(path, start, end)
            if unit is not None and unit not in found and len(found) < _SEEN_PLACES:
                place = TargetLocation(start_line=start, end_line=end, function_name=self._checker.name_of(unit))
                words = "The exploration was reading here when it ended."
                finding = Finding(file_path=path, target_location=place, confidence=_SEEN_CHANCE, root_cause=words)
                found[unit] = CheckedFinding(finding, unit)
        return list(found.values())

    def _end(
        self,
        state: _State,
        status: Status,
        findings: Sequence[CheckedFinding] = (),
        *,
        reasoning: str = "",
        notes: Sequence[Diagnostic] = (),
    ) -> Exploration:
        return Exploration(tuple(findings), status, state.turn, state.calls, reasoning, tuple(notes))


def _note(code: str, message: str) -> Diagnostic:
    return Diagnostic(code=code, severity="warning", message=message)
