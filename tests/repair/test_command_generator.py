from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sherloc.errors import GeneratorError, ModelError, SettingsError
from sherloc.llm import ModelRoles, ScriptedModel
from sherloc.llm.questions import Asker
from sherloc.protocols import PatchGenerator, PatchRequest
from sherloc.repair.generators import CommandGenerator, Scratch, ScriptedGenerator, open_generator
from sherloc.repair.generators.command import command_input
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.issue import Issue
from sherloc.settings import ModelSettings, Settings
from sherloc.settings_repair import RepairSettings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups")
ROOT = Path(__file__).parents[2]
KEY = "sk-proj-" + "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv"
REQUEST = PatchRequest(
    Issue(title="t"), SurgeryBrief(issue_summary="s"), {"a.py": "x = 1\n"}, "code", "ja", 2, "old", ("p1", "p2")
)


def ran(
    code: str, request: PatchRequest = REQUEST, *, scratch: object = None, models: object = None, **repair: object
) -> str:
    settings = Settings(repair=RepairSettings(**repair), models=models or ModelSettings())  # type: ignore[arg-type]
    return CommandGenerator([sys.executable, "-c", code], settings, scratch=scratch).propose(request)  # type: ignore[arg-type]


def test_what_the_command_reads() -> None:
    seen = json.loads(ran("import sys; sys.stdout.write(sys.stdin.read())"))
    assert seen == {
        "schema_version": "1.0", "brief": SurgeryBrief(issue_summary="s").model_dump(mode="json"),
        "issue": {"title": "t", "body": "", "comments": [], "labels": [], "omitted": 0}, "sources": {"a.py": "x = 1\n"},
        "context": "code", "language": "ja", "candidate": 2, "previous": "old", "problems": ["p1", "p2"],
    }  # fmt: skip


def test_secrets_do_not_reach_the_command() -> None:
    request = replace(REQUEST, sources={"a.py": f"K = '{KEY}'"}, issue=Issue(title="t", comments=(f"use {KEY}",)))
    assert KEY not in str(command_input(request))
    assert str(command_input(request)).count("[redacted openai_key]") == 2
    assert str(command_input(request, redacted=False)).count(KEY) == 2


def test_it_runs_in_an_empty_folder_that_is_removed() -> None:
    folder, names = ran("import os; open('x', 'w'); print(os.getcwd(), os.listdir())").split()
    assert names == "['x']"
    assert not Path(folder).exists()


def test_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_TOKEN", "OPENAI_API_KEY", "AGENT_KEY", "PYTHONPATH"):
        monkeypatch.setenv(name, "1")
    code = "import json, os; print(json.dumps(sorted(os.environ)))"
    assert {"GITHUB_TOKEN", "OPENAI_API_KEY", "AGENT_KEY", "PYTHONPATH"}.isdisjoint(json.loads(ran(code)))
    models = ModelSettings(command_environment=("AGENT_KEY",))
    assert "AGENT_KEY" in json.loads(ran(code, models=models))


def test_what_goes_wrong_is_said() -> None:
    with pytest.raises(GeneratorError, match=r"ended with status 3\. It said: no luck \[redacted openai_key\]"):
        ran(f"import sys; sys.exit(print('no luck {KEY}', file=sys.stderr) or 3)")
    with pytest.raises(GeneratorError, match=r"neither wrote a proposal nor changed anything"):
        ran("print('  ')")
    with pytest.raises(GeneratorError, match=r"stopped after 3 seconds\. It said: thinking") as caught:
        ran("import sys, time; print('thinking', file=sys.stderr, flush=True); time.sleep(60)", generator_seconds=3.0)
    assert "repair.generator_seconds" in caught.value.hint
    with pytest.raises(GeneratorError, match="wrote more than 1000 bytes"):
        ran("print('x' * 5000)", models=ModelSettings(max_reply_bytes=1000))
    # A hole, which takes no time and no room to write, and would take both to read.
    for end in ("", "time.sleep(60)", "sys.exit(3)", "os.kill(os.getpid(), 9)"):
        with pytest.raises(GeneratorError, match="wrote more than 4000000 bytes"):
            ran(f"import os, sys, time; os.ftruncate(1, 1 << 36); {end}")
    with pytest.raises(GeneratorError, match="wrote more than 4000000 bytes"):
        ran("import os; os.ftruncate(2, 1 << 36)")
    with pytest.raises(GeneratorError, match="'no-such-agent' is not found in PATH"):
        CommandGenerator(["no-such-agent"], Settings())
    with pytest.raises(GeneratorError, match="command is empty"):
        CommandGenerator([], Settings())


class Checkout:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def diff(self) -> str:
        git = ["git", "-C", str(self.folder)]
        subprocess.run([*git, "add", "-A"], check=True)
        return subprocess.run([*git, "diff", "--cached"], check=True, capture_output=True, text=True).stdout


def checkout_of(repo: Path) -> Callable[[PatchRequest], object]:
    @contextmanager
    def made(request: PatchRequest) -> Iterator[Scratch]:
        folder = repo.parent / f"scratch-{request.candidate}"
        subprocess.run(["git", "clone", "-q", str(repo), str(folder)], check=True)
        yield Checkout(folder)

    return made


