"""The conversation grows by what is new, goes back as OpenAI chat, and tells no side."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gatebot.agents.conversation import Conversation, request_line
from gatebot.agents.reply import Reply
from gatebot.importers.detect import load
from gatebot.importers.openai_render import render_openai_chat
from gatebot.model.suite import Turn
from gatebot.model.trajectory import Message, ToolCall, Trajectory
from tests.unit.agents.tasks import PLAIN, scripted, task

USER, SYSTEM = Message("user", "Hello?"), Message("system", "Be kind.")
CALLS = Message("assistant", "", (ToolCall("c1", "look", {"a": 1}, result="found"),))
DONE = Message("assistant", "Here it is.")
ASKED = Conversation().ask("Hello?")


def reported(*messages: Message) -> Reply:
    return Reply("x", Trajectory(messages, format="openai-chat"))


def test_a_plain_case_is_asked_by_its_text() -> None:
    case = replace(PLAIN, context={"customer": "C-1", "ü": [1]})
    line = request_line(task(case), Conversation.before(case).ask("Hello?"))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {
        "schema": "gatebot.request/1",
        "case": "greeting",
        "input": "Hello?",
        "seed": 7,
        "context": {"customer": "C-1", "ü": [1]},
    }


def test_a_scripted_case_is_asked_by_the_messages_so_far() -> None:
    case = replace(scripted("One?", "Two?"), history=(Turn("system", "Be kind."), Turn("user", "Zero?")))
    conversation = Conversation.before(case).ask("One?").answered(reported(CALLS, DONE)).ask("Two?")
    asked = json.loads(request_line(task(case), conversation))["input"]
    assert [(message["role"], message["content"]) for message in asked] == [
        ("system", "Be kind."),
        ("user", "Zero?"),
        ("user", "One?"),
        ("assistant", ""),
        ("tool", "found"),
        ("assistant", "Here it is."),
        ("user", "Two?"),
    ]
    call = asked[3]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"a": 1}
    assert call["id"] == asked[4]["tool_call_id"]


def test_the_request_does_not_tell_the_side() -> None:
    conversation = Conversation().ask("Hello?")
    assert request_line(task(side="base"), conversation) == request_line(task(side="head"), conversation)


def test_an_answer_without_messages_is_one_message_and_no_format() -> None:
    grown = ASKED.answered(Reply("Fine."))
    assert grown.messages == (USER, Message("assistant", "Fine."))
    assert grown.trajectory() == Trajectory(grown.messages, format="none")


@pytest.mark.parametrize(
    "said",
    [(CALLS, DONE), (USER, CALLS, DONE), (replace(USER, text=" Hello?\n"), CALLS, DONE)],
    ids=["only-new", "with-the-user", "with-the-user-retyped"],
)
def test_what_was_sent_is_not_added_twice(said: tuple[Message, ...]) -> None:
    assert ASKED.answered(reported(*said)).messages == (USER, CALLS, DONE)


def test_the_agents_own_system_message_comes_first_and_once() -> None:
    one = ASKED.answered(reported(SYSTEM, USER, DONE))
    assert one.messages == (SYSTEM, USER, DONE)
    two = one.ask("And?").answered(reported(SYSTEM, USER, DONE, Message("user", "And?"), CALLS))
    assert two.messages == (SYSTEM, USER, DONE, Message("user", "And?"), CALLS)
    three = one.ask("And?").answered(reported(SYSTEM, Message("user", "And?"), CALLS))
    assert three.messages == two.messages


def test_a_history_repeated_in_another_format_is_recognised() -> None:
    sent = ASKED.answered(reported(CALLS, DONE)).ask("And?")
    repeated = load([*render_openai_chat(sent.messages), {"role": "assistant", "content": "More."}])
    assert sent.answered(Reply("More.", repeated)).messages == (*sent.messages, Message("assistant", "More."))


def test_a_new_call_that_looks_like_an_old_one_is_kept() -> None:
    sent = ASKED.answered(reported(CALLS, DONE)).ask("Again?")
    assert sent.answered(reported(CALLS, DONE)).messages == (*sent.messages, CALLS, DONE)


def test_what_the_reports_say_adds_up() -> None:
    one = Reply("x", Trajectory((DONE,), "openai-chat", ("w",), ("m1",), (("a",),)))
    two = Reply("y", Trajectory((DONE,), "anthropic", ("w", "v"), ("m1", "m2"), (("b",),)))
    trajectory = ASKED.answered(one).ask("And?").answered(two).ask("Then?").answered(Reply("z")).trajectory()
    assert trajectory.format == "anthropic"
    assert trajectory.warnings == ("w", "v")
    assert trajectory.models == ("m1", "m2")
    assert trajectory.graph == (("a",), ("b",))
