from __future__ import annotations

from typing import Any

import pytest

from sherloc.errors import UsageError
from sherloc.paths import PROTECTED, READING, WRITING, PathPolicy, UnsafePathError, check_path
from sherloc.paths.policy import runs_code

PLACES = [
    (".github/workflows/ci.yml", ".github/workflows"),
    (".GitHub/Workflows/ci.yml", ".github/workflows"),
    ("sub/project/.github/actions/x/action.yml", ".github/actions"),
    (".github/dependabot.yml", ".github/dependabot.yml"),
    ("docs/CODEOWNERS", "codeowners"),
    (".gitlab-ci.yml", ".gitlab-ci.yml"),
    (".circleci/config.yml", ".circleci"),
    ("azure-pipelines.yml", "azure-pipelines.yml"),
    ("azure-pipelines-release.yml", "azure-pipelines-release.yml"),
    ("Jenkinsfile", "jenkinsfile"),
    ("ci/Jenkinsfile.release", "jenkinsfile.release"),
    ("AGENTS.md", "agents.md"),
    ("pkg/agents.MD", "agents.md"),
    ("CLAUDE.md", "claude.md"),
    (".cursor/rules/x.mdc", ".cursor"),
    (".cursorrules", ".cursorrules"),
    (".claude/settings.json", ".claude"),
    (".github/copilot-instructions.md", ".github/copilot-instructions.md"),
    (".vscode/settings.json", ".vscode"),
    (".idea/workspace.xml", ".idea"),
    (".devcontainer/devcontainer.json", ".devcontainer"),
    (".gitmodules", ".gitmodules"),
    ("deep/.gitattributes", ".gitattributes"),
    (".lfsconfig", ".lfsconfig"),
    (".husky/pre-commit", ".husky"),
    (".pre-commit-config.yaml", ".pre-commit-config.yaml"),
    (".npmrc", ".npmrc"),
    ("web/.npmrc", ".npmrc"),
    (".pypirc", ".pypirc"),
    ("pip.conf", "pip.conf"),
    (".cargo/config.toml", ".cargo"),
    (".env", ".env"),
    (".env.local", ".env.local"),
    ("certs/server.PEM", "server.pem"),
    (".sherloc.toml", ".sherloc.toml"),
    (".opencode/agent/x.md", ".opencode"),
    ("opencode.json", "opencode.json"),
    ("web/.goosehints", ".goosehints"),
    (".junie/guidelines.md", ".junie"),
    (".augment/rules/x.md", ".augment"),
    (".trae/rules/x.md", ".trae"),
    (".amazonq/rules/x.md", ".amazonq"),
    (".qwen/settings.json", ".qwen"),
    (".jules/x", ".jules"),
    ("wercker.yml", "wercker.yml"),
    ("codemagic.yaml", "codemagic.yaml"),
    (".ci/run", ".ci"),
    ("action.yml", "action.yml"),
]


@pytest.mark.parametrize(("path", "place"), PLACES)
def test_protected_places_are_read_and_not_written(path: str, place: str) -> None:
    assert check_path(path, policy=READING) == path
    assert WRITING.denies(path) == place
    with pytest.raises(UnsafePathError) as caught:
        check_path(path, policy=WRITING)
    assert caught.value.reason == "denied"
    assert place in str(caught.value)


@pytest.mark.parametrize(
    "path",
    [
        "src/agents.py", "docs/claude.md.txt", ".github/ISSUE_TEMPLATE/bug.md", ".github/workflow.md", "workflow/x.yml",
        "github/workflows/x.yml", ".gitignore", "my.gitmodules", "environment.py", ".environment", "src/env",
        "jenkinsfile_parser.py", "pip.config", "a.pem.py", "x.cursor", "README.md", "package.json", "setup.py",
    ],
)  # fmt: skip
def test_like_named_places_are_written(path: str) -> None:
    assert check_path(path, policy=WRITING) == path


@pytest.mark.parametrize(
    "path",
    [
        "CLAUDE.md.", "CLAUDE.md ", ".github./workflows/x.yml", ".github /workflows/x.yml",
        ".github/workflows./x", "AGENTS.md::$DATA", ".npmrc:x", "a/.env. ",
    ],
)  # fmt: skip
def test_windows_spellings_of_protected_places_where_they_are_let_through(path: str) -> None:
    """Under ``posix`` these are names of their own, but a checkout on Windows makes them the protected file."""
    assert PathPolicy.writing(platforms="posix").denies(path) != ""


