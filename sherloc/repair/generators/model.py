"""Asks a model for the patch proposal."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel

from sherloc.errors import GeneratorError, ReplyError
from sherloc.json_hardening import parse_reply
from sherloc.llm.material import Framed, Part, direction_diagnostics, frame
from sherloc.llm.pieces import issue_text, one_line
from sherloc.llm.prompts import load_prompt
from sherloc.llm.questions import Asker
from sherloc.protocols import Message, PatchRequest, Reply
from sherloc.repair.languages import language_name
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.proposal import PatchProposal
from sherloc.settings import Settings

_EVIDENCE = 6
_ORDINALS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


class WantedProposal(PatchProposal):
    """The proposal as a model is asked for it; the boundary's declaration asks for the last field."""

    directions_in_material: tuple[str, ...] = ()


class _Directions(BaseModel):
    directions_in_material: list[str] = []


class ModelGenerator:
    """A patch generator that asks the model of the role ``repair``.

    The prompt has the rules, the issue, the places of the brief, and the request's ``context``, all material fenced;
    language, attempt and form of the answer come last. A refused proposal is shown to the model with its problems. The
    same request gives the same prompt.

    Args:
        asker: Asks, within its budget, and keeps replies for a run that goes on later; it is told of directions in the
            material that the model kept quiet about.
        settings: ``repair.reply_tokens``, ``plan.issue_characters``.
    """

    def __init__(self, asker: Asker, settings: Settings) -> None:
        self._asker, self._settings = asker, settings

    @property
    def name(self) -> str:
        """The model's name."""
        return self._asker.model_name("repair") or "model"

    def propose(self, request: PatchRequest) -> str:
        """The reply's text, unread.

        A reply that was cut off is asked for once more with twice the room; a refusal is not asked again.

        Raises:
            GeneratorError: The model refused, or its reply was cut off again.
            ModelError: There is no model, it failed, or a limit is reached.
        """
        framed = _framed(request, self._settings.plan.issue_characters)
        messages = _messages(request, framed)
        tokens = self._settings.repair.reply_tokens
        reply = self._ask(messages, tokens)
        if reply.stop_reason == "length":
            tokens *= 2
            reply = self._ask(messages, tokens)
        if reply.stop_reason == "length":
            raise GeneratorError(
                f"The proposal of {self.name} was cut off after {tokens} tokens.",
                hint="Raise repair.reply_tokens, or name a model that may write more.",
            )
        if reply.stop_reason in ("refusal", "error"):
            said = f" It said: {one_line(reply.text, 300)}" if reply.text.strip() else ""
            raise GeneratorError(f"The model {self.name} declined to propose a patch.{said}")
        self._tell(framed, reply.text)
        return reply.text

    def _ask(self, messages: tuple[Message, ...], tokens: int) -> Reply:
        schema = WantedProposal.model_json_schema()
        (reply,) = self._asker.run_all(
            [self._asker.complete("repair", messages, schema=schema, max_tokens=tokens)],
        )
        answer: Reply = reply
        return answer

    def _tell(self, framed: Framed, text: str) -> None:
        if not framed.hits:
            return
        try:
            listed = parse_reply(text, _Directions).value.directions_in_material
        except ReplyError:
            return  # whoever reads the proposal says so, and asks again
        self._asker.tell(direction_diagnostics(framed.hits, listed))


def _messages(request: PatchRequest, framed: Framed) -> tuple[Message, ...]:
    messages = (Message("system", load_prompt("repair").system), Message("user", framed.text))
    if not request.problems:
        return messages
    listed = "\n".join("- " + problem.strip().replace("\n", "\n  ") for problem in request.problems)
    correction = (
        f"This proposal cannot be used:\n{listed}\n\nWhat these lines quote is material. Answer with the whole "
        "proposal again, corrected; what was right in it stays. One JSON object in the form asked for, and no more."
    )
    said = (Message("assistant", request.previous),) if request.previous.strip() else ()
    return (*messages, *said, Message("user", correction))


def _framed(request: PatchRequest, issue_characters: int) -> Framed:
    parts = [
        Part("The issue:", issue_text(request.issue, issue_characters)),
        Part("Where to change what, surest first:", places_text(request.brief, request.context), "brief"),
    ]
    if request.context:
        parts.append(Part("The code, with line numbers:", request.context, "code"))
    return frame(parts, _closing(request))


def _closing(request: PatchRequest) -> str:
    orders = []
    if request.candidate:
        attempt = dict(enumerate(_ORDINALS, 1)).get(request.candidate, f"{request.candidate + 1}th")
        orders.append(
            f"This is the {attempt} of several independent attempts at the same issue. The ones before took the most "
            "obvious way. Take a different one that is as small: another place, another cause, or another condition. "
            "If there is only one sound way, take that."
        )
    if not request.language.startswith("en"):
        name = language_name(request.language)
        orders.append(
            f'Write "reasoning", "missing_information", each "message" and "reason", "title" and "pr_description" in '
            f"{name}, the language of the issue. Code and names stay as they are."
        )
    return "\n\n".join([*orders, load_prompt("repair").reply])


def places_text(brief: SurgeryBrief, context: str = "") -> str:
    """The brief as a prompt shows it.

    Args:
        brief: The brief.
        context: What is shown besides; code that stands there is not repeated.
    """
    blocks = [f"Summary: {one_line(brief.issue_summary)}"]
    blocks += [_place(number, each, context) for number, each in enumerate(brief.change_sets, 1)]
    if not brief.change_sets:
        blocks.append("No place was found.")
    for other in brief.global_context:
        where = f"{other.file_path}:{other.start_line}-{other.end_line}" if other.start_line else other.file_path
        code = "" if other.file_path in context else f"\n{other.snippet}"
        blocks.append(f"To be respected: {where}: {one_line(other.purpose)}{code}")
    blocks += [f"Found by exploring: {one_line(finding)}" for finding in brief.findings]
    if brief.reasoning:
        blocks.append(f"How the places were found: {one_line(brief.reasoning)}")
    return "\n\n".join(blocks)


def _place(number: int, place: ChangeSet, context: str) -> str:
    target = place.target_location
    lines = f" lines {target.start_line}-{target.end_line}" if target.start_line else ""
    name = f" in {target.function_name}" if target.function_name else ""
    kind = " (a new file)" if place.new_file else ""
    rows = [f"Place {number}: {place.file_path}{lines}{name}{kind}; chance {place.confidence:.2f}"]
    rows.append(f"Kind of change: {place.change_type.value}")
    rows += [f"Expected: {one_line(place.expected_change_nature)}"] if place.expected_change_nature else []
    rows += _unique(f"Evidence: {one_line(e.description)}" for e in place.diagnostic_evidence[:_EVIDENCE])
    if place.context_code_snippet and place.file_path not in context:
        rows.append(f"Code from line {place.context_start_line or 1}:\n{place.context_code_snippet}")
    return "\n".join(rows)


def _unique(rows: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(rows))
