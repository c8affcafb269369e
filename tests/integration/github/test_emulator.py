"""The same requests to our fake and to an emulator that others wrote: where both know an endpoint, the client sees the same.

The emulator knows no GraphQL, statuses, issue events and rules, and enforces no permissions; those are the fake's alone.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from gatebot.github_api.acceptances import acceptances_of, our_check
from gatebot.github_api.checks import CheckSpec, checks_on, finish_check, start_check
from gatebot.github_api.client import Access, Client
from gatebot.github_api.commits import file_at, parent_of
from gatebot.github_api.errors import ApiError
from gatebot.github_api.labels import remove_label, role_of
from gatebot.github_api.pull_requests import (
    branch_tip,
    changed_files,
    merge_base,
    open_of_branch,
    pull_request,
)
from gatebot.github_api.repository import default_branch, has_label
from gatebot.model.publication import Annotation, CheckOutput
from tests.builders import Project
from tests.fakes.github.state import GitHubState
from tests.fakes.stand_ins import TEST_SECONDS
from tests.integration.github.conftest import Watch
from tests.integration.github.emulator import REPO, Emulator, emulating

pytestmark = [pytest.mark.slow, pytest.mark.timeout(TEST_SECONDS)]
FILE = ("golden/new.yaml", b"input: hi\n")
NAME = "gatebot / shop"


@pytest.fixture
def emulator(tmp_path: Path) -> Generator[Emulator]:
    with emulating(tmp_path, FILE) as one:
        yield one


@pytest.fixture
def theirs(emulator: Emulator, watch: Watch) -> Client:
    emulator.make("/labels", {"name": "gatebot:accept", "color": "ededed"})
    emulator.make("/issues/1/labels", {"labels": ["gatebot:accept"]})
    return Client(Access(emulator.url, REPO, "ghs_bot", pace_s=0.0), watch.clock)


@pytest.fixture
def ours(client: Client, hub: GitHubState, project: Project) -> Client:
    project.branch("topic", hub.tip("topic"))
    project.commit({FILE[0]: FILE[1].decode()})
    hub.labels.add("gatebot:accept")
    hub.label(1, "gatebot:accept", "alice")
    hub.roles["alice"] = "admin"
    return client


def read(client: Client) -> dict[str, object]:
    """What the client reads of a repository with one pull request, commits by what they are."""
    base, live = branch_tip(client, "main"), pull_request(client, 1)
    names = {base: "base", live.head_sha: "head"}
    found = open_of_branch(client, client.repo, "topic")
    return {
        "head is the branch": branch_tip(client, "topic") == live.head_sha,
        "from a fork": live.from_fork,
        "state": (live.number, live.open, live.draft, live.head_ref, live.base_ref, live.labels),
        "of the branch": [one.number for one in found],
        "of no branch": open_of_branch(client, client.repo, "none"),
        "merge base": names.get(merge_base(client, base, live.head_sha)),
        "changed": changed_files(client, base, live.head_sha),
        "file": file_at(client, FILE[0], live.head_sha),
        "no file": refusal(lambda: file_at(client, "none.yaml", live.head_sha)),
        "no branch": refusal(lambda: branch_tip(client, "none")),
        "no pull request": refusal(lambda: pull_request(client, 99)),
        "parent": names.get(parent_of(client, live.head_sha)[0]),
        "default branch": default_branch(client),
        "labels": (has_label(client, "gatebot:accept"), has_label(client, "none")),
        "roles": (role_of(client, "alice"), role_of(client, "nobody")),
        "records": acceptances_of(client, 1, "shop", ""),
    }


def refusal(act: object) -> str:
    """The kind of error a call ends with."""
    assert callable(act)
    with pytest.raises(ApiError) as caught:
        act()
    return caught.value.kind


def test_both_are_read_alike(ours: Client, theirs: Client) -> None:
    assert read(ours) == read(theirs)


def written(client: Client, app: str) -> dict[str, object]:
    """The life of a check: begun, completed with many annotations, taken over, found among many."""
    sha = pull_request(client, 1).head_sha
    seen: dict[str, object] = {}

    def spec(run: int) -> CheckSpec:
        return CheckSpec(NAME, sha, f"gatebot:{run}:1", "https://example.org/run", app)

    first = start_check(client, spec(7))
    assert first is not None
    seen["begun"] = (first.status, first.conclusion, first.external_id)
    notes = tuple(Annotation("agent.py", f"note {number}", "title") for number in range(60))
    seen["finished"] = finish_check(client, first, "failure", CheckOutput("red", "summary", "hidden", notes))
    done = our_check(client, sha, "shop", app)
    seen["read back"] = None if done is None else (done.status, done.conclusion, done.text)
    seen["older"] = start_check(client, spec(6))
    second = start_check(client, spec(8))
    assert second is not None
    seen["taken over"] = (second.id == first.id, second.status, second.conclusion, second.text)
    seen["not the old run's"] = finish_check(client, first, "success", CheckOutput("green", "summary"))
    assert finish_check(client, second, "success", CheckOutput("green", "summary", "text"))
    for number in range(105):
        body = {"name": NAME, "head_sha": sha, "status": "queued", "external_id": f"other {number}"}
        client.create("/check-runs", {**body}, "check", lambda: None)
    seen["many"] = len(checks_on(client, sha, NAME))
    among = our_check(client, sha, "shop", app)
    seen["found among many"] = among is not None and (among.id == first.id, among.conclusion)
    remove_label(client, 1, "gatebot:accept")
    remove_label(client, 1, "gatebot:accept")
    seen["labels"] = pull_request(client, 1).labels
    return seen


def test_both_are_written_alike(ours: Client, theirs: Client) -> None:
    assert written(ours, "github-actions") == written(theirs, "")
