"""How tickets become pull requests; never read from the repository under study."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sherloc.settings_section import Section


class RepairSettings(Section):
    """How a brief becomes commits and a pull request; never read from the repository under study."""

    candidates: int = Field(default=1, ge=1, le=16, description="Patches to ask for; the best one is taken.")
    reasks: int = Field(default=2, ge=0, le=10, description="How often a refused proposal may be mended.")
    looks: int = Field(default=2, ge=0, le=10, description="How often a generator may ask to see more code.")
    context_lines: int = Field(default=50, ge=0, le=2_000, description="Shown around each target. Lines.")
    context_tokens: int = Field(default=16_000, ge=500, description="Code shown to the generator. Tokens.")
    context_mode: Literal["skeletons", "files"] = Field(
        default="skeletons", description="What stands around the targets: skeletons, or whole files."
    )
    reply_tokens: int = Field(
        default=8_000,
        ge=500,
        le=1_000_000_000,
        description="Longest proposal of a model; twice that after a cut one. Tokens.",
    )
    max_files: int = Field(default=20, ge=1, description="Files that a patch may touch.")
    max_changed_lines: int = Field(default=800, ge=1, description="Lines that a patch may add and remove together.")
    max_file_bytes: int = Field(default=1_000_000, ge=1_000, description="Of a file that is changed or made. Bytes.")
    allow_paths: tuple[str, ...] = Field(
        default=(),
        description="Protected places that may be written: patterns, or ci, agent, git, editor, packages, secrets.",
    )
    check_names: bool = Field(default=True, description="Refuse a patch that uses names that do not exist.")
    test_command: str = Field(
        default="", description="The project's own tests, as a shell command; empty: none are run."
    )
    test_seconds: float = Field(default=900.0, gt=0, description="Longest run of the tests. Seconds.")
    test_environment: tuple[str, ...] = Field(
        default=(), description="Environment variables that the tests see besides the usual ones."
    )
    test_network: bool = Field(default=False, description="Let the tests use the network where that can be denied.")
    generator_seconds: float = Field(default=1800.0, gt=0, description="Longest run of an outside command. Seconds.")
    generator_checkout: bool = Field(default=True, description="Run an outside command in a checkout of its own.")
    language: str = Field(
        default="", description="Of comments, commits and pull requests, for example ja; empty: the ticket's."
    )
    branch_prefix: str = Field(default="sherloc/", description="Of the branches that are made.")
    author_name: str = Field(default="sherloc", min_length=1, description="Author of the commits.")
    author_email: str = Field(default="sherloc@localhost", min_length=1, description="Address of that author.")


class ForgeSettings(Section):
    """The forge; never read from the repository under study. Tokens come from the environment alone."""

    kind: Literal["", "github", "gitlab"] = Field(default="", description="Empty: by the host's name.")
    base_url: str = Field(default="", description="Of the API; empty: the public one of the kind.")
    project: str = Field(default="", description="owner/repo; empty: that of the ticket.")
    publish: Literal["push", "api"] = Field(default="push", description="Send commits by git, or through the API.")
    base_branch: str = Field(default="", description="Where pull requests go; empty: the forge's default branch.")
    draft: bool = Field(default=True, description="Open pull requests as drafts.")
    allow_no_draft: bool = Field(default=False, description="Open a plain one where drafts are not to be had.")
    labels: tuple[str, ...] = Field(default=(), description="Labels of a pull request.")
    seconds: float = Field(default=30.0, gt=0, description="Longest wait for one answer. Seconds.")
    retries: int = Field(default=4, ge=0, le=20, description="How often a failed request is sent again.")
    max_wait: float = Field(default=120.0, ge=0, description="Longest wait for a rate limit. Seconds.")
