"""The traps of the formats, one by one: each is a way in which a plausible importer gets a real file wrong."""

from __future__ import annotations

import json

import pytest

from gatebot.errors import ImportFormatError
from gatebot.importers.detect import detect, load, load_text
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Trajectory


def told(trajectory: Trajectory) -> list[tuple[str, object, str | None, bool | None]]:
    return [(c.name, c.arguments, c.result, c.is_error) for c in trajectory.calls()]


class TestResponses:
    def test_one_bare_call_and_a_call_a_line(self) -> None:
        call = {"type": "function_call", "name": "t", "arguments": "{}", "call_id": "a", "id": "fc_1"}
        assert told(load_text(json.dumps(call))) == [("t", {}, None, None)]
        lines = "\n".join(json.dumps({**call, "call_id": i}) for i in "ab")
        assert [c.id for c in load_text(lines).calls()] == ["a", "b"]

    def test_results_go_by_call_id_and_not_by_id(self) -> None:
        items: list[JsonValue] = [
            {"type": "function_call", "name": "t", "arguments": "{}", "call_id": "a", "id": "b"},
            {"type": "function_call", "name": "u", "arguments": "{}", "call_id": "b", "id": "a"},
            {"type": "function_call_output", "call_id": "a", "output": "A"},
        ]
        assert [c.result for c in load(items).calls()] == ["A", None]

    def test_hosted_tools_have_names_of_their_own_and_are_run_by_the_server(self) -> None:
        items: list[JsonValue] = [
            {"role": "user", "content": "Hi"},
            {
                "type": "web_search_call",
                "id": "w",
                "status": "completed",
                "action": {"type": "search", "query": "q"},
            },
            {"type": "code_interpreter_call", "id": "c", "status": "failed", "code": "1/0", "outputs": None},
            {
                "type": "mcp_call",
                "id": "m",
                "name": "read",
                "arguments": '{"p": 1}',
                "output": None,
                "error": "no",
            },
            {
                "type": "local_shell_call",
                "call_id": "s",
                "action": {"command": ["ls"]},
                "status": "completed",
            },
            {"type": "local_shell_call_output", "call_id": "s", "output": "a.txt"},
            {"type": "image_generation_call", "id": "i", "status": "in_progress"},
            {"type": "hologram_call", "id": "h"},
        ]
        trajectory = load(items)
        assert told(trajectory) == [
            ("web_search", {"type": "search", "query": "q"}, "", False),
            ("code_interpreter", {"code": "1/0"}, "", True),
            ("read", {"p": 1}, "no", True),
            ("local_shell", {"command": ["ls"]}, "a.txt", None),
            ("image_generation", None, None, None),
        ]
        assert [c.executor for c in trajectory.calls()] == ["server", "server", "mcp", "client", "server"]
        assert trajectory.warnings == ("an item of type 'hologram_call' was left out",)

    def test_custom_tools_take_text(self) -> None:
        item = {"type": "custom_tool_call", "call_id": "a", "name": "sql", "input": "select 1"}
        assert told(load([item])) == [("sql", {"input": "select 1"}, None, None)]

    def test_a_call_after_a_result_is_the_next_turn(self) -> None:
        def call(i: str) -> JsonValue:
            return {"type": "function_call", "name": "t", "arguments": "{}", "call_id": i}

        output = {"type": "function_call_output", "call_id": "a", "output": "A"}
        assert [len(t.calls) for t in load([call("a"), call("b"), output, call("c")]).turns()] == [2, 1]


class TestGemini:
    def test_calls_without_ids_pair_by_name_and_order(self) -> None:
        def call(name: str, n: int) -> JsonValue:
            return {"functionCall": {"name": name, "args": {"n": n}}}

        def answer(name: str, text: str) -> JsonValue:
            return {"functionResponse": {"name": name, "response": {"result": text}}}

        contents: list[JsonValue] = [
            {"role": "model", "parts": [call("a", 1), call("b", 2), call("a", 3)]},
            {"role": "function", "parts": [answer("b", "B"), answer("a", "A1"), answer("a", "A2")]},
        ]
        assert [c.result for c in load(contents).calls()] == ["A1", "B", "A2"]

    def test_code_run_by_the_model_is_a_call_of_the_server(self) -> None:
        parts: list[JsonValue] = [
            {"executableCode": {"language": "PYTHON", "code": "1/0"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "ZeroDivisionError"}},
            {"text": "It fails."},
        ]
        trajectory = load([{"role": "model", "parts": parts}])
        assert told(trajectory) == [("code_execution", {"code": "1/0"}, "ZeroDivisionError", True)]
        assert trajectory.calls()[0].executor == "server"

    def test_a_call_without_arguments_has_none_of_them(self) -> None:
        trajectory = load([{"role": "model", "parts": [{"functionCall": {"name": "now"}}]}])
        assert trajectory.calls()[0].arguments == {}


class TestSeveralRunsInOneDocument:
    @pytest.mark.parametrize(
        "document",
        [
            {"eval_cases": [{"conversation": []}, {"conversation": []}]},
            [{"name": "a", "data": []}, {"name": "b", "data": []}],
            {"eval": {}, "samples": [{"messages": []}, {"messages": []}]},
        ],
    )
    def test_are_not_one_trajectory(self, document: JsonValue) -> None:
        with pytest.raises(ImportFormatError, match=r"of 2 .* is not one trajectory"):
            load(document)


