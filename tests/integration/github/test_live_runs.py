"""A live run of a fork's head: started by somebody who may, for exactly one commit, told by the report of its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import CONFIG, Project, shop
from tests.fakes.github.state import GitHubState, Level, Token
from tests.integration.github.actions import BOT, Actions
from tests.integration.github.forks import (
    LIVE,
    LIVE_TOKEN,
    MALLORY,
    REPORT,
    REPORT_TOKEN,
    RIGHT,
    SMALL,
    WRONG,
    Forks,
    ended,
    fill_store,
    forked,
    left_by,
    packed,
    spy,
    trials,
    two_cases,
    unzipped,
)
from tests.integration.github.test_more_stories import PERMISSIONS
from tests.integration.github.test_stories import push

LIVE_FILE = ".github/workflows/gatebot-live.yml"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A suite of two cases."""
    return two_cases(tmp_path / "repo")


@pytest.fixture
def forks(actions: Actions, hub: GitHubState, project: Project, tmp_path: Path) -> Iterator[Forks]:
    with forked(actions, hub, project, tmp_path) as found:
        push(project, {"notes.py": "x = 1"})
        hub.pulls[1].head_repo = MALLORY
        yield found


def test_a_maintainers_run_gives_the_verdict_and_a_later_recording_leaves_it(forks: Forks) -> None:
    fill_store(forks, RIGHT)
    recorded = ended(forks, packed({"trials.jsonl": trials(RIGHT)}))
    forks.report(recorded)
    assert forks.check().conclusion == "failure"
    run, job = forks.live("alice")
    assert job.code == 0, job.log
    before = len(forks.hub.writes())
    told = forks.report(run)
    assert told.code == 0, told.log
    assert len(forks.hub.writes()) - before == 3  # check begun and ended, comment
    assert forks.check().conclusion == "success"
    assert "A live run, started by `alice` (maintain)" in forks.comment()
    assert "nobody has verified" not in forks.comment()
    again = forks.report(recorded)
    assert "a maintainer's live run has this head's check" in again.log
    assert forks.check().conclusion == "success"


def test_a_regression_is_red_in_a_live_run(forks: Forks) -> None:
    push(forks.project, {"book.json": shop(WRONG)["book.json"]})
    run, job = forks.live()
    assert job.code == 1, job.log
    assert forks.report(run).code == 0
    assert forks.check().conclusion == "failure"
    assert "blocked" in forks.check().title or "regress" in forks.check().title
    assert "book.json" not in forks.check().title


@pytest.mark.parametrize("who", ["trixie", "nobody", "", "github-actions[bot]"])
def test_whoever_may_not_start_one_runs_nothing_and_changes_nothing(forks: Forks, who: str) -> None:
    """A workflow's own token can dispatch another one, and no person has read the change."""
    forks.hub.roles["github-actions[bot]"] = "write"
    run, job = forks.live(who)
    assert job.code == 2, job.log
    assert "start a live run" in job.log
    assert not job.results.exists()
    forks.hub.artifacts[run] = [
        (1, "gatebot-results-shop-1", packed({"trials.jsonl": b"", "plan.json": b"{}"}))
    ]
    told = forks.report(run)
    assert "Nothing is told" in told.log
    assert forks.hub.writes() == []


def test_a_re_run_by_somebody_who_may_not_changes_nothing(forks: Forks) -> None:
    run, job = forks.live("alice")
    assert job.code == 0, job.log
    forks.hub.runs[run] = replace(forks.hub.runs[run], by="trixie")
    assert "may not start a live run" in forks.report(run).log
    assert forks.hub.writes() == []


@pytest.mark.parametrize(
    ("number", "sha", "told"),
    [
        ("1", "0" * 40, "now, not 000000000000"),
        ("1", "HEAD", "is no commit"),
        ("1; id", "a" * 40, "is no number"),
        ("\u0661", "a" * 40, "is no number"),
        ("9", "a" * 40, "404"),
    ],
)
def test_a_live_run_is_of_one_commit_that_is_the_head(forks: Forks, number: str, sha: str, told: str) -> None:
    _, job = forks.live(number=number, sha=sha)
    assert job.code in (2, 3)
    assert told in job.log
    assert not job.results.exists()


