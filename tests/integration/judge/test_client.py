"""The client against scripted faults (security F47 to F49, E23): bounded, within its deadline, one origin, one key."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from gatebot.judge.client import DEADLINE_HEADER, Access, MessagesApi
from gatebot.judge.fault import CallFailed
from gatebot.judge.waiting import MAX_ATTEMPTS, asked_delay, backoff
from gatebot.model.json_value import JsonObject
from gatebot.workspace.certificates import FOR_HTTP
from tests.fakes.anthropic_server import KEY, Answer, AnthropicServer, fault, serving
from tests.integration.judge.clock import FakeClock
from tests.integration.judge.conftest import good

BODY: JsonObject = {
    "model": "claude-sonnet-4-6",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "hello"}],
}


@pytest.fixture
def api(server: AnthropicServer, fake_clock: FakeClock) -> Generator[MessagesApi]:
    made = MessagesApi(Access(server.url, KEY), fake_clock.clock())
    yield made
    made.close()


def test_an_answer_comes_back_as_its_bytes(api: MessagesApi, server: AnthropicServer) -> None:
    assert b'"judgement"' in api.send(BODY, timeout=60)
    (headers,) = server.headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["anthropic-version"]
    assert DEADLINE_HEADER not in headers


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_a_passing_fault_is_tried_again(
    api: MessagesApi, server: AnthropicServer, fake_clock: FakeClock, status: int
) -> None:
    server.script = [fault(status), fault(status)]
    assert api.send(BODY, timeout=60)
    assert len(server.requests) == 3
    assert len(fake_clock.slept) == 2
    assert all(0 < pause < 2 for pause in fake_clock.slept)


@pytest.mark.parametrize("ending", ["reset", "torn"])
def test_a_broken_connection_is_tried_again(api: MessagesApi, server: AnthropicServer, ending: str) -> None:
    cut = Answer(body=b'{"type": "message"}', ending="reset" if ending == "reset" else "torn")
    server.script = [cut]
    assert api.send(BODY, timeout=60)
    assert len(server.requests) == 2


def test_attempts_are_bounded(api: MessagesApi, server: AnthropicServer, fake_clock: FakeClock) -> None:
    server.script = [fault(529)] * 20
    with pytest.raises(CallFailed, match="answered 529") as failed:
        api.send(BODY, timeout=600)
    assert len(server.requests) == MAX_ATTEMPTS
    assert not failed.value.ends_session
    assert sum(fake_clock.slept) < 600


@pytest.mark.parametrize(
    ("asked", "waited"),
    [("1", 1.0), ("0", 0.0), ("2.5", 2.5), ("Mon, 30 Nov 2026 10:00:07 GMT", 7.0)],
)
def test_a_servers_wish_is_honoured_within_the_deadline(
    api: MessagesApi, server: AnthropicServer, fake_clock: FakeClock, asked: str, waited: float
) -> None:
    server.script = [fault(429, retry_after=asked)]
    if asked[0].isalpha():
        assert asked_delay({"retry-after": asked, "date": "Mon, 30 Nov 2026 10:00:00 GMT"}) == waited
        return
    assert api.send(BODY, timeout=60)
    assert fake_clock.slept == [waited]


@pytest.mark.parametrize("asked", ["3600", "61", "4294967296", "1e9"])
def test_a_wish_beyond_the_deadline_ends_the_call_at_once(
    api: MessagesApi, server: AnthropicServer, fake_clock: FakeClock, asked: str
) -> None:
    server.script = [fault(429, retry_after=asked)]
    with pytest.raises(CallFailed, match="answered 429"):
        api.send(BODY, timeout=60)
    assert fake_clock.slept == []


@pytest.mark.parametrize("asked", ["-5", "nan", "inf", "soon", "", "Mon, 99 Foo"])
def test_a_wish_that_is_none_falls_back_to_our_own_pace(
    api: MessagesApi, server: AnthropicServer, fake_clock: FakeClock, asked: str
) -> None:
    server.script = [fault(429, retry_after=asked)]
    assert api.send(BODY, timeout=60)
    assert 0 < fake_clock.slept[0] <= 0.5


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_a_refusal_of_key_or_model_ends_the_session_with_one_call(
    api: MessagesApi, server: AnthropicServer, status: int
) -> None:
    server.script = [fault(status)]
    with pytest.raises(CallFailed, match=str(status)) as failed:
        api.send(BODY, timeout=60)
    assert failed.value.ends_session
    with pytest.raises(CallFailed) as again:
        api.send(BODY, timeout=60)
    assert again.value.told == api.ended != ""
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 413, 422])
def test_three_equal_refusals_in_a_row_end_the_session(
    api: MessagesApi, server: AnthropicServer, status: int
) -> None:
    server.script = [fault(status)] * 10
    ended: list[bool] = []
    for _ in range(4):
        with pytest.raises(CallFailed) as failed:
            api.send(BODY, timeout=60)
        ended.append(failed.value.ends_session)
    assert ended == [False, False, True, True]
    assert len(server.requests) == 3


def test_a_success_between_refusals_keeps_the_session(api: MessagesApi, server: AnthropicServer) -> None:
    for _ in range(4):
        server.script = [fault(413)]
        with pytest.raises(CallFailed, match="413"):
            api.send(BODY, timeout=60)
        assert api.send(BODY, timeout=60)
    assert api.ended == ""


def test_one_byte_a_second_does_not_outlive_the_deadline(server: AnthropicServer) -> None:
    clock = FakeClock(step=12.0)
    api = MessagesApi(Access(server.url, KEY), clock.clock())
    server.script = [Answer(body=b"x" * 5000, drip=True)] * 10
    began = clock.time
    with pytest.raises(CallFailed, match="in time") as failed:
        api.send(BODY, timeout=30)
    assert failed.value.may_be_billed
    assert clock.time - began <= 30 + 2 * clock.step  # at most the look that finds it too late
    api.close()


def test_a_slow_error_body_does_not_either(server: AnthropicServer) -> None:
    clock = FakeClock(step=12.0)
    api = MessagesApi(Access(server.url, KEY), clock.clock())
    server.script = [Answer(500, b"x" * 5000, drip=True)] * 10
    with pytest.raises(CallFailed, match="in time"):
        api.send(BODY, timeout=30)
    api.close()


def test_nobody_there(fake_clock: FakeClock) -> None:
    with serving(good) as gone:
        address = gone.url
    api = MessagesApi(Access(address, KEY), fake_clock.clock())
    with pytest.raises(CallFailed, match="connection failed"):
        api.send(BODY, timeout=60)
    assert len(fake_clock.slept) == MAX_ATTEMPTS - 1
    api.close()


def test_a_redirect_is_not_followed(api: MessagesApi, server: AnthropicServer) -> None:
    with serving(good) as other:
        server.script = [Answer(307, {}, {"location": f"{other.url}/v1/messages"})] * 3
        with pytest.raises(CallFailed):
            api.send(BODY, timeout=60)
        assert other.paths == []


def test_the_environment_changes_nothing(
    server: AnthropicServer, fake_clock: FakeClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    garbage = tmp_path / "garbage.pem"
    garbage.write_text("no certificate\n", encoding="utf-8")
    for name in FOR_HTTP:
        monkeypatch.setenv(name, str(garbage))
    with serving(good) as other:
        for name in (
            "ANTHROPIC_BASE_URL",
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "ALL_PROXY",
            "http_proxy",
            "all_proxy",
        ):
            monkeypatch.setenv(name, other.url)
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "other-token")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "other-key")
        monkeypatch.setenv(
            "ANTHROPIC_CUSTOM_HEADERS", "Authorization: Bearer stolen\nX-Leak: yes\nX-Api-Key: stolen"
        )
        api = MessagesApi(Access(server.url, KEY), fake_clock.clock())
        assert api.send(BODY, timeout=60)
        api.close()
        assert other.paths == []
    (headers,) = server.headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert not {"x-leak", "x-api-key"} & set(headers)


def test_the_key_is_in_no_text(server: AnthropicServer) -> None:
    access = Access(server.url, KEY)
    assert KEY not in repr(access)
    api = MessagesApi(Access(server.url, "wrong-key-000000"))
    with pytest.raises(CallFailed) as failed:
        api.send(BODY, timeout=60)
    assert "wrong-key" not in str(failed.value)
    api.close()


def test_jitter_is_seeded_and_bounded() -> None:
    assert backoff(1, "a") == backoff(1, "a") != backoff(1, "b")
    assert all(0.25 <= backoff(1, str(seed)) <= 0.5 for seed in range(200))
    assert all(backoff(attempt, "x") <= 20 for attempt in range(1, 40))


def test_the_fake_takes_a_key_both_ways(server: AnthropicServer) -> None:
    for headers in ({"x-api-key": KEY}, {"Authorization": f"Bearer {KEY}"}):
        assert server.answer("POST", "/v1/messages", headers, b"{}").status == 200
    assert server.answer("POST", "/v1/messages", {"x-api-key": "no"}, b"{}").status == 401


def test_a_batch_starts_ends_and_gives_its_results(api: MessagesApi, server: AnthropicServer) -> None:
    server.polls_until_ended = 2
    batch = api.start_batch({"a": BODY, "b": BODY}, timeout=60)
    assert not api.batch_ended(batch, timeout=60)
    assert api.batch_ended(batch, timeout=60)
    results = dict(api.batch_results(batch, timeout=60))
    assert {name: result["type"] for name, result in results.items()} == {"a": "succeeded", "b": "succeeded"}


def test_a_batch_is_not_started_twice(api: MessagesApi, server: AnthropicServer) -> None:
    server.script = [fault(500)]
    with pytest.raises(CallFailed):
        api.start_batch({"a": BODY}, timeout=60)
    assert server.batches == {}