class TestVercel:
    def test_states_say_how_far_a_call_came(self) -> None:
        def part(state: str, **more: JsonValue) -> dict[str, JsonValue]:
            return {"type": "tool-t", "toolCallId": state, "state": state, "input": {"a": 1}, **more}

        parts: list[JsonValue] = [
            part("output-available", output={"b": 2}),
            part("output-error", errorText="bad"),
            part("output-denied"),
            part("approval-requested"),
            part("input-streaming"),
            {**part("output-available", output="x"), "toolCallId": "p", "providerExecuted": True},
        ]
        trajectory = load([{"id": "1", "role": "assistant", "parts": parts}])
        assert told(trajectory) == [
            ("t", {"a": 1}, '{"b":2}', False),
            ("t", {"a": 1}, "bad", True),
            ("t", {"a": 1}, "", True),
            ("t", {"a": 1}, None, None),
            ("t", None, None, None),
            ("t", {"a": 1}, "x", False),
        ]
        assert trajectory.calls()[-1].executor == "server"

    def test_older_results_say_is_error(self) -> None:
        content: list[JsonValue] = [
            {"type": "tool-call", "toolCallId": "a", "toolName": "t", "args": {"n": 1}}
        ]
        result: dict[str, JsonValue] = {
            "type": "tool-result",
            "toolCallId": "a",
            "result": "no",
            "isError": True,
        }
        document: JsonValue = [
            {"role": "assistant", "content": content},
            {"role": "tool", "content": [result]},
        ]
        assert told(load(document)) == [("t", {"n": 1}, "no", True)]


class TestClaudeCode:
    def test_lines_of_one_message_are_one_turn_even_around_a_result(self) -> None:
        def line(block: JsonValue) -> str:
            message = {
                "id": "m",
                "role": "assistant",
                "content": [block],
                "usage": {"input_tokens": 9, "output_tokens": 1},
            }
            return json.dumps({"type": "assistant", "uuid": "u", "message": message})

        def use(i: str) -> JsonValue:
            return {"type": "tool_use", "id": i, "name": "t", "input": {}}

        result = {"type": "tool_result", "tool_use_id": "a", "content": "A"}
        user = json.dumps({"type": "user", "uuid": "v", "message": {"role": "user", "content": [result]}})
        trajectory = load_text("\n".join([line(use("a")), user, line(use("b"))]))
        (turn,) = trajectory.turns()
        assert [(c.id, c.result) for c in turn.calls] == [("a", "A"), ("b", None)]
        assert turn.usage is not None
        assert turn.usage.input_tokens == 9

    def test_sub_agents_are_kept_under_their_names_and_the_main_agent_answers(self) -> None:
        def line(role: str, content: JsonValue, parent: str | None = None) -> JsonValue:
            return {
                "type": role,
                "uuid": "u",
                "parent_tool_use_id": parent,
                "message": {"role": role, "content": content},
            }

        def use(call_id: str, name: str, **arguments: JsonValue) -> list[JsonValue]:
            return [{"type": "tool_use", "id": call_id, "name": name, "input": arguments}]

        def result(call_id: str, said: str) -> list[JsonValue]:
            return [{"type": "tool_result", "tool_use_id": call_id, "content": said}]

        trajectory = load(
            [
                line("user", "Where is P-7?"),
                line("assistant", use("a", "Task", subagent_type="tracker", prompt="Find P-7")),
                line("user", "Find P-7", "a"),
                line("assistant", use("b", "track", parcel="P-7"), "a"),
                line("user", result("b", "Bonn"), "a"),
                line("user", result("a", "It is in Bonn.")),
                line("assistant", "P-7 is in Bonn."),
                line("assistant", "I also looked elsewhere.", "a"),
            ]
        )
        assert [(c.name, c.agent, c.result) for c in trajectory.calls()] == [
            ("Task", "main", "It is in Bonn."),
            ("track", "tracker", "Bonn"),
        ]
        assert [m.text for m in trajectory.messages if m.role == "user"] == ["Where is P-7?"]
        assert trajectory.final_text() == "P-7 is in Bonn."


class TestMiniSweAgent:
    def test_several_blocks_are_none(self) -> None:
        block = "```mswea_bash_command\nls\n```"
        trajectory = load(
            [{"role": "user", "content": "Go"}, {"role": "assistant", "content": block + "\n" + block}]
        )
        assert trajectory.calls() == ()
        assert any("several bash blocks" in warning for warning in trajectory.warnings)

    def test_a_chat_that_speaks_of_bash_is_a_chat(self) -> None:
        said = "Run this:\n\n```bash\nls\n```"
        assert (
            detect([{"role": "user", "content": "How?"}, {"role": "assistant", "content": said}])
            == "openai-chat"
        )


class TestCrewAI:
    def test_a_result_that_says_failure_failed(self) -> None:
        events: list[JsonValue] = [
            {"type": "tool_usage_started", "tool_name": "t", "tool_args": {"a": 1}},
            {"type": "tool_usage_finished", "tool_name": "t", "output": "sorry", "failure": "not found"},
        ]
        assert told(load(events)) == [("t", {"a": 1}, "sorry", True)]


class TestAutoGen:
    def test_a_summary_is_the_answer_only_at_the_end(self) -> None:
        summary: dict[str, JsonValue] = {"type": "ToolCallSummaryMessage", "source": "desk", "content": "A"}
        asked: dict[str, JsonValue] = {"type": "TextMessage", "source": "user", "content": "Hi"}
        assert load([asked, summary]).final_text() == "A"
        assert [m.text for m in load([asked, summary, {**asked, "content": "Ho"}]).messages] == ["Hi", "Ho"]
