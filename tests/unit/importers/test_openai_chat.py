"""OpenAI chat messages: the old form, custom tools, broken arguments, results that come late, never or for nothing."""

from __future__ import annotations

import pytest

from gatebot.errors import ImportFormatError
from gatebot.importers.detect import load
from gatebot.importers.openai_chat import OpenAIChat
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Trajectory


def asked(*messages: JsonValue) -> Trajectory:
    return load([{"role": "user", "content": "Hi"}, *messages])


def called(arguments: JsonValue, call_id: str | None = "c1") -> dict[str, JsonValue]:
    function: dict[str, JsonValue] = {"name": "search", "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "function": function}]}


def answered(text: JsonValue, call_id: str | None = "c1") -> dict[str, JsonValue]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("", "empty text"),
        ("  ", "empty text"),
        ('{}""', "not valid JSON"),
        ('{"q": ', "not valid JSON"),
        ('{"q": NaN}', "not valid JSON"),
        ('{"q": 1, "q": 2}', "twice"),
        ("[1]", "not a JSON object"),
        ("null", "not a JSON object"),
        (["a"], "not a JSON object"),
    ],
)
def test_arguments_that_are_no_object_are_malformed(written: JsonValue, complaint: str) -> None:
    (call,) = asked(called(written), answered("ok")).calls()
    assert call.arguments is None
    assert call.arguments_error is not None
    assert call.arguments_error.startswith("malformed: ")
    assert complaint in call.arguments_error
    assert call.raw_arguments == (written if isinstance(written, str) else '["a"]')


def test_absent_arguments_are_unknown_and_not_malformed() -> None:
    (call,) = asked(called(None), answered("ok")).calls()
    assert (call.arguments, call.arguments_error) == (None, None)


def test_the_raw_text_is_kept_beside_what_it_says() -> None:
    (call,) = asked(called('{"b": 1,\n"a": 2}')).calls()
    assert call.arguments == {"b": 1, "a": 2}
    assert call.raw_arguments == '{"b": 1,\n"a": 2}'


def test_legacy_function_call_has_no_id_and_its_result_is_found_by_name() -> None:
    trajectory = asked(
        {"role": "assistant", "content": None, "function_call": {"name": "search", "arguments": "{}"}},
        {"role": "function", "name": "search", "content": "found"},
        {"role": "assistant", "content": "Done."},
    )
    (call,) = trajectory.calls()
    assert (call.id, call.name, call.result) == ("call-1", "search", "found")
    assert trajectory.final_text() == "Done."


def test_legacy_field_beside_tool_calls_is_not_counted_twice() -> None:
    message = {**called("{}"), "function_call": {"name": "search", "arguments": "{}"}}
    assert len(asked(message).calls()) == 1


