"""The traps of traces and of whole logs: spans, run trees, interchange formats."""

from __future__ import annotations

import json

from gatebot.importers.detect import load
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Trajectory


def told(trajectory: Trajectory) -> list[tuple[str, object, str | None, bool | None]]:
    return [(c.name, c.arguments, c.result, c.is_error) for c in trajectory.calls()]


class TestSpans:
    def span(self, **attributes: JsonValue) -> dict[str, JsonValue]:
        named: dict[str, JsonValue] = {key.replace("__", "."): value for key, value in attributes.items()}
        return {"name": "x", "start_time": "2026-01-01T00:00:00Z", "status": {}, "attributes": named}

    def test_definitions_of_tools_are_no_calls(self) -> None:
        document = [self.span(gen_ai__operation__name="chat", gen_ai__tool__definitions='[{"name": "t"}]')]
        trajectory = load(document)
        assert trajectory.calls() == ()
        assert any("no messages" in warning for warning in trajectory.warnings)

    def test_arguments_that_were_not_captured_are_unknown(self) -> None:
        document = [self.span(gen_ai__operation__name="execute_tool", gen_ai__tool__name="t")]
        trajectory = load(document)
        assert told(trajectory) == [("t", None, None, None)]
        assert trajectory.calls()[0].arguments_error is None
        assert any("no arguments" in warning for warning in trajectory.warnings)

    def test_messages_of_the_agents_span_serve_where_no_model_span_has_any(self) -> None:
        messages = [{"role": "assistant", "parts": [{"type": "text", "content": "Hi."}]}]
        document = [
            self.span(gen_ai__operation__name="chat"),
            self.span(gen_ai__operation__name="invoke_agent", gen_ai__output__messages=json.dumps(messages)),
        ]
        assert load(document).final_text() == "Hi."

    def test_one_list_of_question_and_answers_on_the_agents_span(self) -> None:
        messages: list[JsonValue] = [
            {"role": "user", "parts": [{"type": "text", "content": "Hi"}]},
            {
                "role": "assistant",
                "parts": [{"type": "tool_call", "id": "a", "name": "t", "arguments": {"n": 1}}],
            },
            {"role": "user", "parts": [{"type": "tool_call_response", "id": "a", "result": "A"}]},
            {"role": "assistant", "parts": [{"type": "text", "content": "Hi."}]},
        ]
        span = self.span()
        span["attributes"] = {
            "gen_ai.operation.name": "invoke_agent",
            "pydantic_ai.all_messages": json.dumps(messages),
        }
        trajectory = load([span])
        assert told(trajectory) == [("t", {"n": 1}, "A", None)]
        assert [m.text for m in trajectory.messages] == ["Hi", "", "Hi."]

    def test_events_of_the_older_conventions(self) -> None:
        span = self.span(gen_ai__system="x", gen_ai__operation__name="chat")
        call = {"id": "a", "function": {"name": "t", "arguments": '{"n": 1}'}}
        span["events"] = [
            {"name": "gen_ai.user.message", "attributes": {"content": "Hi"}},
            {
                "name": "gen_ai.choice",
                "attributes": {
                    "message": json.dumps({"role": "assistant", "content": "", "tool_calls": [call]})
                },
            },
        ]
        trajectory = load([span])
        assert [m.text for m in trajectory.messages] == ["Hi", ""]
        assert told(trajectory) == [("t", {"n": 1}, None, None)]

    def test_parameters_of_an_openinference_tool_are_a_schema(self) -> None:
        document = [
            self.span(
                openinference__span__kind="TOOL",
                tool__name="t",
                tool__parameters='{"type": "object"}',
                input__value='{"n": 1}',
                output__value="A",
            )
        ]
        assert told(load(document)) == [("t", {"n": 1}, "A", None)]


class TestLangSmith:
    def test_the_roots_messages_count_and_errors_come_from_the_runs(self) -> None:
        def run(
            i: str, kind: str, inputs: JsonValue, outputs: JsonValue, **more: JsonValue
        ) -> dict[str, JsonValue]:
            return {
                "id": i,
                "run_type": kind,
                "name": "t",
                "trace_id": "r",
                "dotted_order": i,
                "inputs": inputs,
                "outputs": outputs,
                **more,
            }

        call: JsonValue = {"name": "t", "args": {"n": 1}, "id": "a"}
        messages: JsonValue = [
            {"type": "human", "content": "Hi"},
            {"type": "ai", "content": "", "tool_calls": [call]},
            {"type": "tool", "content": "oops", "tool_call_id": "a"},
            {"type": "ai", "content": "Sorry."},
        ]
        tool = run("r.1", "tool", {"input": "{'n': 1}"}, None, error="ToolException")
        other = run("r.2", "tool", {"x": 1}, {"output": "?"})
        root = run("r", "chain", {}, {"messages": messages}, child_runs=[tool, {**other, "name": "inner"}])
        trajectory = load(root)
        assert told(trajectory) == [("t", {"n": 1}, "ToolException", True)]
        assert trajectory.final_text() == "Sorry."
        assert any("none of the root's calls" in warning for warning in trajectory.warnings)


