"""What may be told of a fork's recording: the whole table, and that the default lets nothing pass."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from gatebot.core.fork_verdict import RECORDED, told_of_fork
from gatebot.model.config import Forks
from gatebot.model.report import Conclusion, Report
from tests.unit.render.builders import green

LIVE_RUN = "Start a live run."
CONCLUSIONS: tuple[Conclusion, ...] = get_args(Conclusion)


def of(conclusion: Conclusion, mode: str = "detect") -> Report:
    return replace(green(), conclusion=conclusion, mode=mode, alerts=("one",))


@pytest.mark.parametrize("conclusion", CONCLUSIONS)
def test_by_default_nothing_a_fork_recorded_passes(conclusion: Conclusion) -> None:
    told = told_of_fork(of(conclusion), "live", LIVE_RUN)
    assert told.conclusion in ("fail", "not_evaluated")
    assert (told.conclusion == "fail") == (conclusion == "fail")
    assert LIVE_RUN in told.advice
    assert told.alerts == (RECORDED, "one")


@pytest.mark.parametrize("conclusion", CONCLUSIONS)
def test_a_base_that_trusts_recordings_changes_no_conclusion(conclusion: Conclusion) -> None:
    told = told_of_fork(of(conclusion), "recorded", LIVE_RUN)
    assert told.conclusion == conclusion
    assert told.alerts[0] == RECORDED
    assert (LIVE_RUN in told.advice) == (conclusion in ("fail", "not_evaluated"))


@pytest.mark.parametrize("forks", get_args(Forks))
def test_observe_mode_closes_nothing_for_forks_either(forks: Forks) -> None:
    observed = replace(of("pass", "observe"), would_have="fail")
    told = told_of_fork(observed, forks, LIVE_RUN)
    assert (told.conclusion, told.would_have) == ("pass", "fail")


def test_the_reason_says_what_the_recording_shows() -> None:
    assert "shows no drop," in told_of_fork(of("pass"), "live", LIVE_RUN).reason
    assert "does not exclude one" in told_of_fork(of("inconclusive"), "live", LIVE_RUN).reason
