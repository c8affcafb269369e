"""The judge against two Messages API stand-ins that others wrote, aimock and llmock: we do not only pass our own fake."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from gatebot.judge.opening import Surroundings, open_session
from gatebot.judge.session import JudgingSession
from gatebot.model.json_value import JsonValue
from gatebot.model.judge import JudgeConfig
from tests.integration.judge.clock import FakeClock
from tests.integration.judge.ready_made import (
    TEST_SECONDS,
    aimock_command,
    free_port,
    llmock_command,
    running,
)
from tests.unit.judge.subjects import case, given, trial

pytestmark = [pytest.mark.slow, pytest.mark.timeout(TEST_SECONDS)]
TOOL_CALL: JsonValue = {"toolCalls": [{"name": "judgement", "arguments": given(0.8)}]}
USER = "BEGIN MATERIAL"


def fixture_file(folder: Path, *answers: JsonValue) -> Path:
    """Aimock's answers, in turn; the last one stays."""
    last = len(answers) - 1
    rows: list[JsonValue] = []
    for place, answer in enumerate(answers):
        match: dict[str, JsonValue] = {"userMessage": USER}
        if place != last:
            match["sequenceIndex"] = place
        rows.append({"match": match, "response": answer})
    file = folder / "answers.json"
    file.write_text(json.dumps({"fixtures": rows}))
    return file


def session_at(url: str, clock: FakeClock, **config: JsonValue) -> JudgingSession:
    """A session whose canaries are off: these stand-ins do not read what they judge."""
    made = JudgeConfig.model_validate({"base_url": url, "canaries": False, **config})
    return open_session(made, Surroundings("some-key-0123", clock=clock.clock()))


AIMOCK_STORIES: dict[str, tuple[list[JsonValue], float | None, int]] = {
    "a good answer": ([TOOL_CALL], 0.8, 0),
    "429 and then good": (
        [
            {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429, "retryAfter": 1},
            TOOL_CALL,
        ],
        0.8,
        1,
    ),
    "529 and then good": (
        [{"error": {"message": "busy", "type": "overloaded_error"}, "status": 529}, TOOL_CALL],
        0.8,
        1,
    ),
    "text and then good": ([{"content": "1.0"}, TOOL_CALL], 0.8, 0),
    "text for ever": ([{"content": "1.0"}], None, 0),
    "a refusal of the request": (
        [{"error": {"message": "no", "type": "invalid_request_error"}, "status": 400}],
        None,
        0,
    ),
}


@pytest.mark.parametrize(("answers", "value", "waits"), AIMOCK_STORIES.values(), ids=AIMOCK_STORIES.keys())
def test_aimock(tmp_path: Path, answers: list[JsonValue], value: float | None, waits: int) -> None:
    port, clock = free_port(), FakeClock()
    command = [*aimock_command(), "-p", str(port), "-f", str(fixture_file(tmp_path, *answers)), "--strict"]
    with running(command, "listening"):
        session = session_at(f"http://127.0.0.1:{port}", clock)
        judgement = session.judge(case(), trial())["judge_trajectory"]
        session.asker.api.close()
    assert judgement.value == value
    assert len(clock.slept) == waits


@pytest.fixture(scope="module")
def llmock() -> Generator[str]:
    port = free_port()
    with running([*llmock_command(), "--port", str(port)], "running on"):
        yield f"http://127.0.0.1:{port}"


LLMOCK_STORIES: dict[str, tuple[list[JsonValue], float | None]] = {
    "a good answer": (
        [{"type": "reply", "tool_calls": [{"name": "judgement", "arguments": given(0.6)}], "times": 1}],
        0.6,
    ),
    "503 twice and then good": (
        [
            {"type": "fail", "status": 503, "times": 2},
            {"type": "reply", "tool_calls": [{"name": "judgement", "arguments": given(0.6)}], "times": 1},
        ],
        0.6,
    ),
    "429 with a wish of an hour": ([{"type": "fail", "status": 429, "retry_after": 3600, "times": 1}], None),
    "out of range twice": (
        [{"type": "reply", "tool_calls": [{"name": "judgement", "arguments": given(9)}], "times": 2}],
        None,
    ),
    "the key is not accepted": ([{"type": "fail", "status": 401, "times": 1}], None),
}


@pytest.mark.parametrize(("behaviours", "value"), LLMOCK_STORIES.values(), ids=LLMOCK_STORIES.keys())
def test_llmock(llmock: str, behaviours: list[JsonValue], value: float | None) -> None:
    clock = FakeClock()
    httpx.post(f"{llmock}/_llmock/reset", timeout=30).raise_for_status()
    httpx.post(f"{llmock}/_llmock/scenario", json={"behaviors": behaviours}, timeout=30).raise_for_status()
    session = session_at(f"{llmock}/anthropic", clock)
    judgement = session.judge(case(), trial())["judge_trajectory"]
    session.asker.api.close()
    assert judgement.value == value
    assert sum(clock.slept) < 60
