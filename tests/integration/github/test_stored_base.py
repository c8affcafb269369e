"""What a push stored and the next pull request makes of it: fewer runs, the same verdicts, and nobody's poison."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest

from gatebot.results.base_results import decode_base_results, encode_base_results
from tests.builders import CONFIG, RIGHT, Project, book, shop, wrong
from tests.fakes.github.state import GitHubState, Run
from tests.integration.github.actions import Actions, Job
from tests.integration.github.test_push import STORE, land, leave, stores
from tests.integration.github.test_stories import ACCEPT, OVERRIDE, only_check, only_comment, push

LOOKS = CONFIG.replace("{fixed: 3}", "{max: 10}")
MOST = 2 * 10 * 4
"""Trials of a gate that looks once, after ten rounds of four cases on both sides."""


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("looks") / "repo", shop(config=LOOKS))


def live(job: Job) -> int:
    """Trials that were run, and not taken from a store."""
    lines = [json.loads(line) for line in (job.results / "trials.jsonl").read_bytes().splitlines()]
    return sum(not line["cached"] and not line["reused"] for line in lines)


def changed_agent(project: Project, *names: str) -> str:
    """A pull request's head: another agent, wrong in the cases named."""
    agent = shop()["agent.py"]
    assert agent is not None
    return push(
        project, {"agent.py": f"{agent}# changed\n", "book.json": book(wrong(*names) if names else RIGHT)}
    )


def test_a_push_spares_the_next_pull_request_its_base_and_it_says_so(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    changed_agent(project)
    alone = actions.pull_request("opened")
    assert "no stored results of the base yet" in alone.log
    land(project, {"notes.md": "merged"})
    pushed = actions.push()
    assert pushed.code == 0, pushed.log
    project.branch("topic", hub.tip("main"))
    head = push(project, {"agent.py": "# another change\n" + str(shop()["agent.py"])})
    spared = actions.pull_request("synchronize")
    assert spared.code == 0, spared.log
    assert "40 stored trials of the base, from run" in spared.log
    assert live(spared) * 2 <= live(alone)
    assert live(spared) * 4 <= MOST
    assert "The base comes from recordings, 10 trials a case" in spared.summary
    assert only_check(hub, head).conclusion == "success"


def test_a_regression_is_red_on_a_base_that_is_run_in_the_same_hour(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    actions.push()
    head = changed_agent(project, "refund", "price")
    job = actions.pull_request("opened")
    assert job.code == 1, job.log
    assert only_check(hub, head).conclusion == "failure"
    plan = json.loads((job.results / "plan.json").read_bytes())
    assert [one["kind"] for one in plan["rounds"]].count("fresh_base") == 1


def test_what_pull_requests_upload_hides_no_regression(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    """A base that seems to fail would hide what the head broke: only a trusted run's word counts."""
    actions.push()
    good = decode_base_results(stores(hub)[-1]).trials
    poison = encode_base_results(
        replace(one, trial=replace(one.trial, answer="nobody tells")) for one in good
    )
    head = changed_agent(project, "refund", "price")
    leave(hub, Run("pull_request", "topic", head), poison)
    leave(hub, Run("workflow_run", "main", hub.tip("main")), poison)
    job = actions.pull_request("opened")
    assert job.code == 1, job.log
    assert "2 newer artifacts of that name are of runs that do not count" in job.log


def test_a_pull_request_hands_nothing_on(actions: Actions, hub: GitHubState, project: Project) -> None:
    changed_agent(project)
    job = actions.pull_request("opened")
    assert "store<<" not in job.outputs
    assert "store-name<<" not in job.outputs
    assert not any(name == STORE for held in hub.artifacts.values() for _, name, _ in held)
    assert not list(project.root.glob("*-store"))


def test_a_gate_without_the_right_to_read_the_store_runs_its_base(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    actions.push()
    head = changed_agent(project)
    del hub.tokens[actions.token].permissions["actions"]
    job = actions.pull_request("opened")
    assert job.code == 0, job.log
    assert "`permissions: actions: read`" in job.log
    assert only_check(hub, head).conclusion == "success"


def test_from_label_to_posted_verdict_no_agent_runs_and_it_takes_seconds(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    head = changed_agent(project, "refund", "price")
    assert actions.pull_request("opened").code == 1
    before = {path.name for path in project.root.glob("results-*")}
    for label in (OVERRIDE, ACCEPT):
        began, written = time.monotonic(), len(hub.writes())
        job = actions.label(label, "alice")
        took = time.monotonic() - began
        assert job.code == 0, job.log
        assert took < 10, f"{label} took {took:.1f} s"
        told = [
            one for one in hub.writes()[written:] if "/labels/" not in one.path and "graphql" not in one.path
        ]
        checks = [one for one in told if "/check-runs" in one.path]
        comments = [one for one in told if "/comments" in one.path]
        assert len(comments) == 1
        assert len({one.path for one in checks if one.method == "PATCH"}) == 1
    assert {path.name for path in project.root.glob("results-*")} == before
    assert only_check(hub, hub.tip("topic")).conclusion == "success"
    assert hub.tip("topic") != head
    assert "Accepted by `alice`" in only_comment(hub)
