"""S70, S71: an agent that sees itself fail and would rather have the machine blamed, and be asked again."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gatebot.agents.build import make_agent
from gatebot.model.case import AnswerExpectation, Expect
from gatebot.model.config import AgentConfig
from gatebot.model.suite import SuiteFile
from gatebot.ports import SideEnvironment
from gatebot.process.launch import Launchers
from tests.security.conftest import needs_root
from tests.unit.agents.tasks import PLAIN, task

pytestmark = needs_root
SPOIL = {
    "closes its directory": "os.chmod('.', 0)",
    "removes its directory": "[shutil.rmtree(n) if os.path.isdir(n) else os.unlink(n) for n in os.listdir('.')]; "
    "pathlib.Path('.').absolute().rmdir()",
    "moves its directory": "os.rename(os.getcwd(), os.environ['HOME'] + '/gone')",
    "closes its home": "os.chmod(os.environ['HOME'], 0); os.chmod(os.environ['TMPDIR'], 0)",
    "makes the graders' files directories": "os.makedirs('check.py/check.py'); os.chmod('check.py', 0)",
    "makes them links": "os.symlink('/dev/full', 'check.py')",
    "fills what it may": "open('big', 'wb').write(bytes(5_000_000))",
    "leaves others running": "os.fork() or (os.setsid(), time.sleep(60))",
    "uses up its processes": "[os.fork() or time.sleep(60) for _ in range(20)]",
}


@pytest.fixture
def checkout() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="gatebot-test-"))
    (place / "checkout").mkdir()
    for folder in (place, place / "checkout"):
        folder.chmod(0o755)
    yield place / "checkout"
    shutil.rmtree(place)


@pytest.mark.parametrize("way", sorted(SPOIL))
@pytest.mark.parametrize("turns", [("Hello?",), ("Hello?", "And?")], ids=["one turn", "two turns"])
def test_s70_s71_what_an_agent_does_is_never_the_machine_s_fault(
    checkout: Path, way: str, turns: tuple[str, ...]
) -> None:
    agent = (
        "import os, pathlib, shutil, sys, time\nsys.stdin.read()\nprint('wrong', flush=True)\n"
        f"try: {SPOIL[way]}\nexcept OSError: pass\n"
    )
    (checkout / "agent.py").write_text(agent)
    config = AgentConfig.model_validate({"command": ["python3", "-I", "-S", "agent.py"], "workspace": "copy"})
    expected = Expect(answer=AnswerExpectation.model_validate({"command": {"run": ["python3", "check.py"]}}))
    case = replace(PLAIN, turns=turns, expect=expected)
    graders = {case.id: [SuiteFile("check.py", b"raise SystemExit(1)\n")]}
    with Launchers(checkout.parent) as launchers:
        runner = make_agent(config, launchers=launchers, directory=checkout, graders=graders)
        trial = runner.run(task(case), SideEnvironment("head", checkout))
    assert trial.status != "infra_error", trial.reason
    assert not any(result.passed for result in trial.grader_results)
    assert trial.grader_results or trial.status == "agent_error"
