"""What commands that ask a model share: options, the estimate, the prompts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sherloc.cli.common import write_data, write_json

if TYPE_CHECKING:
    from sherloc.estimating import Estimate
    from sherloc.schema.report import RunInfo

Command = TypeVar("Command", bound=Callable[..., Any])


def model_options(command: Command) -> Command:
    """--mode and --model."""
    for option in (
        click.option("--model", metavar="NAME", help="The model, as provider:model; see docs/models.md."),
        click.option(
            "--mode",
            type=click.Choice(("offline", "diagnose", "explore", "auto")),
            help="Whether a model is asked.  [default: offline; diagnose with --model]",
        ),
    ):
        command = option(command)
    return command


def write_estimate(estimate: Estimate, *, as_json: bool = False) -> None:
    """Calls, tokens and price by role, on stdout, as a table or as one JSON document."""
    if as_json:
        write_json(estimate.record())
        return
    if not estimate.roles:
        write_data(f"mode {estimate.mode}: no model would be asked")
        return
    rows = [("role", "model", "calls", "input tokens", "output tokens", "price")]
    rows += [
        (r.role, r.model, str(r.calls), f"{r.input_tokens:,}", f"{r.output_tokens:,}", _money(r.cost))
        for r in estimate.roles
    ]
    sums = (str(estimate.calls), f"{estimate.input_tokens:,}", f"{estimate.output_tokens:,}", _money(estimate.cost))
    rows.append(("together", "", *sums))
    explored = any(role.role == "explore" for role in estimate.roles)
    for name, amount in [("long", estimate.long)] * explored + [("at most", estimate.most)]:
        counts = (str(amount.calls), f"{amount.input_tokens:,}", f"{amount.output_tokens:,}", _money(amount.cost))
        rows.append((name, "", *counts))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines += [
        "",
        "Tokens are estimated. At most: each question is asked as often as it may be, and each reply as long as it may",
        "be; calls that fail and are tried again are not counted.",
    ]
    if explored:
        lines.append("An exploration is counted with 3 turns, a long one with 8; explore.turns bounds it.")
    if estimate.cost is None:
        lines.append("Set models.prices to see prices.")
    write_data("\n".join(lines))


def write_prompts(estimate: Estimate, *, as_json: bool = False) -> None:
    """The prompts, as they would be sent, without secrets, on stdout; what a terminal would obey is written out."""
    from sherloc.llm import redact
    from sherloc.visible import visible

    if as_json:
        prompts = [
            {
                "role": prompt.role, "name": prompt.name, "input_tokens": prompt.input_tokens,
                "system": redact(prompt.system)[0], "user": redact(prompt.user)[0],
            }
            for prompt in estimate.prompts
        ]  # fmt: skip
        write_json({"mode": estimate.mode, "prompts": prompts})
        return
    parts = [
        f"===== {number}. {prompt.role}: {prompt.name} ({prompt.input_tokens:,} tokens) =====\n"
        f"----- system -----\n{visible(redact(prompt.system)[0])}\n----- user -----\n{visible(redact(prompt.user)[0])}"
        for number, prompt in enumerate(estimate.prompts, 1)
    ]
    write_data("\n\n".join(parts) if parts else f"mode {estimate.mode}: no model would be asked")


def use_in_words(run: RunInfo) -> str:
    """What the models of a run used, on one line.

    Args:
        run: Of a report.
    """
    kept = f", {run.diagnoses_cached} diagnoses from before" if run.diagnoses_cached else ""
    return (
        f"mode {run.mode}: {run.model_calls} model calls, {run.input_tokens:,} tokens in, {run.output_tokens:,} out, "
        f"{_money(run.cost)}, {run.model_seconds:.1f} s of models{kept}"
    )


def _money(cost: float | None) -> str:
    return "price unknown" if cost is None else f"${cost:.4f}"
