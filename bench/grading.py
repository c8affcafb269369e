"""Grading speed: our matcher and full grade against agentevals, at 6, 50 and 500 messages; ten thousand trials.

Run `python -m bench.grading`. In the comparison trajectories are normalised records for us and clean OpenAI
messages for the library, which then need not be converted; the ten thousand are read from disk.
"""

from __future__ import annotations

import random
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from gatebot.graders.agentevals_engine import Engine, golden_messages, messages_of
from gatebot.graders.arguments import ArgumentRule
from gatebot.graders.grade import CaseGrader
from gatebot.graders.reference import prepare
from gatebot.graders.steps import gather
from gatebot.graders.tool_schemas import ToolSchemas
from gatebot.graders.trajectory import judge
from gatebot.model.case import AnswerExpectation, Expect, StateExpectation
from gatebot.model.config import TrajectoryDefault
from gatebot.model.grading import ToolSchema
from gatebot.model.json_value import JsonValue
from gatebot.model.suite import Case, ExpectedCall, Reference
from gatebot.model.trajectory import Message, ToolCall, Trajectory, Usage
from gatebot.model.trial import Timing, Trial
from gatebot.results.journal import read_trials
from gatebot.results.trial_line import encode_trial

SIZES = (6, 50, 500)
TRIALS = 10_000
LONG = 50_000
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
        answer=AnswerExpectation(contains="done", similar=True),
        state=StateExpectation(),
        forbid=("delete_account",),
        require=(calls[0].name,),
    )
    reference = Reference(calls, "all done", {"balance": 7}, (("agent", "tools"),))
    return Case("case", "golden/case.yaml", ("please",), expect=expect, references=(reference,))


def made_trial(case: Case, slot: int, draw: random.Random) -> Trial:
    """A run of the golden in which every second trial has an edit: a wrong argument, a repeated or a missing call."""
    calls = [
        ToolCall(
            f"c{i}",
            call.name,
            dict(call.arguments or {}),
            result=f'{{"ok": {i}}}',
            is_error=False,
            started_at=float(i),
            ended_at=i + 0.5,
        )
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
    whole = Trajectory(
        (Message("user", "please"), *turns, Message("assistant", "all done")),
        "openai",
        graph=(("agent", "tools"),),
    )
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
    """Items per second of CPU (others may be using it), of whole repetitions for at least `seconds`."""
    begun, rounds = time.process_time(), 0
    while time.process_time() - begun < seconds:
        work()
        rounds += 1
    return items * rounds / (time.process_time() - begun)


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


def resident_mb() -> float:
    """Memory of this process now, in MB; what the system does not tell is 0."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * resource.getpagesize() / 1e6


def written(folder: Path) -> tuple[list[Case], Path]:
    """Fifty cases and a trials.jsonl with ten thousand trials of them, of 50 messages each."""
    draw = random.Random(7)  # noqa: S311 - figures, not secrets
    cases = [replace(made_case(50, draw), id=f"case-{number}") for number in range(50)]
    path = folder / "trials.jsonl"
    with path.open("wb") as file:
        for slot in range(TRIALS // len(cases)):
            for case in cases:
                made = made_trial(case, slot, draw)
                file.write(encode_trial(replace(made, case=case.id, state={"balance": 7})))
    return cases, path


def ten_thousand() -> None:
    """Read and grade on every deterministic metric, streaming, as a gate does."""
    schema: ToolSchema = {
        "type": "object",
        "properties": {"amount": {"type": "integer"}},
        "required": ["user_id"],
    }
    with tempfile.TemporaryDirectory() as folder:
        cases, path = written(Path(folder))
        size = path.stat().st_size / 1e6
        schemas = ToolSchemas(dict.fromkeys(TOOLS, schema))
        graders = {case.id: CaseGrader(case, TrajectoryDefault(), schemas) for case in cases}
        begun, busy = time.perf_counter(), time.process_time()
        passed, early, metrics = 0, 0.0, set[str]()
        for number, trial in enumerate(read_trials(path), start=1):
            grade = graders[trial.case].grade(trial)
            passed += grade.passed is True
            metrics.update(grade.scores)
            if number == TRIALS // 10:
                early = resident_mb()
        seconds, busy = time.perf_counter() - begun, time.process_time() - busy
    print(
        f"{TRIALS:,} trials of 50 messages ({size:.0f} MB) read and graded on {len(metrics)} metrics: {seconds:.2f} s "
        f"({busy:.2f} s of CPU), {passed:,} passed; {early:.0f} MB after a tenth, {resident_mb():.0f} MB at the end"
    )


def one_long() -> None:
    """Grade one hostile trial: so many calls, all different, against a golden of two hundred."""
    draw = random.Random(5)  # noqa: S311 - figures, not secrets
    case = made_case(402, draw)
    calls = [
        ToolCall(f"c{number}", draw.choice(TOOLS), arguments(draw), result="{}", is_error=number % 50 == 0)
        for number in range(LONG)
    ]
    whole = Trajectory(tuple(Message("assistant", calls=(call,)) for call in calls), "openai")
    trial = Trial("case", "head", 1, 1, "completed", trajectory=whole, answer="all done")
    begun = time.process_time()
    grade = CaseGrader(case, TrajectoryDefault()).grade(trial)
    seconds = time.process_time() - begun
    faults = sum(score.fault for score in grade.scores.values())
    print(
        f"one trial of {LONG:,} calls graded in {seconds:.2f} s of CPU, {faults} scores refused as too many"
    )


def main() -> None:
    for messages in SIZES:
        compare(messages)
    ten_thousand()
    one_long()


if __name__ == "__main__":
    main()
