"""The pool: every trial once, only infrastructure faults again, and an end to everything when told to stop."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import PurePath

import pytest

from gatebot.errors import Cancelled, InfrastructureError
from gatebot.model.suite import Case
from gatebot.model.trajectory import Usage
from gatebot.model.trial import SIDES, Side, Status, Trial, TrialKey
from gatebot.ports import SideEnvironment, TrialTask
from gatebot.runner.budget import Bounds
from gatebot.runner.pool import Audience, Lane, TrialRunner
from gatebot.runner.progress import Progress
from gatebot.runner.schedule import seed_for

Behaviour = Callable[[TrialTask, int], Trial]


def task(slot: int, side: Side = "head", case: str = "a") -> TrialTask:
    key = TrialKey(case, side, slot)
    return TrialTask(Case(case, f"golden/{case}.yaml", ("hi",)), key, seed_for(case, slot), 1, 10.0)


def ended(one: TrialTask, status: Status = "completed", reason: str = "", usd: float | None = None) -> Trial:
    return Trial(*one.key, one.seed, status, reason=reason, usage=Usage(cost_usd=usd))


def completes(one: TrialTask, _attempt: int) -> Trial:
    return ended(one)


class CountingAgent:
    """Behaves as told, and counts how often it ran each trial and how many ran at once."""

    def __init__(self, behaviour: Behaviour = completes) -> None:
        self._behaviour = behaviour
        self._lock = threading.Lock()
        self.runs: Counter[TrialKey] = Counter()
        self.order: list[TrialKey] = []
        self.now = self.most = 0
        self.environments: set[str] = set()

    def run(self, task: TrialTask, environment: SideEnvironment) -> Trial:
        with self._lock:
            self.runs[task.key] += 1
            self.order.append(task.key)
            self.now += 1
            self.most = max(self.most, self.now)
            self.environments.add(str(environment.checkout))
            attempt = self.runs[task.key]
        try:
            return self._behaviour(task, attempt)
        finally:
            with self._lock:
                self.now -= 1


@dataclass
class Memory:
    """A sink in memory."""

    done: set[TrialKey] = field(default_factory=set[TrialKey])
    trials: list[Trial] = field(default_factory=list[Trial])
    spent_before: Usage = field(default_factory=Usage)
    fault: Exception | None = None
    synced: int = 0

    def append(self, trial: Trial) -> Trial:
        if self.fault is not None:
            raise self.fault
        self.trials.append(trial)
        self.done.add(trial.key)
        return trial

    def sync(self) -> None:
        self.synced = len(self.trials)


@dataclass
class Seen:
    """Keeps what a progress view is told."""

    moments: list[Progress] = field(default_factory=list[Progress])

    def update(self, progress: Progress) -> None:
        self.moments.append(progress)

    def close(self) -> None:
        raise AssertionError


def runner(
    agent: CountingAgent, sink: Memory, bounds: Bounds | None = None, stop: Callable[[], None] = lambda: None
) -> TrialRunner:
    lanes: dict[Side, Lane] = {
        side: Lane(agent, SideEnvironment(side, PurePath(f"/{side}"))) for side in SIDES
    }
    return TrialRunner(lanes, sink, bounds or Bounds(backoff_s=0), stop=stop)


def test_every_trial_runs_once_and_is_stored() -> None:
    agent, sink = CountingAgent(), Memory()
    tasks = [task(slot, side) for slot in range(25) for side in SIDES]
    assert runner(agent, sink).run(tasks) == ""
    assert set(agent.runs.values()) == {1}
    assert sorted(one.key for one in sink.trials) == sorted(one.key for one in tasks)
    assert sink.synced == len(tasks)
    assert agent.environments == {"/base", "/head"}


def test_one_wide_keeps_the_planned_order() -> None:
    agent, sink = CountingAgent(), Memory()
    tasks = [task(slot) for slot in (3, 1, 2)]
    runner(agent, sink, Bounds(concurrency=1)).run(tasks)
    assert agent.order == [one.key for one in tasks] == [one.key for one in sink.trials]


def test_no_more_run_at_once_than_allowed_and_as_many_as_that() -> None:
    full = threading.Barrier(3)

    def meets_others(one: TrialTask, _attempt: int) -> Trial:
        full.wait(timeout=20)
        return ended(one)

    agent, sink = CountingAgent(meets_others), Memory()
    runner(agent, sink, Bounds(concurrency=3)).run([task(slot) for slot in range(9)])
    assert agent.most == 3
    assert len(sink.trials) == 9


def test_what_is_done_is_never_run_again() -> None:
    agent, sink = CountingAgent(), Memory(done={task(1).key, task(2).key})
    assert runner(agent, sink).run([task(slot) for slot in range(4)]) == ""
    assert set(agent.runs) == {task(0).key, task(3).key}


def test_the_rounds_of_one_evaluation_share_counts() -> None:
    agent, sink = CountingAgent(), Memory()
    one = runner(agent, sink, Bounds(trials=5))
    assert one.run([task(slot) for slot in range(3)]) == ""
    assert one.run([task(slot) for slot in range(3, 6)]) == "budget: 5 trials"
    assert one.run([task(9)]) == "budget: 5 trials"
    assert len(sink.trials) == 5


def test_a_trial_is_counted_once_however_often_its_round_is_named() -> None:
    agent, sink = CountingAgent(), Memory()
    one = runner(agent, sink, Bounds(trials=6))
    assert one.run([task(slot) for slot in range(3)]) == ""
    assert one.run([task(slot) for slot in range(6)]) == ""
    assert one.run([task(slot) for slot in range(6)]) == ""
    assert len(sink.trials) == 6


def test_trials_of_an_earlier_process_count_towards_the_budget() -> None:
    agent, sink = CountingAgent(), Memory(done={task(0).key, task(1).key})
    assert runner(agent, sink, Bounds(trials=3)).run([task(slot) for slot in range(4)]) == "budget: 3 trials"
    assert len(agent.runs) == 1


def test_a_plan_that_fits_its_budget_exactly_is_no_stop() -> None:
    agent, sink = CountingAgent(), Memory()
    assert runner(agent, sink, Bounds(trials=4)).run([task(slot) for slot in range(4)]) == ""


def test_money_spent_ends_the_run_and_keeps_what_was_paid_for() -> None:
    agent = CountingAgent(lambda one, _: ended(one, usd=0.4))
    sink = Memory()
    stopped = runner(agent, sink, Bounds(concurrency=1, usd=1.0)).run([task(slot) for slot in range(50)])
    assert stopped == "budget: 1 USD"
    assert len(sink.trials) == 3


def test_money_that_an_earlier_process_spent_is_spent() -> None:
    agent = CountingAgent(lambda one, _: ended(one, usd=0.4))
    sink = Memory(spent_before=Usage(cost_usd=0.7))
    stopped = runner(agent, sink, Bounds(concurrency=1, usd=1.0)).run([task(slot) for slot in range(9)])
    assert (stopped, len(sink.trials)) == ("budget: 1 USD", 1)


def test_time_is_up_by_the_clock_that_was_given() -> None:
    now = [0.0]

    def takes_ten_seconds(one: TrialTask, _attempt: int) -> Trial:
        now[0] += 10
        return ended(one)

    agent, sink = CountingAgent(takes_ten_seconds), Memory()
    lanes: dict[Side, Lane] = {"head": Lane(agent, SideEnvironment("head", PurePath("/head")))}
    bounds = Bounds(concurrency=1, seconds=25)
    one = TrialRunner(lanes, sink, bounds, stop=lambda: None, clock=lambda: now[0])
    assert one.run([task(slot) for slot in range(9)]) == "budget: 25 seconds"
    assert len(sink.trials) == 3


@pytest.mark.parametrize(
    ("good_at", "status", "attempts"), [(1, "completed", 1), (3, "completed", 3), (4, "infra_error", 3)]
)
def test_an_infrastructure_fault_is_tried_twice_more(good_at: int, status: Status, attempts: int) -> None:
    agent = CountingAgent(
        lambda one, attempt: ended(one) if attempt >= good_at else ended(one, "infra_error", "no route")
    )
    sink = Memory()
    runner(agent, sink).run([task(0)])
    assert [(one.status, one.attempts) for one in sink.trials] == [(status, attempts)]
    assert agent.runs[task(0).key] == attempts


@pytest.mark.parametrize("status", ["agent_error", "timeout"])
def test_the_agents_own_failure_is_never_tried_again(status: Status) -> None:
    agent = CountingAgent(lambda one, _: ended(one, status, "boom"))
    sink = Memory()
    runner(agent, sink).run([task(0)])
    assert agent.runs[task(0).key] == 1
    assert sink.trials[0].status == status


def test_equal_faults_in_a_row_end_the_run() -> None:
    agent = CountingAgent(lambda one, _: ended(one, "infra_error", f"refused, port {one.key.slot}"))
    sink = Memory()
    bounds = Bounds(concurrency=1, retries=0, breaker=4)
    stopped = runner(agent, sink, bounds).run([task(slot) for slot in range(500)])
    assert stopped.startswith("4 trials in a row failed alike: refused")
    assert len(sink.trials) == 4


def test_an_adapter_that_raises_stops_everything_and_is_heard() -> None:
    stopped = threading.Event()

    def raises(one: TrialTask, _attempt: int) -> Trial:
        if one.key.slot == 2:
            raise InfrastructureError("no such interpreter")
        return ended(one)

    agent, sink = CountingAgent(raises), Memory()
    with pytest.raises(InfrastructureError, match="no such interpreter"):
        runner(agent, sink, Bounds(concurrency=1), stopped.set).run([task(slot) for slot in range(100)])
    assert stopped.is_set()
    assert [one.key.slot for one in sink.trials] == [0, 1]
    assert len(agent.runs) == 3


def test_an_answer_for_another_trial_is_not_stored() -> None:
    agent = CountingAgent(lambda one, _: replace(ended(one), slot=99))
    sink = Memory()
    with pytest.raises(InfrastructureError, match="asked for"):
        runner(agent, sink).run([task(0)])
    assert sink.trials == []


def test_a_journal_that_cannot_store_stops_everything() -> None:
    stopped = threading.Event()

    def waits_for_the_end(one: TrialTask, _attempt: int) -> Trial:
        if one.key.slot > 0:
            assert stopped.wait(timeout=20)
        return ended(one)

    agent, sink = CountingAgent(waits_for_the_end), Memory(fault=InfrastructureError("disk full"))
    with pytest.raises(InfrastructureError, match="disk full"):
        runner(agent, sink, Bounds(concurrency=2), stopped.set).run([task(slot) for slot in range(100)])
    assert agent.now == 0
    assert len(agent.runs) <= 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_what_runs_keeps_what_finished_and_says_how_far_it_came(number: signal.Signals) -> None:
    stopped = threading.Event()

    def is_interrupted(one: TrialTask, _attempt: int) -> Trial:
        if one.key.slot == 3:
            os.kill(os.getpid(), number)
            assert stopped.wait(timeout=20)
            return ended(one, "agent_error", "killed by us, which must not be held against it")
        return ended(one)

    before = signal.getsignal(number)
    agent, sink = CountingAgent(is_interrupted), Memory()
    with pytest.raises(Cancelled) as caught:
        runner(agent, sink, Bounds(concurrency=1), stopped.set).run([task(slot) for slot in range(50)])
    assert (caught.value.done, caught.value.planned) == (3, 50)
    assert [one.key.slot for one in sink.trials] == [0, 1, 2]
    assert agent.now == 0
    assert signal.getsignal(number) == before


def test_an_agent_that_will_not_end_does_not_hold_the_cancellation_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gatebot.runner.pool._GRACE_S", 0.05)
    release = threading.Event()
    started = threading.Event()

    def hangs(one: TrialTask, _attempt: int) -> Trial:
        started.set()
        release.wait(timeout=60)
        return ended(one)

    agent, sink = CountingAgent(hangs), Memory()
    one = runner(agent, sink)
    threading.Thread(target=lambda: started.wait(timeout=20) and one.cancel()).start()
    with pytest.raises(Cancelled):
        one.run([task(0)])
    release.set()
    assert sink.trials == []


def test_waiting_for_a_further_attempt_ends_with_the_cancellation() -> None:
    agent = CountingAgent(lambda one, _: ended(one, "infra_error", "429"))
    sink = Memory()
    one = runner(agent, sink, Bounds(backoff_s=3600))
    threading.Timer(0.05, one.cancel).start()
    with pytest.raises(Cancelled):
        one.run([task(0)])
    assert agent.runs[task(0).key] == 1


def test_the_view_hears_counts_per_side_and_money() -> None:
    agent, sink = CountingAgent(lambda one, _: ended(one, usd=0.25)), Memory(done={task(0, "base").key})
    lanes: dict[Side, Lane] = {side: Lane(agent, SideEnvironment(side, PurePath("/x"))) for side in SIDES}
    seen = Seen()
    one = TrialRunner(lanes, sink, Bounds(), stop=lambda: None, audience=Audience(progress=seen))
    one.run([task(slot, side) for slot in range(2) for side in SIDES])
    first, last = seen.moments[0], seen.moments[-1]
    assert (first.done, first.planned, first.base.cached) == (1, 4, 1)
    assert (last.base.done, last.head.done, last.running) == (2, 2, 0)
    assert last.usd == 0.75
