"""``sherloc mcp``: the server for agents."""

from __future__ import annotations

import click

from sherloc.errors import MissingExtraError, UsageError


@click.command(short_help="Serve agents over MCP.")
@click.option(
    "--root",
    "roots",
    multiple=True,
    metavar="PATH",
    help="The only folder that may be looked at; repeatable.  [default: the client's roots, else here]",
)
@click.option(
    "--patience",
    type=click.FloatRange(min=0),
    default=8.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a call waits for the index before it answers from words alone.",
)
@click.option("--set", "assignments", multiple=True, metavar="SECTION.KEY=VALUE", help="Change a setting.")
def mcp(roots: tuple[str, ...], patience: float, assignments: tuple[str, ...]) -> None:  # fmt: skip
    """Serve agents with the tools locate, explain, get_context and index_status, over stdin and stdout.

    An agent's host starts it; see: sherloc install --help
    """
    import gc
    import os

    from sherloc.cli.assignments import read_assignments

    settings = read_assignments(assignments)
    for each in roots:
        if not os.path.isdir(each):
            raise UsageError(f"--root {each} is no folder.")
    # What the SDK builds when it is imported stays to the end; looking for garbage in it costs a tenth of the start.
    gc.disable()
    try:
        from sherloc.agents.server import make_server
        from sherloc.agents.stdio import prepare_stdio
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio"):
            raise
        raise MissingExtraError("mcp", "mcp", "Serving agents") from error
    finally:
        gc.freeze()
        gc.enable()
    prepare_stdio()
    make_server([os.path.abspath(each) for each in roots], settings=settings, patience=patience).run("stdio")
