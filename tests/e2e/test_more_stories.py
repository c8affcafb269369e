"""Stories around the pull request: the merge queue, forks, live runs, a judge that asks a model. Under act, in the image."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import yaml

from gatebot.model.json_value import JsonObject
from tests.builders import CONFIG, shop, wrong
from tests.e2e.forge import Forge
from tests.e2e.test_stories import only_check, push
from tests.fakes.anthropic_server import KEY, serving
from tests.fakes.github import wire
from tests.fakes.judge_stand_ins import honest

Make = Callable[[Mapping[str, str | None]], Forge]
MALLORY = "mallory/shop"
SMALL = ("price", "refund")
WORLD = """\
import json, os, sys
print(os.environ["WORLD_TOKEN"].replace("_", json.load(sys.stdin)["case"]))
"""
COPIED = {
    f".github/workflows/{name}.yml": "name: x\n" for name in ("gatebot", "gatebot-live", "gatebot-report")
}


def queue(forge: Forge) -> JsonObject:
    """The merge queue has made a commit of the topic on the base, and asks."""
    base, head = forge.hub.tip("main"), forge.hub.tip("topic")
    branch = f"gh-readonly-queue/main/pr-1-{base}"
    forge.project.branch(branch, head)
    group: JsonObject = {
        "head_sha": head,
        "base_sha": base,
        "base_ref": "refs/heads/main",
        "head_ref": f"refs/heads/{branch}",
    }
    return {"action": "checks_requested", "merge_group": group, "sender": {"login": "queue"}}


def test_the_merge_queue_is_red_for_a_regression_and_green_without(forge_of: Make) -> None:
    forge = forge_of(shop())
    red = push(forge, shop(wrong("refund")))
    assert forge.event("gatebot.yml", "merge_group", queue(forge)).code == 1
    assert only_check(forge, red).conclusion == "failure"
    green = push(forge, {**shop(), "notes.md": "a change"})
    ran = forge.event("gatebot.yml", "merge_group", queue(forge))
    assert ran.code == 0, ran.text
    assert only_check(forge, green).conclusion == "success"
    assert forge.hub.comments == []


def test_a_fork_records_without_a_token_and_the_report_tells_it_in_red(forge_of: Make) -> None:
    """The pair: pull_request with a token that only reads, then workflow_run with one that writes and no code.

    What it is compared with are the base's own results, which a push to the default branch has stored.
    """
    forge = forge_of({**shop(names=SMALL), **COPIED})
    stored = forge.pushed()
    assert stored.code == 0, stored.text
    assert [name for _, name, _ in forge.hub.artifacts[forge.runs]] == ["gatebot-base-shop"]
    before = len(forge.hub.writes())
    forge.hub.pulls[1].head_repo = MALLORY
    head = push(forge, {"book.json": shop(wrong("refund"))["book.json"]})
    forge.read_only = True
    recorded = forge.pull_request("opened")
    assert recorded.code == 1, recorded.text
    assert len(forge.hub.writes()) == before
    run = forge.runs
    assert [name for _, name, _ in forge.hub.artifacts[run]] == ["gatebot-results-shop-1"]
    forge.read_only = False
    told = forge.ended(run)
    assert told.code == 0, told.text
    assert only_check(forge, head).conclusion == "failure"
    comment = forge.keep_comment("fork")
    assert "`refund`" in comment
    assert "Recorded by the fork's own run and graded here" in comment
    assert "gatebot live" in comment


def test_a_live_run_of_a_fork_s_head_started_by_a_maintainer(forge_of: Make) -> None:
    forge = forge_of({**shop(names=SMALL), **COPIED})
    forge.hub.pulls[1].head_repo = MALLORY
    head = push(forge, {"notes.py": "x = 1\n"})
    inputs: JsonObject = {"pull-request": "1", "head-sha": head}
    payload: JsonObject = {"inputs": inputs, "sender": wire.user("alice")}
    ran = forge.event("gatebot-live.yml", "workflow_dispatch", payload, actor="alice")
    assert ran.code == 0, ran.text
    assert forge.hub.writes() == []
    told = forge.ended(forge.runs)
    assert told.code == 0, told.text
    assert only_check(forge, head).conclusion == "success"
    assert "`alice`" in forge.keep_comment("live")


def test_the_schedule_opens_an_issue_when_the_world_has_changed_and_closes_it(forge_of: Make) -> None:
    """The agent's code stays; what it gets from outside does not. Only a credential's value is no part of what an agent is."""
    config = CONFIG.replace("timeout: 20", "timeout: 20, env: [WORLD_TOKEN]")
    forge = forge_of({**shop(config=config, names=SMALL), "agent.py": WORLD})
    forge.world["WORLD_TOKEN"] = "the _ is known"
    assert forge.pushed().code == 0
    calm = forge.scheduled()
    assert calm.code == 0, calm.text
    assert forge.hub.issues == []

    forge.world["WORLD_TOKEN"] = "nobody tells the _"
    changed = forge.scheduled()
    assert changed.code == 1, changed.text
    (issue,) = forge.hub.issues
    assert issue.state == "open"
    assert "`refund`" in issue.body
    (forge.machine.logs / "drift.comment.md").write_text(issue.body, encoding="utf-8")

    forge.world["WORLD_TOKEN"] = "the _ is known"
    gone = forge.scheduled()
    assert gone.code == 0, gone.text
    assert [one.state for one in forge.hub.issues] == ["closed"]


def test_a_judge_asks_the_model_and_no_agent_has_its_key(forge_of: Make) -> None:
    """A gating judge on a stand-in of the Messages API; the key comes from the workflow's secret."""
    agent = shop()["agent.py"]
    assert agent is not None
    telltale = f"import os\nassert 'ANTHROPIC_API_KEY' not in os.environ\n{agent}"
    with serving(honest) as model:
        judge = {"base_url": model.url, "rubrics": ["final_response"], "timeout": 20}
        gate: JsonObject = {"metrics": {"pass_rate": {}, "judge_final_response": {}}}
        config = CONFIG + yaml.safe_dump({"judge": judge, "gate": gate})
        forge = forge_of({**shop(config=config), "agent.py": telltale})
        forge.secrets["ANTHROPIC_API_KEY"] = KEY
        head = push(forge, {"book.json": shop(wrong("refund"))["book.json"]})
        ran = forge.pull_request("opened")
        assert ran.code in (1, 3), ran.text
        assert only_check(forge, head).conclusion == "failure"
        assert model.requests
        assert KEY not in ran.text
        assert "judge_final_response" in forge.keep_comment("judged")
