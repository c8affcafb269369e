"""What must hold of every decision, whatever the trials: symmetry, monotony, no matter of order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gatebot.core.course import course_of
from gatebot.core.decide import decide
from gatebot.core.decision import Decision
from gatebot.core.stats.drawing import generator_of
from gatebot.model.score import Score
from gatebot.model.trial import Side
from tests.unit.core.grades import Trials, decided, evidence_of, gate_of, plan_of, verdict_of

MIRROR = {"regressed": "improved", "improved": "regressed"}
unhurried = settings(deadline=None, max_examples=60)


@dataclass(frozen=True)
class Sides:
    """Pass patterns of both sides."""

    base: dict[str, str]
    head: dict[str, str]

    def trials(self) -> Trials:
        """As they are."""
        return Trials(self.base, self.head)

    def swapped(self) -> Trials:
        """Base for head."""
        return Trials(self.head, self.base)


@st.composite
def sides(draw: st.DrawFn) -> Sides:
    """Four to eight cases with five trials a side, from nearly equal to very different."""
    names = [f"case-{number}" for number in range(draw(st.integers(4, 8)))]
    pattern = st.lists(st.sampled_from("01"), min_size=5, max_size=5).map("".join)
    better = st.lists(st.sampled_from("0111"), min_size=5, max_size=5).map("".join)
    worse = st.lists(st.sampled_from("0001"), min_size=5, max_size=5).map("".join)
    base, head = draw(st.sampled_from([(pattern, pattern), (better, worse), (worse, better)]))
    return Sides({name: draw(base) for name in names}, {name: draw(head) for name in names})


def _mean_alone(trials: Trials) -> Decision:
    """Judged by the mean alone: single cases convict in one direction only, on purpose."""
    scores: dict[tuple[str, Side], list[dict[str, Score]]] = {}
    for side, patterns in (("base", trials.base), ("head", trials.head)):
        for case, pattern in patterns.items():
            scores[case, side] = [{"trajectory_match": Score(float(mark))} for mark in pattern]  # pyright: ignore[reportArgumentType]
    return decided(Trials(trials.base, trials.head, scores), gate_of("trajectory_match"))


@unhurried
@given(sides())
def test_swapping_the_sides_swaps_the_verdict(both: Sides) -> None:
    there = verdict_of(_mean_alone(both.trials()), "trajectory_match")
    back = verdict_of(_mean_alone(both.swapped()), "trajectory_match")
    if there in MIRROR or back in MIRROR:
        assert back == MIRROR[there]


@unhurried
@given(sides())
def test_a_gate_that_fails_one_way_does_not_fail_the_other_by_the_mean(both: Sides) -> None:
    reds = [_mean_alone(trials).conclusion == "fail" for trials in (both.trials(), both.swapped())]
    assert sum(reds) <= 1


@unhurried
@given(sides(), st.data())
def test_one_more_failure_of_the_head_never_weakens_the_evidence(both: Sides, data: st.DataObject) -> None:
    passing = [
        (case, place) for case, marks in both.head.items() for place, m in enumerate(marks) if m == "1"
    ]
    if not passing:
        return
    case, place = data.draw(st.sampled_from(passing))
    marks = both.head[case]
    worse = {**both.head, case: marks[:place] + "0" + marks[place + 1 :]}
    before, after = decided(both.trials()), decided(Trials(both.base, worse))
    assert after.looks[-1].smallest_p <= before.looks[-1].smallest_p + 1e-12
    if before.conclusion == "fail" and before.looks[-1].red and after.alpha == before.alpha:
        same_level = after.looks[-1].look.level >= before.looks[-1].look.level
        assert after.conclusion == "fail" or not same_level


@unhurried
@given(sides())
def test_names_and_order_of_cases_do_not_matter(both: Sides) -> None:
    names = list(both.base)
    renamed = dict(zip(names, reversed(names), strict=True))
    other = Trials(
        {renamed[name]: marks for name, marks in both.base.items()},
        {renamed[name]: marks for name, marks in both.head.items()},
    )
    one, two = decided(both.trials()), decided(other)
    assert (one.conclusion, one.looks[-1].smallest_p) == (two.conclusion, two.looks[-1].smallest_p)
    assert {renamed[case] for case in one.singles.regressed} == set(two.singles.regressed)


@unhurried
@given(sides())
def test_the_order_of_trials_within_a_case_does_not_matter(both: Sides) -> None:
    turned = Trials(both.base, {case: marks[::-1] for case, marks in both.head.items()})
    one, two = decided(both.trials()), decided(turned)
    assert (one.conclusion, one.looks[-1].smallest_p) == (two.conclusion, two.looks[-1].smallest_p)


def test_p_is_super_uniform_at_the_first_look() -> None:
    """Nothing changed: a share of at most p has a p-value of at most p, within three standard errors."""
    gate = gate_of()
    course = course_of(plan_of(10, sequential=True, rounds=3), gate)
    found: list[float] = []
    for number in range(400):
        generator = generator_of(number)
        rates = generator.beta(0.5, 0.5, 12)
        marks = (generator.random((2, 12, 3)) < rates[None, :, None]).astype(int)
        patterns = [{f"c{i:02}": "".join(map(str, marks[side, i])) for i in range(12)} for side in (0, 1)]
        decision = decide(evidence_of(Trials(patterns[0], patterns[1])), gate, course)
        found.append(decision.looks[0].smallest_p)
    for level in (0.01, 0.05, 0.10, 0.20):
        bound = level + 3.0 * (level * (1 - level) / len(found)) ** 0.5
        assert float(np.mean(np.array(found) <= level)) <= bound
