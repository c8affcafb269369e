"""Tokens that end in the middle of a run, and reads that cost nothing because nothing has changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from gatebot.errors import UsageError
from gatebot.github_api.app_tokens import AppKey, AppTokens
from gatebot.github_api.checks import checks_on
from gatebot.github_api.client import Access, Client
from gatebot.github_api.errors import ApiError
from gatebot.github_api.pull_requests import branch_tip, pull_request
from tests.builders import Project, shop, wrong
from tests.fakes.github.apps import App
from tests.fakes.github.state import Fault, GitHubState
from tests.integration.github.actions import Actions
from tests.integration.github.conftest import Watch
from tests.integration.github.test_stories import only_check, push


@pytest.fixture(scope="module")
def key() -> tuple[str, str]:
    """(private, public) of an App, as PEM."""
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = made.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    public = made.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private.decode(), public.decode()


@pytest.fixture
def app(hub: GitHubState, key: tuple[str, str]) -> App:
    hub.app = App("4711", "our-gate", key[1])
    return hub.app


def test_a_token_that_has_ended_is_made_anew(
    api: str, hub: GitHubState, watch: Watch, app: App, key: tuple[str, str]
) -> None:
    told: list[str] = []
    tokens = AppTokens(api, hub.name, AppKey("4711", key[0]), told.append)
    assert tokens.slug() == "our-gate"
    access = Access(api, hub.name, tokens.make(), pace_s=0.0, renewed=tokens.make)
    client = Client(access, watch.clock)
    assert pull_request(client, 1).number == 1
    del hub.tokens[app.made[0]]
    assert pull_request(client, 1).number == 1
    assert told == app.made
    assert len(app.made) == 2


def test_a_token_that_nobody_can_renew_is_an_error_that_says_so(client: Client, hub: GitHubState) -> None:
    hub.tokens.clear()
    with pytest.raises(ApiError) as caught:
        pull_request(client, 1)
    assert caught.value.kind == "unauthorized"
    assert "an hour" in caught.value.hint


def test_an_app_that_is_not_known_any_more_is_an_error_and_no_loop(
    api: str, hub: GitHubState, watch: Watch, app: App, key: tuple[str, str]
) -> None:
    tokens = AppTokens(api, hub.name, AppKey("4711", key[0]), lambda _: None)
    client = Client(Access(api, hub.name, tokens.make(), pace_s=0.0, renewed=tokens.make), watch.clock)
    hub.tokens.clear()
    hub.app = dataclasses.replace(app, id="4712")
    with pytest.raises(ApiError) as caught:
        pull_request(client, 1)
    assert caught.value.kind == "unauthorized"


@pytest.mark.parametrize(
    "damaged", ["", "no key", "-----BEGIN RSA PRIVATE KEY-----\nSENTINEL\n-----END RSA PRIVATE KEY-----"]
)
def test_a_damaged_key_is_told_without_repeating_it(damaged: str) -> None:
    with pytest.raises(UsageError) as caught:
        AppTokens("http://127.0.0.1:9", "acme/shop", AppKey("1", damaged), lambda _: None)
    assert "SENTINEL" not in f"{caught.value!r} {caught.value} {AppKey('1', damaged)!r}"


def test_the_check_is_completed_though_the_token_ended_during_the_evaluation(
    actions: Actions, hub: GitHubState, project: Project, app: App, key: tuple[str, str]
) -> None:
    spy = (
        "import json, os, sys\n"
        "request = json.load(sys.stdin)\n"
        "print('leaked' if 'RSA PRIVATE' in str(os.environ) or 'ghs_' in str(os.environ) else "
        "'the ' + request['case'] + ' is known')\n"
    )
    head = push(project, {"agent.py": spy})
    actions.variables |= {"INPUT_APP-ID": "4711", "INPUT_APP-PRIVATE-KEY": key[0]}
    hub.faults.append(Fault("PATCH", "/check-runs/", status=401, message="Bad credentials"))
    job = actions.pull_request("opened")
    assert job.code == 0, job.log
    check = only_check(hub, head)
    assert (check.app, check.status, check.conclusion) == ("our-gate", "completed", "success")
    assert len(app.made) == 2
    masked = [line for line in job.log.splitlines() if line.startswith("::add-mask::")]
    assert {f"::add-mask::{token}" for token in app.made} <= set(masked)
    said = "\n".join(line for line in job.log.splitlines() if line not in masked)
    held = b"".join(path.read_bytes() for path in job.results.rglob("*") if path.is_file()).decode()
    for secret in (*app.made, *key[0].splitlines()[1:-1]):
        assert secret not in said + held


def test_one_half_of_the_apps_credentials_is_a_mistake(actions: Actions, hub: GitHubState) -> None:
    actions.variables["INPUT_APP-ID"] = "4711"
    job = actions.pull_request("opened")
    assert job.code == 2
    assert hub.writes() == []


def test_what_has_not_changed_costs_nothing_and_what_has_is_seen_at_once(
    client: Client, hub: GitHubState, project: Project
) -> None:
    first = pull_request(client, 1)
    assert hub.free_reads == 0
    assert pull_request(client, 1) == first
    assert branch_tip(client, "main") == branch_tip(client, "main")
    assert hub.free_reads == 2
    head = push(project, {"notes.md": "x"})
    assert pull_request(client, 1).head_sha == head
    assert hub.free_reads == 2


def test_later_pages_follow_what_was_known(
    client_of: Callable[[str], Client], client: Client, hub: GitHubState
) -> None:
    sha = hub.tip("topic")
    for number in range(130):
        body = {"name": "n", "head_sha": sha, "status": "queued", "external_id": str(number)}
        client.create("/check-runs", {**body}, "check", lambda: None)
    assert len(checks_on(client, sha, "n")) == 130
    assert len(checks_on(client, sha, "n")) == 130
    assert hub.free_reads == 2


def test_an_empty_answer_is_not_taken_for_not_modified(client: Client, hub: GitHubState) -> None:
    pull_request(client, 1)
    hub.faults.append(Fault("GET", "/pulls/1$", times=9, status=200, raw=b""))
    with pytest.raises(ApiError):
        pull_request(client, 1)


def test_a_gate_reads_what_it_read_before_for_nothing(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    assert actions.pull_request("opened").code == 1
    assert hub.free_reads >= 1
    asked = [one for one in hub.log if one.method == "GET" or one.path.endswith("graphql")]
    assert len(asked) < 40
