"""Pushes to the default branch: the base's results grow; who may not write them cannot, and what is damaged is not used."""

from __future__ import annotations

import io
import zipfile

import pytest

from gatebot.github_api.client import Client
from gatebot.github_api.errors import ApiError
from gatebot.github_api.result_store import newest_store
from gatebot.results.base_results import BASE_RESULTS_FILE, decode_base_results
from tests.builders import CONFIG, Project, book, case, shop
from tests.fakes.github.state import CheckRun, Fault, GitHubState, Run
from tests.integration.github.actions import Actions
from tests.integration.github.test_more_stories import PERMISSIONS, as_token
from tests.integration.github.test_stories import push

STORE = "gatebot-base-shop"
SMALL = ("price", "refund")
CHECK = "gatebot base / shop"


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A suite of two cases."""
    return Project(tmp_path_factory.mktemp("small") / "repo", shop(names=SMALL))


def base_check(hub: GitHubState, sha: str) -> CheckRun:
    found = [one for one in hub.checks if one.head_sha == sha and one.name == CHECK]
    assert len(found) == 1
    return found[0]


def stores(hub: GitHubState) -> list[bytes]:
    """The store of every run that handed one on, oldest first."""
    held = [(number, data) for kept in hub.artifacts.values() for number, name, data in kept if name == STORE]
    return [unzipped(data) for _, data in sorted(held)]


def unzipped(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(BASE_RESULTS_FILE)


def packed(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(BASE_RESULTS_FILE, data)
    return buffer.getvalue()


def leave(hub: GitHubState, run: Run, data: bytes) -> int:
    """A run of somebody's uploads an artifact of the store's name; the run's number."""
    number = hub.next_id() + 50_000
    hub.runs[number] = run
    hub.artifacts[number] = [(hub.next_id(), STORE, packed(data))]
    return number


def land(project: Project, files: dict[str, str | None]) -> str:
    """Something is merged: a commit on the default branch."""
    return push(project, files, "main")


def swap(hub: GitHubState, data: bytes) -> None:
    """The newest store's bytes are others than were uploaded."""
    run = max((run for run, held in hub.artifacts.items() if any(name == STORE for _, name, _ in held)))
    hub.artifacts[run] = [
        (number, name, packed(data) if name == STORE else held) for number, name, held in hub.artifacts[run]
    ]


