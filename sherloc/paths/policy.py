"""What a path may be: which systems it must be safe on, and which places are protected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, get_args

from sherloc.errors import UsageError
from sherloc.paths.folding import fold, windows_name

PROTECTED: Mapping[str, tuple[str, ...]] = {
    "git": (
        ".gitmodules", ".gitattributes", ".gitconfig", ".lfsconfig", ".githooks", ".husky",
        ".pre-commit-config.yaml", ".pre-commit-config.yml", "lefthook.yml", "lefthook.yaml", ".lefthook.yml",
    ),
    "ci": (
        ".github/workflows", ".github/actions", ".github/dependabot.yml", ".github/dependabot.yaml", "codeowners",
        ".gitlab-ci.yml", ".gitlab-ci.yaml", ".gitlab/ci", ".circleci", ".buildkite", ".teamcity", ".drone.yml",
        ".woodpecker", ".woodpecker.yml", ".travis.yml", ".ci", "wercker.yml", "codemagic.yaml", "action.yml",
        "action.yaml", "appveyor.yml", ".appveyor.yml", "azure-pipelines*.yml",
        "azure-pipelines*.yaml", ".azure-pipelines", "bitbucket-pipelines.yml", "jenkinsfile", "jenkinsfile.*",
        "cloudbuild.yaml", "cloudbuild.yml", ".cirrus.yml", ".semaphore", ".forgejo/workflows", ".gitea/workflows",
        "renovate.json", "renovate.json5", ".renovaterc*",
    ),
    "agent": (
        "agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", ".cursor",
        ".cursorrules", ".cursorignore", ".claude", ".codex", ".gemini", ".windsurf", ".windsurfrules", ".clinerules",
        ".roo", ".roorules*", ".kiro", ".aider*", ".continue", ".mcp.json", ".agents",
        ".opencode", "opencode.json", "opencode.jsonc", ".goosehints", ".goose", ".junie", ".augment",
        ".augment-guidelines", ".trae", ".amazonq", ".qwen", "qwen.md", ".jules",
        ".github/copilot-instructions.md", ".github/instructions", ".github/prompts", ".github/agents",
        ".sherloc.toml",
    ),
    "editor": (".vscode", ".idea", ".devcontainer", ".devcontainer.json", ".envrc", "*.code-workspace", ".vs", ".zed"),
    "packages": (
        ".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn", ".pnpmfile.cjs", "pip.conf", "pip.ini", ".pypirc", ".condarc",
        ".cargo", "cargo-credentials.toml", ".gemrc", ".bundle", "nuget.config", ".m2", ".mvn", "bunfig.toml",
        "uv.toml", ".netrc", "_netrc",
    ),
    "secrets": (".env", ".env.*", ".ssh", ".aws", ".gnupg", "*.pem", "id_rsa", "id_ed25519"),
}  # fmt: skip
"""Places that a change for an ordinary ticket has no business in, by what they are; patterns as in ``PathPolicy``."""

_RUNS_CODE = (
    "conftest.py", "setup.py", "setup.cfg", "pyproject.toml", "tox.ini", "noxfile.py", "sitecustomize.py",
    "package.json", "makefile", "gnumakefile", "dockerfile", "requirements*.txt", "build.rs", "build.gradle",
    "build.gradle.kts", "pom.xml", "rakefile", "gemfile", "justfile", "cmakelists.txt", "gruntfile.js",
    "gulpfile.js", "*.config.js", "*.config.mjs", "*.config.ts", ".mise.toml", "mise.toml", ".mise/config.toml",
    "mise/config.toml", ".tool-versions", ".bazelrc", "workspace", "workspace.bazel", "module.bazel", "build.bazel",
    "usercustomize.py", "*.pth", "npm-shrinkwrap.json", "package-lock.json", "gradle-wrapper.properties", ".justfile",
    "*.mk", "pytest.ini", "gradlew", "gradlew.bat", "mvnw", "mvnw.cmd", "settings.gradle", "settings.gradle.kts",
    "*.gemspec", "vagrantfile", "tiltfile", "meson.build", "tasks.py", ".eslintrc.js", ".eslintrc.cjs", "karma.conf.js",
    ".lintstagedrc.js", "compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml", "dockerfile.*",
)  # fmt: skip

_ODD = re.compile(r"[^\x00-\x7f]|:|[. ](?:/|$)")

Platforms = Literal["portable", "posix"]


class _Patterns:
    """Patterns, ready to be looked for in folded paths."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        folded = [fold(pattern.strip("/")) for pattern in patterns]
        # Most paths are ruled out by their names alone, without the long alternation.
        self._firsts = frozenset(pattern.partition("/")[0] for pattern in folded if "*" not in pattern)
        self._wild = _matcher([pattern for pattern in folded if "*" in pattern])
        self._every = _matcher(folded)

    def places(self, key: str) -> list[tuple[int, int]]:
        """Start and end of every place at which a pattern matches whole names."""
        if self._firsts.isdisjoint(key.split("/")) and not self._wild.search(key):
            return []
        return [match.span(1) for match in self._every.finditer(key)]