def test_custom_tools_take_text_as_their_one_argument() -> None:
    custom = {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    trajectory = asked({"role": "assistant", "content": None, "tool_calls": [custom]})
    (call,) = trajectory.calls()
    assert (call.name, call.arguments, call.raw_arguments) == ("sql", {"input": "select 1"}, "select 1")


def test_refusals_are_what_was_said() -> None:
    assert asked({"role": "assistant", "content": None, "refusal": "No."}).final_text() == "No."
    parts = [{"type": "refusal", "refusal": "No."}]
    assert asked({"role": "assistant", "content": parts}).final_text() == "No."


def test_parts_are_joined_and_pictures_left_out() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    trajectory = load(
        [
            {
                "role": "user",
                "content": [{"type": "text", "text": "What is "}, picture, {"type": "text", "text": "this?"}],
            }
        ]
    )
    assert trajectory.messages[0].text == "What is this?"


def test_a_call_without_a_result_has_none_and_is_told() -> None:
    trajectory = asked(called("{}"))
    assert trajectory.calls()[0].result is None
    assert trajectory.calls()[0].is_error is None
    assert trajectory.warnings == ("1 tool call has no result",)


def test_an_empty_result_is_a_result() -> None:
    written: list[JsonValue] = ["", None, []]
    for empty in written:
        assert asked(called("{}"), answered(empty)).calls()[0].result is not None


def test_a_result_that_answers_nothing_is_told_without_its_text() -> None:
    trajectory = asked(answered("secret", "c\u202e9"))
    assert trajectory.calls() == ()
    (warning,) = trajectory.warnings
    assert "answers no call" in warning
    assert warning.isascii()
    assert "secret" not in warning


def test_results_go_by_id_whatever_their_order() -> None:
    calls = [{"id": i, "function": {"name": "t", "arguments": "{}"}} for i in ("a", "b")]
    trajectory = asked(
        {"role": "assistant", "content": "", "tool_calls": calls}, answered("B", "b"), answered("A", "a")
    )
    assert [(c.id, c.result) for c in trajectory.calls()] == [("a", "A"), ("b", "B")]


def test_results_without_ids_go_by_order() -> None:
    calls = [{"function": {"name": "t", "arguments": "{}"}} for _ in range(2)]
    trajectory = asked(
        {"role": "assistant", "content": "", "tool_calls": calls},
        answered("A", None),
        answered("B", "unknown"),
    )
    assert [c.result for c in trajectory.calls()] == ["A", "B"]


def test_reused_ids_belong_to_the_latest_turn() -> None:
    trajectory = asked(called("{}", "call_0"), called("{}", "call_0"), answered("second", "call_0"))
    assert [c.result for c in trajectory.calls()] == [None, "second"]


def test_several_equal_ids_in_one_turn_are_answered_in_order() -> None:
    calls = [{"id": "x", "function": {"name": "t", "arguments": "{}"}} for _ in range(2)]
    trajectory = asked(
        {"role": "assistant", "content": "", "tool_calls": calls}, answered("A", "x"), answered("B", "x")
    )
    assert [c.result for c in trajectory.calls()] == ["A", "B"]


def test_text_that_looks_like_an_error_is_not_judged_here() -> None:
    (call,) = asked(called("{}"), answered("Error: no such file")).calls()
    assert call.is_error is None


def test_a_users_last_word_does_not_hide_the_answer() -> None:
    trajectory = asked({"role": "assistant", "content": "Done."}, {"role": "user", "content": "###STOP###"})
    assert trajectory.final_text() == "Done."


def test_a_completion_alone_is_read_with_usage_and_model() -> None:
    trajectory = load(
        {
            "model": "m-1",
            "choices": [{"message": {"role": "assistant", "content": "Hi."}}],
            "usage": {
                "prompt_tokens": 3,
                "completion_tokens": 2,
                "prompt_tokens_details": {"cached_tokens": 1},
            },
        }
    )
    (turn,) = trajectory.turns()
    assert turn.usage is not None
    assert (turn.usage.input_tokens, turn.usage.output_tokens, turn.usage.cached_input_tokens) == (3, 2, 1)
    assert trajectory.models == ("m-1",)


@pytest.mark.parametrize("count", [-1, 1.5, True, "7", 2**60, None, {}])
def test_token_counts_that_are_none_stay_unknown(count: JsonValue) -> None:
    usage: dict[str, JsonValue] = {"prompt_tokens": count, "completion_tokens": count}
    assert asked({"role": "assistant", "content": "Hi.", "usage": usage}).messages[-1].usage is None


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (
            {"role": "assistant", "tool_calls": [{"id": "a", "function": {"arguments": "{}"}}]},
            "without a name",
        ),
        ({"role": "assistant", "tool_calls": [{"id": "a"}]}, "without a name"),
        ({"role": "assistant", "tool_calls": [{"function": {"name": ["x"]}}]}, "without a name"),
    ],
)
def test_a_call_must_name_its_tool(message: JsonValue, complaint: str) -> None:
    with pytest.raises(ImportFormatError, match=complaint):
        asked(message)


@pytest.mark.parametrize(
    "document",
    [
        None,
        1,
        "text",
        {},
        [1],
        [[]],
        [{}],
        [{"role": "nobody", "content": "x"}],
        [{"role": "user", "content": {"a": 1}}],
        {"messages": []},
        {"messages": "text"},
        {"choices": []},
    ],
)
def test_what_is_no_chat_is_refused_by_what_it_looks_like(document: JsonValue) -> None:
    with pytest.raises(ImportFormatError, match="in no trajectory format") as caught:
        load(document)
    assert "OpenAI chat" in caught.value.hint


def test_nothing_is_a_trajectory_in_which_nothing_happened() -> None:
    assert load([]) == Trajectory()


def test_an_unknown_role_is_named_when_the_format_is_asked_for() -> None:
    with pytest.raises(ImportFormatError, match="unknown role 'narrator'"):
        OpenAIChat().load([{"role": "narrator", "content": "x"}])
