"""What a tracer saw, put together: each call once, with what each place knows of it."""

from __future__ import annotations

from gatebot.importers.arguments import Arguments
from gatebot.importers.traced_steps import ModelStep, ToolStep, assemble
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Message, ToolCall, Usage


def said(*calls: ToolCall, text: str = "") -> tuple[Message, ...]:
    return (Message("assistant", text, calls),)


def call(call_id: str, name: str = "t", result: str | None = None, **arguments: JsonValue) -> ToolCall:
    return ToolCall(call_id, name, arguments, result=result)


def ran(start: float, name: str = "t", call_id: str | None = None, **arguments: JsonValue) -> ToolStep:
    return ToolStep(start, name, Arguments(arguments), end=start + 1, call_id=call_id, result=f"at {start}")


def results(models: list[ModelStep], tools: list[ToolStep]) -> list[tuple[str, str | None]]:
    return [(c.id, c.result) for c in assemble("x", models, tools).calls()]


def test_runs_are_matched_by_id_then_arguments_then_order() -> None:
    asked = [ModelStep(0, answer=said(call("a", q=1), call("b", q=2), call("c", q=3)))]
    assert results(asked, [ran(1, q=3), ran(2, q=1), ran(3, call_id="b")]) == [
        ("a", "at 2"),
        ("b", "at 3"),
        ("c", "at 1"),
    ]
    nameless = [ToolStep(1, "t", Arguments(), result="first"), ToolStep(2, "t", Arguments(), result="second")]
    assert results(asked, nameless) == [("a", "first"), ("b", "second"), ("c", None)]


def test_the_models_arguments_count_and_the_runs_fill_what_it_did_not_say() -> None:
    silent = ToolCall("a", "t", None)
    (filled,) = assemble("x", [ModelStep(0, answer=said(silent))], [ran(1, call_id="a", q=1)]).calls()
    assert filled.arguments == {"q": 1}
    (kept,) = assemble("x", [ModelStep(0, answer=said(call("a", q=2)))], [ran(1, call_id="a", q=1)]).calls()
    assert kept.arguments == {"q": 2}
    assert (kept.started_at, kept.ended_at) == (1, 2)


def test_runs_that_no_model_told_follow_the_last_turn_and_overlapping_ones_are_parallel() -> None:
    tools = [ran(1, "a"), ran(1.5, "b"), ran(3, "c")]
    trajectory = assemble("x", [], tools)
    assert [[c.name for c in turn.calls] for turn in trajectory.turns()] == [["a", "b"], ["c"]]
    with_model = assemble(
        "x", [ModelStep(0, usage=Usage(1, 1)), ModelStep(2.5, answer=said(text="so"))], tools
    )
    assert [[c.name for c in turn.calls] for turn in with_model.turns()] == [["a", "b"], ["c"]]


def test_a_result_that_only_the_next_prompt_tells_is_taken() -> None:
    later = ModelStep(2, prompt=said(call("a", result="told")), answer=said(text="done"))
    assert results([ModelStep(0, answer=said(call("a"))), later], []) == [("a", "told")]


def test_questions_are_asked_once_and_another_agents_prompt_is_none() -> None:
    def prompt(*texts: str) -> tuple[Message, ...]:
        return (Message("system", "S"), *(Message("user", text) for text in texts))

    steps = [
        ModelStep(0, prompt=prompt("one"), answer=said(text="1")),
        ModelStep(
            1, prompt=(Message("system", "other"), Message("user", "sub task")), answer=said(text="sub")
        ),
        ModelStep(2, prompt=prompt("one", "two"), answer=said(text="2")),
    ]
    told = [(m.role, m.text) for m in assemble("x", steps, []).messages]
    assert told == [
        ("system", "S"),
        ("user", "one"),
        ("assistant", "1"),
        ("assistant", "sub"),
        ("user", "two"),
        ("assistant", "2"),
    ]


def test_order_is_that_of_start_whatever_order_the_export_has() -> None:
    steps = [ModelStep(5, answer=said(text="last")), ModelStep(1, answer=said(call("a")))]
    trajectory = assemble("x", steps, [ran(3, call_id="a")])
    assert trajectory.final_text() == "last"
    assert trajectory.calls()[0].result == "at 3"
