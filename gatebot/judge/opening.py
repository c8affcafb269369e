"""A session out of its configuration, a key and places: the one way commands come by a judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gatebot.judge.asking import Asker
from gatebot.judge.batches import Batches
from gatebot.judge.cache import AnswerCache
from gatebot.judge.client import Access, MessagesApi
from gatebot.judge.prices import price_of
from gatebot.judge.session import JudgingSession
from gatebot.judge.waiting import Clock
from gatebot.model.judge import JudgeConfig


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a session takes from outside: the key, texts to mask, where answers are kept (None: nowhere), a clock."""

    key: str = field(repr=False)
    secrets: Sequence[str] = field(default=(), repr=False)
    cache: Path | None = None
    clock: Clock = field(default_factory=Clock)
    pending_batches: tuple[str, ...] = ()


def cannot_run(config: JudgeConfig, key: str | None) -> str:
    """Why there can be no session, or an empty string: no key, or a bound in dollars and a model without a price."""
    if not key or not key.strip():
        return f"there is no key in {config.key_env}"
    unpriced = [model for model in config.models if price_of(model, config.prices) is None]
    if config.usd is not None and unpriced:
        return f"judge.usd bounds the cost, but no price is known for {unpriced[0]}: name it in judge.prices"
    return ""


def open_session(config: JudgeConfig, around: Surroundings) -> JudgingSession:
    """A session; nothing is sent yet."""
    key = around.key.strip()
    api = MessagesApi(Access(config.base_url, key), around.clock, config.concurrency)
    asker = Asker(config, api, AnswerCache(around.cache, key), secrets=(*around.secrets, key))
    batches = Batches(around.clock, config.batch_wait, around.pending_batches) if config.batch else None
    return JudgingSession(config, asker, batches)