def test_a_push_after_the_live_run_makes_it_stale_and_the_report_says_so(forks: Forks) -> None:
    """S112, F22: what was run is not what would be merged."""
    run, job = forks.live()
    assert job.code == 0, job.log
    push(forks.project, {"notes.py": "x = 2"})
    told = forks.report(run)
    assert "stale" in told.log
    assert "stale" in told.summary
    assert forks.hub.writes() == []


@pytest.mark.parametrize(
    "forged",
    [
        {"head_branch": "topic"},
        {"head_repo": MALLORY},
        {"path": ".github/workflows/mine.yml"},
        {"title": "gatebot live: #1 at HEAD"},
        {"title": "x gatebot live: #1 at " + "a" * 40},
    ],
    ids=["branch", "repository", "workflow", "no head", "another name"],
)
def test_a_run_by_another_workflow_or_name_is_no_live_run(forks: Forks, forged: dict[str, str]) -> None:
    run, job = forks.live()
    assert job.code == 0, job.log
    forks.hub.runs[run] = replace(forks.hub.runs[run], **forged)
    told = forks.report(run)
    assert "Nothing is told" in told.log
    assert forks.hub.writes() == []


def test_a_live_run_beside_a_token_that_can_write_is_refused(forks: Forks) -> None:
    forks.hub.tokens[LIVE_TOKEN] = Token(BOT, "github-actions", {**LIVE, "checks": "write"})
    _, job = forks.live()
    assert job.code == 2, job.log
    assert "token can write" in job.log
    assert not job.results.exists()
    assert forks.check().conclusion == "failure"


def test_a_live_run_without_its_key_is_never_green(forks: Forks) -> None:
    keyed = CONFIG.replace("timeout: 20", "timeout: 20, env: [SHOP_KEY]")
    push(forks.project, {"gatebot.yaml": keyed}, "main")
    forks.project.branch("topic", forks.hub.tip("main"))
    push(forks.project, {"notes.py": "x = 1"})
    run, job = forks.live()
    assert job.code == 3, job.log
    assert "`SHOP_KEY`" in job.log
    forks.report(run)
    assert forks.check().conclusion == "failure"
    assert "SHOP_KEY" in forks.comment()


def test_what_a_live_run_uploads_is_graded_anew_and_bound_to_base_and_policy(forks: Forks) -> None:
    """S8: a report in the artifact is not read; a policy that has changed since makes it another evaluation."""
    push(forks.project, {"book.json": shop(WRONG)["book.json"]})
    run, _ = forks.live()
    files = unzipped(forks.hub.artifacts[run][-1][2])
    forks.upload(run, packed({**files, "report.json": b'{"conclusion": "pass"}', "suite.json": b"{}"}))
    forks.report(run)
    assert forks.check().conclusion == "failure"
    assert "regress" in forks.comment()
    push(forks.project, {"gatebot.yaml": f"{CONFIG}gate: {{alpha: 0.01}}\n"}, "main")
    forks.report(run)
    assert forks.check().conclusion == "failure"
    assert "another policy" in forks.comment()


def test_trials_that_a_live_run_lost_are_not_passed_over(forks: Forks) -> None:
    run, _ = forks.live()
    files = unzipped(forks.hub.artifacts[run][-1][2])
    lines = files["trials.jsonl"].splitlines(keepends=True)
    forks.upload(run, packed({**files, "trials.jsonl": b"".join(lines[:-1])}))
    forks.report(run)
    assert forks.check().conclusion == "failure"
    assert "1 of 12 planned trials are missing" in forks.comment()


def test_an_override_stands_when_the_fork_is_recorded_again(forks: Forks) -> None:
    fill_store(forks, RIGHT)
    push(forks.project, {"book.json": shop(WRONG)["book.json"]})
    run, _ = forks.live()
    forks.report(run)
    forks.actions.token = "ghs_bot"
    assert forks.actions.label("gatebot:override", "alice").code == 0
    assert forks.check().conclusion == "success"
    recorded = ended(forks, packed({"trials.jsonl": trials(WRONG)}), run_id=9_000)
    assert "overridden" in forks.report(recorded).log
    assert forks.check().conclusion == "success"


