"""Many questions in one batch: half the price, answers later. A batch that has not ended is collected by a later session."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

import orjson

from gatebot.judge.asking import Asker, Member
from gatebot.judge.fault import CallFailed
from gatebot.judge.protocol import Question
from gatebot.judge.waiting import Clock
from gatebot.model.json_value import JsonObject

MAX_REQUESTS = 2_000
_FIRST_POLL, _LONGEST_POLL = 5.0, 60.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question for one seat of the panel."""

    question: Question
    member: Member

    @property
    def name(self) -> str:
        """The request's own id: the same for the same question, model and sample, in every session."""
        asked = f"{self.question.subject}\0{self.member.model}\0{self.member.sample}"
        return hashlib.sha256(asked.encode()).hexdigest()[:48]


@dataclass(slots=True)
class Batches:
    """Starts batches, waits for them at most `wait` seconds, and hands out the answers once.

    `pending`: ids of batches that have not ended; given at the start, those of an earlier session.
    """

    clock: Clock
    wait: float
    pending: tuple[str, ...] = ()
    _answers: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def fetch(self, wanted: Mapping[str, Wanted], asker: Asker) -> None:
        """Collect what is pending, ask for what is left, wait. What fails stops the asker: nothing is paid for twice."""
        deadline = self.clock.now() + self.wait
        timeout = asker.config.timeout
        try:
            self._collect(asker, deadline, timeout)
            left = iter([name for name in wanted if name not in self._answers])
            while not asker.stopped and (names := list(islice(left, MAX_REQUESTS))):
                bodies: dict[str, JsonObject] = {
                    name: asker.request(wanted[name].question, wanted[name].member) for name in names
                }
                self.pending = (*self.pending, asker.api.start_batch(bodies, timeout=timeout))
                self._collect(asker, deadline, timeout)
        except CallFailed as failed:
            asker.stopped = asker.stopped or f"the batch failed: {failed.told}"

    def take(self, wanted: Wanted) -> bytes | None:
        """The answer to a question, once."""
        return self._answers.pop(wanted.name, None)

    def _collect(self, asker: Asker, deadline: float, timeout: float) -> None:
        """Wait until nothing is pending, or the deadline. Raises CallFailed."""
        poll = _FIRST_POLL
        while self.pending:
            first, *others = self.pending
            if asker.api.batch_ended(first, timeout=timeout):
                for name, result in asker.api.batch_results(first, timeout=timeout):
                    if result.get("type") == "succeeded":
                        self._answers[name] = orjson.dumps(result.get("message"))
                self.pending = tuple(others)
                continue
            if self.clock.now() + poll > deadline:
                asker.stopped = "a batch has not ended yet: run `gatebot judge run` later to collect it"
                return
            self.clock.sleep(poll)
            poll = min(poll * 1.5, _LONGEST_POLL)
