"""A real agentevals evaluator asks through our client."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

import pytest

from gatebot.errors import InfrastructureError
from gatebot.judge.agentevals_adapter import agentevals_judge
from gatebot.model.json_value import JsonValue
from tests.fakes.anthropic_server import Answer, AnthropicServer, Body
from tests.integration.judge.clock import FakeClock
from tests.integration.judge.sessions import Bench
from tests.unit.judge.subjects import message

PROMPT = "Grade this trajectory:\n{outputs}\nReference:\n{reference_outputs}"
OUTPUTS: list[dict[str, JsonValue]] = [
    {"role": "user", "content": "How long?"},
    {"role": "assistant", "content": "30 days."},
]


def grades(score: JsonValue) -> Answer:
    return Answer(body=message({"reasoning": "It is right.", "score": score}, name="grade"))


def test_an_evaluator_gets_its_score(
    server: AnthropicServer, fake_clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    from agentevals.trajectory import llm

    def respond(body: Body) -> Answer:
        (tool,) = cast("Sequence[Mapping[str, JsonValue]]", body["tools"])
        assert "score" in json.dumps(tool["input_schema"])
        return grades(True)

    server.respond = respond
    with Bench(server, fake_clock).session() as session:
        evaluator = llm.create_trajectory_llm_as_judge(
            prompt=PROMPT,
            judge=agentevals_judge(session.asker),  # pyright: ignore[reportArgumentType]
            model="claude-sonnet-4-6",
        )
        result = evaluator(outputs=OUTPUTS, reference_outputs=OUTPUTS)
        assert session.asker.ledger.usd == pytest.approx(0.0045)
    assert isinstance(result, dict)
    assert result["score"] is True
    assert "30 days." in json.dumps(server.requests[0])


def test_no_answer_is_an_error_and_no_score(server: AnthropicServer, fake_clock: FakeClock) -> None:
    def refuses(_: Body) -> Answer:
        return Answer(body=message(None, content=[], stop="refusal"))

    server.respond = refuses
    with Bench(server, fake_clock).session() as session:
        judge = agentevals_judge(session.asker)
        with pytest.raises(InfrastructureError, match="not in the form"):
            judge.chat.completions.create(
                messages=[{"role": "user", "content": "x"}],
                model="m",
                response_format={"type": "json_schema"},
            )
        server.key = "another-key-12"
        with pytest.raises(InfrastructureError, match="does not accept the key"):
            judge.chat.completions.create(
                messages=[{"role": "system", "content": "x"}], model="m", response_format={}
            )
