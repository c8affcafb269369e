"""Through the command line: a budget or a breaker that ends a run is `not_evaluated`, and never a regression."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatebot.model.trial import Trial
from gatebot.results.trial_line import encode_trial
from tests.builders import CASES, CONFIG, RIGHT, Project, book, shop, wrong
from tests.integration.stories.command_line import CommandLine

SPENDING = """\
import json, sys
request = json.load(sys.stdin)
answer = json.load(open("book.json"))[request["case"]]
usage = {"input_tokens": 900, "output_tokens": 100, "cost_usd": 0.25}
print(json.dumps({"answer": answer, "usage": usage}))
"""


@pytest.mark.parametrize(
    ("budget", "most"),
    [("trials: 6", 6), ("usd: 1.5", 6), ("tokens: 6000", 6), ("seconds: 0.000001", 0)],
)
def test_a_budget_ends_in_not_evaluated(gatebot: CommandLine, tmp_path: Path, budget: str, most: int) -> None:
    config = f"{CONFIG.replace('concurrency: 4', 'concurrency: 1')}budget: {{{budget}}}\n"
    project = Project(tmp_path / "shop", {**shop(config=config), "agent.py": SPENDING})
    base = str(project.repository.head.target)
    project.commit({"book.json": book(wrong(*CASES))})
    ended = gatebot.gate(project.root, base, "HEAD")
    report = gatebot.report()
    assert (ended.code, report["conclusion"]) == (3, "not_evaluated"), ended.told
    assert "budget" in str(report["reason"])
    trials = gatebot.trials()
    assert len(trials) == most
    assert (
        abs(sum(trial.side == "base" for trial in trials) * 2 - most) <= 1
    )  # equal shares, whenever it ends
    resumed = gatebot.gate(project.root, base, "HEAD")  # the budget is the evaluation's, not the process's
    assert resumed.code == 3
    assert len(gatebot.trials()) == most


def recorded(*cases: str) -> str:
    lines = [
        encode_trial(Trial(case, "head", slot, 0, "completed", answer=str(RIGHT[case])))
        for case in cases
        for slot in (1, 2, 3)
    ]
    return b"".join(lines).decode()


def replaying(concurrency: int) -> str:
    agent = "agent: {replay: recorded/trials.jsonl}"
    config = CONFIG.replace("agent: {command: [python3, -I, -S, agent.py], timeout: 20}", agent)
    return config.replace("concurrency: 4", f"concurrency: {concurrency}")


def test_infrastructure_faults_are_retried_alike_on_both_sides_and_close_no_gate(
    gatebot: CommandLine, tmp_path: Path
) -> None:
    """A slot that was never recorded is a fault of the recording, whichever side asks for it."""
    files = {**shop(config=replaying(4)), "recorded/trials.jsonl": recorded("hours", "price", "refund")}
    project = Project(tmp_path / "shop", files)
    base = str(project.repository.head.target)
    project.commit({"book.json": book(wrong("hours"))})  # another tree: both sides are run
    ended = gatebot.gate(project.root, base, "HEAD")
    trials = gatebot.trials()
    lost = [trial for trial in trials if trial.status == "infra_error"]
    assert {trial.case for trial in lost} == {"address"}
    assert sorted((trial.side, trial.slot, trial.attempts) for trial in lost) == [
        (side, slot, 3) for side in ("base", "head") for slot in (1, 2, 3)
    ]
    assert all(trial.attempts == 1 for trial in trials if trial.status != "infra_error")
    assert (ended.code, gatebot.report()["conclusion"]) == (3, "not_evaluated")


def test_equal_faults_in_a_row_trip_the_breaker(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", {**shop(config=replaying(1)), "recorded/trials.jsonl": ""})
    base = str(project.repository.head.target)
    project.commit({"book.json": book(wrong("hours"))})
    ended = gatebot.gate(project.root, base, "HEAD")
    assert (ended.code, gatebot.report()["conclusion"]) == (3, "not_evaluated")
    assert len(gatebot.trials()) == 5  # of 24
    assert "failed alike" in str(gatebot.report()["reason"])


def test_a_flaky_agent_is_never_asked_twice(gatebot: CommandLine, tmp_path: Path) -> None:
    """Crashes, non-zero exits and garbage are the agent's own: one attempt each, and they count."""
    crashing = "import json, sys\nrequest = json.load(sys.stdin)\nsys.exit(request['seed'] % 2)\n"
    project = Project(tmp_path / "shop", {**shop(), "agent.py": crashing})
    gatebot("run", "--repo", project.root, "--out", gatebot.results)
    trials = gatebot.trials()
    assert len(trials) == 12
    assert {trial.status for trial in trials} == {"agent_error"}
    assert {trial.attempts for trial in trials} == {1}
