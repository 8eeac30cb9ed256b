"""What usage costs. Prices are settings: a built-in table would be wrong within months."""

from __future__ import annotations

import dataclasses

from sherloc.llm.request import Request
from sherloc.protocols import Reply, Usage
from sherloc.settings import Price
from sherloc.tokens import estimate_tokens


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """US dollars; None when the price is unknown."""
    if price is None:
        return None
    cached = price.input if price.cached_input is None else price.cached_input
    written = price.input if price.cache_write is None else price.cache_write
    fresh = max(usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens, 0)
    millionths = (
        fresh * price.input
        + usage.cached_tokens * cached
        + usage.cache_write_tokens * written
        + usage.output_tokens * price.output
    )
    return millionths / 1e6


def complete_usage(request: Request, reply: Reply, price: Price | None) -> Usage:
    """The reply's usage with estimates where the provider counted nothing, and its cost.

    A cost that the provider told is kept where sherloc knows no price.
    """
    usage = reply.usage
    if not usage.input_tokens and not usage.output_tokens:
        usage = dataclasses.replace(
            usage,
            input_tokens=request.estimated_tokens(),
            output_tokens=estimate_tokens("\n".join(_texts_of(reply))),
            estimated=True,
        )
    known = cost_of(usage, price)
    return usage if known is None else dataclasses.replace(usage, cost=known)


def _texts_of(reply: Reply) -> list[str]:
    return [reply.text, reply.reasoning, *(call.arguments for call in reply.tool_calls)]


def add_usage(first: Usage, second: Usage) -> Usage:
    """The sum; its cost is None as soon as one of them is unknown."""
    costs = (first.cost, second.cost)
    return Usage(
        input_tokens=first.input_tokens + second.input_tokens,
        output_tokens=first.output_tokens + second.output_tokens,
        cost=None if costs[0] is None or costs[1] is None else costs[0] + costs[1],
        cached_tokens=first.cached_tokens + second.cached_tokens,
        cache_write_tokens=first.cache_write_tokens + second.cache_write_tokens,
        reasoning_tokens=first.reasoning_tokens + second.reasoning_tokens,
        estimated=first.estimated or second.estimated,
    )