def test_what_it_changed_in_a_checkout_is_its_diff(make_repository: Callable[..., Path]) -> None:
    repo = make_repository({"a.py": "x = 1\n"})
    text = ran("open('a.py', 'a').write('y = 2\\n')", scratch=checkout_of(repo))
    assert text.startswith("diff --git a/a.py b/a.py\n") and text.endswith("@@ -1 +1,2 @@\n x = 1\n+y = 2\n")
    written = replace(REQUEST, candidate=3)
    assert ran("open('a.py', 'w'); print('{}')", written, scratch=checkout_of(repo)) == "{}\n"
    with pytest.raises(GeneratorError, match="nor changed anything"):
        ran("", replace(REQUEST, candidate=4), scratch=checkout_of(repo))
    assert (repo / "a.py").read_text() == "x = 1\n"


def test_a_scripted_generator(tmp_path: Path) -> None:
    scripted = ScriptedGenerator(["one", ModelError("down")])
    assert isinstance(scripted, PatchGenerator)
    assert scripted.propose(REQUEST) == "one"
    with pytest.raises(ModelError, match="down"):
        scripted.propose(REQUEST)
    with pytest.raises(GeneratorError, match="no reply left at request 3"):
        scripted.propose(REQUEST)
    assert scripted.requests == [REQUEST] * 3
    by_candidate = ScriptedGenerator(lambda request: f"c{request.candidate}")
    assert by_candidate.propose(REQUEST) == "c2"
    script = tmp_path / "script.jsonl"
    script.write_text('"--- a\\n+++ b"\n\n{"is_fixable": false, "reasoning": "é"}\n', encoding="utf-8")
    opened = open_generator(f"scripted:{script}", Settings())
    assert opened.name == f"scripted:{script}"
    assert opened.propose(REQUEST) == "--- a\n+++ b"
    assert opened.propose(REQUEST) == '{"is_fixable": false, "reasoning": "é"}'
    for wrong, reason in (("3", "neither"), ("{", "no JSON")):
        script.write_text(wrong)
        with pytest.raises(GeneratorError, match=f"Line 1 of the script .* is {reason}"):
            open_generator(f"scripted:{script}", Settings())
    with pytest.raises(GeneratorError, match="cannot be read"):
        open_generator(f"scripted:{tmp_path}/none", Settings())


def test_names_of_generators(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings()
    asker = Asker(ModelRoles(settings, model=ScriptedModel(["{}"], name="m")))
    assert open_generator("model", settings, asker=asker).name == "m"
    monkeypatch.delenv("SHERLOC_MODEL", raising=False)
    with pytest.raises(SettingsError, match="No model writes the patch"):
        open_generator("model", settings)
    command = open_generator(f"command:{sys.executable} -c 'print(1)'", settings)
    assert command.propose(REQUEST) == "1\n"
    with pytest.raises(SettingsError, match="cannot be read: No closing quotation"):
        open_generator("command:a 'b", settings)
    with pytest.raises(SettingsError, match="There is no patch generator 'modle'") as caught:
        open_generator("modle", settings)
    assert caught.value.hint == "Did you mean model? There are: model, command:PROGRAM ARGUMENTS, scripted:FILE."


def test_entry_points_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As an installed package has them: a module and its metadata in a folder of sys.path.
    (tmp_path / "patchbot.py").write_text(
        "from sherloc.repair.generators import ScriptedGenerator\n"
        "def make(settings): return ScriptedGenerator([settings.repair.language], name='patchbot')\n"
        "def broken(settings): raise KeyError('endpoint')\n"
        "def none(settings): return object()\n"
    )
    metadata = tmp_path / "patchbot-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: patchbot\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[sherloc.generators]\npatchbot = patchbot:make\nbroken = patchbot:broken\nnone = patchbot:none\n"
        "lost = no_such_module:make\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    settings = Settings(repair=RepairSettings(language="ja"))
    assert open_generator("patchbot", settings).propose(REQUEST) == "ja"
    with pytest.raises(SettingsError) as caught:
        open_generator("patchbt", settings)
    assert "Did you mean patchbot?" in caught.value.hint and "broken, lost, none, patchbot" in caught.value.hint
    with pytest.raises(GeneratorError, match=r"broken \(patchbot:broken\) cannot be opened: KeyError: 'endpoint'"):
        open_generator("broken", settings)
    with pytest.raises(GeneratorError, match="ModuleNotFoundError"):
        open_generator("lost", settings)
    with pytest.raises(GeneratorError, match="no patch generator: it has no name"):
        open_generator("none", settings)


def test_the_example_in_the_documentation(tmp_path: Path) -> None:
    text = (ROOT / "docs/generators.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(#!.*?)```", text, re.DOTALL)
    program = tmp_path / "rename.py"
    program.write_text(code)
    generator = open_generator(f"command:{sys.executable} {shlex.quote(str(program))}", Settings())
    request = replace(REQUEST, sources={"a.py": "colour = 1\n"}, issue=Issue(title="Write color, not colour"))
    proposal = json.loads(generator.propose(request))
    assert proposal["commit_groups"][0]["files"] == [{"path": "a.py", "content": "color = 1\n"}]
    nothing = json.loads(generator.propose(REQUEST))
    assert nothing["is_fixable"] is False
