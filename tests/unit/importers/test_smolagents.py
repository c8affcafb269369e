"""smolagents: what a step observed, and the tools that a CodeAgent calls inside its code."""

from __future__ import annotations

import pytest

from gatebot.importers.detect import load
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Trajectory


def told(trajectory: Trajectory) -> list[tuple[str, object, str | None, bool | None]]:
    return [(c.name, c.arguments, c.result, c.is_error) for c in trajectory.calls()]


class TestSmolagents:
    def code_step(self, code: str, **more: JsonValue) -> dict[str, JsonValue]:
        """A step of a CodeAgent."""
        call: JsonValue = {"id": "a", "function": {"name": "python_interpreter", "arguments": code}}
        return {
            "step_number": 1,
            "timing": {"start_time": 1.0, "end_time": 2.0},
            "tool_calls": [call],
            **more,
        }

    def test_code_agents_call_tools_inside_code(self) -> None:
        step = self.code_step(
            "import json\nplace = track(parcel='P-7')\nprint(json.dumps(place))\nfinal_answer(place)",
            observations="Bonn",
            error=None,
            action_output="Bonn",
            is_final_answer=True,
        )
        trajectory = load([{"task": "Where?"}, step])
        assert told(trajectory) == [("track", {"parcel": "P-7"}, "Bonn", False)]
        assert trajectory.final_text() == "Bonn"

    def test_calls_inside_calls_come_first_and_values_that_are_computed_are_unknown(self) -> None:
        step = self.code_step("n = 2\nforecast(city=locate('P-7'), days=n)\nnote(text='a', tags=['x', 1])")
        calls = load([step]).calls()
        assert [(c.name, c.arguments) for c in calls] == [
            ("locate", None),
            ("forecast", None),
            ("note", {"text": "a", "tags": ["x", 1]}),
        ]
        assert calls[1].raw_arguments == "forecast(city=locate('P-7'), days=n)"

    @pytest.mark.parametrize(
        "code",
        [
            "for n in range(3):\n    track(parcel=n)",
            "if ok:\n    track(parcel='P-7')",
            "def look():\n    return track(parcel='P-7')",
            "[track(parcel=n) for n in (1, 2)]",
            "track(",
            "(" * 5_000,
            "-" * 50_000 + "1",
            "a." * 20_000 + "b",
            "x" * 200_000,
        ],
    )
    def test_code_whose_calls_cannot_be_counted_stays_one_call(self, code: str) -> None:
        trajectory = load([self.code_step(code)])
        (call,) = trajectory.calls()
        assert (call.name, call.arguments) == ("python_interpreter", {"code": code})
        assert any("cannot be counted" in warning for warning in trajectory.warnings)

    def test_names_that_earlier_code_made_are_no_tools(self) -> None:
        first = self.code_step("def look(x):\n    return x\nfrom math import sqrt")
        second = self.code_step("look(1)\nsqrt(4)\ntrack(parcel='\\d')")
        assert [call.name for call in load([first, second]).calls()] == ["track"]

    @pytest.mark.parametrize(
        "value", ["1e999", "-1e999", "9" * 400, "'\\ud800'", "{1, 2}", "{1: 2}", "b'x'", "1j"]
    )
    def test_values_that_json_does_not_know_are_unknown(self, value: str) -> None:
        (call,) = load([self.code_step(f"track(parcel={value})")]).calls()
        assert (call.name, call.arguments) == ("track", None)

    def test_observations_of_several_calls_are_shared_out_where_they_are_as_many(self) -> None:
        calls: list[JsonValue] = [{"id": i, "function": {"name": "t", "arguments": {"n": i}}} for i in "ab"]
        step: dict[str, JsonValue] = {
            "step_number": 1,
            "timing": {},
            "tool_calls": calls,
            "error": None,
            "observations": "A\nB",
        }
        assert [c.result for c in load([step]).calls()] == ["A", "B"]
        assert [c.result for c in load([{**step, "observations": "A\nA\nB"}]).calls()] == ["A\nA\nB"] * 2
