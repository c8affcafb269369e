"""ATIF: sub-agents within sub-agents are kept in the order of their work, however deep or tangled they are."""

from __future__ import annotations

import pytest

from gatebot.importers.detect import load
from gatebot.model.json_value import JsonValue


def agent(
    name: str, *refs: str | None, ident: str | None = None, subs: tuple[JsonValue, ...] = ()
) -> dict[str, JsonValue]:
    """An agent that calls a tool per reference, each answered by the sub-agent of that id, and then says its name."""
    steps: list[JsonValue] = [{"step_id": 0, "source": "user", "message": "Look."}]
    for number, ref in enumerate(refs):
        call = f"{name}-{number}"
        result: JsonValue = {
            "source_call_id": call,
            "content": "ok",
            "subagent_trajectory_ref": [{"trajectory_id": ref}],
        }
        steps.append({
            "step_id": number + 1,
            "source": "agent",
            "message": "",
            "tool_calls": [{"tool_call_id": call, "function_name": call, "arguments": {}}],
            "observation": {"results": [result]},
        })  # fmt: skip
    steps.append({"step_id": 99, "source": "agent", "message": f"{name} is done."})
    return {
        "schema_version": "ATIF-v1.8",
        "trajectory_id": ident or name,
        "agent": {
            "name": name,
            "tool_definitions": [{"name": f"{name}-0", "parameters": {"type": "object"}}],
        },
        "steps": steps,
        "subagent_trajectories": list(subs),
    }


@pytest.mark.parametrize("at_the_root", [False, True])
def test_a_sub_agents_sub_agent_is_told_where_it_was_called(*, at_the_root: bool) -> None:
    inner = agent("clerk", None)
    if at_the_root:  # some writers list every trajectory beside the first one
        document = agent("desk", "scout", None, subs=(agent("scout", "clerk"), inner))
    else:
        document = agent("desk", "scout", None, subs=(agent("scout", "clerk", subs=(inner,)),))
    trajectory = load(document)
    assert [(call.name, call.agent) for call in trajectory.calls()] == [
        ("desk-0", "desk"),
        ("scout-0", "scout"),
        ("clerk-0", "clerk"),
        ("desk-1", "desk"),
    ]
    assert all(call.result == "ok" for call in trajectory.calls())
    assert trajectory.final_text() == "desk is done."
    assert trajectory.warnings == ("the calls of sub-agents are counted, under their names",)
    assert set(trajectory.tools) == {"desk-0", "scout-0", "clerk-0"}


def test_one_that_nobody_refers_to_comes_before_the_last_word() -> None:
    document = agent("desk", subs=(agent("scout", subs=(agent("clerk", None),)),))
    assert [message.text for message in load(document).turns()] == [
        "",
        "clerk is done.",
        "scout is done.",
        "desk is done.",
    ]


def test_what_refers_to_itself_or_in_a_circle_is_told_once() -> None:
    document = agent("desk", "a", "a", subs=(agent("a", "a", "b"), agent("b", "a", "desk")))
    assert [call.name for call in load(document).calls()] == [
        "desk-0", "a-0", "a-1", "b-0", "b-1", "desk-1",
    ]  # fmt: skip


def test_a_long_chain_is_told_whole_and_a_deep_nest_is_cut_visibly() -> None:
    chain = tuple(agent(f"s{n}", f"s{n + 1}") for n in range(3_000))
    told = load(agent("desk", "s0", subs=chain))
    assert len(told.calls()) == 3_001
    assert len({call.name for call in told.calls()}) == 3_001
    nest = agent("bottom", None)
    for number in range(60):
        nest = agent(f"n{number}", None, subs=(nest,))
    cut = load(nest)
    assert len(cut.calls()) == 21
    assert "sub-agents nested more than 20 deep were left out" in cut.warnings
