"""One little story told in every format: two parallel calls, one of which fails, a second try, an answer.

The fixtures are the project's own, written by hand from the formats' rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from gatebot.importers.detect import FORMATS, detect, load_text
from gatebot.importers.document_text import parse_documents
from gatebot.model.json_value import JsonValue

FIXTURES = Path(__file__).parent / "fixtures"
ANSWER = "P-7 is in Bonn; no rain will delay it."
QUESTION = "Where is parcel P-7, and will rain delay it?"
SYSTEM = "You are a parcel desk."
CALLS = [
    ("track", {"parcel": "P-7"}),
    ("forecast", {"city": "Bonn", "days": 1}),
    ("forecast", {"city": "Bonn", "days": 2}),
]
RESULTS = ["in Bonn", "service down", "dry"]
FLAGGED = (False, True, False)
UNKNOWN = (None, None, None)
ONLY_FAILURES = (None, True, None)


@dataclass(frozen=True)
class Told:
    """What a format can tell of the story, where that differs from all of it."""

    format: str
    errors: tuple[bool | None, ...] = FLAGGED
    turns: tuple[int, ...] = (2, 1, 0)
    usage: tuple[tuple[int, int], ...] = ()
    system: bool = True
    question: bool = True
    model: bool = False
    wrapped_results: bool = False
    warning: str = ""
    calls: tuple[tuple[str, dict[str, JsonValue]], ...] | None = None


E3 = ((100, 20), (130, 10), (150, 15))
L1 = ((150, 15),)
STORIES = {
    "openai-chat.json": Told("openai-chat", UNKNOWN, usage=L1, model=True),
    "anthropic-messages.json": Told("anthropic-messages", usage=L1, model=True),
    "langchain-model-dump.json": Told("langchain", usage=E3, model=True),
    "langchain-to-dict.json": Told("langchain", usage=E3, model=True),
    "langchain-dumpd.json": Told("langchain", usage=E3, model=True),
    "openai-responses.json": Told("openai-responses", UNKNOWN, usage=L1, model=True),
    "openai-agents-items.json": Told("openai-agents-items", UNKNOWN, system=False, question=False),
    "openai-agents-spans.json": Told("openai-agents-spans", usage=E3, model=True),
    "gemini-contents.json": Told("gemini-contents", ONLY_FAILURES, usage=L1, wrapped_results=True),
    "adk-session.json": Told("adk-session", ONLY_FAILURES, usage=E3, system=False, wrapped_results=True),
    "adk-evalset.json": Told("adk-evalset", ONLY_FAILURES, system=False, wrapped_results=True),
    "langsmith.json": Told("langsmith", model=True),
    "otel-messages.json": Told("otel-messages", UNKNOWN),
    "otel-genai-otlp.json": Told("otel-genai", usage=E3, model=True),
    "otel-genai-adk-jaeger.json": Told("otel-genai", usage=E3, model=True, wrapped_results=True),
    "otel-genai-traceloop.json": Told("otel-genai", usage=E3, model=True),
    "otel-genai-vercel.json": Told("otel-genai", usage=E3, model=True),
    "openinference-phoenix.json": Told("openinference", usage=E3, model=True),
    "openinference-flat.json": Told("openinference", usage=E3, model=True),
    "pydantic-ai.json": Told("pydantic-ai", usage=E3, model=True),
    "claude-code.jsonl": Told(
        "claude-code",
        turns=(2, 0, 1, 0),
        usage=(E3[0], (5, 5), *E3[1:]),
        model=True,
        system=False,
        warning="sub-agents",
    ),
    "codex-rollout.jsonl": Told("codex-rollout", model=True),
    "codex-exec.jsonl": Told(
        "codex-exec",
        turns=(1, 1, 1, 0),
        usage=L1,
        system=False,
        question=False,
        wrapped_results=True,
        calls=(("shell", {"command": "track P-7"}), *((name, dict(args)) for name, args in CALLS[1:])),
    ),
    "vercel-ui.json": Told("vercel-ui"),
    "vercel-model.json": Told("vercel-model"),
    "autogen.json": Told("autogen", usage=E3, system=False),
    "crewai-output.json": Told("crewai-output", UNKNOWN, usage=((380, 45),)),
    "crewai-events.json": Told("crewai-events", turns=(1, 1, 1, 0), system=False, question=False),
    "smolagents.json": Told(
        "smolagents", turns=(1, 1, 1, 0), usage=((100, 20), (110, 10), (130, 10), (150, 15))
    ),
    "bedrock-converse.json": Told("bedrock-converse", usage=L1),
    "inspect-log.json": Told("inspect-log", model=True),
    "tau2-simulation.json": Told("tau2-simulation", usage=E3, system=False, warning="simulated user"),
    "swe-agent-history.traj": Told("swe-agent", UNKNOWN, turns=(1, 1, 1, 0)),
    "swe-agent-steps.traj": Told(
        "swe-agent",
        UNKNOWN,
        turns=(1, 1, 1, 0),
        calls=(
            ("track", {"action": "track P-7\n"}),
            ("forecast", {"action": "forecast Bonn 1\n"}),
            ("forecast", {"action": "forecast Bonn 2\n"}),
        ),
    ),
    "mini-swe-agent.traj.json": Told(
        "mini-swe-agent",
        turns=(1, 1, 1, 0),
        wrapped_results=True,
        calls=(
            ("bash", {"command": "track P-7"}),
            ("bash", {"command": "forecast Bonn 1"}),
            ("bash", {"command": "forecast Bonn 2"}),
        ),
    ),
    "atif.json": Told("atif", (False, True, None), usage=E3, model=True, warning="copied"),
    "langfuse.json": Told("langfuse", ONLY_FAILURES, usage=E3, model=True),
    "langfuse-root.json": Told("langfuse", usage=E3, model=True),
}


@pytest.mark.parametrize("name", STORIES)
def test_tells_the_story(name: str) -> None:
    told = STORIES[name]
    trajectory = load_text((FIXTURES / name).read_bytes())
    calls = trajectory.calls()
    assert trajectory.format == told.format
    assert [(c.name, c.arguments) for c in calls] == list(told.calls or CALLS)
    assert tuple(c.is_error for c in calls) == told.errors
    for call, result in zip(calls, RESULTS, strict=True):
        assert call.result is not None
        assert result in call.result if told.wrapped_results else call.result == result
    assert tuple(len(turn.calls) for turn in trajectory.turns()) == told.turns
    assert trajectory.final_text() == ANSWER
    assert len({c.id for c in calls}) == 3


@pytest.mark.parametrize("name", STORIES)
def test_tells_who_spoke_and_what_it_cost(name: str) -> None:
    told = STORIES[name]
    trajectory = load_text((FIXTURES / name).read_bytes())
    texts = {role: [m.text for m in trajectory.messages if m.role == role] for role in ("system", "user")}
    assert texts["system"] == ([SYSTEM] if told.system else [])
    assert texts["user"][:1] == ([QUESTION] if told.question else [])
    usages = [turn.usage for turn in trajectory.turns() if turn.usage is not None]
    assert tuple((usage.input_tokens, usage.output_tokens) for usage in usages) == told.usage
    assert trajectory.models == (("m-1",) if told.model else ())
    if told.warning:
        assert any(told.warning in warning for warning in trajectory.warnings)
    else:
        assert trajectory.warnings == ()


def test_golden_sets_without_results_say_so() -> None:
    trajectory = load_text((FIXTURES / "adk-evalset-legacy.json").read_bytes())
    assert [(c.name, c.arguments) for c in trajectory.calls()] == CALLS
    assert [c.result for c in trajectory.calls()] == ["in Bonn", None, None]
    assert trajectory.warnings == ("2 tool calls have no result",)


def test_graph_paths_are_kept_by_turn() -> None:
    trajectory = load_text((FIXTURES / "langgraph-graph.json").read_bytes())
    assert trajectory.graph == (("__start__", "agent", "tools", "agent:retry", "__interrupt__"),)
    assert trajectory.final_text() == ANSWER
    assert any("interrupted" in warning for warning in trajectory.warnings)


def test_every_fixture_is_told_and_every_format_has_one() -> None:
    extra = {"adk-evalset-legacy.json", "langgraph-graph.json"}
    assert {path.name for path in FIXTURES.iterdir()} == set(STORIES) | extra
    told = {told.format for told in STORIES.values()} | {"langgraph-graph"}
    assert {known.name for known in FORMATS} == told


@pytest.mark.parametrize("path", sorted(FIXTURES.iterdir()), ids=lambda path: path.name)
def test_one_format_each(path: Path) -> None:
    """Besides the one that is chosen, only formats that are contained in it may also see themselves in a document."""
    documents = parse_documents(path.read_bytes())
    document = documents[0] if len(documents) == 1 else list(documents)
    assert detect(document) == load_text(path.read_bytes()).format
