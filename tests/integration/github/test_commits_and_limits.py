"""Labels, commits, limits, outages and artifacts through the real client against a stateful fake over HTTP."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from gatebot.errors import InputFileError
from gatebot.github_api.artifacts import members, run_artifact
from gatebot.github_api.checks import finish_check, start_check
from gatebot.github_api.client import Access, Client
from gatebot.github_api.comments import publish_comment
from gatebot.github_api.commits import CommitMessage, create_commit, file_at
from gatebot.github_api.errors import ApiError
from gatebot.github_api.labels import last_labelling, remove_label, role_of
from gatebot.github_api.pull_requests import merge_base, open_of_branch, pull_request
from gatebot.model.publication import CheckOutput, FileChange
from tests.fakes.github import wire
from tests.fakes.github.state import Fault, GitHubState
from tests.integration.github.conftest import Watch
from tests.integration.github.test_comments_and_checks import body, shown, spec


def test_who_set_the_label_is_read_from_all_pages(client: Client, hub: GitHubState) -> None:
    for _ in range(130):
        hub.label(1, "other", "noise")
        hub.unlabel(1, "other", "noise")
    hub.label(1, "gatebot:accept", "alice")
    found = last_labelling(client, 1, "gatebot:accept")
    assert found is not None
    assert found.actor == "alice"


def test_the_last_labelling_counts_and_a_removed_label_is_none(client: Client, hub: GitHubState) -> None:
    hub.label(1, "gatebot:accept", "alice")
    hub.unlabel(1, "gatebot:accept", "bob")
    assert last_labelling(client, 1, "gatebot:accept") is None
    hub.label(1, "gatebot:accept", "carol")
    found = last_labelling(client, 1, "Gatebot:Accept")
    assert found is not None
    assert found.actor == "carol"


@pytest.mark.parametrize("role", ["admin", "maintain", "write", "triage", "read", "security-team"])
def test_the_role_is_told_by_its_name(client: Client, hub: GitHubState, role: str) -> None:
    hub.roles["alice"] = role
    assert role_of(client, "alice") == role


def test_a_stranger_has_no_role(client: Client) -> None:
    assert role_of(client, "nobody/../../x") == "none"


def test_removing_an_absent_label_is_no_error(client: Client) -> None:
    remove_label(client, 1, "gatebot:accept")


CHANGE = FileChange("golden/price.yaml", b"", b"input: x\n")
MESSAGE = CommitMessage("gatebot: accept", "Gatebot-Suite: shop")


def test_a_commit_lands_on_the_evaluated_head(client: Client, hub: GitHubState) -> None:
    head = hub.tip("topic")
    made = create_commit(client, "topic", head, MESSAGE, [CHANGE])
    assert hub.tip("topic") == made
    assert file_at(client, "golden/price.yaml", made) == b"input: x\n"
    assert b"price" in file_at(client, "golden/price.yaml", head)


def test_a_branch_that_has_moved_is_not_committed_on(client: Client, hub: GitHubState) -> None:
    seen = hub.tip("topic")
    pushed = hub.commit("topic", "push", {"x": b"y"})
    with pytest.raises(ApiError) as caught:
        create_commit(client, "topic", seen, MESSAGE, [CHANGE])
    assert caught.value.kind == "conflict"
    assert hub.tip("topic") == pushed


@pytest.mark.parametrize("drop", [True, False])
def test_a_commit_whose_answer_is_lost_is_found_and_not_made_twice(
    client: Client, hub: GitHubState, drop: bool
) -> None:
    head = hub.tip("topic")
    hub.faults.append(Fault("POST", "/graphql$", status=502, after=True, drop=drop))
    made = create_commit(client, "topic", head, MESSAGE, [CHANGE])
    assert hub.tip("topic") == made


def test_a_protected_branch_is_refused_inside_http_200(client: Client, hub: GitHubState) -> None:
    hub.protected.add("topic")
    with pytest.raises(ApiError, match="Protected branch"):
        create_commit(client, "topic", hub.tip("topic"), MESSAGE, [CHANGE])


def test_a_workflow_file_is_refused(client: Client, hub: GitHubState) -> None:
    with pytest.raises(ApiError) as caught:
        create_commit(
            client, "topic", hub.tip("topic"), MESSAGE, [FileChange(".github/workflows/x.yml", b"", b"")]
        )
    assert caught.value.kind == "permission"


def test_a_short_outage_is_waited_out(client: Client, hub: GitHubState, watch: Watch) -> None:
    hub.faults.append(Fault("GET", "/pulls/1$", times=3, status=503))
    assert pull_request(client, 1).head_sha == hub.tip("topic")
    assert watch.slept == [1.0, 2.0, 4.0]


def test_the_secondary_limit_without_a_time_waits_a_minute(
    client: Client, hub: GitHubState, watch: Watch
) -> None:
    hub.faults.append(
        Fault("GET", "/pulls/1$", status=403, message="You have exceeded a secondary rate limit")
    )
    pull_request(client, 1)
    assert watch.slept == [60.0]


def test_the_time_github_names_is_kept(client: Client, hub: GitHubState, watch: Watch) -> None:
    hub.faults.append(Fault("GET", "/pulls/1$", status=429, headers={"Retry-After": "7"}))
    pull_request(client, 1)
    assert watch.slept == [7.0]


def test_a_primary_limit_far_away_is_not_waited_for(client: Client, hub: GitHubState, watch: Watch) -> None:
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(watch.time) + 2400)}
    hub.faults.append(Fault("GET", "/pulls/1$", status=403, headers=headers))
    with pytest.raises(ApiError) as caught:
        pull_request(client, 1)
    assert caught.value.kind == "rate_limited"
    assert watch.slept == []


@pytest.mark.parametrize("status", [401, 403, 404, 410, 422])
def test_what_will_not_pass_is_not_repeated(
    client: Client, hub: GitHubState, watch: Watch, status: int
) -> None:
    hub.faults.append(Fault("GET", "/pulls/1$", status=status, message="no"))
    with pytest.raises(ApiError):
        pull_request(client, 1)
    assert watch.slept == []


def test_no_answer_at_all_ends_in_a_sentence(watch: Watch) -> None:
    gone = Client(Access("http://127.0.0.1:9/api/v3", "acme/shop", "SENTINEL-1", pace_s=0.0), watch.clock)
    with pytest.raises(ApiError) as caught:
        pull_request(gone, 1)
    assert caught.value.kind == "unreachable"
    assert "SENTINEL-1" not in repr(caught.value) + str(caught.value)


def test_a_deleted_fork_is_no_crash(client: Client, hub: GitHubState) -> None:
    hub.pulls[1].head_repo = None
    assert pull_request(client, 1).from_fork


def test_the_pull_requests_of_a_branch_are_the_open_ones_of_its_own_repository(
    client: Client, hub: GitHubState
) -> None:
    assert [one.number for one in open_of_branch(client, hub.name, "topic")] == [1]
    assert open_of_branch(client, "mallory/shop", "topic") == ()
    assert open_of_branch(client, hub.name, "other") == ()
    hub.open_pull("topic").head_repo = None
    assert [one.number for one in open_of_branch(client, None, "topic")] == [2]
    hub.pulls[1].state = "closed"
    assert open_of_branch(client, hub.name, "topic") == ()


def test_the_merge_base_needs_no_history(client: Client, hub: GitHubState) -> None:
    fork = hub.tip("main")
    topic = hub.commit("topic", "t", {"t": b""})
    main = hub.commit("main", "m", {"m": b""})
    assert merge_base(client, main, topic) == fork


def test_an_artifact_is_fetched_without_handing_the_token_on(client: Client, hub: GitHubState) -> None:
    hub.artifacts[7] = [(1, "other", b""), (2, "results", zipped({"a.json": b"{}"}))]
    assert members(run_artifact(client, 7, "results"), {"a.json": 10}) == {"a.json": b"{}"}
    with pytest.raises(ApiError) as caught:
        run_artifact(client, 7, "none")
    assert caught.value.kind == "not_found"


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


HOSTILE = {
    "no zip": b"PK not at all",
    "bomb": zipped({"a.json": b"0" * 50_000_000}),
    "too large": zipped({"a.json": bytes(range(256)) * 100}),
    "many": zipped({f"{number}": b"" for number in range(2_001)}),
    "cut": zipped({"a.json": b"{}"})[:-30],
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_archive_is_refused(data: bytes) -> None:
    with pytest.raises(InputFileError):
        members(data, {"a.json": 1000})


def test_names_nobody_asked_for_are_not_read() -> None:
    assert members(zipped({"b.json": b"x", "deep/a.json": b"y"}), {"a.json": 10}) == {}


@pytest.mark.parametrize("repeat", range(10))
def test_two_runs_at_once_leave_one_comment(
    client_of: Callable[[str], Client], hub: GitHubState, repeat: int
) -> None:
    clients = [client_of("ghs_bot") for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(publish_comment, one, 1, "shop", [body("red", 1)]) for one in clients]
        assert {one.result() for one in done} <= {"created", "unchanged"}
    assert shown(hub) == [body("red", 1)]


@pytest.mark.parametrize("repeat", range(5))
def test_two_runs_at_once_leave_one_commit(
    client_of: Callable[[str], Client], hub: GitHubState, repeat: int
) -> None:
    head = hub.tip("topic")

    def commit(one: Client) -> str:
        try:
            return create_commit(one, "topic", head, MESSAGE, [CHANGE])
        except ApiError as error:
            return error.kind

    with ThreadPoolExecutor(2) as pool:
        ends = sorted(pool.map(commit, [client_of("ghs_bot") for _ in range(2)]))
    assert ends == sorted([hub.tip("topic"), "conflict"])


DAMAGED = [b"", b"<html>502</html>", b"[", b"null", b"[]", b'{"number": "7"}', b'{"number": 7}', b"\xff"]


@pytest.mark.parametrize("data", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_answer_is_a_typed_error(client: Client, hub: GitHubState, data: bytes) -> None:
    hub.faults.append(Fault("GET", "/pulls/1$", times=9, status=200, raw=data))
    with pytest.raises(ApiError):
        pull_request(client, 1)


@pytest.mark.parametrize("cut", range(0, 400, 7))
def test_an_answer_cut_anywhere_is_a_typed_error(client: Client, hub: GitHubState, cut: int) -> None:
    whole = json.dumps(wire.pull(hub, hub.pulls[1])).encode()
    hub.faults.append(Fault("GET", "/pulls/1$", times=9, status=200, raw=whole[: min(cut, len(whole) - 1)]))
    with pytest.raises(ApiError):
        pull_request(client, 1)


def test_a_network_that_is_away_for_ninety_seconds_is_waited_for(
    client: Client, hub: GitHubState, watch: Watch
) -> None:
    check = start_check(client, spec(hub.tip("topic")))
    assert check is not None
    hub.faults.append(Fault("GET", "/check-runs/", times=7, drop=True))
    assert finish_check(client, check, "failure", CheckOutput("red", "summary", "text"))
    assert hub.checks[0].status == "completed"
    assert sum(watch.slept) >= 90


def test_one_that_stays_away_is_not_waited_for_without_end(
    client: Client, hub: GitHubState, watch: Watch
) -> None:
    hub.faults.append(Fault("GET", "/pulls/1$", times=99, drop=True))
    for _ in range(5):
        with pytest.raises(ApiError):
            pull_request(client, 1)
    assert sum(watch.slept) <= 240


@pytest.mark.parametrize("status", [407, 301, 307])
def test_a_proxy_that_asks_or_a_repository_that_moved_is_a_typed_error(
    client: Client, hub: GitHubState, status: int
) -> None:
    elsewhere = {"Location": "https://elsewhere.example.org/repositories/1"}
    hub.faults.append(Fault("PATCH", "/issues/comments/", times=9, status=status, headers=elsewhere))
    with pytest.raises(ApiError):
        client.change("PATCH", "/issues/comments/1", {"body": "x"}, "comment")
    assert all(one.path.startswith("/api/v3/") for one in hub.log)
