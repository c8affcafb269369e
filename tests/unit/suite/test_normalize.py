"""Every way of writing a case has one normal form."""

import pytest

from gatebot.errors import ConfigError
from gatebot.model.suite import ExpectedCall, Reference, Turn
from tests.unit.suite.suite_files import case_of

GOOD = "expect: {require: [greet]}\n"


def test_a_single_text_is_plain() -> None:
    case = case_of("input: hello\n" + GOOD)
    assert (case.turns, case.history, case.plain) == (("hello",), (), True)


def test_a_list_of_texts_is_turns() -> None:
    case = case_of("input: [a, b]\n" + GOOD)
    assert (case.turns, case.history, case.plain) == (("a", "b"), (), False)


def test_a_message_list_has_history_and_turns() -> None:
    case = case_of(
        "input:\n"
        "  - {role: user, content: one}\n"
        "  - {role: assistant, content: two}\n"
        "  - {role: user, content: three}\n"
        "  - {role: system, content: be brief}\n"
        "  - {role: user, content: four}\n" + GOOD
    )
    assert case.history == (Turn("user", "one"), Turn("assistant", "two"), Turn("system", "be brief"))
    assert case.turns == ("three", "four")
    assert not case.plain


def test_a_message_list_without_replies_is_turns_after_its_system_messages() -> None:
    case = case_of("input: [{role: system, content: s}, {role: user, content: u}]\n" + GOOD)
    assert (case.history, case.turns) == ((Turn("system", "s"),), ("u",))


@pytest.mark.parametrize("last", ["assistant", "system"])
def test_a_message_list_must_end_with_the_user(last: str) -> None:
    first = "{role: user, content: u}, " if last == "assistant" else ""
    with pytest.raises(ConfigError, match="ends without a user message"):
        case_of(f"input: [{first}{{role: {last}, content: x}}]\n" + GOOD)


def test_every_form_of_a_golden_call() -> None:
    case = case_of(
        "input: hi\n"
        "golden:\n"
        "  calls:\n"
        "    - search: {query: a, limit: 3}\n"
        "    - refresh:\n"
        "    - anything\n"
        "    - [left: {x: 1}, right]\n"
        "    - {call: pay, args: {eur: 1.5}, id: p, optional: true}\n"
        "    - {call: receipt, after: [p]}\n"
        "    - any_of: [mail: {to: me}, {call: sms, args: {}}, fax]\n"
        "      optional: true\n"
        "    - call: {to: bob}\n"
    )
    assert case.references[0].calls == (
        ExpectedCall("search", {"query": "a", "limit": 3}, 0),
        ExpectedCall("refresh", {}, 1),
        ExpectedCall("anything", None, 2),
        ExpectedCall("left", {"x": 1}, 3),
        ExpectedCall("right", None, 3),
        ExpectedCall("pay", {"eur": 1.5}, 4, id="p", optional=True),
        ExpectedCall("receipt", None, 5, after=("p",)),
        ExpectedCall("mail", {"to": "me"}, 6, optional=True, alternatives=(("sms", {}), ("fax", None))),
        ExpectedCall("call", {"to": "bob"}, 7),
    )


def test_no_calls_and_an_empty_list_of_calls_differ() -> None:
    assert case_of("input: hi\ngolden: {answer: x}\n").references == (Reference(answer="x"),)
    assert case_of("input: hi\ngolden: {calls: []}\n").references == (Reference(calls=()),)
    assert case_of("input: hi\n").references == ()


def test_variants_follow_the_golden() -> None:
    case = case_of("input: hi\ngolden: {answer: a, variants: [{answer: b, state: {x: 1}}, {calls: [t]}]}\n")
    assert case.references == (
        Reference(answer="a"),
        Reference(answer="b", state={"x": 1}),
        Reference(calls=(ExpectedCall("t", None, 0),)),
    )


RECORDED = (
    "input: hi\n"
    "golden:\n"
    "  messages:\n"
    "    - {role: user, content: hi}\n"
    "    - role: assistant\n"
    "      content: ''\n"
    "      tool_calls:\n"
    "        - {id: a, type: function, function: {name: left, arguments: '{\"x\": 1}'}}\n"
    "        - {id: b, type: function, function: {name: right, arguments: '%s'}}\n"
    "    - {role: tool, tool_call_id: a, content: ok}\n"
    "    - {role: tool, tool_call_id: b, content: ok}\n"
    "    - role: assistant\n"
    "      content: ''\n"
    "      tool_calls: [{id: c, type: function, function: {name: last, arguments: '{}'}}]\n"
    "    - {role: tool, tool_call_id: c, content: ok}\n"
    "    - {role: assistant, content: done}\n"
)


def test_recorded_messages_become_calls_with_one_group_per_turn() -> None:
    (reference,) = case_of(RECORDED % "{}").references
    assert reference.calls == (
        ExpectedCall("left", {"x": 1}, 0),
        ExpectedCall("right", {}, 0),
        ExpectedCall("last", {}, 1),
    )
    assert reference.answer == "done"


def test_a_written_answer_wins_over_the_recorded_one() -> None:
    (reference,) = case_of(RECORDED % "{}" + "  answer: better\n").references
    assert reference.answer == "better"


def test_recorded_arguments_that_cannot_be_read_are_an_error_here() -> None:
    with pytest.raises(ConfigError, match="the arguments of right in the golden messages cannot be read"):
        case_of(RECORDED % "{broken")


def test_messages_that_no_importer_reads_are_an_error_at_their_place() -> None:
    with pytest.raises(ConfigError) as caught:
        case_of("input: hi\ngolden: {messages: [x]}\n")
    assert str(caught.value).startswith("golden/case.yaml:2:10: golden.messages: ")
    assert caught.value.hint
