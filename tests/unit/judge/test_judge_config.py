"""What a person may write under `judge:`, which metrics that makes, and what may gate."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from gatebot.commands.judge_policy import judge_in_force
from gatebot.errors import ConfigError
from gatebot.judge.rubric import panel_digest, rubrics_of
from gatebot.model.config import Config
from gatebot.model.json_value import JsonValue
from gatebot.model.judge import JudgeConfig
from gatebot.model.metric import METRICS, in_table_order, is_judge_metric

TONE: JsonValue = {"name": "tone", "ask": "Is the answer polite?"}


def config(judge: JsonValue, metrics: JsonValue, **more: JsonValue) -> Config:
    return Config.model_validate(
        {"version": 1, "suite": "s", "agent": "oracle", "judge": judge, "gate": {"metrics": metrics}, **more}
    )


@pytest.mark.parametrize(
    ("judge", "told"),
    [
        ({"rubrics": []}, "at least 1"),
        ({"rubrics": ["tone"]}, "trajectory"),
        ({"rubrics": ["trajectory", "trajectory"]}, "judged twice"),
        ({"rubrics": [3]}, "built-in rubric's name"),
        ({"rubrics": [{"name": "a b", "ask": "Is it polite?"}]}, "pattern"),
        ({"rubrics": [{"name": "a", "ask": "Is it polite?", "choices": {"x": 1}}]}, "two values"),
        ({"rubrics": [{"name": "a", "ask": "Is it polite?", "choices": {"x": 2, "y": 0}}]}, "in \\[0, 1\\]"),
        ({"panel": ["claude-sonnet-4-6"]}, "twice"),
        ({"panel": ["a", "b"], "samples": 3}, "more than six"),
        ({"cache": "/tmp/x"}, "beside the results"),
        ({"cache": "a/../../x"}, "beside the results"),
        ({"base_url": "ftp://x"}, "pattern"),
        ({"temperature": 0}, "unknown key"),
        ({"calibration": {"judge_x": {"agreement": 1, "rubric": "0" * 16, "examples": 1}}}, "not judged"),
    ],
)
def test_mistakes(judge: JsonValue, told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        JudgeConfig.model_validate(judge)


def test_rubrics_make_metrics() -> None:
    made = JudgeConfig.model_validate({"rubrics": ["questions", TONE]})
    assert made.metrics == ("judge_questions", "judge:tone") == tuple(r.metric for r in rubrics_of(made))


def test_the_metric_table_knows_rubrics_of_ones_own() -> None:
    assert METRICS["judge:tone"].scale == "unit"
    assert "judge:tone" not in list(METRICS)
    assert "judge:" not in METRICS
    assert "judge:a b" not in METRICS
    assert METRICS.get("other") is None
    names = {"judge:z", "judge:a", "judge_trajectory", "tokens", "pass_rate", "nonsense"}
    assert in_table_order(names) == ["pass_rate", "tokens", "judge_trajectory", "judge:a", "judge:z"]
    assert is_judge_metric("judge:a")
    assert is_judge_metric("judge_grounding")
    assert not is_judge_metric("grounded")


def test_what_gates_must_be_judged() -> None:
    with pytest.raises(ValidationError, match="nothing judges it"):
        config(None, {"judge_trajectory": None})
    with pytest.raises(ValidationError, match="nothing judges it"):
        config({"rubrics": ["trajectory"]}, {"judge:tone": None})
    assert (
        config({"rubrics": [TONE]}, {"judge:tone": {"margin": 0.2}}).gate.metrics["judge:tone"].margin == 0.2
    )


def calibrated(agreement: float, *, floor: float = 0.6, digest: str = "") -> Config:
    plain = JudgeConfig(agreement_floor=floor)
    (rubric,) = rubrics_of(plain)
    entry: JsonValue = {
        "agreement": agreement,
        "rubric": digest or panel_digest(rubric, plain),
        "examples": 30,
    }
    judge: JsonValue = {"agreement_floor": floor, "calibration": {"judge_trajectory": entry}}
    return config(judge, {"pass_rate": None, "judge_trajectory": None})


def test_a_calibrated_metric_gates_on_fixed_seeds() -> None:
    made, notes = judge_in_force(calibrated(0.7))
    assert set(made.gate.metrics) == {"pass_rate", "judge_trajectory"}
    assert (made.seeds.max, made.seeds.fixed) == (None, 10)
    assert "10 seeds and there is one look" in notes[0]


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (calibrated(0.59), "below the floor"),
        (calibrated(0.9, digest="0" * 16), "another rubric"),
        (config({}, {"pass_rate": None, "judge_trajectory": None}), "not calibrated"),
    ],
)
def test_any_other_informs_and_leaves_the_seeds_alone(made: Config, why: str) -> None:
    in_force, (note,) = judge_in_force(made)
    assert set(in_force.gate.metrics) == {"pass_rate"}
    assert in_force.seeds.max == 10
    assert why in note


def test_without_a_floor_no_calibration_is_asked_for() -> None:
    made = config({"agreement_floor": 0}, {"judge_trajectory": None})
    assert set(judge_in_force(made)[0].gate.metrics) == {"judge_trajectory"}


def test_a_gate_without_metrics_is_refused() -> None:
    with pytest.raises(ConfigError, match="nothing is left"):
        judge_in_force(config({}, {"judge_trajectory": None}))
