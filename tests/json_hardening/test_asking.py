from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from pydantic import BaseModel

from sherloc.errors import NoJsonFound, Refused, ReplyError, SchemaMismatch, TruncatedOutput
from sherloc.json_hardening import Asking, aask_for, ask_for, parse_reply, re_ask_message
from sherloc.protocols import Message


class Answer(BaseModel):
    ok: bool


class Replies:
    """Answers from a list, keeping what was asked."""

    def __init__(self, *replies: tuple[str, str | None]) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[Sequence[Message], int | None]] = []

    def __call__(self, messages: Sequence[Message], max_tokens: int | None) -> tuple[str, str | None]:
        self.asked.append((messages, max_tokens))
        return self.replies[len(self.asked) - 1]


QUESTION = (Message("user", "Is it ok?"),)


def test_a_good_reply_is_asked_for_once() -> None:
    replies = Replies(('{"ok": true}', "end"))
    parsed, attempts = ask_for(replies, QUESTION, Answer)
    assert parsed.value == Answer(ok=True)
    assert [attempt.error for attempt in attempts] == [None]
    assert replies.asked == [(QUESTION, None)]


def test_the_model_is_told_what_was_wrong() -> None:
    replies = Replies(("I think so.", "end"), ('{"ok": "maybe"}', "end"), ('{"ok": true}', "end"))
    parsed, attempts = ask_for(replies, QUESTION, Answer)
    assert parsed.value == Answer(ok=True)
    assert [type(attempt.error) for attempt in attempts] == [NoJsonFound, SchemaMismatch, type(None)]
    assert [len(messages) for messages, _ in replies.asked] == [1, 3, 3]
    assert replies.asked[1][0][1:] == (
        Message("assistant", "I think so."),
        Message(
            "user",
            "Your reply could not be read: the reply holds no JSON object or list\n"
            'It began with "I think so.".\n'
            "Answer with one JSON value in the format asked for, and nothing else.",
        ),
    )
    assert "ok: 'maybe' is neither true nor false" in replies.asked[2][0][2].content


def test_the_last_error_has_every_attempt() -> None:
    replies = Replies(*[("no", "end")] * 9)
    with pytest.raises(NoJsonFound) as raised:
        ask_for(replies, QUESTION, Answer, Asking(attempts=2))
    assert len(replies.asked) == len(raised.value.attempts) == 2
    assert raised.value.attempts[-1].error is raised.value


def test_a_cut_reply_is_asked_for_with_more_tokens() -> None:
    replies = Replies(('{"ok": tr', "length"), ('{"ok": tru', "length"), ('{"ok": true}', "end"))
    ask_for(replies, QUESTION, Answer, Asking(max_tokens=100))
    assert [tokens for _, tokens in replies.asked] == [100, 200, 400]
    assert "complete, and as short" in replies.asked[1][0][2].content


def test_asking_the_same_again_after_a_cut_is_useless() -> None:
    replies = Replies(*[('{"ok": tr', None)] * 9)
    with pytest.raises(TruncatedOutput):
        ask_for(replies, QUESTION, Answer, Asking(attempts=9, max_tokens=100, token_ceiling=150))
    assert [tokens for _, tokens in replies.asked] == [100, 150]


def test_a_refusal_is_not_argued_with() -> None:
    replies = Replies(("I can't.", "refusal"))
    with pytest.raises(Refused):
        ask_for(replies, QUESTION, Answer)
    assert len(replies.asked) == 1


def test_what_the_call_raises_passes_through() -> None:
    def fails(messages: Sequence[Message], max_tokens: int | None) -> tuple[str, str | None]:
        raise TimeoutError("budget")

    with pytest.raises(TimeoutError):
        ask_for(fails, QUESTION, Answer)


def test_in_an_event_loop() -> None:
    replies = Replies(("no", "end"), ('{"ok": true}', "end"))

    async def ask(messages: Sequence[Message], max_tokens: int | None) -> tuple[str, str | None]:
        await asyncio.sleep(0)
        return replies(messages, max_tokens)

    parsed, attempts = asyncio.run(aask_for(ask, QUESTION, Answer))
    assert (parsed.value.ok, len(attempts)) == (True, 2)


def test_the_message_shows_only_the_beginning() -> None:
    with pytest.raises(ReplyError) as raised:
        parse_reply("x" * 5000)
    assert "x" * 200 in re_ask_message(raised.value)
    assert "x" * 201 not in re_ask_message(raised.value)


@pytest.mark.parametrize(("stop", "more"), [(None, True), ("length", True), ("end", False), ("stop", False)])
def test_more_tokens_help_only_where_the_limit_was_the_cause(stop: str | None, more: bool) -> None:
    with pytest.raises(TruncatedOutput) as raised:
        parse_reply('{"ok": tr', Answer, stop)
    assert raised.value.needs_more_tokens is more
