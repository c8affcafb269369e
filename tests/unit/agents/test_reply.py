"""What an agent prints is a reply or a typed refusal, never another exception."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.agents.reply import BrokenReplyError, Reply, canonical_text, read_reply
from gatebot.model.trajectory import Trajectory, Usage

MESSAGES = [
    {"role": "user", "content": "Hello?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "found"},
    {"role": "assistant", "content": "Here it is."},
]


def said(value: object) -> Reply:
    return read_reply(json.dumps(value).encode())


def test_plain_text_is_the_answer_alone() -> None:
    assert read_reply(b" \n An answer: {42}\nand more \n") == Reply(answer="An answer: {42}\nand more")


def test_the_tools_that_an_agent_says_it_had_go_with_its_messages() -> None:
    tools = [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]
    reply = said({"messages": MESSAGES, "tools": tools})
    assert reply.trajectory is not None
    assert reply.trajectory.tools == {"search": {"type": "object"}}
    assert said({"answer": "Hi", "tools": tools}).trajectory is None
    lost = said({"messages": MESSAGES, "tools": [{"name": "t", "parameters": {"$ref": "http://localhost"}}]})
    assert lost.trajectory is not None
    assert not lost.trajectory.tools
    assert "nothing is fetched" in lost.trajectory.warnings[0]


def test_the_node_path_of_a_turn_goes_with_its_messages() -> None:
    reply = said({"messages": MESSAGES, "graph": ["plan", "tools", "answer"]})
    assert reply.trajectory is not None
    assert reply.trajectory.graph == (("plan", "tools", "answer"),)
    assert len(reply.trajectory.calls()) == 1


@pytest.mark.parametrize("output", [b"42", b'"quoted"', b"null", b"true", "ja \U0001f600".encode()])
def test_what_does_not_begin_like_an_object_or_a_list_is_text(output: bytes) -> None:
    assert read_reply(output) == Reply(answer=output.decode())


def test_an_object_with_everything() -> None:
    reply = said(
        {
            "messages": MESSAGES,
            "answer": "Over here.",
            "state": {"seen": [1, 2]},
            "usage": {"input_tokens": 3, "output_tokens": 4},
            "trace_url": "https://example.org/t/1",
            "something": "else",
        }
    )
    assert reply.answer == "Over here."
    assert reply.state == {"seen": [1, 2]}
    assert reply.usage == Usage(3, 4)
    assert reply.trace_url == "https://example.org/t/1"
    assert reply.trajectory is not None
    assert [(call.name, call.arguments, call.result) for call in reply.trajectory.calls()] == [
        ("look", {"a": 1}, "found")
    ]


@pytest.mark.parametrize("document", [MESSAGES, {"messages": MESSAGES}])
def test_without_an_answer_the_final_text_is_the_answer(document: object) -> None:
    reply = said(document)
    assert reply.answer == "Here it is."
    assert reply.trajectory is not None
    assert reply.trajectory.format == "openai-chat"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": [1, None], "a": "ü"}, '{"a":"ü","b":[1,null]}'),
        ([1.5, True], "[1.5,true]"),
        (7, "7"),
        (False, "false"),
        ("", ""),
    ],
)
def test_an_answer_that_is_no_text_is_written_canonically(value: object, text: str) -> None:
    assert said({"answer": value}).answer == text


@pytest.mark.parametrize("document", [{"state": {"a": 1}}, {"answer": None, "state": {"a": 1}}])
def test_no_answer_is_no_answer(document: object) -> None:
    reply = said(document)
    assert reply.answer is None
    assert reply.trajectory is None
    assert reply.state == {"a": 1}


@pytest.mark.parametrize("document", [[], {"messages": []}])
def test_no_messages_is_a_trajectory_without_any(document: object) -> None:
    assert said(document) == Reply(trajectory=Trajectory())


def test_null_means_not_reported() -> None:
    nothing = dict.fromkeys(("messages", "state", "usage", "trace_url"))
    assert said({**nothing, "answer": "x"}) == Reply(answer="x")


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (b"", "printed nothing"),
        (b" \r\n\t", "printed nothing"),
        (b"ok \xff", "printed invalid UTF-8 at byte 3"),
        (b"\xed\xa0\x80", "printed invalid UTF-8 at byte 0"),
        (b"{", "begins like JSON and is not"),
        (b"[note] all well", "begins like JSON and is not"),
        (b"\xef\xbb\xbf{}", "begins like JSON and is not"),
        (b'{"answer": "a"} trailing', "begins like JSON and is not"),
        (b'{"answer": NaN}', "begins like JSON and is not"),
        (b'{"state": -Infinity}', "begins like JSON and is not"),
        (b'{"state": 1e999}', "begins like JSON and is not"),
        (b'{"state": {"a": 1, "a": 1}}', "begins like JSON and is not"),
        (b'{"answer": "\\udc00"}', "begins like JSON and is not"),
        (b'{"state": ' + b"9" * 5000 + b"}", "begins like JSON and is not"),
        (b'{"state": ' + b"[" * 64 + b"]" * 64 + b"}", "begins like JSON and is not"),
        (b"[" * 1_000_000, "begins like JSON and is not"),
        (b"{}", "printed an object without any of messages, answer, state, usage, trace_url, graph"),
        (b'{"anwser": "typo"}', "printed an object without any of"),
        (b"[1]", "printed messages in no known format"),
        (b'{"messages": "none"}', "printed messages in no known format"),
        (b'{"usage": []}', "usage is no JSON object"),
        (b'{"usage": {"output_tokens": -1}}', "usage.output_tokens is no whole number"),
        (b'{"messages": [], "graph": "plan"}', "graph is no list of at most 10000 node names"),
        (b'{"messages": [], "graph": ["plan", 1]}', "graph is no list of at most 10000 node names"),
        (b'{"messages": [], "graph": [""]}', "graph is no list of at most 10000 node names"),
        (b'{"messages": [], "graph": [' + b'"a",' * 10000 + b'"a"]}', "graph is no list of at most 10000"),
        (b'{"answer": "x", "graph": ["plan"]}', "graph without messages"),
        (b'{"trace_url": 1}', "trace_url is no http(s) URL"),
        (b'{"trace_url": "javascript:alert(1)"}', "trace_url is no http(s) URL"),
        (b'{"trace_url": "https://a b"}', "trace_url is no http(s) URL"),
        (b'{"trace_url": "https://a\\nb"}', "trace_url is no http(s) URL"),
        (b'{"trace_url": "https://' + b"a" * 2000 + b'"}', "trace_url is no http(s) URL"),
    ],
)  # fmt: skip
def test_a_broken_reply_says_what_is_broken(output: bytes, reason: str) -> None:
    with pytest.raises(BrokenReplyError) as broken:
        read_reply(output)
    assert reason in broken.value.message
    assert broken.value.message.isprintable()
    assert len(broken.value.message) < 500


def test_a_state_of_the_greatest_depth_is_fine() -> None:
    deep = b'{"state": ' + b"[" * 63 + b"]" * 63 + b"}"
    assert read_reply(deep).state is not None


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_a_reply_or_a_refusal(output: bytes) -> None:
    try:
        reply = read_reply(output)
    except BrokenReplyError:
        return
    assert isinstance(reply.answer, str) or reply.trajectory is not None  # `[]`: a run that said nothing


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
KEYS = st.sampled_from(["messages", "answer", "state", "usage", "trace_url", "graph", "turn_limit", "x"])
MESSAGE_KEYS = st.sampled_from(["role", "content", "tool_calls", "type", "tool_call_id", "name"])
ROLES = st.sampled_from(["user", "assistant", "tool", "system", "human", "ai"])


@given(
    st.dictionaries(
        KEYS, JSON | st.lists(st.dictionaries(MESSAGE_KEYS, ROLES | JSON, max_size=5), max_size=3), max_size=4
    )
)
def test_any_object_is_a_reply_or_a_refusal(document: dict[str, object]) -> None:
    try:
        reply = read_reply(json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"))
    except BrokenReplyError:
        return
    assert reply.answer is None or isinstance(reply.answer, str)


@given(JSON)
def test_canonical_text_does_not_depend_on_the_order_of_keys(value: object) -> None:
    turned = json.loads(json.dumps(value), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    assert canonical_text(turned) == canonical_text(json.loads(json.dumps(value)))


@pytest.mark.parametrize(
    "output",
    [b'INFO starting\n{"answer": "x"}', b'a\nb\n {"messages": []}  \n', b'see\n{"state": {}, "y": 1}'],
)
def test_a_reply_after_log_lines_is_refused_and_not_taken_for_text(output: bytes) -> None:
    with pytest.raises(BrokenReplyError, match="log lines belong on standard error"):
        read_reply(output)


@pytest.mark.parametrize("output", [b'it is\n{"x": 1}', b"it is\n{so", b"two\nlines"])
def test_text_that_ends_like_json_is_still_an_answer(output: bytes) -> None:
    assert read_reply(output).answer == output.decode()


SAID = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]


@pytest.mark.parametrize(
    ("told", "kept"),
    [(True, "turn_limit"), ("exit  cost\n", "exit cost"), ("x" * 300, "x" * 200), (None, ""), (False, "")],
    ids=["true", "words", "long", "null", "false"],
)
def test_an_agent_may_say_that_its_limit_of_turns_stopped_it(told: object, kept: str) -> None:
    reply = read_reply(json.dumps({"messages": SAID, "turn_limit": told}).encode())
    assert reply.trajectory is not None
    assert reply.trajectory.turn_limit == kept


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"answer": "a", "turn_limit": True}, "turn_limit without messages"),
        ({"messages": SAID, "turn_limit": 3}, "turn_limit is neither"),
        ({"messages": SAID, "turn_limit": " "}, "turn_limit is neither"),
    ],
    ids=["no messages", "number", "blank"],
)
def test_a_limit_that_says_nothing_is_refused(document: object, reason: str) -> None:
    with pytest.raises(BrokenReplyError, match=reason):
        read_reply(json.dumps(document).encode())
