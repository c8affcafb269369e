"""A hostile head in the image, on a hosted runner's mounts: attacks of docs/security.md that need a real container."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import pytest

from tests.builders import CONFIG, shop
from tests.e2e import hostile
from tests.e2e.conftest import Docker
from tests.e2e.forge import TOKEN, Forge
from tests.e2e.hosted import Hosted, hosted
from tests.e2e.test_stories import only_check, push

Make = Callable[[Mapping[str, str | None]], Forge]
COMMAND = re.compile(r"^[ \t\r]*(?:\x1b\[[0-9;]*m)*::([\w-]+)|##\[", re.MULTILINE)


def attacked(
    forge_of: Make, image: str, *attacks: str, config: str = CONFIG
) -> tuple[Hosted, str, list[str]]:
    """Run a job whose head attacks; the job, all it said, and what the agent found."""
    forge = forge_of(shop(config=config))
    head = push(forge, {"agent.py": hostile.agent(*attacks)})
    job = hosted(forge, image, "pull_request", forge.payload("opened", 1, "author"))
    ended = job.run()
    said = ended.stdout + ended.stderr
    assert ended.returncode in (0, 1), said
    assert only_check(forge, head).status == "completed"
    return job, said, findings(job.workspace / "gatebot-results")


def findings(results: Path) -> list[str]:
    """What the head's trials of `refund` said they had found; each of them must have said it."""
    lines = (results / "trials.jsonl").read_text("utf-8").splitlines()
    trials = [cast("dict[str, str]", json.loads(line)) for line in lines]
    answers = [one["answer"] for one in trials if (one["case"], one["side"]) == ("refund", "head")]
    assert answers
    assert all((answer or "").startswith("found: ") for answer in answers), trials
    return sorted({one for answer in answers for one in json.loads(answer.removeprefix("found: "))})


def test_s16_s17_s19_no_secret_is_found_by_a_head(forge_of: Make, image: str) -> None:
    found = attacked(forge_of, image, hostile.SECRETS)[2]
    assert found == []


def test_s20_the_engine_is_not_commanded(forge_of: Make, image: str) -> None:
    found = attacked(forge_of, image, hostile.ENGINE)[2]
    assert found == []


@pytest.mark.parametrize("gid", [61000, 61007])
def test_s20_a_trial_never_has_the_engine_s_group(
    forge_of: Make, image: str, docker: Docker, gid: int
) -> None:
    """Whatever number the group of the engine's socket has on this host."""
    del docker
    if os.geteuid() != 0:
        pytest.skip("only root gives the engine's socket another group")
    forge = forge_of(shop())
    push(forge, {"agent.py": hostile.agent(hostile.ENGINE)})
    job = hosted(forge, image, "pull_request", forge.payload("opened", 1, "author"))
    engine = Path(os.environ["DOCKER_HOST"].removeprefix("unix://"))
    before = engine.stat().st_gid
    os.chown(engine, 0, gid)
    try:
        ended = job.run()
    finally:
        os.chown(engine, 0, before)
    assert ended.returncode in (0, 1), ended.stderr
    assert findings(job.workspace / "gatebot-results") == []


def test_s16_nothing_is_signalled_or_traced(forge_of: Make, image: str) -> None:
    found = attacked(forge_of, image, hostile.SIGNALS)[2]
    assert found == []


def test_nothing_is_planted_anywhere(forge_of: Make, image: str) -> None:
    """Neither in the other side's checkout nor in gatebot, the workspace or the files a job hands on by."""
    job, _, found = attacked(forge_of, image, hostile.WRITES)
    assert found == []
    assert (job.file_command("env"), job.file_command("path"), job.file_command("state")) == ("", "", "")
    assert "evil" not in job.file_command("output") + job.file_command("summary")
    assert list(job.workspace.rglob(".planted")) == []


def test_s91_commands_of_a_head_are_not_the_runner_s(forge_of: Make, image: str) -> None:
    job, said, _ = attacked(forge_of, image, hostile.COMMANDS)
    ours = {"add-mask", "warning", "error", "notice", "debug"}
    issued = COMMAND.findall(said)
    assert set(issued) <= ours, issued
    assert "forged" not in "\n".join(line for line in said.splitlines() if COMMAND.search(line))
    assert said.count("::add-mask::") == said.count(f"::add-mask::{TOKEN}")
    assert "pass" not in re.findall(r"^conclusion=(.*)$", job.file_command("output"), re.MULTILINE)


def test_s22_s23_a_poisoned_environment_and_workspace_reach_nothing(forge_of: Make, image: str) -> None:
    """Variables an earlier step set, and modules in the workspace named like the ones gatebot loads."""
    trap = "raise SystemExit('TRAPPED')\n"
    names = (
        "json",
        "yaml",
        "anthropic",
        "sitecustomize",
        "usercustomize",
        "gatebot",
        "pydantic",
        "github",
        "pip",
    )
    forge = forge_of({**shop(), **{f"{name}.py": trap for name in names}})
    head = push(forge, {"notes.md": "a change"})
    poison = {
        "PYTHONPATH": "/github/workspace",
        "PYTHONSTARTUP": "/github/workspace/json.py",
        "PYTHONHOME": "/github/workspace",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
        "GIT_CONFIG_GLOBAL": "/github/workspace/json.py",
        "GIT_DIR": "/nowhere",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "https_proxy": "http://127.0.0.1:9",
        "SSL_CERT_FILE": "/github/workspace/json.py",
        "LANGSMITH_API_KEY": "SENTINEL-langsmith",
    }
    job = hosted(forge, image, "pull_request", forge.payload("opened", 1, "author"), poison)
    ended = job.run()
    said = ended.stdout + ended.stderr
    assert ended.returncode == 0, said
    assert "TRAPPED" not in said
    assert only_check(forge, head).conclusion == "success"
