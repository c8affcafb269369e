"""Time and memory of one full decision: 500 cases, 10 slots a side, 8 gating metrics; goal 1 s and 200 MB after imports."""

import resource
import sys
import time

import numpy as np

from gatebot.core.course import course_of
from gatebot.core.decide import decide
from gatebot.core.evidence import Evidence
from gatebot.model.config import Gate, MetricGate
from gatebot.model.plan import Digests, Plan, Round, SideInfo
from gatebot.model.score import Grade, Score
from gatebot.model.trial import SIDES, TrialKey

CASES, SLOTS = 500, 10
GOAL_S, GOAL_MB = 1.0, 200.0
NAMES = (
    "pass_rate",
    "trajectory_match",
    "param_accuracy",
    "convergence",
    "tool_selection",
    "grounded",
    "tokens",
    "tool_calls",
)


def grades() -> list[Grade]:
    generator = np.random.default_rng(1)
    found: list[Grade] = []
    for case in range(CASES):
        rate = float(generator.beta(5, 0.5))
        for side in SIDES:
            for slot in range(1, SLOTS + 1):
                passed = bool(generator.random() < rate)
                values = (
                    float(passed),
                    float(passed or generator.random() < 0.5),
                    *(float(value) for value in generator.beta(8, 2, 4)),
                    float(generator.lognormal(7, 0.3)),
                    float(1 + generator.poisson(4)),
                )
                scores = {name: Score(value) for name, value in zip(NAMES, values, strict=True)}
                if not passed and slot % 3 == 0:
                    scores["convergence"] = Score(None, "fewer steps than the optimum")
                found.append(Grade(f"case-{case:03}", side, slot, "completed", passed, scores=scores))
    return found


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    gate = Gate(metrics={name: MetricGate() for name in NAMES})
    side = SideInfo("0" * 40, "t", "x")
    keys = tuple(
        TrialKey(f"case-{c:03}", s, k) for k in range(1, SLOTS + 1) for c in range(CASES) for s in SIDES
    )
    plan = Plan("gate", "bench", Digests("r", "g", "p", "a"), side, side, SLOTS, (Round(1, keys),))
    evidence = Evidence(frozenset(keys), frozenset(key.case for key in keys))
    for grade in grades():
        evidence.add(grade)
    course = course_of(plan, gate)
    before, started, used = peak_mb(), time.perf_counter(), time.process_time()
    decision = decide(evidence, gate, course)
    seconds, grown = time.process_time() - used, peak_mb() - before
    wall = time.perf_counter() - started
    print(f"{CASES} cases x {SLOTS} slots x {len(NAMES)} gating metrics: {decision.conclusion}")
    print(
        f"{seconds:.2f} s of CPU, {wall:.2f} s on this machine now (goal {GOAL_S} s), {grown:.0f} MB more than before (goal {GOAL_MB:.0f} MB)"
    )
    return 0 if seconds < GOAL_S and grown < GOAL_MB else 1


if __name__ == "__main__":
    sys.exit(main())
