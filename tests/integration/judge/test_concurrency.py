"""Judging at several at once: a busy API narrows it for both sides alike (security F48), and the order changes nothing."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from gatebot.judge.session import JudgingSession
from gatebot.model.suite import Case
from gatebot.model.trial import Trial
from tests.fakes.anthropic_server import Answer, AnthropicServer, Body, fault, serving
from tests.integration.judge.clock import FakeClock
from tests.integration.judge.sessions import Bench
from tests.unit.judge.subjects import case, given, message, trial

MOST = 4
RECOVERED = 6
"""Answers after a burst at a width of 4: cut to 2, then 2.5, 2.9, 3.24 after three, and 4 after six."""
METRICS = frozenset({"judge_trajectory"})
Task = tuple[Case, Trial, frozenset[str]]


@dataclass
class Counted:
    """Counts the requests under way at a server; holds each a moment, so that those which may come do come.

    Once it should have recovered it holds them until all that may be under way are.
    """

    server: AnthropicServer
    burst: int = 0
    burst_was: bool = False
    under_way: int = 0
    arrivals: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """(answers given before, requests under way) at each arrival after the burst."""
    answers: int = 0
    full: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    def answer(self, method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Answer:
        """The first `burst` requests are refused together once all are here; the others are the server's."""
        with self.changed:
            self.under_way += 1
            self.changed.notify_all()
            if self.burst:
                assert self.changed.wait_for(lambda: self.under_way == self.burst or not self.burst, 30)
                self.burst, self.burst_was = 0, True
                self.under_way -= 1
                return fault(529)
            self.arrivals.append((self.answers, self.under_way))
            if self.burst_was and self.answers >= RECOVERED:
                self.changed.wait_for(lambda: self.full or self.under_way >= MOST, 30)
                self.full = True
                self.changed.notify_all()
            else:
                self.changed.wait_for(lambda: self.under_way > MOST, 0.05)
        found = AnthropicServer.answer(self.server, method, path, headers, raw)
        with self.changed:
            self.under_way -= 1
            self.answers += 1
        return found


def by_content(body: Body) -> Answer:
    """A score that depends on what is asked alone."""
    return Answer(body=message(given(0.6 if "answer 1" in str(body["messages"]) else 0.9)))


def tasks(each: int) -> list[Task]:
    """As many trials of base as of head; the first answers of both are the same."""
    return [
        (case(), trial(f"answer {slot if slot < 3 else f'{slot} {side}'}", side=side, slot=slot), METRICS)
        for slot in range(1, each + 1)
        for side in ("base", "head")
    ]


def judged(session: JudgingSession, wanted: list[Task]) -> bytes:
    with ThreadPoolExecutor(session.config.concurrency) as pool:
        return orjson.dumps(list(session.judge_many(wanted, pool)))


def test_a_burst_of_529_narrows_judging_which_then_recovers() -> None:
    with serving(by_content) as server:
        bench = Bench(server, FakeClock(step=0.001))
        with bench.session(canaries=False, concurrency=1) as session:
            calm = judged(session, tasks(10))
        counted = Counted(server, burst=MOST)
        server.answer = counted.answer
        with bench.session(canaries=False, concurrency=MOST) as session:
            found = judged(session, tasks(10))
    assert found == calm
    assert len(counted.arrivals) == 20
    assert max(count for answers, count in counted.arrivals if answers < 3) <= 2
    assert max(count for answers, count in counted.arrivals if answers < RECOVERED) <= 3
    assert max(count for _, count in counted.arrivals) == MOST


def test_width_never_exceeds_the_configuration() -> None:
    with serving(by_content) as server:
        counted = Counted(server)
        server.answer = counted.answer
        with Bench(server, FakeClock()).session(canaries=False, concurrency=2) as session:
            judgements = orjson.loads(judged(session, tasks(4)))
    assert len(judgements) == 8
    assert max(count for _, count in counted.arrivals) <= 2


def test_results_do_not_depend_on_the_order_of_answers(tmp_path: Path) -> None:
    """Equal questions with a cache: the first of the trials pays, whichever thread is the faster."""
    seen: set[bytes] = set()
    for concurrency in (1, 2, 4, 8):
        with serving(by_content) as server:
            bench = Bench(server, FakeClock(), tmp_path / str(concurrency))
            with bench.session(canaries=False, concurrency=concurrency, samples=2) as session:
                lines = judged(session, tasks(6))
                seen.add(lines + orjson.dumps(session.record()))
                assert lines.count(b'"cached":true') == 4
    assert len(seen) == 1
