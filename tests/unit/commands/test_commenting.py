"""The diffs that go with a report: of the cases that fail, and of those that got worse without failing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gatebot.commands.commenting import case_diffs
from gatebot.model.config import Config
from gatebot.model.score import Score
from gatebot.model.suite import Case, Suite
from gatebot.model.trial import Side, Trial, TrialKey
from tests.unit.core.grades import Trials, gate_of, reported, suite_of
from tests.unit.render.trajectories import call, trajectory


def test_a_case_that_lost_another_metric_gets_its_diff() -> None:
    passes = suite_of(12, "11111")
    scores: dict[tuple[str, Side], list[dict[str, Score]]] = {}
    for number, case in enumerate(passes):
        scores[case, "base"] = [{"convergence": Score(1.0)}] * 5
        scores[case, "head"] = [{"convergence": Score(1.0 if number < 6 else 0.9 - 0.05 * number)}] * 5
    report = reported(Trials(passes, passes, scores), gate_of("pass_rate", "convergence"))
    config = Config.model_validate({"version": 1, "suite": "s", "agent": {"command": ["x"]}})
    suite = Suite(config, tuple(Case(case, f"golden/{case}.yaml", ("hello",)) for case in passes))

    def some(wanted: Callable[[TrialKey], bool]) -> Iterator[Trial]:
        sides: tuple[Side, ...] = ("base", "head")
        for case in passes:
            for side in sides:
                if wanted(TrialKey(case, side, 1)):
                    made = trajectory(call("look"), *([call("again")] if side == "head" else []))
                    yield Trial(case, side, 1, 1, "completed", trajectory=made)

    diffs = case_diffs(report, suite, some)
    assert sorted(diffs) == [f"case-{number:03}" for number in (7, 8, 9, 10, 11)]
    assert all(diff.lines for diff in diffs.values())
