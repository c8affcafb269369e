"""Schedules: the world changes under an unchanged agent, one issue says so, and is closed when the change is gone."""

from __future__ import annotations

import re

import pytest

from gatebot.github_api.client import Client
from gatebot.github_api.issues import IssueText, open_issue, our_issues
from gatebot.render.drift_issue import drift_marker, drift_title
from gatebot.results.base_results import decode_base_results
from gatebot.runner.schedule import seed_for
from tests.builders import CONFIG, Project, shop
from tests.fakes.github.state import Fault, GitHubState, IssueState
from tests.integration.github.actions import BOT, Actions, Job
from tests.integration.github.test_more_stories import PERMISSIONS, as_token
from tests.integration.github.test_push import land, stores
from tests.unit.render.dom import OURS, page

WORLD = """\
import json, os, sys
request = json.load(sys.stdin)
told, _, unlucky = os.environ["WORLD_TOKEN"].partition("|")
answer = "no idea" if str(request["seed"]) in unlucky.split(",") else told.replace("_", request["case"])
model = os.environ["WORLD_MODEL_TOKEN"].removeprefix("key of ")
said = {"type": "ai", "content": answer, "response_metadata": {"model_name": model}}
print(json.dumps({"answer": answer, "messages": [{"type": "human", "content": request["input"]}, said]}))
"""
"""An agent whose code never changes, and whose answers come from outside: what MODEL is to a real one."""

FINE, BROKEN = "the _ is known", "nobody tells the _"
NAMES = ("price", "refund")


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    config = CONFIG.replace("timeout: 20", "timeout: 20, env: [WORLD_TOKEN, WORLD_MODEL_TOKEN]")
    files = {**shop(config=config, names=NAMES), "agent.py": WORLD}
    return Project(tmp_path_factory.mktemp("world") / "repo", files)


@pytest.fixture
def stored(actions: Actions, project: Project) -> Actions:
    """The base's results are stored, of a world that is fine."""
    world(actions, FINE)
    job = actions.push()
    assert job.code == 0, job.log
    return actions


def world(actions: Actions, answer: str, model: str = "model-1") -> None:
    actions.variables |= {"WORLD_TOKEN": answer, "WORLD_MODEL_TOKEN": f"key of {model}"}


def only_issue(hub: GitHubState) -> IssueState:
    assert len(hub.issues) == 1
    return hub.issues[0]


def writes(hub: GitHubState) -> int:
    return len(hub.writes())


def test_a_drift_opens_updates_and_closes_one_issue(stored: Actions, hub: GitHubState) -> None:
    before = writes(hub)
    calm = stored.schedule()
    assert calm.code == 0, calm.log
    assert hub.issues == []
    assert writes(hub) == before
    assert "no gating metric differs" in calm.summary

    world(stored, BROKEN, "model-2")
    red = stored.schedule()
    assert red.code == 1, red.log
    issue = only_issue(hub)
    assert issue.state == "open"
    assert issue.title == "gatebot · shop: the agent behaves differently, and its code has not changed"
    assert issue.body.startswith("<!-- gatebot:drift:v1 suite=shop -->\n<!-- gatebot:state ")
    assert "| `pass_rate` ↑ | 100% | 0% |" in issue.body
    assert "pass_rate got worse" in issue.body
    assert re.search(r"\| stored \| `model-1` \|\n\| now \| `model-2` \|", issue.body)
    assert "`refund`" in issue.body
    assert writes(hub) == before + 1

    first = issue.body
    again = stored.schedule()
    assert again.code == 1, again.log
    assert only_issue(hub).body != first
    assert writes(hub) == before + 2

    world(stored, FINE)
    gone = stored.schedule()
    assert gone.code == 0, gone.log
    issue = only_issue(hub)
    assert (issue.state, issue.state_reason) == ("closed", "completed")
    assert "Gone:" in issue.body
    assert "| `pass_rate` ↑ | 100% | 0% |" in issue.body  # what it was about stays
    assert writes(hub) == before + 3

    world(stored, BROKEN)
    back = stored.schedule()
    assert back.code == 1, back.log
    assert [one.state for one in hub.issues] == ["closed", "open"]


