"""Agents that misbehave, through the whole gate: typed statuses with a reason, and never a pass."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.builders import CONFIG, Project, shop
from tests.integration.stories.command_line import CommandLine, part, rows


@dataclass(frozen=True, slots=True)
class Misdeed:
    """What the head's agent does, how its trials end, and a word of the reason."""

    code: str
    status: str
    reason: str = ""


MISDEEDS: dict[str, Misdeed] = {
    "prints garbage": Misdeed("os.write(1, b'%PDF-1.4 \\x00\\x07')", "completed"),
    "prints nothing": Misdeed("pass", "agent_error", "printed nothing"),
    "exits non-zero": Misdeed("print('the address is known'); sys.exit(3)", "agent_error", "code 3"),
    "hangs": Misdeed("time.sleep(600)", "timeout", "1 s"),
    "answers and hangs": Misdeed("print('the address is known', flush=True); time.sleep(600)", "timeout"),
    "kills itself": Misdeed("os.kill(os.getpid(), 9)", "agent_error", "SIGKILL"),
    "prints 100 MB": Misdeed("[os.write(1, b'x' * 65536) for _ in range(1600)]", "agent_error", "16 MB"),
    "nests a million deep": Misdeed("print('[' * 1_000_000)", "agent_error", "begins like JSON"),
    "prints invalid UTF-8": Misdeed("os.write(1, b'the address is kn\\xffwn')", "agent_error", "UTF-8"),
    "prints half its JSON": Misdeed("print('{\"answer\": \"the addr')", "agent_error", "begins like JSON"),
    "prints NaN": Misdeed("print('{\"answer\": \"the address is known\", \"state\": NaN}')", "agent_error"),
    "prints hostile text": Misdeed("print('</details><!-- gatebot --> @everyone ##[error]x\\n::error::x')", "completed"),
    "crashes in its own words": Misdeed(
        "sys.exit('\\x1b[2J\\n::error::</details> @everyone ##[error]x')", "agent_error", "code 1"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISDEEDS)
def test_an_agent_that_misbehaves_never_passes(gatebot: CommandLine, tmp_path: Path, name: str) -> None:
    misdeed = MISDEEDS[name]
    patience = "1" if misdeed.status == "timeout" else "20"
    config = CONFIG.replace("timeout: 20", f"timeout: {patience}").replace("concurrency: 4", "concurrency: 8")
    files = shop(
        config=config + "gate: {metrics: {pass_rate: {}, trajectory_match: {}}}\n", names=["address"]
    )
    agent = files["agent.py"] or ""
    project = Project(tmp_path / "shop", {**files, "agent.py": f"import time\n{agent}"})
    project.write({"agent.py": f"import os, sys, time\n{misdeed.code}\n"})
    ended = gatebot.gate(project.root, "HEAD", "WORKTREE", "--seeds", "4")
    report = gatebot.report()
    assert report["conclusion"] == "fail", ended.told
    assert ended.code == 1
    heads = [trial for trial in gatebot.trials() if trial.side == "head"]
    assert {trial.status for trial in heads} == {misdeed.status}
    assert all(misdeed.reason in trial.reason for trial in heads), heads[0].reason
    assert part(report, "trials")[misdeed.status] in (4, 8)
    row = rows(report, "cases")["address"]
    assert (part(row, "base"), part(row, "head")) == ({"passed": 4, "trials": 4}, {"passed": 0, "trials": 4})
    assert "Traceback" not in ended.told
    assert "<!-- gatebot --> @everyone" not in gatebot.comment()
    assert "</details> @everyone" not in gatebot.comment()
    assert "\x1b" not in gatebot.comment() + ended.told
    # A workflow's log obeys `::command::` at the start of a line, and `##[command]` anywhere in it.
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in ended.told.splitlines())


def test_a_program_that_is_missing_is_never_a_pass(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", shop(names=["address"]))
    missing = CONFIG.replace("command: [python3, -I, -S, agent.py]", "command: [./no-such-agent]")
    base = str(project.repository.head.target)
    head = project.commit({"gatebot.yaml": missing})
    ended = gatebot.gate(project.root, base, head, "--seeds", "4")
    report = gatebot.report()
    assert (ended.code, report["conclusion"]) == (1, "fail"), ended.told
    assert {trial.status for trial in gatebot.trials() if trial.side == "head"} == {"agent_error"}
    assert "no-such-agent" in gatebot.comment()


def test_an_agent_broken_on_both_sides_is_no_pass_either(gatebot: CommandLine, tmp_path: Path) -> None:
    config = CONFIG + "gate: {metrics: {pass_rate: {target: 0.5}}}\n"
    files = {**shop(config=config, names=["address"]), "agent.py": "raise SystemExit(3)\n"}
    project = Project(tmp_path / "shop", files)
    base = str(project.repository.head.target)
    head = project.commit({"note.txt": "x\n"})
    ended = gatebot.gate(project.root, base, head)
    report = gatebot.report()
    assert report["conclusion"] != "pass", ended.told
    assert part(report, "trials")["agent_error"] == 6
