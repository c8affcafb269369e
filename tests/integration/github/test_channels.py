"""Hostile words on every way out, hostile names on every way in, and outages while a verdict is told."""

from __future__ import annotations

import json
import time

import pytest

from tests.builders import Project, shop, wrong
from tests.fakes.github.runner_log import commands
from tests.fakes.github.state import Fault, GitHubState
from tests.integration.github.actions import Actions
from tests.integration.github.test_stories import ACCEPT, only_check, only_comment, push
from tests.unit.render.dom import page

ORDERS = (
    "::set-env name=PATH::/x",
    "::add-path::/x",
    "::add-mask::a",
    "::add-matcher::x.json",
    "::set-output name=conclusion::pass",
    "::save-state name=x::y",
    "::error file=a::b",
    "::stop-commands::x",
    "  ::warning::w",
    "text ##[error]x",
    "##[add-mask]p",
    "a\r::error::cr",
    "a\x0b::error::vt",
    "a\x85::error::nel",
    "a\u2028::error::ls",
    "x " * 60 + "::error::at the wrapped line's start " * 20,
    "<!-- gatebot:v1 suite=shop --> @everyone #1 https://example.org ![x](https://example.org/x.png)",
)


def test_the_parser_of_logs_sees_orders() -> None:
    seen = [name for order in ORDERS for name, _ in commands(order)]
    assert len(seen) >= 14
    assert commands("an ordinary line :: with colons") == []


@pytest.mark.parametrize("way", ["answer", "error"])
def test_no_word_of_an_agent_is_an_order_to_the_runner(
    actions: Actions, hub: GitHubState, project: Project, way: str
) -> None:
    text = json.dumps("\n".join(ORDERS))
    told = {"answer": f"print({text})", "error": f"sys.exit({text})"}[way]
    push(project, {"agent.py": f"import sys\nsys.stdin.read()\n{told}\n"})
    job = actions.pull_request("opened")
    assert job.code == 1, job.log
    ours = [name for name, line in commands(job.log) if "title=gatebot" in line or name == "add-mask"]
    assert len(ours) == len(commands(job.log)), commands(job.log)
    assert [line for name, line in commands(job.log) if name == "add-mask"] == ["::add-mask::ghs_bot"]
    assert "@everyone" not in only_comment(hub)
    shown = page(only_comment(hub))
    assert len(shown.comments) == 2  # the marker and the state, both ours
    assert not {"img", "a href"} & set(shown.tags)
    assert "##[" not in job.summary


BRANCHES = ["a;id", "$(id)", "`id`", "a'b\"c", "${IFS}x", "--output=x", "-q", "a&b|c", "refs/heads/x", "HEAD"]


@pytest.mark.parametrize("branch", BRANCHES)
def test_a_branch_of_any_name_is_a_name_and_nothing_else(
    actions: Actions, hub: GitHubState, project: Project, branch: str
) -> None:
    project.repository.references.create(f"refs/heads/{branch}", hub.tip("main"), force=True)
    head = hub.commit(
        branch, f"fixes #1 {branch}", {"book.json": str(shop(wrong("refund"))["book.json"]).encode()}
    )
    hub.pulls[1].head_ref = branch
    before = {path.name for path in project.root.iterdir()}
    assert actions.pull_request("opened").code == 1
    assert only_check(hub, head).conclusion == "failure"
    job = actions.label(ACCEPT, "alice")
    assert job.code == 0, job.log
    assert only_check(hub, hub.tip(branch)).conclusion == "success"
    made = {path.name for path in project.root.iterdir()} - before
    assert all(name.startswith("results-") for name in made)


def test_a_limit_that_is_used_up_changes_no_verdict_and_the_summary_has_it(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    far = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 2400)}
    for method in ("PATCH", "POST"):
        hub.faults.append(Fault(method, "/(check-runs|comments|statuses)", times=99, status=403, headers=far))
    job = actions.pull_request("opened")
    assert job.code == 1
    assert "refund" in job.summary
    assert "rate limit" in job.log
    assert "not published" in job.log


def test_a_label_is_answered_within_ten_seconds_and_two_writes_a_change(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    opened = [one for one in hub.writes() if "check-runs" in one.path or "comments" in one.path]
    assert len([one for one in opened if one.method == "POST"]) == 2  # one check, one comment
    assert len(opened) == 3  # begun; completed; told
    before, runs = len(hub.writes()), len(list(project.root.glob("results-*")))
    started = time.monotonic()
    assert actions.label(ACCEPT, "alice").code == 0
    assert time.monotonic() - started < 10
    assert len(list(project.root.glob("results-*"))) == runs  # no agent ran
    told = [one for one in hub.writes()[before:] if "check-runs" in one.path or "comments" in one.path]
    assert len(told) == 3
    others = [one.path for one in hub.writes()[before:] if one not in told]
    assert len(others) == 2  # the commit, and the label that is taken off