def test_accepting_what_a_live_run_found_leaves_a_patch_for_the_fork(forks: Forks) -> None:
    """S118: the label finds the report's own files, and the fork's branch is not ours to write."""
    push(forks.project, {"book.json": shop(WRONG)["book.json"]})
    run, _ = forks.live()
    forks.report(run)
    head = forks.hub.tip("topic")
    forks.actions.token = "ghs_bot"
    job = forks.actions.label("gatebot:accept", "alice")
    assert job.code == 1, job.log
    assert "+  answer: nobody tells the price" in job.summary
    assert forks.hub.tip("topic") == head
    assert "gatebot accept" in forks.comment()
    assert forks.check().conclusion == "failure"


def test_nothing_a_fork_recorded_can_be_accepted(forks: Forks) -> None:
    fill_store(forks, RIGHT)
    forks.report(ended(forks, packed({"trials.jsonl": trials(WRONG)})))
    forks.actions.token = "ghs_bot"
    job = forks.actions.label("gatebot:accept", "alice")
    assert job.code == 1, job.log
    assert "not complete" in job.log
    assert forks.check().conclusion == "failure"


def test_no_token_reaches_the_runner_of_a_live_run(forks: Forks) -> None:
    push(forks.project, {"agent.py": spy("'ghs_live' in held or 'GITHUB_' in held")})
    _, job = forks.live()
    assert job.code == 0, job.log
    held = left_by(job)
    assert b"leaked" not in held
    assert b"ghs_live" not in held


def test_the_tokens_here_are_what_the_workflows_ask_for() -> None:
    asked = {name.replace("_", "-"): level for name, level in LIVE.items()}
    assert asked == PERMISSIONS["gatebot-live.yml"]
    asked = {name.replace("_", "-"): level for name, level in REPORT.items()}
    assert asked == PERMISSIONS["gatebot-report.yml"]


@pytest.mark.parametrize("missing", LIVE)
def test_a_live_run_needs_every_permission_it_asks_for(forks: Forks, missing: str) -> None:
    kept: dict[str, Level] = {name: level for name, level in LIVE.items() if name != missing}
    forks.hub.tokens[LIVE_TOKEN] = Token(BOT, "github-actions", kept)
    _, job = forks.live()
    assert job.code == 3
    assert not job.results.exists()


@pytest.mark.parametrize("missing", REPORT)
def test_a_report_needs_every_permission_it_asks_for(forks: Forks, missing: str) -> None:
    fill_store(forks, RIGHT)
    kept: dict[str, Level] = {name: level for name, level in REPORT.items() if name != missing}
    forks.hub.tokens[REPORT_TOKEN] = Token(BOT, "github-actions", kept)
    job = forks.report(ended(forks, packed({"trials.jsonl": trials(RIGHT)})))
    assert job.code == 3 or "not published" in job.log


def test_what_a_live_run_uploads_holds_no_key_in_any_rendering(forks: Forks) -> None:
    """Escaped for Markdown and cut short a key is not found: what was rendered of it is rendered anew."""
    key = "tr*cky_[SENTINEL]_<0123456789>&abcdef"
    keyed = CONFIG.replace("timeout: 20", "timeout: 20, env: [SHOP_KEY]")
    push(forks.project, shop(config=keyed, names=SMALL), "main")
    leaking = "import os, sys\nsys.stderr.write(os.environ['SHOP_KEY'])\nsys.exit(os.environ['SHOP_KEY'])\n"
    push(forks.project, {**shop(config=keyed, names=SMALL), "agent.py": leaking})
    forks.actions.variables["SHOP_KEY"] = key
    run, job = forks.live()
    assert "cleaned" in job.log
    uploaded = unzipped(forks.hub.artifacts[run][-1][2])
    assert b"[withheld]" in uploaded["trials.jsonl"]
    assert [name for name, data in uploaded.items() if b"SENTINEL" in data] == []