def test_pushes_grow_the_store_until_every_slot_is_held(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    before = len(hub.writes())
    first = actions.push()
    assert first.code == 0, first.log
    assert len(hub.writes()) - before == 2  # the check begins and ends
    check = base_check(hub, hub.tip("main"))
    assert (check.status, check.conclusion) == ("completed", "success")
    assert check.title == "20 trials of the base stored, 20 of them new"
    assert "no stored results of the base yet" in first.log
    again = actions.push()
    assert "20 stored trials of the base, from run" in again.log
    assert base_check(hub, hub.tip("main")).title == "40 trials of the base stored, 20 of them new"
    full = actions.push()
    assert full.code == 0, full.log
    assert not full.results.exists()  # no agent was started
    assert "Nothing was run" in full.summary
    last = decode_base_results(stores(hub)[-1])
    assert sorted({one.origin.slot for one in last.trials if one.role == "recording"}) == list(range(1, 21))
    assert sorted({one.origin.slot for one in last.trials if one.role == "reference"}) == list(range(1, 11))
    assert {one.trial.side for one in last.trials} == {"base"}
    assert not [check for check in hub.checks if check.name == "gatebot / shop"]


def test_another_agent_is_stored_beside_the_one_before(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    actions.push()
    land(project, {"book.json": book(dict.fromkeys(SMALL, "differently put"))})
    second = actions.push()
    assert base_check(hub, hub.tip("main")).title == "20 trials of the base stored, 20 of them new", (
        second.log
    )
    trees = {
        one.origin.tree for one in decode_base_results(stores(hub)[-1]).trials if one.role == "recording"
    }
    assert len(trees) == 2
    land(project, {"golden/refund.yaml": case("refund", tags="[kept]")})
    third = actions.push()
    assert "40 stored trials" in third.log  # how a case is graded changes no trial
    assert base_check(hub, hub.tip("main")).title == "40 trials of the base stored, 20 of them new"


UNTRUSTED = {
    "a pull request": Run("pull_request", "topic", ""),
    "a pull request from a branch called main": Run("pull_request", "main", "", "mallory/shop"),
    "a run with the default branch's rights": Run("pull_request_target", "main", ""),
    "the end of another run": Run("workflow_run", "main", ""),
    "a run by hand": Run("workflow_dispatch", "main", ""),
    "a push of another branch": Run("push", "topic", ""),
    "a push to a fork": Run("push", "main", "", "mallory/shop"),
    "the merge queue": Run("merge_group", "gh-readonly-queue/main/pr-1-x", ""),
}


@pytest.mark.parametrize("whose", sorted(UNTRUSTED))
def test_nobody_else_s_artifact_is_taken_for_the_store(client: Client, hub: GitHubState, whose: str) -> None:
    tip = hub.tip("main")
    assert newest_store(client, "shop", "main", tip) is None
    run = UNTRUSTED[whose]
    leave(hub, Run(run.event, run.head_branch, tip, run.head_repo), b"poison")
    assert newest_store(client, "shop", "main", tip) is None
    for event in ("push", "schedule"):
        good = leave(hub, Run(event, "main", tip), b"believed")
        leave(hub, Run(run.event, run.head_branch, tip, run.head_repo), b"poison")
        found = newest_store(client, "shop", "main", tip)
        assert found is not None
        assert (found.run_id, found.passed_over) == (good, 1)


def test_a_flood_of_artifacts_hides_the_store_and_forges_none(client: Client, hub: GitHubState) -> None:
    tip = hub.tip("main")
    leave(hub, Run("push", "main", tip), b"believed")
    for _ in range(400):
        leave(hub, Run("pull_request", "topic", tip), b"poison")
    asked = len(hub.log)
    assert newest_store(client, "shop", "main", tip) is None
    assert len(hub.log) - asked <= 3
    for _ in range(20):
        leave(hub, Run("workflow_dispatch", "main", tip), b"poison")
    asked = len(hub.log)
    assert newest_store(client, "shop", "main", tip) is None
    assert len(hub.log) - asked <= 3 + 5


def test_a_tag_called_like_the_default_branch_is_no_push_to_it(
    client: Client, hub: GitHubState, project: Project
) -> None:
    """GitHub calls a tag's name the run's `head_branch`, too: the commit must lie on the branch."""
    unseen = push(project, {"agent.py": "print('mine')\n"})
    leave(hub, Run("push", "main", unseen), b"poison")
    leave(hub, Run("push", "main", "f" * 40), b"of a commit that is gone")
    assert newest_store(client, "shop", "main", hub.tip("main")) is None


def test_a_store_of_an_older_commit_counts_until_its_history_is_forced_away(
    client: Client, hub: GitHubState, project: Project
) -> None:
    first = hub.tip("main")
    older = land(project, {"notes.md": "soon gone"})
    run = leave(hub, Run("push", "main", older), b"believed")
    tip = land(project, {"notes.md": "newer"})
    found = newest_store(client, "shop", "main", tip)
    assert found is not None
    assert found.run_id == run
    project.branch("main", first)
    project.branch("topic", first)
    forced = land(project, {"notes.md": "another history"})
    assert newest_store(client, "shop", "main", forced) is None


def test_a_token_without_the_right_to_read_it_is_told(client: Client, hub: GitHubState) -> None:
    del hub.tokens["ghs_bot"].permissions["actions"]
    with pytest.raises(ApiError) as caught:
        newest_store(client, "shop", "main", hub.tip("main"))
    assert "actions: read" in caught.value.hint


def test_a_damaged_older_or_newer_store_is_a_miss_with_a_notice(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    land(project, {"gatebot.yaml": f"{CONFIG}budget: {{trials: 2}}\n"})
    actions.push()
    good = stores(hub)[-1]
    for bad, told in (
        (good.replace(b"base-results/1", b"base-results/9", 1), "newer than"),
        (good.replace(b"base-results/1", b"base-results/0", 1), "older than"),
        (b"\x00\xff" * 50, "is damaged"),
        (b"", "is damaged"),
        (
            good.replace(b"the price is known", b"the price is wrong", 1),
            "1 of the base's stored trials are damaged",
        ),
    ):
        swap(hub, bad)
        job = actions.push()
        assert job.code == 0, job.log
        assert told in job.log
        swap(hub, good)


def test_an_artifact_that_is_no_zip_is_a_miss(actions: Actions, hub: GitHubState, project: Project) -> None:
    land(project, {"gatebot.yaml": f"{CONFIG}budget: {{trials: 2}}\n"})
    actions.push()
    run = max(hub.artifacts)
    hub.artifacts[run] = [(number, name, b"not a zip") for number, name, _ in hub.artifacts[run]]
    job = actions.push()
    assert job.code == 0, job.log
    assert "the base's stored results cannot be read" in job.log


def test_what_was_lost_to_infrastructure_or_stopped_is_not_stored(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    land(project, {"agent.py": "import sys\nsys.exit('429 Too Many Requests')\n"})
    job = actions.push()
    held = decode_base_results(stores(hub)[-1]).trials
    assert all(one.trial.status != "infra_error" for one in held)
    land(project, {"gatebot.yaml": CONFIG.replace("seeds", "budget: {seconds: 0.001}\nseeds")})
    stopped = actions.push()
    assert stopped.code == 3, job.log
    check = base_check(hub, hub.tip("main"))
    assert check.conclusion == "failure"
    assert check.title.startswith("not evaluated")
    assert len(decode_base_results(stores(hub)[-1]).trials) == len(held)


def test_a_budget_without_room_for_a_trial_of_each_case_is_said(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    land(project, {"gatebot.yaml": f"{CONFIG}budget: {{trials: 1}}\n"})
    job = actions.push()
    assert job.code == 3, job.log
    assert "the budget is smaller" in base_check(hub, hub.tip("main")).title
    scheduled = actions.schedule()
    assert scheduled.code == 3, scheduled.log
    assert "the budget is smaller" in scheduled.summary


def test_a_base_that_does_not_install_is_not_evaluated(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    land(project, {"gatebot.yaml": CONFIG.replace("timeout: 20", "timeout: 20, setup: ['false']")})
    job = actions.push()
    assert job.code == 3, job.log
    assert "does not install" in base_check(hub, hub.tip("main")).title
    assert decode_base_results(stores(hub)[-1]).trials == ()


def test_a_push_without_the_secret_stores_nothing_and_is_red(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    land(project, {"gatebot.yaml": CONFIG.replace("timeout: 20", "timeout: 20, env: [SHOP_KEY]")})
    actions.variables["SHOP_KEY"] = ""
    job = actions.push()
    assert job.code == 3
    assert "SHOP_KEY" in base_check(hub, hub.tip("main")).summary
    assert stores(hub) == []


def test_a_re_run_of_an_old_push_evaluates_nothing(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    frozen = actions.pushed()
    land(project, {"notes.md": "newer"})
    before = len(hub.writes())
    job = actions.event("push", frozen)
    assert job.code == 0
    assert "moved on" in job.log
    assert len(hub.writes()) == before


@pytest.mark.parametrize("ref", ["refs/heads/topic", "refs/tags/main"])
def test_other_pushes_are_no_business_of_ours(
    actions: Actions, hub: GitHubState, project: Project, ref: str
) -> None:
    job = actions.event("push", {**actions.pushed(), "ref": ref})
    assert job.code == 0
    assert "activity: nothing" in job.log
    assert not hub.writes()


def test_a_default_branch_without_a_suite_is_left_alone(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    land(project, {"gatebot.yaml": None})
    job = actions.push()
    assert job.code == 0
    assert "there is nothing to evaluate" in job.log
    assert not hub.writes()


def test_a_run_by_hand_shows_the_base_and_stores_nothing(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    land(project, {"gatebot.yaml": f"{CONFIG}budget: {{trials: 2}}\n"})
    job = actions.event("workflow_dispatch", {"inputs": {}, "sender": {"login": "alice", "type": "User"}})
    assert job.code == 0, job.log
    assert "stored nowhere" in job.summary
    assert stores(hub) == []


def test_what_the_base_s_workflow_asks_for_is_enough(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    land(project, {"gatebot.yaml": f"{CONFIG}budget: {{trials: 2}}\n"})
    hub.tokens[actions.token] = as_token(PERMISSIONS["gatebot-base.yml"])
    actions.push()
    job = actions.push()
    assert job.code == 0, job.log
    assert "permissions:" not in job.log
    assert "2 stored trials of the base, from run" in job.log


@pytest.mark.parametrize("missing", PERMISSIONS["gatebot-base.yml"])
def test_the_base_s_workflow_needs_every_permission_it_asks_for(
    actions: Actions, hub: GitHubState, project: Project, missing: str
) -> None:
    land(project, {"gatebot.yaml": f"{CONFIG}budget: {{trials: 2}}\n"})
    hub.tokens[actions.token] = as_token(PERMISSIONS["gatebot-base.yml"], missing)
    job = actions.push()
    assert f"`permissions: {missing}: " in job.log or "contents: read" in job.log
    assert (job.code, bool(stores(hub))) == ((3, False) if missing == "contents" else (0, True))


def test_two_pushes_at_once_lose_at_most_what_is_run_again(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    """Both began with the same store; each hands on its own, whole, and the newer one counts."""
    land(project, {"gatebot.yaml": f"{CONFIG}budget: {{trials: 2}}\n"})
    actions.push(run_id=2001)
    held = dict(hub.artifacts)
    actions.push(run_id=2002)
    late = hub.artifacts.pop(2002)
    actions.push(run_id=2003)
    hub.artifacts = {**held, 2003: hub.artifacts[2003], 2002: late}
    job = actions.push(run_id=2004)
    assert job.code == 0, job.log
    assert "4 stored trials of the base, from run 2003" in job.log
    assert len(decode_base_results(stores(hub)[-1]).trials) == 8


def test_the_store_service_being_away_costs_runs_and_nothing_else(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    land(project, {"gatebot.yaml": f"{CONFIG}budget: {{trials: 2}}\n"})
    actions.push()
    hub.faults.append(Fault("GET", "/actions/artifacts", times=9, status=404))
    job = actions.push()
    assert job.code == 0, job.log
    assert "cannot be read" in job.log
