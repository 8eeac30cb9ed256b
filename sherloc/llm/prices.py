"""What usage costs. Prices are settings: a built-in table would be wrong within months."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

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


_COUNTS = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens")
_MOST_TOKENS = 10**9
"""Of one call; a server that tells more does not count tokens."""


def told_tokens(usage: Mapping[str, Any], key: str) -> int:
    """A count of tokens as a server told it; 0 for none, and for what can be no count."""
    number = usage.get(key)
    if not isinstance(number, int) or isinstance(number, bool):
        return 0
    return number if 0 < number <= _MOST_TOKENS else 0


def complete_usage(request: Request, reply: Reply, price: Price | None) -> Usage:
    """The reply's usage with estimates where the provider counted nothing, and its cost.

    Input and output are looked at apart: no prompt has 0 tokens, nor has a reply with text. A negative number is no
    count. A cost that the provider told is kept where sherloc knows no price.
    """
    usage, told = reply.usage, dataclasses.asdict(reply.usage)
    counts = {name: told_tokens(told, name) for name in _COUNTS}
    texts = _texts_of(reply)
    estimated = not counts["input_tokens"] or (not counts["output_tokens"] and any(texts))
    counts["input_tokens"] = counts["input_tokens"] or request.estimated_tokens()
    counts["output_tokens"] = counts["output_tokens"] or (estimate_tokens("\n".join(texts)) if any(texts) else 0)
    for part in ("cached_tokens", "cache_write_tokens"):
        counts[part] = min(counts[part], counts["input_tokens"])
    cost = usage.cost if usage.cost is not None and math.isfinite(usage.cost) and usage.cost >= 0 else None
    usage = dataclasses.replace(usage, **counts, cost=cost, estimated=usage.estimated or estimated)
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
