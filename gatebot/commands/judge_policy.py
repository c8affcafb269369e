"""Which judge metrics may close the gate: calibrated ones, with a fixed number of seeds."""

from __future__ import annotations

from gatebot.errors import ConfigError
from gatebot.judge.rubric import panel_digest, rubrics_of
from gatebot.model.config import Config, Seeds
from gatebot.model.judge import JudgeConfig
from gatebot.model.metric import is_judge_metric


def judge_in_force(config: Config) -> tuple[Config, tuple[str, ...]]:
    """The configuration without judge metrics that may only inform, and a note on each of those.

    Where a judge metric gates, `seeds: {max: n}` becomes `{fixed: n}`: the gate cannot look before the judge has spoken.
    Raises ConfigError when nothing would be left to close the gate.
    """
    judge = config.judge
    if judge is None:
        return config, ()
    reasons = {name: _may_only_inform(name, judge) for name in config.gate.metrics if is_judge_metric(name)}
    notes = tuple(f"{name} informs and does not gate: {why}." for name, why in reasons.items() if why)
    kept = {name: gate for name, gate in config.gate.metrics.items() if not reasons.get(name)}
    if not kept:
        name = next(iter(reasons))
        raise ConfigError(
            f"nothing is left to close the gate: {name} may only inform, since {reasons[name]}",
            "let another metric gate too, or calibrate the judge: `gatebot judge calibrate`",
        )
    if notes:
        config = config.model_copy(update={"gate": config.gate.model_copy(update={"metrics": kept})})
    most = config.seeds.max
    if any(name in kept for name in reasons) and most is not None:
        config = config.model_copy(update={"seeds": Seeds(fixed=most)})
        fixed = f"A judge metric gates, so every case runs {most} seeds and there is one look at the end."
        notes = (*notes, fixed)
    return config, notes


def _may_only_inform(metric: str, judge: JudgeConfig) -> str:
    """Why a judge metric may not gate, or an empty string."""
    if judge.agreement_floor == 0:
        return ""
    found = judge.calibration.get(metric)
    if found is None:
        return "it is not calibrated"
    rubric = next(rubric for rubric in rubrics_of(judge) if rubric.metric == metric)
    if found.rubric != panel_digest(rubric, judge):
        return "it was calibrated with another rubric or other models"
    if found.agreement < judge.agreement_floor:
        return f"its agreement with people, {found.agreement:.2f}, is below the floor of {judge.agreement_floor:g}"
    return ""