@pytest.mark.parametrize("path", ["cla\u0131de.md", "AGENT\u017f.md", ".\u212airo/x"])
def test_case_folding_beyond_ascii(path: str) -> None:
    folded = {"AGENT\u017f.md": "agents.md", ".\u212airo/x": ".kiro"}
    assert WRITING.denies(path) == folded.get(path, "")


def test_what_is_allowed() -> None:
    policy = PathPolicy.writing(allow=[".github/workflows", "AGENTS.md"])
    assert check_path(".github/workflows/ci.yml", policy=policy) == ".github/workflows/ci.yml"
    assert check_path("agents.md", policy=policy) == "agents.md"
    for path in (".github/actions/x.yml", "CLAUDE.md", ".github/workflows/CLAUDE.md", "AGENTS.md/.env"):
        with pytest.raises(UnsafePathError, match="protected"):
            check_path(path, policy=policy)


def test_one_file_of_a_protected_folder_is_allowed() -> None:
    policy = PathPolicy.writing(allow=[".github/workflows/docs.yml"])
    assert policy.denies(".github/workflows/docs.yml") == ""
    assert policy.denies(".github/workflows/ci.yml") == ".github/workflows"


def test_a_group_is_allowed_by_its_name() -> None:
    policy = PathPolicy.writing(allow=["ci"])
    assert all(policy.denies(path.strip("*")) == "" for path in PROTECTED["ci"] if "*" not in path)
    assert policy.denies("CLAUDE.md") == "claude.md"


def test_own_patterns() -> None:
    policy = PathPolicy(deny=("secret", "src/*.lock", "/top/x/"), allow=("src/ok.lock",))
    found = {path: policy.denies(path) for path in (
        "secret", "a/Secret/b", "secrets", "src/a.lock", "src/ok.lock", "src/deep/a.lock", "lib/src/b.lock", "top/x/y",
        "a/top/x", "top/xy",
    )}  # fmt: skip
    assert found == {
        "secret": "secret", "a/Secret/b": "secret", "secrets": "", "src/a.lock": "src/a.lock", "src/ok.lock": "",
        "src/deep/a.lock": "", "lib/src/b.lock": "src/b.lock", "top/x/y": "top/x", "a/top/x": "top/x", "top/xy": "",
    }  # fmt: skip


def test_characters_of_expressions_mean_nothing_in_a_pattern() -> None:
    policy = PathPolicy(deny=("a.b", "x+", "(y"))
    assert [policy.denies(path) for path in ("a.b", "axb", "x+", "xx", "(y")] == ["a.b", "", "x+", "", "(y"]


def test_what_speaks_against_the_text_comes_before_the_policy() -> None:
    with pytest.raises(UnsafePathError) as caught:
        check_path("../.env", policy=WRITING)
    assert caught.value.reason == "parent"


def test_an_error_survives_a_process_boundary() -> None:
    import copy

    with pytest.raises(UnsafePathError) as caught:
        check_path(".env", policy=WRITING)
    again = copy.copy(caught.value)  # by the same protocol as between processes
    assert (again.reason, again.path, again.hint, str(again)) == (
        "denied",
        ".env",
        caught.value.hint,
        str(caught.value),
    )
    assert again.exit_code == 8


@pytest.mark.parametrize(
    "path",
    [
        ".mise.toml", ".tool-versions", "sub/.bazelrc", "WORKSPACE", "usercustomize.py", "x/y.pth",
        "npm-shrinkwrap.json", "gradle/wrapper/gradle-wrapper.properties", ".justfile", "Makefile", "tests/conftest.py",
    ],
)  # fmt: skip
def test_files_whose_content_is_run(path: str) -> None:
    assert runs_code(path)
    assert check_path(path, policy=WRITING) == path


@pytest.mark.parametrize("path", ["workspace/a.py", "makefile/a.py", "a.pth.py", "src/mise.py"])
def test_like_named_files_are_not_run(path: str) -> None:
    assert not runs_code(path)


@pytest.mark.parametrize("platforms", ["Portable", "portble", "windows", ""])
def test_a_mistyped_platform_does_not_weaken_a_policy(platforms: Any) -> None:
    for make in (lambda: PathPolicy(platforms), lambda: PathPolicy.writing(platforms=platforms)):
        with pytest.raises(UsageError, match="'portable' or 'posix'"):
            make()


def test_one_text_is_no_list_of_patterns() -> None:
    text: Any = "secret"
    for make in (lambda: PathPolicy(deny=text), lambda: PathPolicy(allow=text), lambda: PathPolicy.writing(allow=text)):
        with pytest.raises(UsageError, match="not the text 'secret'"):
            make()