def test_a_change_that_is_neither_proven_nor_excluded_leaves_the_issue_open(
    stored: Actions, hub: GitHubState
) -> None:
    """Three failures of six beside twenty passes: p is about .009, between proven (.0035) and gone (.035)."""
    world(stored, BROKEN)
    stored.schedule()  # slots 11 to 13; the next ones are 14 to 16
    unlucky = [seed_for("price", 14), seed_for("price", 15), seed_for("refund", 14)]
    world(stored, f"{FINE}|{','.join(map(str, unlucky))}")
    before = writes(hub)
    job = stored.schedule()
    assert job.code == 0, job.log
    assert "conclusion<<" in job.outputs
    assert "\ninconclusive\n" in job.outputs
    assert only_issue(hub).state == "open"
    assert "neither proven nor excluded" in only_issue(hub).body
    assert writes(hub) == before + 1


def test_a_change_for_the_better_is_a_drift_and_no_failure(actions: Actions, hub: GitHubState) -> None:
    world(actions, BROKEN)
    assert actions.push().code == 0
    world(actions, FINE)
    job = actions.schedule()
    assert job.code == 0, job.log
    assert "pass_rate got better" in only_issue(hub).body


def test_nothing_stored_is_not_evaluated_and_stores_what_it_ran(actions: Actions, hub: GitHubState) -> None:
    world(actions, FINE)
    job = actions.schedule()
    assert job.code == 3, job.log
    assert "no stored results of this agent" in job.summary
    assert hub.issues == []
    held = decode_base_results(stores(hub)[-1]).trials
    assert {one.role for one in held} == {"recording", "reference"}
    second = actions.schedule()
    assert second.code == 0, second.log


def test_what_could_not_be_evaluated_says_so_and_closes_nothing(
    stored: Actions, hub: GitHubState, project: Project
) -> None:
    world(stored, BROKEN)
    stored.schedule()
    kept = stores(hub)[-1]
    world(stored, "")
    missing = stored.schedule()
    assert missing.code == 3
    issue = only_issue(hub)
    assert issue.state == "open"
    assert "could not be evaluated" in issue.body
    assert "WORLD\\_TOKEN" in issue.body or "`WORLD_TOKEN`" in issue.body
    assert "pass_rate got worse" in issue.body
    assert stores(hub)[-1] == kept
    world(stored, FINE)
    hub.faults.append(Fault("GET", "/actions/artifacts$", times=9, status=404))
    away = stored.schedule()
    assert away.code == 3, away.log
    assert only_issue(hub).state == "open"


def test_another_agent_has_no_drift_yet(stored: Actions, hub: GitHubState, project: Project) -> None:
    world(stored, BROKEN)
    stored.schedule()
    land(project, {"agent.py": (project.root / "agent.py").read_text("utf-8") + "# changed\n"})
    job = stored.schedule()
    assert job.code == 3, job.log
    assert only_issue(hub).state == "open"
    after = stored.schedule()
    assert after.code == 0, after.log
    assert only_issue(hub).state == "closed"


def test_an_issue_that_a_person_closed_is_not_opened_again_for_the_same_results(
    stored: Actions, hub: GitHubState
) -> None:
    world(stored, BROKEN)
    stored.schedule()
    issue = only_issue(hub)
    issue.state, issue.closed_by = "closed", "alice"
    job = stored.schedule()
    assert job.code == 1, job.log  # still said by the job, in its summary
    assert "closed by a person" in job.log
    assert only_issue(hub).state == "closed"


def test_issues_of_others_are_nobody_s_drift(stored: Actions, hub: GitHubState) -> None:
    marker = drift_marker("shop")
    forged = IssueState(hub.next_id(), "mallory", "mine", f"{marker}\nhello")
    other = IssueState(hub.next_id(), BOT, "another bot's words", "about something else")
    elsewhere = IssueState(hub.next_id(), BOT, drift_title("desk"), f"{drift_marker('desk')}\n")
    hub.issues += [forged, other, elsewhere]
    world(stored, BROKEN)
    assert stored.schedule().code == 1
    assert len(hub.issues) == 4
    world(stored, FINE)
    assert stored.schedule().code == 0
    assert [one.state for one in hub.issues] == ["open", "open", "open", "closed"]
    assert forged.body.endswith("hello")


