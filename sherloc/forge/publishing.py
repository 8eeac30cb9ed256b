"""From commits to one pull request, however often it is run, ended or run twice at once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sherloc.errors import ForgeNotFoundError, ForgeRefusedError
from sherloc.forge.harmless import cut_body, harmless_line
from sherloc.forge.tickets import MARK_START, same_text
from sherloc.protocols import Forge, PlannedCommit, PullRequest
from sherloc.schema.fix import OpenedPullRequest
from sherloc.schema.report import Diagnostic
from sherloc.settings_repair import ForgeSettings

_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Published:
    """What came of it.

    Attributes:
        pull_request: The one that is open.
        head: The commit that its branch points to; through the API it may have another id than the local one.
        diagnostics: ``base_moved`` when the base branch has newer commits, ``base_differs`` when an open pull request
            goes to another branch, ``title_kept`` when somebody changed its title.
    """

    pull_request: OpenedPullRequest
    head: str
    diagnostics: tuple[Diagnostic, ...] = ()


def branch_name(prefix: str, reference: str, revision: str, base_sha: str, tree: str) -> str:
    """The branch of one patch for one state of a ticket: the same input gives the same branch.

    >>> branch_name("sherloc/", "octo/shop#12", "r1", "b" * 40, "a" * 40)
    'sherloc/12-b8f0e2a4'

    Args:
        prefix: Before the ticket.
        reference: Of the ticket; its number names the branch, or else its words.
        revision: Of the ticket.
        base_sha: The commit that the patch is based on.
        tree: Of the last commit.
    """
    joined = "\0".join((reference, revision, base_sha, tree))
    digest = hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return branch_stem(prefix, reference) + digest


def branch_stem(prefix: str, reference: str) -> str:
    """What the names of all branches for a ticket begin with.

    Args:
        prefix: Before the ticket.
        reference: Of the ticket; its number names the branch, or else its words.
    """
    number = re.search(r"#(\d+)$", reference)
    words = re.sub(r"[^a-z0-9]+", "-", reference.rpartition("/")[2].lower()).strip("-")[:40].strip("-")
    return f"{prefix}{number[1] if number else words or 'ticket'}-"


def publish(
    forge: Forge,
    *,
    git_dir: str,
    commits: Sequence[PlannedCommit],
    base_branch: str,
    base_sha: str,
    branch: str,
    title: str,
    body: str,
    settings: ForgeSettings,
) -> Published:
    """Publish commits as a branch and open a pull request, or find what an earlier run has done of it.

    Nothing that is there is overwritten. Title and body are cut to what forges take; they must be harmless already.

    Args:
        forge: Of the project.
        git_dir: The repository that has the commits, for a push.
        commits: Oldest first; the first one's parent is ``base_sha``.
        base_branch: Where the pull request goes.
        base_sha: The commit that the patch is based on; it must be in the forge's base branch.
        branch: To make, as ``branch_name`` names it.
        title: Of the pull request.
        body: Of the pull request.
        settings: ``publish``, ``draft`` and ``labels`` count here.

    Raises:
        ForgeRefusedError: The branch exists with other commits; its pull request was closed or merged; the base commit
            is not on the forge; or the forge refused.
        ForgeError: The forge refused or cannot be reached. Running it again goes on where it stopped.
    """
    if not commits:
        raise ValueError("there is no commit to publish")
    title, body = harmless_line(title), cut_body(body)
    diagnostics = _base(forge, base_branch, base_sha)
    opened = _open(forge.pull_requests(branch), branch)
    head = _branch(forge, git_dir, commits, base_sha, branch, settings)
    pull = forge.open_pull_request(
        branch=branch, base=base_branch, title=title, body=body, labels=settings.labels, draft=settings.draft
    )
    if not same_text(pull.body, body):
        # Somebody may have given it a better title; the body is sherloc's account of the patch.
        pull = forge.update_pull_request(pull.number, title=pull.title, body=body)
    if pull.base != base_branch:
        words = f"Pull request #{pull.number} goes to {pull.base}, not to {base_branch}; it was left so."
        diagnostics.append(Diagnostic(code="base_differs", severity="warning", message=words))
    made = OpenedPullRequest(
        number=pull.number, address=pull.address, branch=branch, base=pull.base, draft=pull.draft,
        existed=opened is not None,
    )  # fmt: skip
    return Published(made, head, tuple(diagnostics))


def comment_once(forge: Forge, number: int, body: str, marker: str) -> str | None:
    """Comment on an issue, unless a comment with the same marker is there.

    The marker stands in an HTML comment at the start. It is no secret: who copies it into a comment of their own keeps
    sherloc from commenting, and can do no more.

    Args:
        forge: Of the project.
        number: Of the issue.
        body: Of the comment; harmless already; cut to what forges take.
        marker: What the comment is about: letters, digits, and ``. _ : -``, never two ``-`` in a row.

    Returns:
        The new comment's address, or None when it had been made before.

    Raises:
        ValueError: The marker has other characters.
        ForgeError: The forge refused or cannot be reached.
    """
    if not re.fullmatch(r"[A-Za-z0-9._:]+(?:-[A-Za-z0-9._:]+)*", marker):
        raise ValueError(f"{marker!r} is no marker of a comment")
    mark = f"{MARK_START}: {marker} -->"
    if any(each.startswith(mark) for each in forge.comments(number)):
        return None
    return forge.comment(number, cut_body(f"{mark}\n{body}"))


def _base(forge: Forge, branch: str, sha: str) -> list[Diagnostic]:
    head = forge.branch_head(branch)
    if head is None:
        raise ForgeNotFoundError(
            f"{forge.name} has no branch {branch}.", hint="Name the branch that pull requests go to: forge.base_branch."
        )
    if head == sha:
        return []
    if not forge.branch_contains(branch, sha):
        raise ForgeRefusedError(
            f"The commit {sha[:12]} that the patch is based on is not in {forge.name}'s branch {branch}; publishing it "
            "would publish other work too.",
            hint="Push that work first, name its branch with forge.base_branch, or fix the ticket from that branch.",
        )
    words = f"The branch {branch} has moved on from {sha[:12]} to {head[:12]}; the pull request was not rebased."
    return [Diagnostic(code="base_moved", severity="warning", message=words)]


def _open(pulls: Sequence[PullRequest], branch: str) -> PullRequest | None:
    """The open one among the pull requests of a branch.

    Raises:
        ForgeRefusedError: There were some, and none is open: somebody has decided.
    """
    opened = next((each for each in pulls if each.state == "open"), None)
    if opened is None and pulls:
        last = pulls[0]
        raise ForgeRefusedError(
            f"Pull request #{last.number} from {branch} was {last.state}; nothing was done: {last.address}",
            hint="Reopen it, or change the ticket: then the branch is another one.",
        )
    return opened


def _branch(
    forge: Forge, git_dir: str, commits: Sequence[PlannedCommit], base_sha: str, branch: str, settings: ForgeSettings
) -> str:
    if settings.publish == "api":
        return forge.replay(commits, base_sha, branch)
    sha = commits[-1].sha
    head = forge.branch_head(branch)
    if head is None:
        forge.push(git_dir, sha, branch)
    elif head != sha:
        raise ForgeRefusedError(
            f"{forge.name} has a branch {branch} with other commits (at {head[:12]}); it is not overwritten.",
            hint="Delete it, or change branch_prefix.",
        )
    return sha