class TestAtif:
    def test_what_is_left_out_is_told(self) -> None:
        document: JsonValue = {
            "schema_version": "ATIF-v1.8",
            "steps": [{"step_id": 1, "source": "agent", "message": "Hi."}],
            "subagent_trajectories": [{"subagent_trajectories": [{}]}],
            "continued_trajectory_ref": "next.json",
        }
        trajectory = load(document)
        assert trajectory.final_text() == "Hi."
        assert len(trajectory.warnings) == 2

    def test_sub_agents_are_kept_where_they_were_called(self) -> None:
        def step(number: int, message: str, *tools: str, ref: str = "") -> JsonValue:
            calls: list[JsonValue] = [
                {"tool_call_id": f"{message}-{tool}", "function_name": tool, "arguments": {}}
                for tool in tools
            ]
            results: list[JsonValue] = [
                {
                    "source_call_id": f"{message}-{tool}",
                    "content": f"{tool} said",
                    "subagent_trajectory_ref": [{"session_id": ref}] if ref else None,
                }
                for tool in tools
            ]
            return {
                "step_id": number,
                "source": "agent",
                "message": message,
                "tool_calls": calls,
                "observation": {"results": results},
            }

        def sub(name: str, ident: str) -> JsonValue:
            asked: JsonValue = {"step_id": 1, "source": "user", "message": "Look."}
            return {
                "session_id": ident,
                "agent": {"name": name},
                "steps": [asked, step(2, name, f"{name}-tool")],
            }

        document: JsonValue = {
            "schema_version": "ATIF-v1.8",
            "agent": {"name": "desk"},
            "steps": [step(1, "one", "ask", ref="s1"), step(2, "two", "pay"), step(3, "Done.")],
            "subagent_trajectories": [sub("second", "s2"), sub("first", "s1")],
        }
        trajectory = load(document)
        assert [(c.name, c.agent, c.result) for c in trajectory.calls()] == [
            ("ask", "desk", "ask said"),
            ("first-tool", "first", "first-tool said"),
            ("pay", "desk", "pay said"),
            ("second-tool", "second", "second-tool said"),
        ]
        assert trajectory.final_text() == "Done."
        assert all(message.text != "Look." for message in trajectory.messages)


class TestInspect:
    def test_calls_that_could_not_be_parsed_are_malformed(self) -> None:
        call: JsonValue = {"id": "a", "function": "t", "arguments": {}, "parse_error": "Expecting value"}
        sample = {
            "id": 1,
            "epoch": 1,
            "messages": [{"role": "assistant", "content": "", "tool_calls": [call]}],
        }
        (read,) = load(sample).calls()
        assert read.arguments is None
        assert read.arguments_error == "malformed: Expecting value"


class TestPydanticAI:
    def test_outcomes_and_prompts_to_try_again(self) -> None:
        calls: list[JsonValue] = [
            {"part_kind": "tool-call", "tool_name": "t", "args": None, "tool_call_id": i} for i in "abc"
        ]
        returns: list[JsonValue] = [
            {"part_kind": "tool-return", "content": {"x": 1}, "tool_call_id": "a", "outcome": "retried"},
            {"part_kind": "tool-return", "content": "B", "tool_call_id": "b"},
            {"part_kind": "retry-prompt", "content": [{"msg": "bad"}], "tool_name": "t", "tool_call_id": "c"},
            {"part_kind": "retry-prompt", "content": "Answer, please."},
        ]
        trajectory = load([{"kind": "response", "parts": calls}, {"kind": "request", "parts": returns}])
        assert told(trajectory) == [
            ("t", None, '{"x":1}', True),
            ("t", None, "B", None),
            ("t", None, '[{"msg":"bad"}]', True),
        ]
        assert trajectory.messages[-1].text == "Answer, please."

    def test_built_in_tools_run_at_the_server_and_made_up_results_are_told(self) -> None:
        trajectory = load([
            {
                "kind": "response",
                "parts": [
                    {"part_kind": "builtin-tool-call", "tool_name": "web", "args": '{"q":"x"}', "tool_call_id": "a"},
                    {"part_kind": "builtin-tool-return", "content": "found", "tool_call_id": "a"},
                    {"part_kind": "tool-call", "tool_name": "t", "args": {}, "tool_call_id": "b"},
                ],
            },
            {
                "kind": "request",
                "parts": [
                    {
                        "part_kind": "tool-return",
                        "content": "Tool not executed",
                        "tool_call_id": "b",
                        "metadata": {"pydantic_ai_synthesized_tool_return": True},
                    }
                ],
            },
        ])  # fmt: skip
        assert [(call.name, call.executor) for call in trajectory.calls()] == [
            ("web", "server"),
            ("t", "client"),
        ]
        assert [call.result for call in trajectory.calls()] == ["found", "Tool not executed"]
        assert any("made up" in warning for warning in trajectory.warnings)


class TestTau2:
    def test_several_results_in_one_message_and_calls_of_the_user(self) -> None:
        trajectory = load({
            "task_id": "1",
            "termination_reason": "user_stop",
            "messages": [
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": i, "name": f"t{i}", "arguments": {}} for i in "ab"],
                },
                {
                    "role": "tool",
                    "tool_messages": [
                        {"role": "tool", "id": "b", "content": "B", "error": True},
                        {"role": "tool", "id": "a", "content": "A", "error": False},
                    ],
                },
                {
                    "role": "user",
                    "content": "",
                    "tool_calls": [{"id": "c", "name": "reboot", "arguments": {}, "requestor": "user"}],
                },
                {"role": "tool", "id": "c", "content": "done", "requestor": "user"},
                {"role": "assistant", "content": "Bye."},
            ],
        })  # fmt: skip
        assert told(trajectory) == [("ta", {}, "A", False), ("tb", {}, "B", True)]
        assert trajectory.final_text() == "Bye."
        assert any("simulated user" in warning for warning in trajectory.warnings)