def _matcher(patterns: list[str]) -> re.Pattern[str]:
    parts = [re.escape(pattern).replace(r"\*", "[^/]*") for pattern in patterns] or ["(?!)"]
    return re.compile(f"(?:^|(?<=/))(?=((?:{'|'.join(parts)})(?=/|$)))")


def _check_patterns(name: str, patterns: Iterable[str]) -> None:
    if isinstance(patterns, str):
        raise UsageError(f"{name} of a path policy is a list of patterns, not the text {patterns!r}.")


@dataclass(frozen=True)
class PathPolicy:
    """What ``check_path`` accepts.

    A pattern is one name or several with ``/`` between; ``*`` stands for any characters of one name. It matches at any
    depth, whatever the case, and everything below what it matches.

    Attributes:
        platforms: ``portable`` refuses what any of Linux, macOS or Windows cannot hold; ``posix`` only marks it.
        deny: Patterns of places that are refused.
        allow: Patterns that are let through although ``deny`` matches.
        max_path_bytes: Of the whole path. UTF-8 bytes.
        max_name_bytes: Of one name. UTF-8 bytes.
        max_depth: Names in a path.

    Raises:
        UsageError: The platforms are neither, or ``deny`` or ``allow`` is one text: a typo must not weaken a policy.
    """

    platforms: Platforms = "portable"
    deny: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    max_path_bytes: int = 4095
    max_name_bytes: int = 255
    max_depth: int = 64

    def __post_init__(self) -> None:
        if self.platforms not in get_args(Platforms):
            known = " or ".join(map(repr, get_args(Platforms)))
            raise UsageError(f"The platforms of a path policy are {known}, not {self.platforms!r}.")
        for name, patterns in (("deny", self.deny), ("allow", self.allow)):
            _check_patterns(name, patterns)

    @classmethod
    def writing(cls, *, allow: Iterable[str] = (), platforms: Platforms = "portable") -> PathPolicy:
        """The policy for paths that are to be written: every place in ``PROTECTED`` is refused, unless allowed.

        Args:
            allow: Patterns of protected places that may be written, or names of groups of ``PROTECTED``.
            platforms: As in the class.
        """
        _check_patterns("allow", allow)
        asked = tuple(allow)
        patterns = tuple(pattern for each in asked for pattern in PROTECTED.get(each, (each,)))
        return cls(platforms, tuple(p for group in PROTECTED.values() for p in group), patterns)

    def denies(self, path: str) -> str:
        """The protected part of a path, or empty.

        Args:
            path: POSIX, relative, already normal.
        """
        if not self.deny:
            return ""
        key = "/".join(map(windows_name, path.split("/"))) if _ODD.search(path) else path.lower()
        denied = self._denied.places(key)
        if not denied:
            return ""
        allowed = self._allowed.places(key)
        for start, end in denied:
            # What is allowed lets through only what it touches: not a protected file inside of an allowed folder.
            if not any(start < last and first < end for first, last in allowed):
                return key[start:end]
        return ""

    @cached_property
    def _denied(self) -> _Patterns:
        return _Patterns(self.deny)

    @cached_property
    def _allowed(self) -> _Patterns:
        return _Patterns(self.allow)


READING = PathPolicy()
"""The default: portable, nothing protected."""

WRITING = PathPolicy.writing()
"""As ``READING``, but nothing in ``PROTECTED``."""


def runs_code(path: str) -> bool:
    """Whether a file's content is run by tools that build or test a project, so that a reviewer should look twice."""
    key = fold(path)
    return any(end == len(key) for _, end in _code_runners().places(key))


@cache
def _code_runners() -> _Patterns:
    return _Patterns(_RUNS_CODE)
