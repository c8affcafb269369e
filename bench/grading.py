"""Grading speed: our matcher and full grade against agentevals, at 6, 50 and 500 messages; ten thousand trials.

Run `python -m bench.grading`. Trajectories are already normalised records for us and clean OpenAI messages for the library.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from gatebot.graders.agentevals_engine import Engine, golden_messages, messages_of
from gatebot.graders.arguments import ArgumentRule
from gatebot.graders.grade import CaseGrader
from gatebot.graders.reference import prepare
from gatebot.graders.steps import gather
from gatebot.graders.trajectory import judge
from gatebot.model.case import AnswerExpectation, Expect
from gatebot.model.config import TrajectoryDefault
from gatebot.model.json_value import JsonValue
from gatebot.model.suite import Case, ExpectedCall, Reference
from gatebot.model.trajectory import Message, ToolCall, Trajectory, Usage
from gatebot.model.trial import Timing, Trial

SIZES = (6, 50, 500)
TRIALS = 10_000
TOOLS = ("get_user", "search_flights", "book_flight", "get_order", "update_order", "refund")


def arguments(draw: random.Random) -> dict[str, JsonValue]:
    return {
        "user_id": f"user_{draw.randrange(50)}",
        "query": " ".join(draw.choice(("direct", "cheap", "morning", "blue")) for _ in range(6)),
        "amount": draw.randrange(500),
        "confirm": draw.random() < 0.5,
    }


def made_case(messages: int, draw: random.Random) -> Case:
    """A case whose golden has one call per two messages, as a message pair of call and result has."""
    calls = tuple(
        ExpectedCall(draw.choice(TOOLS), arguments(draw), group)
        for group in range(max(1, (messages - 2) // 2))
    )
    expect = Expect(
        answer=AnswerExpectation(contains="done"), forbid=("delete_account",), require=(calls[0].name,)
    )
    return Case(
        "case", "golden/case.yaml", ("please",), expect=expect, references=(Reference(calls, "done"),)
    )


def made_trial(case: Case, slot: int, draw: random.Random) -> Trial:
    """A run of the golden in which every second trial has an edit: a wrong argument, a repeated or a missing call."""
    calls = [
        ToolCall(f"c{i}", call.name, dict(call.arguments or {}), result=f'{{"ok": {i}}}', is_error=False)
        for i, call in enumerate(case.references[0].calls or ())
    ]
    edit, place = draw.randrange(6), draw.randrange(len(calls))
    if edit == 0:
        calls[place] = ToolCall(
            "x", calls[place].name, {**(calls[place].arguments or {}), "amount": -1}, result="{}"
        )
    elif edit == 1:
        calls.insert(place, calls[place])
    elif edit == 2 and len(calls) > 1:
        del calls[place]
    turns = tuple(Message("assistant", calls=(call,)) for call in calls)
    whole = Trajectory((Message("user", "please"), *turns, Message("assistant", "all done")), "openai")
    return Trial(
        "case",
        "head",
        slot,
        1,
        "completed",
        trajectory=whole,
        answer="all done",
        usage=Usage(10, 5),
        timing=Timing(1.0),
    )


def per_second(work: Callable[[], object], items: int, seconds: float = 1.0) -> float:
    """Items per second, of whole repetitions for at least `seconds`."""
    begun, rounds = time.perf_counter(), 0
    while time.perf_counter() - begun < seconds:
        work()
        rounds += 1
    return items * rounds / (time.perf_counter() - begun)


def compare(messages: int) -> None:
    draw = random.Random(messages)  # noqa: S311 - figures, not secrets
    case = made_case(messages, draw)
    trials = [made_trial(case, slot, draw) for slot in range(max(4, 600 // messages))]
    golden = case.references[0].calls or ()
    reference = prepare(golden, {}, ArgumentRule())
    engine = Engine("agentevals", "superset", "exact")
    rendered, reference_messages = (
        [messages_of(trial.trajectory) for trial in trials],
        golden_messages(golden),
    )
    ours = [judge(reference, gather(trial.trajectory), "superset").passed for trial in trials]
    theirs = [engine.verdict(reference_messages, made) for made in rendered]
    assert ours == theirs, "verdicts differ"
    grader = CaseGrader(case, TrajectoryDefault())
    match = per_second(
        lambda: [judge(reference, gather(t.trajectory), "superset") for t in trials], len(trials)
    )
    grade = per_second(lambda: [grader.grade(trial) for trial in trials], len(trials))
    library = per_second(lambda: [engine.verdict(reference_messages, made) for made in rendered], len(trials))
    print(
        f"{messages:>4} messages: match {match:>9,.0f}/s, all metrics {grade:>8,.0f}/s, "
        f"agentevals {library:>6,.0f}/s: {match / library:.0f} x, {grade / library:.0f} x with all metrics"
    )


def ten_thousand() -> None:
    draw = random.Random(7)  # noqa: S311 - figures, not secrets
    cases = [made_case(50, draw) for _ in range(50)]
    graders = [(case, CaseGrader(case, TrajectoryDefault())) for case in cases]
    runs = [(grader, made_trial(case, slot, draw)) for slot in range(20) for case, grader in graders]
    begun, busy = time.perf_counter(), time.process_time()
    passed = 0
    for _ in range(TRIALS // len(runs)):
        passed += sum(grader.grade(trial).passed is True for grader, trial in runs)
    seconds, busy = time.perf_counter() - begun, time.process_time() - busy
    print(
        f"{TRIALS:,} trials of 50 messages on every metric: {seconds:.2f} s ({busy:.2f} s of CPU), "
        f"{passed:,} passed; reading not counted"
    )


def main() -> None:
    for messages in SIZES:
        compare(messages)
    ten_thousand()


if __name__ == "__main__":
    main()
