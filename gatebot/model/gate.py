"""What closes the gate, as people write it: the mode, the error rate, the metrics with their margins and targets."""

from __future__ import annotations

import difflib
from typing import Literal

from pydantic import Field, field_validator

from gatebot.model.metric import METRICS
from gatebot.model.written import Written, mistake


class MetricGate(Written):
    """What one gating metric must hold."""

    margin: float | None = Field(
        default=None,
        gt=0,
        description="Drop the interval must exclude before we say unchanged: a difference for [0, 1] metrics and "
        "counts (default 0.10), a ratio above 1 for positive quantities (default 1.25).",
    )
    target: float | None = Field(default=None, description="Absolute target, judged on the head alone.")
    proof: bool = Field(default=False, description="Demand that the interval lies beyond the target.")
    inherited: Literal["warn", "fail"] = Field(
        default="warn", description="A missed target the base already misses: warn, or fail all the same."
    )
    min_effect: float = Field(default=0.0, ge=0, description="A red also needs a change at least this large.")


class Gate(Written):
    """What closes the gate."""

    mode: Literal["detect", "prove", "observe"] = Field(
        default="detect",
        description="detect: red on a proven regression. prove: red unless shown no worse. observe: never red.",
    )
    alpha: float = Field(
        default=0.05, gt=0, lt=0.5, description="Chance of a false red per pull request, one-sided."
    )
    scope: Literal["suite", "generalize"] = Field(
        default="suite", description="suite: these cases; generalize: cases like these (needs 10 or more)."
    )
    metrics: dict[str, MetricGate] = Field(
        default_factory=lambda: {"pass_rate": MetricGate()},
        description="Metrics that can close the gate, with margins and targets; all others inform.",
    )

    @field_validator("metrics", mode="before")
    @classmethod
    def _null_is_default(cls, value: object) -> object:
        if isinstance(value, dict):
            return {k: {} if v is None else v for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
        return value

    @field_validator("metrics")
    @classmethod
    def _known(cls, value: dict[str, MetricGate]) -> dict[str, MetricGate]:
        if not value:
            raise mistake("no metric gates: every pull request would pass", "name one, e.g. `pass_rate: {}`")
        for name, gate in value.items():
            metric = METRICS.get(name)
            if metric is None:
                near = difflib.get_close_matches(name, METRICS, n=1)
                hint = (
                    f"did you mean '{near[0]}'?" if near else f"known metrics: {', '.join(sorted(METRICS))}"
                )
                raise mistake(f"unknown metric '{name}'", hint, key=(name,))
            if gate.margin is not None and metric.scale == "ratio" and gate.margin <= 1:
                message = f"{name} is compared as a ratio: its margin must be above 1"
                raise mistake(message, "1.25 allows a quarter more", key=(name, "margin"))
            if gate.margin is not None and metric.scale in ("binary", "unit") and gate.margin >= 1:
                message = f"{name} lies in [0, 1]: its margin must be below 1"
                raise mistake(message, "0.10 is ten points", key=(name, "margin"))
            if gate.target is not None and metric.scale in ("binary", "unit") and not 0 <= gate.target <= 1:
                message = f"{name} lies in [0, 1]: so must its target"
                raise mistake(message, "0.90 is ninety per cent", key=(name, "target"))
        return value