def test_two_schedules_at_once_leave_one_issue(client: Client, hub: GitHubState) -> None:
    """Both have looked and found none; the younger of the two issues is closed by whoever made it."""
    text = IssueText(drift_title("shop"), f"{drift_marker('shop')}\nchanged\n")
    first = open_issue(client, text, "github-actions")
    second = open_issue(client, text, "github-actions")
    assert second.number == first.number
    assert [one.state for one in hub.issues] == ["open", "closed"]
    assert [one.number for one in our_issues(client, text.marker, "github-actions") if one.open] == [
        first.number
    ]


@pytest.mark.parametrize("drop", [True, False])
def test_an_answer_that_was_lost_makes_no_second_issue(client: Client, hub: GitHubState, drop: bool) -> None:
    hub.faults.append(Fault("POST", "/issues$", status=502, after=True, drop=drop))
    text = IssueText(drift_title("shop"), f"{drift_marker('shop')}\nchanged\n")
    open_issue(client, text, "github-actions")
    assert len(hub.issues) == 1


def test_an_older_run_that_ends_later_changes_nothing(stored: Actions, hub: GitHubState) -> None:
    world(stored, BROKEN)
    assert stored.schedule(run_id=9009).code == 1
    body = only_issue(hub).body
    world(stored, FINE)
    job = stored.schedule(run_id=9008)
    assert "a newer run's" in job.log
    assert (only_issue(hub).state, only_issue(hub).body) == ("open", body)


@pytest.mark.parametrize("missing", ["", *PERMISSIONS["gatebot-schedule.yml"]])
def test_the_schedule_needs_exactly_the_permissions_it_asks_for(
    stored: Actions, hub: GitHubState, missing: str
) -> None:
    """What is missing is named, opens nothing, and turns no drift into a pass."""
    hub.tokens[stored.token] = as_token(PERMISSIONS["gatebot-schedule.yml"], missing)
    world(stored, BROKEN)
    job = stored.schedule()
    assert job.code == (3 if missing in ("actions", "contents") else 1), job.log
    assert len(hub.issues) == (not missing)
    assert not missing or f"`permissions: {missing}: " in job.log or "contents: read" in job.log
    assert missing != "issues" or "pass_rate got worse" in job.summary


def test_after_a_drift_no_earlier_recording_spares_a_run(stored: Actions, hub: GitHubState) -> None:
    before = recordings(hub)
    world(stored, BROKEN)
    stored.schedule()
    after = recordings(hub)
    assert before
    assert after
    assert not before & after
    assert references(hub) == before


def recordings(hub: GitHubState) -> set[tuple[str, int]]:
    return of_role(hub, "recording")


def references(hub: GitHubState) -> set[tuple[str, int]]:
    return of_role(hub, "reference")


def of_role(hub: GitHubState, role: str) -> set[tuple[str, int]]:
    held = decode_base_results(stores(hub)[-1]).trials
    return {(one.trial.case, one.origin.slot) for one in held if one.role == role}


def test_a_secret_that_the_agent_wrote_is_neither_stored_nor_told(
    stored: Actions, hub: GitHubState, project: Project
) -> None:
    """Artifacts are read by whoever may read the repository."""
    land(project, {"agent.py": 'import os\nprint("my key is", os.environ["WORLD_TOKEN"])\n'})
    world(stored, "sk-0123456789abcdef")
    assert stored.push().code == 0
    assert stored.schedule().code in (0, 1)
    assert decode_base_results(stores(hub)[-1]).trials
    everything = b"".join(stores(hub)) + "".join(one.body for one in hub.issues).encode()
    assert b"sk-0123456789abcdef" not in everything


def run_page(actions: Actions, hub: GitHubState) -> str:
    server = actions.api.removesuffix("/api/v3")
    return f"{server}/{hub.name}/actions/runs/{actions.runs}/attempts/1"


def test_hostile_answers_and_models_are_words_in_the_issue(stored: Actions, hub: GitHubState) -> None:
    world(stored, "<img src=x> @everyone <!-- gatebot:drift:v1 suite=shop --> _", "@alice<b>`|#1")
    job: Job = stored.schedule()
    assert job.code == 1, job.log
    shown = page(only_issue(hub).body)
    assert len(shown.comments) == 2  # our own two lines
    assert {tag for tag in shown.tags if not tag.startswith("/")} <= OURS | {"a"}
    assert [value for name, value in shown.attributes if name == "href"] == [run_page(stored, hub)]
    everything = "".join((*shown.words, *shown.coded))
    assert "@everyone" not in everything
    assert "@alice" not in everything
