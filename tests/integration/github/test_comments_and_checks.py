"""Comment and check through the real client against a stateful fake over HTTP: other bots' mistakes, one test a kind."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gatebot.github_api.checks import CheckSpec, finish_check, publish_status, start_check
from gatebot.github_api.client import Access, Client
from gatebot.github_api.comments import publish_comment
from gatebot.github_api.commits import CommitMessage, create_commit
from gatebot.github_api.errors import ApiError
from gatebot.github_api.labels import remove_label
from gatebot.model.publication import Annotation, CheckOutput
from gatebot.render.state import CommentState, encode_state, marker
from tests.fakes.github.state import Fault, GitHubState, Token
from tests.integration.github.conftest import Watch

BOT = "github-actions[bot]"


def body(words: str, run: int = 1, attempt: int = 1, suite: str = "shop") -> str:
    return f"{marker(suite)}\n{encode_state(CommentState(run_id=str(run), attempt=attempt))}\n{words}\n"


def shown(hub: GitHubState) -> list[str]:
    return [one.body for one in hub.comments if one.login == BOT and not one.minimized]


def test_a_comment_is_created_once_and_edited_in_place(client: Client, hub: GitHubState) -> None:
    assert publish_comment(client, 1, "shop", [body("red", 1)]) == "created"
    assert publish_comment(client, 1, "shop", [body("green", 2)]) == "updated"
    assert publish_comment(client, 1, "shop", [body("green", 2)]) == "unchanged"
    assert shown(hub) == [body("green", 2)]


def test_our_comment_is_found_among_250_others_on_any_page(client: Client, hub: GitHubState) -> None:
    for number in range(200):
        hub.comment(1, "somebody", f"comment {number}")
    publish_comment(client, 1, "shop", [body("red", 1)])
    for number in range(50):
        hub.comment(1, "somebody", f"later {number}")
    assert publish_comment(client, 1, "shop", [body("green", 2)]) == "updated"
    assert shown(hub) == [body("green", 2)]


def test_a_marker_that_somebody_else_pasted_is_not_ours(client: Client, hub: GitHubState) -> None:
    hub.comment(1, "mallory", body("approved", 99))
    hub.comment(1, BOT, "quoting " + marker("shop"))
    assert publish_comment(client, 1, "shop", [body("red", 1)]) == "created"
    assert len(hub.comments) == 3


def test_every_suite_has_a_comment_of_its_own(client: Client, hub: GitHubState) -> None:
    publish_comment(client, 1, "shop", [body("a")])
    publish_comment(client, 1, "desk", [body("b", suite="desk")])
    assert len(shown(hub)) == 2


@pytest.mark.parametrize(
    ("run", "attempt", "written"), [(4, 9, "older"), (5, 1, "older"), (5, 3, "updated"), (6, 1, "updated")]
)
def test_an_older_evaluation_never_overwrites_a_newer_one(
    client: Client, hub: GitHubState, run: int, attempt: int, written: str
) -> None:
    publish_comment(client, 1, "shop", [body("new", 5, 2)])
    assert publish_comment(client, 1, "shop", [body("mine", run, attempt)]) == written
    assert ("new" in shown(hub)[0]) == (written == "older")


def test_a_body_too_long_for_github_goes_one_step_down(client: Client, hub: GitHubState) -> None:
    ladder = [body("x" * 70_000), body("y" * 66_000), body("short")]
    publish_comment(client, 1, "shop", ladder)
    assert shown(hub) == [body("short")]


def test_a_lost_answer_makes_no_second_comment(client: Client, hub: GitHubState) -> None:
    for drop in (True, False):
        hub.comments.clear()
        hub.faults.append(Fault("POST", r"/comments$", status=502, after=True, drop=drop))
        publish_comment(client, 1, "shop", [body("red")])
        assert shown(hub) == [body("red")]


def test_duplicates_are_minimised_and_the_newest_is_kept(client: Client, hub: GitHubState) -> None:
    hub.comment(1, BOT, body("one", 1))
    hub.comment(1, BOT, body("two", 2))
    publish_comment(client, 1, "shop", [body("three", 3)])
    assert shown(hub) == [body("three", 3)]
    assert [one.minimized for one in hub.comments] == [True, False]


def test_a_comment_that_a_person_minimised_stays_minimised(client: Client, hub: GitHubState) -> None:
    hub.comment(1, BOT, body("one", 1)).minimized = True
    assert publish_comment(client, 1, "shop", [body("two", 2)]) == "updated"
    assert [(one.body, one.minimized) for one in hub.comments] == [(body("two", 2), True)]


def test_a_comment_deleted_in_between_is_made_anew_once(client: Client, hub: GitHubState) -> None:
    publish_comment(client, 1, "shop", [body("one", 1)])
    hub.faults.append(Fault("PATCH", r"/issues/comments/", status=404))
    assert publish_comment(client, 1, "shop", [body("two", 2)]) == "created"


def test_nothing_to_say_makes_no_comment_but_updates_one(client: Client, hub: GitHubState) -> None:
    publish_comment(client, 1, "shop", [body("one", 1)], create=False)
    assert shown(hub) == []
    publish_comment(client, 1, "shop", [body("one", 1)])
    publish_comment(client, 1, "shop", [body("two", 2)], create=False)
    assert shown(hub) == [body("two", 2)]


def test_a_locked_pull_request_is_told_apart(client: Client, hub: GitHubState) -> None:
    hub.pulls[1].locked = True
    with pytest.raises(ApiError) as caught:
        publish_comment(client, 1, "shop", [body("one")])
    assert caught.value.kind == "locked"


@pytest.mark.parametrize("missing", ["pull_requests", "checks", "contents", "statuses"])
def test_a_missing_permission_is_named(
    client_of: Callable[[str], Client], hub: GitHubState, missing: str
) -> None:
    token = Token(BOT, "github-actions")
    for name in (missing, "issues"):
        del token.permissions[name]
    hub.tokens["weak"] = token
    weak, sha = client_of("weak"), hub.tip("topic")
    acts: dict[str, Callable[[], object]] = {
        "pull_requests": lambda: remove_label(weak, 1, "x"),
        "checks": lambda: start_check(weak, spec(sha)),
        "statuses": lambda: publish_status(weak, sha, "gatebot/shop", "failure", ("red", "")),
        "contents": lambda: create_commit(weak, "topic", sha, CommitMessage("a", "b"), []),
    }
    with pytest.raises(ApiError) as caught:
        acts[missing]()
    assert caught.value.kind == "permission"
    assert missing.replace("_", "-") in caught.value.hint


def spec(sha: str, run: int = 1, attempt: int = 1) -> CheckSpec:
    return CheckSpec(
        "gatebot / shop", sha, f"gatebot:{run}:{attempt}", "https://example.org/run", "github-actions"
    )


OUTPUT = CheckOutput("red", "summary", "text")


def test_a_check_is_in_progress_and_then_completed(client: Client, hub: GitHubState) -> None:
    check = start_check(client, spec(hub.tip("topic")))
    assert check is not None
    assert [(one.status, one.conclusion) for one in hub.checks] == [("in_progress", None)]
    assert finish_check(client, check, "failure", OUTPUT)
    assert [(one.status, one.conclusion, one.title) for one in hub.checks] == [
        ("completed", "failure", "red")
    ]


def test_a_re_run_takes_the_check_over_and_an_older_run_lets_it_be(client: Client, hub: GitHubState) -> None:
    sha = hub.tip("topic")
    old = start_check(client, spec(sha, 1))
    new = start_check(client, spec(sha, 2))
    assert old is not None
    assert new is not None
    assert finish_check(client, new, "failure", OUTPUT)
    assert not finish_check(client, old, "success", OUTPUT)
    assert start_check(client, spec(sha, 1, 7)) is None
    assert [one.conclusion for one in hub.checks] == ["failure"]


def test_a_check_of_our_name_by_another_app_is_left_alone(client: Client, hub: GitHubState) -> None:
    hub.tokens["other"] = Token("other[bot]", "other-app")
    sha = hub.tip("topic")
    forged = Client(Access(client_url(client), hub.name, "other", pace_s=0.0), Watch().clock)
    start_check(forged, spec(sha, 1))
    check = start_check(client, spec(sha, 2))
    assert check is not None
    assert [(one.app, one.external_id) for one in hub.checks] == [
        ("other-app", "gatebot:1:1"),
        ("github-actions", "gatebot:2:1"),
    ]


def client_url(client: Client) -> str:
    return client.api_url


def test_120_annotations_go_out_in_batches(client: Client, hub: GitHubState) -> None:
    notes = tuple(Annotation("agent.py", f"note {number}") for number in range(120))
    check = start_check(client, spec(hub.tip("topic")))
    assert check is not None
    finish_check(client, check, "failure", CheckOutput("t", "s", "", notes))
    assert [note["message"] for note in hub.checks[0].annotations] == [one.message for one in notes]


def test_a_rejected_output_still_completes_the_check(client: Client, hub: GitHubState) -> None:
    check = start_check(client, spec(hub.tip("topic")))
    assert check is not None
    hub.faults.append(Fault("PATCH", r"/check-runs/", status=422))
    finish_check(client, check, "failure", OUTPUT)
    assert (hub.checks[0].status, hub.checks[0].conclusion) == ("completed", "failure")


def test_a_summary_beyond_the_limit_is_replaced_by_a_pointer(client: Client, hub: GitHubState) -> None:
    check = start_check(client, spec(hub.tip("topic")))
    assert check is not None
    finish_check(client, check, "failure", CheckOutput("t" * 300, "é" * 60_000))
    assert hub.checks[0].conclusion == "failure"
    assert len(hub.checks[0].title) == 255


def test_a_lost_answer_makes_no_second_check(client: Client, hub: GitHubState) -> None:
    hub.faults.append(Fault("POST", r"/check-runs$", after=True, drop=True))
    assert start_check(client, spec(hub.tip("topic"))) is not None
    assert len(hub.checks) == 1


def test_a_status_description_is_never_too_long(client: Client, hub: GitHubState) -> None:
    publish_status(client, hub.tip("topic"), "gatebot/shop", "failure", ("é😀" * 100, "https://example.org"))
    assert len(str(hub.statuses[0]["description"])) == 140
