"""A judging session: canaries first, then trial after trial; what it needs beside the configuration is handed in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field

from gatebot.judge.asking import Asker, Member, members_of
from gatebot.judge.batches import Batches, Wanted
from gatebot.judge.canaries import canary_questions, complaint, try_canaries
from gatebot.judge.panel import judgement_of, same_family
from gatebot.judge.prices import estimate_of, price_of
from gatebot.judge.subject import Subject, Subjects
from gatebot.model.judge import JudgeConfig
from gatebot.model.judgement import Canary, Judgement, JudgeSession, Opinion
from gatebot.model.suite import Case
from gatebot.model.trial import Trial

Task = tuple[Case, Trial]
Seats = list[tuple[Subject, list[Callable[[], Opinion]]]]
"""Each question about a trial, with how to come by the opinion of each member."""


@dataclass(slots=True)
class JudgingSession:
    """Implements the `Judge` protocol. Threads may share one."""

    config: JudgeConfig
    asker: Asker
    batches: Batches | None = None
    canaries: tuple[Canary, ...] = ()
    estimated_usd: float | None = None
    agents: set[str] = field(default_factory=set[str])
    subjects: Subjects = field(init=False)
    members: tuple[Member, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.subjects = Subjects(self.config)
        self.members = members_of(self.config)

    def open(self) -> str:
        """Try the canaries. Returns why the judge is not to be trusted, or an empty string."""
        if not self.config.canaries:
            return ""
        self.canaries = try_canaries(
            self.subjects.rubrics,
            self.members,
            lambda question, member: self.asker.opinion(question, member, fresh=True),
        )
        return self.asker.stopped or complaint(self.canaries)

    def estimate(self, tasks: Iterable[Task]) -> float | None:
        """US dollars that judging these trials will cost, canaries with them; equal questions once. None: no price known."""
        total = self._canary_estimate()
        seen: set[str] = set()
        for case, trial in tasks:
            for subject in self.subjects.of(case, trial):
                if subject.floor.decided or subject.question.subject in seen:
                    continue
                seen.add(subject.question.subject)
                total = _plus(total, self._estimate_of(subject))
        self.estimated_usd = total
        return total

    def fetch(self, tasks: Iterable[Task]) -> None:
        """Have a batch answer all that is not in the cache. Does nothing unless batches are configured."""
        if self.batches is None:
            return
        wanted: dict[str, Wanted] = {}
        for case, trial in tasks:
            for subject in self.subjects.of(case, trial):
                for member in self.members if not subject.floor.decided else ():
                    want = Wanted(subject.question, member)
                    if self.asker.cache.get(subject.question.subject, member.model, member.sample) is None:
                        wanted[want.name] = want
        self.batches.fetch(wanted, self.asker)

    def judge(self, case: Case, trial: Trial) -> dict[str, Judgement]:
        """Metric name → judgement, for every rubric. Never raises on what the trial holds or the model answers."""
        self.agents.update(trial.trajectory.models)
        seats = [(subject, self._asked(subject, self._now)) for subject in self.subjects.of(case, trial)]
        return _judgements(trial, seats)

    def judge_many(
        self, tasks: Sequence[tuple[Case, Trial, frozenset[str]]], pool: Executor
    ) -> Iterator[dict[str, Judgement]]:
        """`judge` for some metrics of each trial, in the order given, as many opinions at once as the pool has threads.

        What comes out does not depend on which answer arrives first.
        """
        first: dict[tuple[str, Member], Future[Opinion]] = {}
        started: list[Future[Opinion]] = []

        def start(subject: Subject, member: Member) -> Callable[[], Opinion]:
            question = subject.question
            earlier = first.get((question.subject, member))
            if earlier is not None:
                return lambda: self._after(earlier, subject, member)
            future = pool.submit(self.asker.opinion, question, member, self._early(subject, member))
            started.append(future)
            if self.asker.cache.folder is not None:
                first[question.subject, member] = future
            return future.result

        try:
            begun: list[tuple[Trial, Seats]] = []
            for case, trial, metrics in tasks:
                self.agents.update(trial.trajectory.models)
                wanted = [s for s in self.subjects.of(case, trial) if s.question.rubric.metric in metrics]
                begun.append((trial, [(subject, self._asked(subject, start)) for subject in wanted]))
            for trial, seats in begun:
                yield _judgements(trial, seats)
        finally:
            for future in started:
                future.cancel()

    def record(self, complaint_: str = "") -> JudgeSession:
        """How the session went, for judge.jsonl."""
        stopped = self.asker.stopped
        status = "stopped" if stopped else "unhealthy" if complaint_ else "healthy"
        family = same_family(self.config.models, sorted(self.agents))
        notes = (
            (f"The judge is of the same model family as the agent ({family}): models are kind to their own.",)
            if family
            else ()
        )
        return JudgeSession(
            status=status,
            reason=stopped or complaint_,
            notes=notes,
            canaries=self.canaries,
            calls=self.asker.api.attempts,
            estimated_usd=self.estimated_usd,
            cost_usd=self.asker.ledger.usd,
            pending_batches=self.batches.pending if self.batches is not None else (),
        )

    def _asked(
        self, subject: Subject, ask: Callable[[Subject, Member], Callable[[], Opinion]]
    ) -> list[Callable[[], Opinion]]:
        return [] if subject.floor.decided else [ask(subject, member) for member in self.members]

    def _now(self, subject: Subject, member: Member) -> Callable[[], Opinion]:
        return lambda: self.asker.opinion(subject.question, member, self._early(subject, member))

    def _after(self, earlier: Future[Opinion], subject: Subject, member: Member) -> Opinion:
        """The opinion on an equal question, which the cache has once the earlier one is answered."""
        earlier.result()
        return self.asker.opinion(subject.question, member, self._early(subject, member))

    def _early(self, subject: Subject, member: Member) -> bytes | None:
        return self.batches.take(Wanted(subject.question, member)) if self.batches is not None else None

    def _canary_estimate(self) -> float | None:
        total: float | None = 0.0
        if not self.config.canaries:
            return total
        for rubric in self.subjects.rubrics:
            for _, question in canary_questions(rubric):
                for model in self.config.models:
                    body = self.asker.request(question, Member(model, 1))
                    total = _plus(total, estimate_of(body, price_of(model, self.config.prices)))
        return total

    def _estimate_of(self, subject: Subject) -> float | None:
        total: float | None = 0.0
        for member in self.members:
            body = self.asker.request(subject.question, member)
            total = _plus(total, estimate_of(body, price_of(member.model, self.config.prices)))
        return total


def _plus(total: float | None, more: float | None) -> float | None:
    return None if total is None or more is None else total + more


def _judgements(trial: Trial, seats: Seats) -> dict[str, Judgement]:
    return {
        subject.question.rubric.metric: judgement_of(
            trial, subject.question, subject.digest, subject.floor, [opinion() for opinion in opinions]
        )
        for subject, opinions in seats
    }
