"""One model's opinion on one question: from the cache, or asked, read, repaired once; never made up."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from gatebot.judge.answer import Reply, read_reply
from gatebot.judge.cache import AnswerCache
from gatebot.judge.client import MessagesApi
from gatebot.judge.fault import CallFailed
from gatebot.judge.material import step_count
from gatebot.judge.prices import Ledger, cost_of, estimate_of, price_of
from gatebot.judge.protocol import Asking, Nonce, Question, request_of
from gatebot.model.json_value import JsonObject
from gatebot.model.judge import JudgeConfig
from gatebot.model.judgement import Opinion

BUDGET_SPENT = "the judge's budget is spent"
_CUT_FACTOR = 2


def fresh_number() -> str:
    """128 random bits in hex."""
    return secrets.token_hex(16)


@dataclass(frozen=True, slots=True)
class Member:
    """One seat on the panel: a model and the number of its sample."""

    model: str
    sample: int


def members_of(config: JudgeConfig) -> tuple[Member, ...]:
    """Every seat, models in the order of the configuration."""
    return tuple(Member(model, n) for model in config.models for n in range(1, config.samples + 1))


@dataclass(slots=True)
class _Bill:
    input: int = 0
    output: int = 0
    usd: float | None = 0.0

    def add(self, reply: Reply, usd: float | None) -> None:
        self.input += reply.spent.input + reply.spent.written + reply.spent.read
        self.output += reply.spent.output
        self.usd = None if usd is None or self.usd is None else self.usd + usd


@dataclass(slots=True)
class Asker:
    """Asks the models of a configuration. `stopped` says why nothing more is asked: budget, key, outage."""

    config: JudgeConfig
    api: MessagesApi
    cache: AnswerCache
    secrets: Sequence[str] = ()
    nonce: Nonce = fresh_number
    stopped: str = ""
    answered: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    ledger: Ledger = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.config.usd)

    def opinion(
        self, question: Question, member: Member, early: bytes | None = None, *, fresh: bool = False
    ) -> Opinion:
        """One opinion; its `error` says why there is no value.

        `early`: an answer that a batch has brought. `fresh`: neither taken from the cache nor kept there.
        """
        kept = None if fresh else self.cache.get(question.subject, member.model, member.sample)
        if kept is not None:
            return kept
        bill = _Bill()
        reply, failed = self._ask(question, member, bill, early)
        error = failed or (reply.fault if reply is not None else "there is no answer")
        stated = reply.stated if reply is not None and not failed else None
        opinion = Opinion(
            model=member.model,
            sample=member.sample,
            value=stated.value if stated is not None else None,
            answered_by=reply.model if reply is not None else "",
            explanation=stated.explanation if stated is not None else "",
            steps=stated.steps if stated is not None else (),
            strengths=stated.strengths if stated is not None else (),
            weaknesses=stated.weaknesses if stated is not None else (),
            failure_category=stated.failure_category if stated is not None else "none",
            error="" if stated is not None else error,
            input_tokens=bill.input,
            output_tokens=bill.output,
            cost_usd=bill.usd,
        )
        self._note(opinion)
        if not fresh:
            self.cache.put(question.subject, opinion)
        return opinion

    def request(self, question: Question, member: Member, repair: str = "", room: int = 1) -> JsonObject:
        """The request's body; `room` multiplies the tokens of the answer."""
        tokens = self.config.max_tokens * room
        asking = Asking(member.model, tokens, self.nonce, tuple(self.secrets))
        return request_of(question, asking, repair)

    def _ask(
        self, question: Question, member: Member, bill: _Bill, early: bytes | None
    ) -> tuple[Reply | None, str]:
        """The last reply, and why there is none to rely on. One repair after an answer that cannot be used."""
        reply: Reply | None = None
        for attempt in (1, 2):
            if early is not None and attempt == 1:
                reply = self._read(early, question, member, bill, batch=True)
            else:
                repair = reply.fault if reply is not None else ""
                room = _CUT_FACTOR if reply is not None and reply.cut else 1
                try:
                    seed = f"{question.subject}\0{member.model}\0{member.sample}\0{attempt}"
                    raw = self.send(self.request(question, member, repair, room), member.model, seed)
                except CallFailed as failed:
                    return reply, failed.told
                reply = self._read(raw, question, member, bill, batch=False)
            if not reply.fault:
                return reply, ""
        return reply, ""

    def _read(self, raw: bytes, question: Question, member: Member, bill: _Bill, *, batch: bool) -> Reply:
        reply = read_reply(raw, question.rubric, step_count(question.material))
        usd = cost_of(reply.spent, price_of(member.model, self.config.prices), batch=batch)
        bill.add(reply, usd)
        self.ledger.book(None, usd)
        return reply

    def send(self, body: JsonObject, model: str, seed: str) -> bytes:
        """Send within the budget. Raises CallFailed; a fault that ends the session, or a spent budget, stops all asking."""
        if self.stopped:
            raise CallFailed(self.stopped, ends_session=True)
        estimate = estimate_of(body, price_of(model, self.config.prices))
        if not self.ledger.reserve(estimate):
            self.stopped = BUDGET_SPENT
            raise CallFailed(BUDGET_SPENT, ends_session=True)
        booked: float | None = 0.0
        try:
            return self.api.send(body, timeout=self.config.timeout, seed=seed)
        except CallFailed as failed:
            booked = estimate if failed.may_be_billed else 0.0
            if failed.ends_session:
                self.stopped = failed.told
            raise
        finally:
            self.ledger.book(estimate, booked)

    def _note(self, opinion: Opinion) -> None:
        if opinion.answered_by:
            with self._lock:
                self.answered.setdefault(opinion.model, set()).add(opinion.answered_by)
